/**
 * Gives one session of a pipeline its threads: a session's own state machine on the pipeline's thread
 * ({@link io.tidegate.engine.session.Session}), and around it the roles that block: reader, sink, source, store. Roles talk
 * to the pipeline's thread by {@link io.tidegate.engine.session.Mailbox} only; each object belongs to one thread.
 */
@NullMarked
package io.tidegate.engine.session;

import org.jspecify.annotations.NullMarked;
