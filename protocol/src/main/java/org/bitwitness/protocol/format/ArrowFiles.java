package org.bitwitness.protocol.format;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.message.ArrowBlock;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.store.RecordingStore;
import org.bitwitness.protocol.store.StoredFile;

/**
 * Arrow IPC files of one record batch, uncompressed, with exactly the schema that is asked for. Files are hostile: block
 * sizes are checked against the file before anything is loaded, the allocator is bounded by the file's size, and
 * whatever Arrow throws over malformed bytes becomes a refusal.
 */
final class ArrowFiles {
    private static final long ALLOCATION_SLACK_BYTES = 16L << 20;
    private static final long MAX_FILE_BYTES = 1L << 30;
    private static final int MAX_FOOTER_BYTES = 1 << 20;
    private static final int TRAILER_BYTES = Integer.BYTES + 6;

    private ArrowFiles() {}

    /** Fills a batch; rows are counted by the caller. */
    interface Fill {
        int into(VectorSchemaRoot root);
    }

    /** Takes a batch apart. */
    interface Take<T> {
        T from(VectorSchemaRoot root) throws ProtocolException;
    }

    static void write(Schema schema, OutputStream out, Fill fill) throws IOException {
        try (BufferAllocator allocator = new RootAllocator();
                VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator);
                ArrowFileWriter writer = new ArrowFileWriter(root, null, Channels.newChannel(new KeepOpen(out)))) {
            root.setRowCount(fill.into(root));
            writer.start();
            writer.writeBatch();
            writer.end();
        }
    }

    static <T> T read(RecordingStore store, RecordingPath path, Schema schema, Take<T> take) throws ProtocolException {
        try (StoredFile file = store.open(path)) {
            if (file.size() > MAX_FILE_BYTES) {
                throw ProtocolException.overLimit("%s: at most %d bytes, has %d", path, MAX_FILE_BYTES, file.size());
            }
            checkFooterLength(path, file);
            long limit = 4 * file.size() + ALLOCATION_SLACK_BYTES;
            try (BufferAllocator allocator = new RootAllocator(limit);
                    ArrowFileReader reader = new ArrowFileReader(new FileChannelView(file), allocator)) {
                return readOnlyBatch(path, file, reader, schema, take);
            } catch (IOException | RuntimeException e) {
                throw refused(path, e);
            }
        }
    }

    /** Arrow allocates the footer before it looks at it. */
    private static void checkFooterLength(RecordingPath path, StoredFile file) throws ProtocolException {
        if (file.size() < 2L * TRAILER_BYTES) {
            throw ProtocolException.malformed("%s: %d bytes are too short for an Arrow file", path, file.size());
        }
        ByteBuffer length = ByteBuffer.allocate(Integer.BYTES).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        file.read(file.size() - TRAILER_BYTES, length);
        int footer = length.getInt(0);
        if (footer <= 0 || footer > MAX_FOOTER_BYTES || footer > file.size() - TRAILER_BYTES) {
            throw ProtocolException.malformed(
                    "%s: an Arrow footer of %d bytes in a file of %d", path, footer, file.size());
        }
    }

    private static <T> T readOnlyBatch(
            RecordingPath path, StoredFile file, ArrowFileReader reader, Schema schema, Take<T> take)
            throws IOException, ProtocolException {
        List<ArrowBlock> blocks = reader.getRecordBlocks();
        if (blocks.size() != 1 || !reader.getDictionaryBlocks().isEmpty()) {
            throw ProtocolException.malformed(
                    "%s: one record batch and no dictionaries are expected, has %d and %d",
                    path, blocks.size(), reader.getDictionaryBlocks().size());
        }
        ArrowBlock block = blocks.getFirst();
        if (block.getOffset() < 0
                || block.getMetadataLength() < 0
                || block.getBodyLength() < 0
                || block.getOffset() > file.size()
                || block.getMetadataLength() > file.size() - block.getOffset()
                || block.getBodyLength() > file.size() - block.getOffset() - block.getMetadataLength()) {
            throw ProtocolException.malformed(
                    "%s: a record batch of %d + %d bytes at %d lies outside the file of %d",
                    path, block.getMetadataLength(), block.getBodyLength(), block.getOffset(), file.size());
        }
        Schema found = reader.getVectorSchemaRoot().getSchema();
        checkFields(path, "", schema.getFields(), found.getFields());
        if (!found.equals(schema)) {
            throw ProtocolException.malformed("%s: the schema should be %s, is %s", path, schema, found);
        }
        if (!reader.loadRecordBatch(block)) {
            throw ProtocolException.malformed("%s: the record batch cannot be loaded", path);
        }
        return take.from(reader.getVectorSchemaRoot());
    }

    /** Names the first column that is missing, unknown or of another type. */
    private static void checkFields(RecordingPath path, String prefix, List<Field> expected, List<Field> found)
            throws ProtocolException {
        List<String> names = new ArrayList<>(found.stream().map(Field::getName).toList());
        for (Field field : expected) {
            String column = prefix + field.getName();
            Field same = found.stream()
                    .filter(other -> other.getName().equals(field.getName()))
                    .findFirst()
                    .orElseThrow(() -> ProtocolException.missing("%s: column %s is missing", path, column));
            names.remove(field.getName());
            if (!same.getType().equals(field.getType()) || same.isNullable() != field.isNullable()) {
                throw ProtocolException.malformed(
                        "%s: column %s should be %s, is %s", path, column, field.getFieldType(), same.getFieldType());
            }
            checkFields(path, column + ".", field.getChildren(), same.getChildren());
        }
        if (!names.isEmpty()) {
            throw ProtocolException.malformed("%s: unknown column %s%s", path, prefix, names.getFirst());
        }
    }

    private static ProtocolException refused(RecordingPath path, Exception e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = Objects.requireNonNull(root.getCause());
        }
        if (root instanceof ProtocolException inner) {
            return inner;
        }
        if (e instanceof OutOfMemoryException) {
            return new ProtocolException(
                    ProtocolException.Kind.OVER_LIMIT, path + ": needs more memory than a file of its size may", e);
        }
        return new ProtocolException(
                ProtocolException.Kind.MALFORMED, path + ": not a readable Arrow file: " + e.getMessage(), e);
    }

    /** Arrow closes its channel; the store's stream is the store's to close. */
    private static final class KeepOpen extends OutputStream {
        private final OutputStream out;

        KeepOpen(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            out.flush();
        }
    }

    /** A stored file as the channel that Arrow reads. */
    private static final class FileChannelView implements SeekableByteChannel {
        private final StoredFile file;
        private long position;
        private boolean open = true;

        FileChannelView(StoredFile file) {
            this.file = file;
        }

        @Override
        public int read(ByteBuffer into) throws IOException {
            if (!open) {
                throw new ClosedChannelException();
            }
            if (position >= file.size()) {
                return -1;
            }
            int n = (int) Math.min(into.remaining(), file.size() - position);
            ByteBuffer part = into.slice(into.position(), n);
            try {
                file.read(position, part);
            } catch (ProtocolException e) {
                throw new IOException(e.getMessage(), e);
            }
            into.position(into.position() + n);
            position += n;
            return n;
        }

        @Override
        public long position() {
            return position;
        }

        @Override
        public SeekableByteChannel position(long newPosition) {
            if (newPosition < 0) {
                throw new IllegalArgumentException("position " + newPosition);
            }
            position = newPosition;
            return this;
        }

        @Override
        public long size() {
            return file.size();
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public void close() {
            open = false;
        }

        @Override
        public int write(ByteBuffer from) {
            throw new UnsupportedOperationException("read only");
        }

        @Override
        public SeekableByteChannel truncate(long size) {
            throw new UnsupportedOperationException("read only");
        }
    }
}
