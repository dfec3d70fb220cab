package org.bitwitness.protocol.format;

import java.util.List;
import java.util.Optional;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.bitwitness.protocol.Sha256;

/** The few column types that recordings use. */
final class ArrowColumns {
    private ArrowColumns() {}

    static Field int64(String name) {
        return required(name, new ArrowType.Int(64, true));
    }

    static Field int32(String name) {
        return required(name, new ArrowType.Int(32, true));
    }

    static Field float64(String name) {
        return required(name, new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE));
    }

    static Field float32(String name) {
        return required(name, new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE));
    }

    static Field bool(String name) {
        return required(name, new ArrowType.Bool());
    }

    static Field text(String name) {
        return required(name, new ArrowType.Utf8());
    }

    static Field binary(String name) {
        return required(name, new ArrowType.Binary());
    }

    static Field digest(String name) {
        return required(name, new ArrowType.FixedSizeBinary(Sha256.BYTES));
    }

    static Field optionalDigest(String name) {
        return new Field(name, FieldType.nullable(new ArrowType.FixedSizeBinary(Sha256.BYTES)), List.of());
    }

    static Field list(String name, Field item) {
        return new Field(name, FieldType.notNullable(new ArrowType.List()), List.of(item));
    }

    static Field struct(String name, Field... members) {
        return new Field(name, FieldType.notNullable(new ArrowType.Struct()), List.of(members));
    }

    static void put(FixedSizeBinaryVector column, int row, Sha256 digest) {
        column.setSafe(row, digest.bytes());
    }

    static void put(FixedSizeBinaryVector column, int row, Optional<Sha256> digest) {
        if (digest.isPresent()) {
            put(column, row, digest.get());
        } else {
            column.setNull(row);
        }
    }

    static Sha256 digest(FixedSizeBinaryVector column, int row) {
        return Sha256.of(column.get(row));
    }

    static Optional<Sha256> optionalDigest(FixedSizeBinaryVector column, int row) {
        return column.isNull(row) ? Optional.empty() : Optional.of(digest(column, row));
    }

    /** The column of this name; schemas were compared before, so that it is there. */
    static <V extends FieldVector> V column(List<FieldVector> columns, String name, Class<V> type) {
        for (FieldVector column : columns) {
            if (column.getName().equals(name)) {
                return type.cast(column);
            }
        }
        throw new IllegalStateException("no column " + name);
    }

    private static Field required(String name, ArrowType type) {
        return new Field(name, FieldType.notNullable(type), List.of());
    }
}
