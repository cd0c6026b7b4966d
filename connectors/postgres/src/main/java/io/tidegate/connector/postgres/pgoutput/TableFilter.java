package io.tidegate.connector.postgres.pgoutput;

import io.tidegate.connector.postgres.position.Lsn;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which changes of the log are given.
 *
 * @param captured by table OID: whether the pipeline wants the table
 * @param snapshotPoint by table OID: H, if changes that its snapshot contains, those of transactions with a commit LSN
 *     below H, are to be left out (<i>skip</i>, rule 9); else null
 * @param messages by prefix: whether a logical message is given as a change; the others only move the position
 */
public record TableFilter(
        IntPredicate captured, IntFunction<@Nullable Lsn> snapshotPoint, Predicate<String> messages) {}
