// Verifies a checkpoint's tiles and a proof of a store with the tlog package of Go's checksum database.
package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// tiles reads the tiles of a store's folder Proof. tlog names a tile tile/8/0/000, tlog-tiles tile/0/000.
type tiles struct{ folder string }

func (t tiles) Height() int                             { return 8 }
func (t tiles) SaveTiles(tiles []tlog.Tile, _ [][]byte) {}
func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range wanted {
		path := filepath.Join(t.folder, strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
		bytes, err := os.ReadFile(path)
		if err != nil && tile.W < 256 {
			whole := tile
			whole.W = 256
			bytes, err = os.ReadFile(filepath.Join(t.folder, strings.Replace(whole.Path(), "tile/8/", "tile/", 1)))
		}
		if err != nil {
			return nil, err
		}
		all = append(all, bytes[:tile.W*32])
	}
	return all, nil
}

// verifier verifies signatures of type 2: ECDSA with SHA-256.
type verifier struct {
	name string
	hash uint32
	key  *ecdsa.PublicKey
}

func (v verifier) Name() string    { return v.name }
func (v verifier) KeyHash() uint32 { return v.hash }
func (v verifier) Verify(msg, sig []byte) bool {
	digest := sha256.Sum256(msg)
	return ecdsa.VerifyASN1(v.key, digest[:], sig)
}

func newVerifier(text string) (verifier, error) {
	parts := strings.SplitN(strings.TrimSpace(text), "+", 3)
	der, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil {
		return verifier{}, err
	}
	if der[0] != 2 {
		return verifier{}, errors.New("not an ECDSA key")
	}
	key, err := x509.ParsePKIXPublicKey(der[1:])
	if err != nil {
		return verifier{}, err
	}
	id := sha256.Sum256(der[1:])
	return verifier{parts[0], binary.BigEndian.Uint32(id[:4]), key.(*ecdsa.PublicKey)}, nil
}

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// main takes the folder Proof, a verifier's text, and a proof and the leaf of its event as files.
func main() {
	v, err := newVerifier(os.Args[2])
	must(err)
	signed, err := os.ReadFile(filepath.Join(os.Args[1], "checkpoint"))
	must(err)
	opened, err := note.Open(signed, note.VerifierList(v))
	must(err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	root, err := tlog.ParseHash(lines[2])
	must(err)

	tree := tlog.Tree{N: size, Hash: root}
	hashes := tlog.TileHashReader(tree, tiles{os.Args[1]})
	actual, err := tlog.TreeHash(size, hashes)
	must(err)
	if actual != root {
		must(errors.New("the tiles' root is not the checkpoint's"))
	}

	leaf, err := os.ReadFile(os.Args[4])
	must(err)
	index, proof := readProof(os.Args[3])
	must(tlog.CheckRecord(proof, size, root, index, tlog.RecordHash(leaf)))
	fmt.Printf("%d leaves, root %s, leaf %d proven\n", size, root, index)
}

func readProof(path string) (int64, tlog.RecordProof) {
	file, err := os.Open(path)
	must(err)
	defer file.Close()
	var index int64
	var proof tlog.RecordProof
	lines := bufio.NewScanner(file)
	for lines.Scan() && lines.Text() != "" {
		line := lines.Text()
		if strings.HasPrefix(line, "index ") {
			index, err = strconv.ParseInt(line[6:], 10, 64)
			must(err)
		} else if !strings.HasPrefix(line, "c2sp.org/") {
			hash, err := tlog.ParseHash(line)
			must(err)
			proof = append(proof, hash)
		}
	}
	return index, proof
}
