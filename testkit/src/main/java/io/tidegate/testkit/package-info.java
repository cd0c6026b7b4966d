/**
 * What tests need, and what checks the engine: explorer, simulated disk, scripted source and sink, PostgreSQL servers, a
 * proxy, properties, waiting. Nothing of it is part of a pipeline; the demo takes its server from here.
 */
@NullMarked
package io.tidegate.testkit;

import org.jspecify.annotations.NullMarked;
