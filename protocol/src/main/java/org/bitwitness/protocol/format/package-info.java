/**
 * Files of a recording: strict JSON, safetensors, Arrow segments, the writer and the reader of a whole folder.
 *
 * <p>May import: the other packages of this module, Jackson's streaming parser, Arrow (nowhere else in this module).
 * <p>Data goes next to: the recorder writes through here; replay, verification and the portal read through here.
 */
@NullMarked
package org.bitwitness.protocol.format;

import org.jspecify.annotations.NullMarked;
