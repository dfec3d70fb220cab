package org.bitwitness.scheduler;

import java.nio.file.Path;
import org.bitwitness.protocol.ReplayReport;

/**
 * A verdict that was signed and logged.
 *
 * @param drawn false for a spot check
 * @param logIndex its place in the log
 * @param file its bundle on disk
 */
public record LoggedVerdict(ReplayReport report, boolean drawn, long logIndex, Path file) {}
