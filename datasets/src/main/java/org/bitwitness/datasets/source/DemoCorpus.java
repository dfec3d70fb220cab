package org.bitwitness.datasets.source;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.Document;
import org.bitwitness.datasets.SourceFile;
import org.bitwitness.datasets.TextForm;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/**
 * The text the demo trains on: the Java files of Apache Commons Lang's sources jar. The build fetches the jar, so the
 * demo needs no network; its SHA-256 is pinned here, so it is the same text everywhere.
 */
public final class DemoCorpus {
    public static final String NAME = "commons-lang3-3.20.0";
    public static final String LICENCE = "Apache-2.0";
    public static final String JAR = "commons-lang3-3.20.0-sources.jar";
    public static final Sha256 JAR_SHA256 =
            Sha256.ofHex("eec245e820ec2800a1780cf756aefb427c1c6170e06902e67ac15b6910ce6335");

    private static final int MAX_ENTRIES = 10_000;
    private static final int MAX_TEXT_BYTES = 1 << 26;

    private DemoCorpus() {}

    /** Where the build puts the jar below the folder of a checkout. */
    public static Path jarBelow(Path home) {
        return home.resolve("datasets").resolve("target").resolve("corpus").resolve(JAR);
    }

    /**
     * Reads the Java files of the jar.
     *
     * @throws DatasetException if the jar is missing or is not the pinned one
     */
    public static DocumentSet read(Path jar) throws DatasetException {
        if (!Files.isRegularFile(jar)) {
            throw DatasetException.environment(
                    "%s is missing: build once with network (`./bitwitness build`), which fetches it", jar);
        }
        try {
            Sha256 found = Hashing.file(jar);
            if (!found.equals(JAR_SHA256)) {
                throw DatasetException.bytes(
                        "%s should have SHA-256 %s, has %s: delete it and build again", jar, JAR_SHA256, found);
            }
            List<Document> documents = new ArrayList<>();
            try (ZipFile zip = new ZipFile(jar.toFile())) {
                if (zip.size() > MAX_ENTRIES) {
                    throw DatasetException.bytes("%s has %d entries, at most %d", jar, zip.size(), MAX_ENTRIES);
                }
                long left = MAX_TEXT_BYTES;
                for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
                    ZipEntry entry = all.nextElement();
                    if (!entry.isDirectory() && entry.getName().endsWith(".java")) {
                        byte[] raw = read(zip, entry, left);
                        left -= raw.length;
                        TextFiles.requireName(entry.getName());
                        documents.add(Document.of(entry.getName(), TextForm.of(raw, entry.getName())));
                    }
                }
            }
            return DocumentSet.of(List.of(new SourceFile(JAR, Files.size(jar), found)), documents);
        } catch (IOException e) {
            throw TextFiles.unreadable(jar, e);
        }
    }

    private static byte[] read(ZipFile zip, ZipEntry entry, long limit) throws IOException, DatasetException {
        try (InputStream in = zip.getInputStream(entry)) {
            byte[] bytes = in.readNBytes((int) Math.min(limit + 1, Integer.MAX_VALUE));
            if (bytes.length > limit) {
                throw DatasetException.bytes("%s: over %d bytes of text in all", entry.getName(), MAX_TEXT_BYTES);
            }
            return bytes;
        }
    }
}
