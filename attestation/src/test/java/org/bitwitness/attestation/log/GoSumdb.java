package org.bitwitness.attestation.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.bitwitness.attestation.OtherSoftware;

/**
 * Builds programs on the Go project's checksum-database packages. Needs Debian's {@code golang-go} and {@code
 * golang-golang-x-mod-dev}; other systems set {@code GOPATH} to a folder with {@code golang.org/x/mod}.
 */
public final class GoSumdb {
    private static final Path DEBIAN_GOPATH = Path.of("/usr/share/gocode");

    private GoSumdb() {}

    /** Builds {@code NAME.go} to {@code NAME} beside it; skips the test where Go is not installed. */
    public static Path build(Path source) throws Exception {
        OtherSoftware.require("go", "version");
        String gopath = Files.isDirectory(DEBIAN_GOPATH) ? DEBIAN_GOPATH.toString() : System.getenv("GOPATH");
        if (gopath == null || !Files.isDirectory(Path.of(gopath, "src/golang.org/x/mod/sumdb/tlog"))) {
            OtherSoftware.skip("golang.org/x/mod is not installed (Debian: golang-golang-x-mod-dev)");
        }
        Path program = source.resolveSibling(source.getFileName().toString().replace(".go", ""));
        OtherSoftware.Result build = OtherSoftware.run(
                Objects.requireNonNull(source.getParent()),
                List.of(
                        "env",
                        "GO111MODULE=off",
                        "GOFLAGS=",
                        "GOPATH=" + gopath,
                        "GOCACHE=" + Path.of("target", "go-cache").toAbsolutePath(),
                        "go",
                        "build",
                        "-o",
                        program.toString(),
                        source.toString()));
        assertEquals(0, build.exitCode(), build.output());
        return program;
    }
}
