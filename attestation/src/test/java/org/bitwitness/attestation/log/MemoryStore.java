package org.bitwitness.attestation.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * A disk that can break: write number {@code failAt} throws, either before or after it took effect, and so does every
 * later one.
 */
final class MemoryStore implements LogStore {
    /** When the failing write throws. */
    enum Moment {
        BEFORE_THE_WRITE,
        AFTER_THE_WRITE
    }

    final Map<String, byte[]> files = new TreeMap<>();
    private int writes;
    private int failAt = Integer.MAX_VALUE;
    private Moment moment = Moment.BEFORE_THE_WRITE;

    MemoryStore() {}

    /** What is left on the disk, in a working drive. */
    MemoryStore afterPowerCut() {
        MemoryStore copy = new MemoryStore();
        copy.files.putAll(files);
        return copy;
    }

    void failAt(int write, Moment when) {
        failAt = write;
        moment = when;
    }

    /** A copy of this disk in which one bit of one file differs. */
    MemoryStore withFlippedBit(String path, int atByte) {
        MemoryStore damaged = afterPowerCut();
        byte[] bytes = Objects.requireNonNull(files.get(path), path).clone();
        bytes[atByte] ^= 2;
        damaged.files.put(path, bytes);
        return damaged;
    }

    int writes() {
        return writes;
    }

    @Override
    public void write(String path, byte[] bytes) throws IOException {
        int number = ++writes;
        if (number > failAt || (number == failAt && moment == Moment.BEFORE_THE_WRITE)) {
            throw new IOException("planted: write " + number + " of " + path);
        }
        files.put(path, bytes.clone());
        if (number == failAt) {
            throw new IOException("planted: after write " + number + " of " + path);
        }
    }

    @Override
    public void writeAll(SequencedMap<String, byte[]> all) throws IOException {
        for (Map.Entry<String, byte[]> file : new LinkedHashMap<>(all).entrySet()) {
            write(file.getKey(), file.getValue());
        }
    }

    @Override
    public Optional<byte[]> read(String path, int maxBytes) {
        return Optional.ofNullable(files.get(path)).map(byte[]::clone);
    }

    @Override
    public boolean exists(String path) {
        return files.containsKey(path);
    }

    @Override
    public void delete(String path) {
        files.remove(path);
    }

    @Override
    public List<String> names(String folder) {
        List<String> names = new ArrayList<>();
        for (String path : files.keySet()) {
            if (path.startsWith(folder + "/") && path.indexOf('/', folder.length() + 1) < 0) {
                names.add(path.substring(folder.length() + 1));
            }
        }
        return names;
    }

    @Override
    public String place() {
        return "memory";
    }
}
