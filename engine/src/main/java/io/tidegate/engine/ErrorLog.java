package io.tidegate.engine;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What failed, one entry for each code, so that a failure that comes again and again hides no other. One thread. */
final class ErrorLog {

    /** The newest last. */
    private final Map<ErrorCode, PipelineStatus.Failure> byCode = new LinkedHashMap<>();

    void add(TidegateException failure, Instant now) {
        PipelineStatus.Failure before = byCode.remove(failure.code());
        byCode.put(
                failure.code(),
                new PipelineStatus.Failure(
                        failure.code(),
                        String.valueOf(failure.getMessage()),
                        before == null ? now : before.first(),
                        now,
                        before == null ? 1 : before.count() + 1));
    }

    List<PipelineStatus.Failure> newestFirst() {
        List<PipelineStatus.Failure> failures = new ArrayList<>(byCode.values());
        Collections.reverse(failures);
        return failures;
    }
}
