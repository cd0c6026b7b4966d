package io.tidegate.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Holds the module boundaries in the byte code, where a dependency declared too widely would show. */
@AnalyzeClasses(packages = "io.tidegate", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule SPI_STANDS_ALONE = classes()
            .that()
            .resideInAPackage("io.tidegate.spi..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("io.tidegate.spi..", "java..", "org.jspecify..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule ENGINE_KNOWS_ONLY_THE_SPI = classes()
            .that()
            .resideInAPackage("io.tidegate.engine..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("io.tidegate.engine..", "io.tidegate.spi..", "java..", "org.jspecify..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule FORMATS_KNOW_ONLY_THE_SPI = classes()
            .that()
            .resideInAPackage("io.tidegate.formats..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("io.tidegate.formats..", "io.tidegate.spi..", "java..", "org.jspecify..")
            .allowEmptyShould(true);

    /** Not allowed to be empty: the facade is on the class path of this test for this rule only. */
    @ArchTest
    static final ArchRule EMBED_KNOWS_SPI_ENGINE_AND_FORMATS = classes()
            .that()
            .resideInAPackage("io.tidegate.embed..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "io.tidegate.embed..",
                    "io.tidegate.engine..",
                    "io.tidegate.formats..",
                    "io.tidegate.spi..",
                    "java..",
                    "org.jspecify..");

    @ArchTest
    static final ArchRule CONNECTORS_KNOW_ONLY_THE_SPI = noClasses()
            .that()
            .resideInAPackage("io.tidegate.connector..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.tidegate.embed..",
                    "io.tidegate.engine..",
                    "io.tidegate.formats..",
                    "io.tidegate.server..",
                    "io.tidegate.testkit..",
                    "io.tidegate.demo..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule CONNECTORS_DO_NOT_KNOW_EACH_OTHER = slices().matching("io.tidegate.connector.(*)..")
            .should()
            .notDependOnEachOther()
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule ONLY_SERVER_AND_DEMO_WIRE_EVERYTHING = noClasses()
            .that()
            .resideInAPackage("io.tidegate..")
            .and()
            .resideOutsideOfPackages("io.tidegate.server..", "io.tidegate.demo..", "io.tidegate.connector..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.tidegate.server..", "io.tidegate.demo..", "io.tidegate.connector..")
            .allowEmptyShould(true);
}
