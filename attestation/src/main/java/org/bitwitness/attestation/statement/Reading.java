package org.bitwitness.attestation.statement;

import java.util.function.Supplier;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.Json;

/** What reading each predicate has in common. */
final class Reading {
    private Reading() {}

    /** Reads fields of a predicate. */
    interface Reader<T> {
        T read() throws ProtocolException, AttestationException;
    }

    /**
     * Reads a statement of one type into a record and checks that the record writes exactly the same statement: so no
     * field is skipped, no number has two spellings, and the subjects are those that follow from the predicate.
     */
    static <T> T exactly(
            Statement statement,
            String predicateType,
            Reader<T> reader,
            java.util.function.Function<T, Statement> writer)
            throws AttestationException {
        if (!statement.predicateType().equals(predicateType)) {
            throw AttestationException.refused(
                    "expected predicate type %s, found %s".formatted(predicateType, statement.predicateType()));
        }
        T value;
        try {
            value = reader.read();
        } catch (ProtocolException e) {
            throw AttestationException.of(e);
        }
        Statement again = writer.apply(value);
        if (!again.predicate().sorted().equals(statement.predicate().sorted())) {
            throw AttestationException.malformed("predicate: expected the one spelling of what it says, found another");
        }
        if (!again.subjects().equals(statement.subjects())) {
            throw AttestationException.malformed(
                    "subject: expected %s, found %s".formatted(shown(again), shown(statement)));
        }
        return value;
    }

    /** Runs a constructor that refuses bad values, and says where they stood. */
    static <T> T value(String place, Supplier<T> constructor) throws ProtocolException {
        try {
            return constructor.get();
        } catch (IllegalArgumentException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, "%s: %s".formatted(place, e.getMessage()), e);
        }
    }

    private static String shown(Statement statement) {
        String text = new Json.Arr(statement.subjects().stream()
                        .limit(4)
                        .map(subject -> Json.text(subject.sha256().hex()))
                        .toList())
                .toText();
        return statement.subjects().size() <= 4 ? text : text + " and more";
    }
}
