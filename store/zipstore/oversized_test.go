package zipstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/overlay"
	"github.com/zarr-wasm/zarr-wasm/store/prefix"
	"github.com/zarr-wasm/zarr-wasm/store/zipstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// The directory states the size of a member. A member that exceeds every possible chunk or document
// is rejected before it is inflated, whatever reads it and wherever the archive lies. The test
// compares random members with the possible sizes of their arrays' chunks.
func TestMembersThatAreTooLargeAreRefusedBeforeTheyAreInflated(t *testing.T) {
	const huge = 1 << 30
	zeros := deflated(make([]byte, 100_000))
	deflate := func(name string, size int64, stored []byte) raw {
		return raw{name: name, stored: stored, size: size, crc: 7, method: 8, at: -1}
	}
	full := codecs.Unzip(codecs.Default())
	random := rand.New(rand.NewPCG(26, 13))
	refused, inflated := 0, 0
	for trial := range 300 {
		n := 1 + random.IntN(5000)
		compressor := []string{"null", `{"id":"zlib","level":1}`, `{"id":"zstd","level":1}`, `{"id":"blosc","cname":"lz4","clevel":5,"shuffle":1}`}[random.IntN(4)]
		document := fmt.Sprintf(`{"zarr_format":2,"shape":[%d],"chunks":[%[1]d],"dtype":"|u1","compressor":%s,"fill_value":0,"filters":null,"order":"C"}`, n, compressor)
		size := int64(random.IntN(n))
		stored := zeros
		large := random.IntN(2) == 0
		if large {
			// The largest output of a compressor for n bytes, from package codec, plus 64 KiB.
			size = int64(4*n) + 1<<20 + 64<<10 + 1 + random.Int64N(huge-2<<20)
			stored = append(bytes.Clone(zeros), make([]byte, size/1032+1)...)
		}
		var sizes []int64
		decode := func(ctx context.Context, method uint16, stored []byte, size int64) ([]byte, error) {
			sizes = append(sizes, size)
			if size > 1<<20 {
				return nil, errors.New("this would take memory")
			}
			return full(ctx, method, stored, size)
		}
		text := assemble(usual, plain("y/.zattrs", "{}"), plain("x/.zarray", document), deflate("x/0", size, stored), plain("x/.zattrs", "{}"))
		archive, _, layer := open(t, text, zipstore.Options{Decode: decode})
		var of store.Locator = archive
		path := "x"
		switch random.IntN(4) {
		case 0: // a nested archive; the inner one is in memory once it is decompressed
			inner := raw{name: "in.zip", stored: deflated(text), size: int64(len(text)), crc: crc32.ChecksumIEEE(text), method: 8, at: -1}
			outer, _, _ := open(t, assemble(usual, inner), zipstore.Options{})
			var err error
			if of, err = zipstore.New(outer, "in.zip", layer, zipstore.Options{Decode: decode}); err != nil {
				t.Fatal(err)
			}
		case 1:
			of = overlay.New(archive)
		case 2:
			below := must.Get(prefix.New(archive, "x"))(t)
			of, path = below, ""
		}
		a, err := zarr.Over(of, codecs.Default(), zarr.Options{}).OpenArray(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		var selection []grid.Item
		if random.IntN(2) == 0 {
			selection = []grid.Item{grid.At(int64(random.IntN(n)))}
		}
		_, err = a.Read(t.Context(), selection, zarr.ReadOptions{})
		var limit *limits.Error
		var pipeline *zarr.CodecPipelineError
		switch {
		case large && (!errors.As(err, &limit) && !errors.As(err, &pipeline) || len(sizes) > 0):
			t.Fatalf("trial %d: %d bytes for a chunk of %d, %s: %v; inflated %v", trial, size, n, compressor, err, sizes)
		case large:
			refused++
		default:
			if err == nil && size > 0 {
				t.Fatalf("trial %d: a wrong checksum was accepted", trial)
			}
			inflated += len(sizes)
		}
	}
	t.Logf("%d were refused, %d inflated", refused, inflated)
	if refused < 100 || inflated < 100 {
		t.Error("the members are too few of a kind")
	}

	// A valid decompression bomb.
	bomb := make([]byte, 64<<20)
	real := raw{name: "0", stored: deflated(bomb), size: int64(len(bomb)), crc: crc32.ChecksumIEEE(bomb), method: 8, at: -1}
	archive, _, _ := open(t, assemble(usual, plain(".zarray", `{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"|u1","compressor":null,"fill_value":0,"filters":null,"order":"C"}`), real), zipstore.Options{})
	a, err := zarr.Over(archive, codecs.Default(), zarr.Options{}).OpenArray(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	measured(t, 4<<20, func() { _, err = a.Read(t.Context(), nil, zarr.ReadOptions{}) })
	var pipeline *zarr.CodecPipelineError
	if !errors.As(err, &pipeline) || strings.Contains(err.Error(), "CRC") {
		t.Error(err)
	}
}
