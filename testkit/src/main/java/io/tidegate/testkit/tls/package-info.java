/**
 * Certificates for test servers, made in memory without any program: {@link io.tidegate.testkit.tls.TestAuthority}.
 * Immutable once created; any thread may use them.
 */
@NullMarked
package io.tidegate.testkit.tls;

import org.jspecify.annotations.NullMarked;
