package io.tidegate.spi;

/**
 * One database of one server, so that a sink is kept from writing what its own pipeline reads.
 *
 * @param system as {@link Source#system}
 * @param server names the server's data for good: of PostgreSQL the system identifier
 * @param database its name
 */
public record Place(String system, String server, String database) {}
