package io.tidegate.spi;

/** What happened to a row. */
public enum Op {
    CREATE("c"),
    UPDATE("u"),
    DELETE("d"),
    /** A row as a snapshot found it. */
    READ("r"),
    /** The whole table was emptied, or a new attempt at its snapshot begins and what came before is void. */
    TRUNCATE("t"),
    /** A message that an application wrote into the log. */
    MESSAGE("m");

    private final String code;

    Op(String code) {
        this.code = code;
    }

    /** The one letter that formats write. */
    public String code() {
        return code;
    }
}
