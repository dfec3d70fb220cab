package org.bitwitness.datasets;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.bitwitness.protocol.Sha256;

/** The tokenizer that a manifest names. */
final class Tokenizers {
    private static final long MAX_FILE_BYTES = 128L << 20;

    private Tokenizers() {}

    /** @param folder of the dataset, which holds the tokenizer's file where it has one */
    static Tokenizer of(TokenizerSpec spec, Path folder) throws DatasetException {
        return switch (spec.kind()) {
            case ByteTokenizer.KIND -> same(ByteTokenizer.INSTANCE, spec);
            case TokenIds.KIND -> same(new TokenIds(spec.vocab(), spec.endOfText()), spec);
            case JsonTokenizer.KIND -> JsonTokenizer.of(file(folder), spec);
            default ->
                throw DatasetException.bytes(
                        "the tokenizer should be %s, %s or %s, those of this version; found %s",
                        ByteTokenizer.KIND, TokenIds.KIND, JsonTokenizer.KIND, spec.kind());
        };
    }

    /** True for a tokenizer whose file lies in the dataset folder. */
    static boolean hasFile(TokenizerSpec spec) {
        return spec.kind().equals(JsonTokenizer.KIND);
    }

    private static Tokenizer same(Tokenizer known, TokenizerSpec spec) throws DatasetException {
        Sha256 expected = known.spec().digest();
        if (!known.spec().equals(spec)) {
            throw DatasetException.bytes(
                    "the tokenizer %s should have digest %s and %d ids, found digest %s and %d ids",
                    spec.kind(), expected, known.spec().vocab(), spec.digest(), spec.vocab());
        }
        return known;
    }

    private static byte[] file(Path folder) throws DatasetException {
        Path file = folder.resolve(Tokenizer.FILE);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw DatasetException.bytes("%s is missing, or is not a plain file", Tokenizer.FILE);
        }
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw DatasetException.bytes(
                        "%s has %d bytes, a tokenizer at most %d", Tokenizer.FILE, Files.size(file), MAX_FILE_BYTES);
            }
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new DatasetException(
                    DatasetException.Kind.ENVIRONMENT, "cannot read %s: %s".formatted(file, e.getMessage()), e);
        }
    }
}
