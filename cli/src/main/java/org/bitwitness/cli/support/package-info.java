/**
 * What every command shares: exit codes, output, progress, messages for failures, and how to start another JVM.
 *
 * <p>May import: the JDK, picocli, Jackson, and the checked exceptions of the modules.
 * <p>Data goes next to: standard output (one result), standard error (progress, logs, messages), the exit code.
 */
@NullMarked
package org.bitwitness.cli.support;

import org.jspecify.annotations.NullMarked;
