package org.bitwitness.attestation.statement;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;

/**
 * What happened to a key, to be logged: predicate {@code key-event/v0.1}. It holds no time, because the place in the
 * log decides, so the same event is the same bytes and is logged once.
 *
 * <pre>
 * {"action":"revoke","publicKey":"-----BEGIN PUBLIC KEY-----\n…","reason":"laptop stolen"}
 * </pre>
 *
 * <p>The signer is the key itself, or a registrar; {@code registry} says which signatures count.
 */
public record KeyEventStatement(KeyEvent event) {
    /** An event in a key's life. */
    public sealed interface KeyEvent {
        /** The key it happens to. */
        VerifyingKey key();
    }

    /**
     * A registrar takes up an auditor.
     *
     * @param name what the auditor is called in reports; 1 to 64 letters, digits, dots, dashes and underscores
     */
    public record Enrol(VerifyingKey key, String name) implements KeyEvent {
        public Enrol {
            if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,63}")) {
                throw new IllegalArgumentException(
                        "a name has 1 to 64 letters, digits, dots, dashes and underscores and starts with a letter or"
                                + " digit");
            }
        }
    }

    /**
     * A key hands over to another.
     *
     * @param successor takes the name and the trust of the key from here on
     * @param proofHex the successor's signature over both ids: nobody hands over to a key that is not theirs
     */
    public record Rotate(VerifyingKey key, VerifyingKey successor, String proofHex) implements KeyEvent {
        public Rotate {
            if (key.equals(successor) || !proofHex.matches("(?:[0-9a-f]{2}){8,80}")) {
                throw new IllegalArgumentException("a key hands over to another key, with a signature in hex");
            }
            if (!successor.verify(message(key, successor), HexFormat.of().parseHex(proofHex))) {
                throw new IllegalArgumentException("successorProof is not the successor's signature over both keys");
            }
        }

        /** Made by whoever holds the successor. */
        public static Rotate of(VerifyingKey key, SigningKey successor) {
            VerifyingKey next = successor.verifyingKey();
            return new Rotate(key, next, HexFormat.of().formatHex(successor.sign(message(key, next))));
        }

        private static byte[] message(VerifyingKey key, VerifyingKey successor) {
            String text = "bitwitness key successor\n" + key.id().hex() + "\n"
                    + successor.id().hex() + "\n";
            return text.getBytes(StandardCharsets.US_ASCII);
        }
    }

    /**
     * Nothing that the key signs from here on counts. What stands in the log before does.
     *
     * @param reason for people, at most 300 characters
     */
    public record Revoke(VerifyingKey key, String reason) implements KeyEvent {
        public Revoke {
            if (reason.length() > 300 || reason.chars().anyMatch(c -> c < ' ' || c == 0x7f)) {
                throw new IllegalArgumentException("a reason has at most 300 characters on one line");
            }
        }
    }

    /** The statement to sign. */
    public Statement toStatement() {
        Json.Builder predicate =
                Json.object().put("publicKey", event.key().pem()).put("action", action());
        List<Subject> subjects = new ArrayList<>();
        subjects.add(Subject.of("key", event.key().id()));
        switch (event) {
            case Enrol enrol -> predicate.put("name", enrol.name());
            case Rotate rotate -> {
                predicate.put("successor", rotate.successor().pem()).put("successorProof", rotate.proofHex());
                subjects.add(Subject.of("successor", rotate.successor().id()));
            }
            case Revoke revoke -> predicate.put("reason", revoke.reason());
        }
        return new Statement(
                subjects, PredicateType.KEY_EVENT, predicate.build().sorted());
    }

    private String action() {
        return switch (event) {
            case Enrol unused -> "enrol";
            case Rotate unused -> "rotate";
            case Revoke unused -> "revoke";
        };
    }

    /** Reads a statement; fields must be exactly those that we would write. */
    public static KeyEventStatement of(Statement statement) throws AttestationException {
        return Reading.exactly(
                statement,
                PredicateType.KEY_EVENT,
                () -> new KeyEventStatement(read(JsonFields.of("predicate", statement.predicate()))),
                KeyEventStatement::toStatement);
    }

    private static KeyEvent read(JsonFields in) throws ProtocolException, AttestationException {
        String action = in.word("action", List.of("enrol", "rotate", "revoke"));
        VerifyingKey key = VerifyingKey.ofPem(in.text("publicKey"));
        KeyEvent event = switch (action) {
            case "enrol" -> {
                String name = in.text("name");
                yield Reading.value(in.path(), () -> new Enrol(key, name));
            }
            case "rotate" -> {
                VerifyingKey successor = VerifyingKey.ofPem(in.text("successor"));
                String proof = in.text("successorProof");
                yield Reading.value(in.path(), () -> new Rotate(key, successor, proof));
            }
            default -> {
                String reason = in.text("reason");
                yield Reading.value(in.path(), () -> new Revoke(key, reason));
            }
        };
        in.end();
        return event;
    }
}
