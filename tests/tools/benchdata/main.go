// Command benchdata writes the arrays of the codec benchmark: five data sets, each with every
// codec, by third-party encoders.
//
//	go run ./tests/tools/benchdata DIR
//	go run ./tests/tools/benchdata layouts DIR
//
// The word layouts selects the arrays of the hosting benchmark: one field in many layouts.
//
// Each array is one file of concatenated chunks, and an entry of manifest.json. The entry has the
// .zarray, the chunks' places, and the SHA-256 of their decoded bytes. The data is the same at
// every run.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

// Array is an entry of the manifest.
type Array struct {
	Codec string `json:"codec"`
	Data  string `json:"data"`
	// ChunkBytes is the decoded size of a chunk.
	ChunkBytes int            `json:"chunkBytes"`
	Bytes      int            `json:"bytes"`
	File       string         `json:"file"`
	Meta       map[string]any `json:"meta"`
	Chunks     []Chunk        `json:"chunks"`
}

// Chunk is one chunk of an array: its key, and Length bytes at Offset of the file.
type Chunk struct {
	Key    string `json:"key"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
	SHA256 string `json:"sha256"`
}

// sizes holds sizes of chunks, and of arrays of such chunks.
var sizes = []struct{ chunk, array int }{
	{4 << 10, 2 << 20},
	{1 << 20, 16 << 20},
	{4 << 20, 16 << 20},
}

func main() {
	log.SetFlags(0)
	args, make := os.Args[1:], write
	if len(args) == 2 && args[0] == "layouts" {
		args, make = args[1:], writeLayouts
	}
	if len(args) != 1 {
		log.Fatal("usage: benchdata [layouts] DIR")
	}
	if err := make(args[0]); err != nil {
		log.Fatal("benchdata: ", err)
	}
}

func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var all []Array
	for _, s := range sets {
		for _, size := range sizes {
			f := newField(s, size.array)
			for _, c := range codecs {
				a, err := f.store(dir, c, size.chunk, false)
				if err != nil {
					return err
				}
				all = append(all, a)
			}
			if size.chunk == 1<<20 && s.size > 1 {
				a, err := f.store(dir, codecs[0], size.chunk, true)
				if err != nil {
					return err
				}
				all = append(all, a)
			}
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "manifest.json"), text, 0o644)
}

// field is a two-dimensional data set.
type field struct {
	set
	rows, cols int
	data       []byte
}

// sides returns the lengths of two dimensions of n elements, n a power of 2.
func sides(n int) (rows, cols int) {
	rows = 1
	for rows*rows*4 <= n {
		rows *= 2
	}
	return rows, n / rows
}

func newField(s set, bytes int) *field {
	f := &field{set: s}
	f.rows, f.cols = sides(bytes / s.size)
	f.data = s.make(f.rows, f.cols)
	return f
}

// store writes the array with a codec, if big in big-endian order.
func (f *field) store(dir string, c compressor, chunkBytes int, big bool) (Array, error) {
	rows, cols := sides(chunkBytes / f.size)
	name := c.name
	kind := f.kind
	if big {
		name, kind = "big-endian", ">"+f.kind[1:]
	}
	a := Array{
		Codec: name, Data: f.name, ChunkBytes: chunkBytes, Bytes: len(f.data),
		File: fmt.Sprintf("%s-%s-%d.bin", name, f.name, chunkBytes),
		Meta: map[string]any{
			"zarr_format": 2, "shape": []int{f.rows, f.cols}, "chunks": []int{rows, cols}, "dtype": kind,
			"compressor": c.config(), "fill_value": nil, "filters": nil, "order": "C",
		},
	}
	var file []byte
	for i := range f.rows / rows {
		for j := range f.cols / cols {
			raw := make([]byte, 0, chunkBytes)
			for r := range rows {
				at := ((i*rows+r)*f.cols + j*cols) * f.size
				raw = append(raw, f.data[at:at+cols*f.size]...)
			}
			if big {
				swap(raw, f.size)
			}
			coded, err := c.encode(raw, f.size)
			if err != nil {
				return a, fmt.Errorf("%s: %w", a.File, err)
			}
			sum := sha256.Sum256(raw)
			a.Chunks = append(a.Chunks, Chunk{fmt.Sprintf("%d.%d", i, j), len(file), len(coded), hex.EncodeToString(sum[:])})
			file = append(file, coded...)
		}
	}
	return a, os.WriteFile(filepath.Join(dir, a.File), file, 0o644)
}

func swap(b []byte, size int) {
	for ; len(b) > 0; b = b[size:] {
		for i, j := 0, size-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
	}
}
