// Checks a log folder with the Go project's own code: the checkpoint with sumdb/note, records and growth with
// sumdb/tlog. Usage: checklog FOLDER VKEY [OLDSIZE OLDROOT]
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type folder string

func (f folder) Height() int { return 8 }

// The Go checksum database writes the tile height into its paths; c2sp.org/tlog-tiles does not.
func (f folder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		data, err := os.ReadFile(filepath.Join(string(f), path))
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func (f folder) SaveTiles([]tlog.Tile, [][]byte) {}

func must(err error) {
	if err != nil {
		fmt.Println("refused:", err)
		os.Exit(2)
	}
}

func check(ok bool, format string, args ...interface{}) {
	if !ok {
		must(fmt.Errorf(format, args...))
	}
}

func entries(f folder, size int64) [][]byte {
	var all [][]byte
	for int64(len(all)) < size {
		n := int64(len(all)) / 256
		tile := tlog.Tile{H: 8, L: 0, N: n, W: 256}
		if size < (n+1)*256 {
			tile.W = int(size - n*256)
		}
		path := strings.Replace(tile.Path(), "tile/8/0/", "tile/entries/", 1)
		data, err := os.ReadFile(filepath.Join(string(f), path))
		must(err)
		for len(data) > 0 {
			check(len(data) >= 2, "bundle %s ends within a length", path)
			length := int(binary.BigEndian.Uint16(data))
			check(len(data) >= 2+length, "bundle %s ends within an entry", path)
			all = append(all, data[2:2+length])
			data = data[2+length:]
		}
	}
	check(int64(len(all)) == size, "%d entries for a tree of %d", len(all), size)
	return all
}

func main() {
	f := folder(os.Args[1])
	verifier, err := note.NewVerifier(os.Args[2])
	must(err)
	message, err := os.ReadFile(filepath.Join(string(f), "checkpoint"))
	must(err)
	signed, err := note.Open(message, note.VerifierList(verifier))
	must(err)
	lines := strings.Split(signed.Text, "\n")
	check(len(lines) == 4 && lines[0] == verifier.Name(), "checkpoint is not of %s", verifier.Name())
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	rootBytes, err := base64.StdEncoding.DecodeString(lines[2])
	must(err)
	tree := tlog.Tree{N: size}
	copy(tree.Hash[:], rootBytes)

	reader := tlog.TileHashReader(tree, f)
	root, err := tlog.TreeHash(size, reader)
	must(err)
	check(root == tree.Hash, "tiles give root %v, the checkpoint says %v", root, tree.Hash)
	for i, entry := range entries(f, size) {
		proof, err := tlog.ProveRecord(size, int64(i), reader)
		must(err)
		must(tlog.CheckRecord(proof, size, tree.Hash, int64(i), tlog.RecordHash(entry)))
	}
	if len(os.Args) > 3 {
		oldSize, err := strconv.ParseInt(os.Args[3], 10, 64)
		must(err)
		oldBytes, err := base64.StdEncoding.DecodeString(os.Args[4])
		must(err)
		var oldRoot tlog.Hash
		check(len(oldBytes) == len(oldRoot) && !bytes.Equal(oldBytes, nil), "old root is no hash")
		copy(oldRoot[:], oldBytes)
		proof, err := tlog.ProveTree(size, oldSize, reader)
		must(err)
		must(tlog.CheckTree(proof, size, tree.Hash, oldSize, oldRoot))
	}
	fmt.Printf("accepted %d records\n", size)
}
