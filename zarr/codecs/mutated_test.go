package codecs_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

var update = flag.Bool("update", false, "write testdata/mutated.txt")

// TestMutatedChunks decodes chunks of other implementations with their whole chains, intact and
// damaged by a seed. The results (elements, or the kind of error) must equal testdata/mutated.txt.
// The portable loops wrote that file, so the assembly that runs in wasm accepts, rejects and
// returns the same.
func TestMutatedChunks(t *testing.T) {
	const file = "testdata/mutated.txt"
	var got []string
	for _, c := range storedChunks(t) {
		got = append(got, c.name+" "+c.outcomes(t))
	}
	text := strings.Join(got, "\n") + "\n"
	if *update {
		must.Do(t, os.MkdirAll(filepath.Dir(file), 0o777))
		must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	}
	want := must.Get(os.ReadFile(file))(t)
	lines := strings.Split(strings.TrimSuffix(string(want), "\n"), "\n")
	if len(lines) != len(got) {
		t.Errorf("%d chunks, not %d: after a change of the fixtures or of what is refused, go test ./zarr/codecs -run Mutated -update", len(got), len(lines))
	}
	for i, line := range got[:min(len(got), len(lines))] {
		if line != lines[i] {
			t.Errorf("%s, not %s", line, lines[i])
		}
	}
}

// storedChunk is a chunk of a fixture.
type storedChunk struct {
	name string
	plan *codec.Plan
	data []byte
}

// mutations is how often each chunk is damaged.
const mutations = 60

// outcomes decodes the chunk damaged in many ways. It returns a digest of the results, and the
// number of successful decodes.
func (c storedChunk) outcomes(t *testing.T) string {
	t.Helper()
	seed := sha256.Sum256([]byte(c.name))
	r := rand.New(rand.NewChaCha8(seed))
	a := c.plan.Array()
	all := sha256.New()
	decoded := 0
	for i := range mutations {
		src := c.data
		if i > 0 {
			src = mutated(r, c.data)
		}
		dst := ndarray.New(a.Shape, a.Type.Size, a.Type.Variable())
		limits := codec.Limits{ChunkBytes: 1 << 24, DecoderBytes: 1 << 24}.WithDefaults()
		err := c.plan.CheckEncoded(len(src))
		if err == nil {
			// At every alignment, because the loops load words.
			at := i % 16
			moved := append(make([]byte, at, at+len(src)), src...)[at:]
			err = c.plan.Decode(codec.NewEnv(context.Background(), limits), dst, moved, nil)
		}
		if err == nil {
			decoded++
			all.Write(dst.Data)
			for _, item := range dst.Items {
				all.Write(append(strconv.AppendInt(nil, int64(len(item)), 10), item...))
			}
		}
		if i == 0 && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil && strings.Contains(err.Error(), codec.Failed) {
			t.Errorf("%s, damage %d: %v", c.name, i, err)
		}
		io.WriteString(all, kindOf(err))
	}
	return strconv.Itoa(decoded) + " " + hex.EncodeToString(all.Sum(nil)[:12])
}

func kindOf(err error) string {
	var limit *codec.LimitError
	var feature *codec.UnsupportedError
	switch {
	case err == nil:
		return "decoded"
	case errors.Is(err, codec.ErrTruncated):
		return "truncated"
	case errors.Is(err, codec.ErrChecksum):
		return "checksum"
	case errors.Is(err, codec.ErrCorrupt):
		return "corrupt"
	case errors.As(err, &limit):
		return "limit"
	case errors.As(err, &feature):
		return "unsupported"
	}
	return "other: " + err.Error()
}

// mutated returns data with some random changes.
func mutated(r *rand.Rand, data []byte) []byte {
	b := slices.Clone(data)
	for range 1 + r.IntN(3) {
		if len(b) == 0 {
			return []byte{byte(r.Uint32())}
		}
		// Half of the time in headers and tables.
		at := r.IntN(len(b))
		if r.IntN(2) == 0 {
			at = r.IntN(min(len(b), 64))
		}
		switch r.IntN(6) {
		case 0, 1:
			b[at] ^= 1 << r.IntN(8)
		case 2:
			b[at] = []byte{0, 1, 0x7f, 0x80, 0xfe, 0xff}[r.IntN(6)]
		case 3:
			b = b[:at]
		case 4:
			from := r.IntN(len(b))
			copy(b[at:], b[from:min(len(b), from+1+r.IntN(32))])
		case 5:
			b = append(b, byte(r.Uint32()), byte(r.Uint32()))
		}
	}
	return b
}

// storedChunks returns the first chunk of the fixtures' arrays, a few for each chain of codecs.
func storedChunks(t *testing.T) []storedChunk {
	t.Helper()
	var all []storedChunk
	count := map[string]int{}
	for _, archive := range []string{"v2", "v3", "public-numcodecs-1", "public-numcodecs-2", "public-numcodecs-3"} {
		objects := unpacked(t, "../../tests/fixtures/archives/"+archive+".tar.gz")
		h := zarr.New(memstore.New(objects), codecs.Full(), zarr.Options{})
		var keys []string
		for key := range objects {
			if name := path.Base(key); name == ".zarray" || name == "zarr.json" {
				keys = append(keys, path.Dir(key))
			}
		}
		slices.Sort(keys)
		for _, dir := range slices.Compact(keys) {
			array, err := h.OpenArray(t.Context(), dir)
			if err != nil {
				continue // a group, or unsupported
			}
			first := make([]int64, len(array.Shape))
			data := objects[path.Join(dir, array.Keys.Key(first))]
			if len(data) == 0 || len(data) > 1<<16 {
				continue
			}
			chain := chainOf(array.Codecs)
			if count[chain] >= 2 {
				continue
			}
			plan, err := planOf(array, first)
			if err != nil {
				continue
			}
			count[chain]++
			all = append(all, storedChunk{archive + "/" + dir, plan, data})
		}
		h.Close()
	}
	return all
}

// chainOf returns the names of a chain's codecs, with the options that select other loops.
func chainOf(chain []meta.CodecSpec) string {
	var b strings.Builder
	for _, c := range chain {
		b.WriteString(" " + c.Name)
		for _, name := range []string{"id", "cname", "shuffle", "typesize", "format", "elementsize", "codecs"} {
			b.Write(c.Config.Get(name).Raw())
		}
	}
	return b.String()
}

// planOf returns the decoding plan of an array's chunk.
func planOf(array *zarr.Array, coords []int64) (*codec.Plan, error) {
	shape, err := array.Grid.ChunkShape(coords)
	if err != nil {
		return nil, err
	}
	about := codec.Array{Shape: make([]int, len(shape)), Type: array.Type, Fill: array.Fill}
	for i, n := range shape {
		about.Shape[i] = int(n)
	}
	limits := codec.Limits{ChunkBytes: 1 << 24, DecoderBytes: 1 << 24}.WithDefaults()
	p, err := codecs.Full().Pipeline(array.Codecs, codec.Build{Format: array.Metadata().Format, Array: about, Limits: limits})
	if err != nil {
		return nil, err
	}
	return p.Plan(about)
}

// unpacked returns the contents of an archive by name.
func unpacked(t *testing.T, name string) map[string][]byte {
	t.Helper()
	f := must.Get(os.Open(name))(t)
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(t)
	objects := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		head, err := r.Next()
		if err == io.EOF {
			return objects
		}
		if err != nil {
			t.Fatal(err)
		}
		if head.Typeflag == tar.TypeReg && head.Size < 1<<20 {
			b := must.Get(io.ReadAll(r))(t)
			objects[path.Clean(head.Name)] = b
		}
	}
}
