/** The engine's innermost parts, measured by JMH. Entry class: {@link io.tidegate.bench.micro.GateBenchmark}. */
@NullMarked
package io.tidegate.bench.micro;

import org.jspecify.annotations.NullMarked;
