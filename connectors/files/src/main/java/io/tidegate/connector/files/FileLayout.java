package io.tidegate.connector.files;

import java.nio.file.Path;

/**
 * Where the lines go.
 *
 * @param folder holds everything
 * @param pipeline the pipeline's name, escaped
 * @param tablesApart each table has files of its own
 */
record FileLayout(Path folder, String pipeline, boolean tablesApart) {

    Path lock() {
        return folder.resolve(pipeline + ".lock");
    }
}
