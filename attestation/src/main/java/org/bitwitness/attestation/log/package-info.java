/**
 * The append-only log: a tree of entries as plain files (c2sp.org/tlog-tiles), its one writer, and its readers.
 *
 * <p>{@link LocalTileLog} writes, {@link LogReader} reads and verifies, {@link LogFsck} derives everything again.
 * Whatever is read is checked against a checkpoint that the caller's policy accepted, never against the log's own word.
 *
 * <pre>
 * LOG/ checkpoint                       newest published checkpoint, a cosigned note
 *      tile/L/N[.p/W]                   hashes of level L, 256 to a tile
 *      tile/entries/N[.p/W]             entries, each with a 16-bit length
 *      payload/HEX                      the signed statement whose SHA-256 an entry holds
 *      .writer/                         the writer's own: lock, tree (its newest signed tree), journal, temporary files
 * </pre>
 *
 * <p>May import: {@code protocol}, {@code note}, {@code trust}, {@code keys}, {@code dsse}, {@code http}.
 * <p>Data goes next to: {@code witness} and {@code challenge}; the portal and the command line through LogReader.
 *
 * @see <a href="https://c2sp.org/tlog-tiles">c2sp.org/tlog-tiles</a>
 */
@NullMarked
package org.bitwitness.attestation.log;

import org.jspecify.annotations.NullMarked;
