package io.tidegate.spi;

import org.jspecify.annotations.Nullable;

/** A failure with its code. The message names the object and the cause; the advice says what to do. Never a secret. */
public final class TidegateException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final ErrorCode code;
    private final String advice;

    public TidegateException(ErrorCode code, String message) {
        this(code, message, code.advice(), null);
    }

    public TidegateException(ErrorCode code, String message, @Nullable Throwable cause) {
        this(code, message, code.advice(), cause);
    }

    public TidegateException(ErrorCode code, String message, String advice, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.advice = advice;
    }

    public ErrorCode code() {
        return code;
    }

    public String advice() {
        return advice;
    }

    /** Code, message and advice, for people. */
    public String describe() {
        String message = String.valueOf(getMessage());
        String sentence = message.endsWith(".") ? message : message + ".";
        return code.code() + ": " + sentence + (advice.isEmpty() ? "" : " " + advice);
    }
}
