/**
 * The network between a test and a server: {@link io.tidegate.testkit.net.TcpProxy} cuts, stalls and slows connections;
 * {@link io.tidegate.testkit.net.LoopbackPort} finds ports that stay free over a restart. Any thread may use them.
 */
@NullMarked
package io.tidegate.testkit.net;

import org.jspecify.annotations.NullMarked;
