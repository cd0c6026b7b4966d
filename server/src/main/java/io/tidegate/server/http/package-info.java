/**
 * What a running process shows over HTTP: health, metrics and status. Entry class:
 * {@link io.tidegate.server.http.StatusServer}. Requests run on threads of its own and only read snapshots.
 */
@NullMarked
package io.tidegate.server.http;

import org.jspecify.annotations.NullMarked;
