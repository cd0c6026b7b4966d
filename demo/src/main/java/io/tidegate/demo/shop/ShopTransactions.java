package io.tidegate.demo.shop;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** What customers and clerks do, each a transaction of a few changes. Belongs to one thread, as its connection does. */
final class ShopTransactions {

    private static final String SOME_PRODUCT = "sku = (select sku from shop.products order by random() limit 1)";
    private static final int ITEMS_MAX = 4;
    private static final int BULK_ORDERS = 40;

    private final Connection connection;
    private final SplittableRandom random;

    ShopTransactions(Connection connection, SplittableRandom random) throws SQLException {
        connection.setAutoCommit(false);
        this.connection = connection;
        this.random = random;
    }

    /** Commits a transaction, or rolls it back, and gives the number of committed changes. */
    int next() throws SQLException {
        int die = random.nextInt(100);
        if (die == 0) {
            placeOrder();
            connection.rollback();
            return 0;
        }
        int changes = run(die);
        connection.commit();
        return changes;
    }

    private int run(int die) throws SQLException {
        if (die < 32) {
            return placeOrder();
        }
        if (die < 54) {
            return advanceOrder();
        }
        if (die < 64) {
            return execute(
                    "update shop.products set price = round(price * ?::numeric, 2) where " + SOME_PRODUCT, factor());
        }
        if (die < 72) {
            return newCustomer();
        }
        if (die < 80) {
            return editCustomer();
        }
        if (die < 90) {
            return cancelOrder();
        }
        if (die < 93) {
            return execute("delete from shop.customers where id ="
                    + " (select id from shop.customers where not active order by id limit 1 for update skip locked)");
        }
        if (die < 96) {
            // The key changes, and the log does not hold the description, which stays.
            return execute(
                    "update shop.products set sku = split_part(sku, '-', 1) || '-' || nextval('shop.labels') where "
                            + SOME_PRODUCT);
        }
        if (die < 98) {
            return execute("update shop.products set description = shop.long_text(name) where " + SOME_PRODUCT);
        }
        return die < 99 ? bulk() : placeOrder() + advanceOrder() + newCustomer();
    }

    private int placeOrder() throws SQLException {
        long order = number("select nextval('shop.order_numbers')");
        int changes = execute(
                "insert into shop.orders (id, customer_id, status, total, deliver_within, address, note)"
                        + " select ?, id, 'placed', null, ?::interval, ?::inet, ?"
                        + " from shop.customers offset ? limit 1",
                order,
                random.nextInt(9) + " days " + random.nextInt(24) + " hours",
                "2001:db8::" + Integer.toHexString(random.nextInt(1 << 16)),
                random.nextInt(3) == 0 ? "für \"" + order + "\"\n→ bitte klingeln 🔔" : null,
                random.nextInt(300));
        changes += execute(
                "insert into shop.order_items (order_id, line, sku, quantity, price, gift)"
                        + " select ?, row_number() over (), sku, 1 + floor(random() * 5), price, random() < 0.1"
                        + " from (select sku, price from shop.products order by random() limit ?) p",
                order,
                1 + random.nextInt(ITEMS_MAX));
        changes += execute(
                "update shop.products set stock[1] = stock[1] - 1 where sku ="
                        + " (select sku from shop.order_items where order_id = ? and line = 1)",
                order);
        return changes
                + execute(
                        "update shop.orders set total = (select sum(quantity * price) from shop.order_items where order_id = ?)"
                                + " where id = ?",
                        order,
                        order);
    }

    private int advanceOrder() throws SQLException {
        return execute(
                "update shop.orders set status = (enum_range(null::shop.order_status))"
                        + "[least(array_position(enum_range(null::shop.order_status), status) + 1, 5)] where id = ?",
                someOrder());
    }

    private int newCustomer() throws SQLException {
        return execute(
                "insert into shop.customers (name, email, tags, active, birthday, preferences, picture)"
                        + " values (?, ?, array['new', ?], ?, current_date - ?, jsonb_build_object('limit', ?::numeric),"
                        + " decode(md5(random()::text), 'hex'))",
                "Zoë " + random.nextInt(10_000) + " 客",
                random.nextInt(5) == 0 ? null : "z" + random.nextInt() + "@example.com",
                "t,\"" + random.nextInt(9) + "\"",
                random.nextInt(4) > 0,
                random.nextInt(20_000),
                random.nextInt(100_000) + ".50");
    }

    private int editCustomer() throws SQLException {
        return execute(
                "update shop.customers set tags = tags || ?::text, active = not active,"
                        + " preferences = coalesce(preferences, '{}') || jsonb_build_object('seen', clock_timestamp())"
                        + " where id = (select id from shop.customers offset ? limit 1) and cardinality(tags) < 20",
                "v" + random.nextInt(100),
                random.nextInt(300));
    }

    private int cancelOrder() throws SQLException {
        long order = someOrder();
        return execute("delete from shop.order_items where order_id = ?", order)
                + execute("delete from shop.orders where id = ?", order);
    }

    /** Many changes by one statement. */
    private int bulk() throws SQLException {
        long first = someOrder();
        return execute(
                "update shop.order_items set gift = not gift where order_id between ? and ?",
                first,
                first + BULK_ORDERS);
    }

    /** A number that an order has, or had. */
    private long someOrder() throws SQLException {
        return 1 + random.nextLong(number("select last_value from shop.order_numbers"));
    }

    private String factor() {
        return "1." + random.nextInt(10);
    }

    private long number(String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private int execute(String sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }
}
