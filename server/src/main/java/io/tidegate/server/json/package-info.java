/** The JSON of commands and of the HTTP server. Entry class: {@link io.tidegate.server.json.Json}. Any thread. */
@NullMarked
package io.tidegate.server.json;

import org.jspecify.annotations.NullMarked;
