package io.tidegate.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tidegate.spi.Setting;
import io.tidegate.spi.SourceConnector;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SectionReaderTest {

    @Test
    void aKeyWithAValueHasNoKeysBelowItBecauseThoseCouldNeverBeWritten() {
        List<Setting<?>> settings =
                List.of(Setting.text("snapshot", null, "Whether."), Setting.text("snapshot.chunk", null, "How large."));

        assertThatIllegalArgumentException().isThrownBy(() -> reader(settings)).withMessageContaining("keys below it");
    }

    @Test
    void eachSettingOfEachSourceCanBeWritten() {
        List<SourceConnector> sources = ServiceLoader.load(SourceConnector.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();

        assertThat(sources).isNotEmpty().allSatisfy(source -> reader(source.settings()));
    }

    private static SectionReader reader(List<Setting<?>> settings) {
        return new SectionReader(
                settings, Set.of(), new References(Path.of(""), name -> null), new Problems(Path.of("")));
    }
}
