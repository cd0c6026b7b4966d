package io.tidegate.connector.postgres.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectionUrlTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgres://cdc:s3cret@db1/shop",
                "postgresql://cdc@db1:6000,[::1]:7000/shop?password=s3cret&sslmode=verify-full&sslrootcert=/a b/c.pem",
                "jdbc:postgresql://db1?user=a%40b%2F&password=s3cret&application_name=x%26y%3Dz",
                "postgresql://a%3Ab:s3cret@s3cret@db1/o%2F%3F%23%25%20%C3%A4*+",
                "postgresql://c:s3cret%25@db1"
            })
    void aUrlWithoutItsPasswordSaysTheSameButForThePassword(String text) throws Exception {
        ConnectionUrl url = ConnectionUrl.parse(text);

        String shown = url.withoutPassword();

        assertThat(shown).doesNotContain("s3cret").doesNotContain("#").doesNotContain(" ");
        assertThat(ConnectionUrl.parse(shown))
                .isEqualTo(new ConnectionUrl(url.hosts(), url.database(), url.user(), null, url.parameters()));
    }
}
