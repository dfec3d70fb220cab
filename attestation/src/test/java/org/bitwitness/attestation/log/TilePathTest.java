package org.bitwitness.attestation.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TilePathTest {
    @Test
    void spellsIndexesAsTheSpecificationDoes() {
        assertEquals("tile/0/x001/x234/067", new TilePath(0, 1234067, 256).path());
        assertEquals("tile/0/000", new TilePath(0, 0, 256).path());
        assertEquals("tile/1/000.p/17", new TilePath(1, 0, 17).path());
        assertEquals("tile/entries/x001/000.p/1", new TilePath(TilePath.ENTRIES, 1000, 1).path());
        assertEquals("tile/entries/999", new TilePath(TilePath.ENTRIES, 999, 256).path());
    }

    @ParameterizedTest
    @ValueSource(strings = {"tile/0/x001/x234/067", "tile/63/000", "tile/entries/x999/999.p/255", "tile/7/x001/000"})
    void readsBackWhatItWrites(String path) {
        assertEquals(path, TilePath.parse(path).orElseThrow().path());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tile/00/000",
                "tile/64/000",
                "tile/-1/000",
                "tile/0/0",
                "tile/0/x000/001",
                "tile/0/001/002",
                "tile/0/x001",
                "tile/0/000.p/0",
                "tile/0/000.p/256",
                "tile/0/000.p/01",
                "tile/0/../../checkpoint",
                "tile/0/000/",
                "tile/data/000",
                "tile/0/٠٠٠",
                "/tile/0/000",
            })
    void refusesEveryOtherSpelling(String path) {
        assertTrue(TilePath.parse(path).isEmpty());
    }
}
