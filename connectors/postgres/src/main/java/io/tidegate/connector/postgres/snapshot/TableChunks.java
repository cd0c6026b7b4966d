package io.tidegate.connector.postgres.snapshot;

import io.tidegate.connector.postgres.server.Publication.Published;
import io.tidegate.connector.postgres.server.Relation;
import io.tidegate.connector.postgres.server.SqlSession;
import java.util.ArrayList;
import java.util.List;

/** PLACEHOLDER until the branch with keys is merged. */
public record TableChunks(List<Chunk> chunks, boolean keyed, String identity) {
    public static TableChunks of(SqlSession control, Published table, List<Relation> leaves, long chunkBytes) {
        long pageBytes = control.one("SHOW block_size", row -> row.getLong(1));
        List<Chunk> chunks = new ArrayList<>();
        Chunk.plan(table, leaves, leaf -> leaf.select() ? control.one(
                "SELECT coalesce(pg_relation_size(CAST(? AS bigint)::oid), 0)", row -> row.getLong(1), leaf.oid()) / pageBytes : 0,
                Math.max(1, chunkBytes / pageBytes), "a", List.of()).forEach(p -> chunks.add(Chunk.parse(p.spec())));
        return new TableChunks(chunks, false, "");
    }
}
