package org.bitwitness.attestation.verify;

import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.protocol.Sha256;

/**
 * A statement whose signature holds, at its place in a log.
 *
 * @param index place in the log
 * @param statement what was signed
 * @param signer whose signature it is; not yet whether anybody trusts that key
 * @param payload SHA-256 of the signed bytes
 * @param leafHash RFC 9162 hash of the log entry
 */
public record Logged<T>(long index, T statement, VerifyingKey signer, Sha256 payload, Sha256 leafHash) {}
