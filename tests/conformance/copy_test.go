package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// TestFixturesAreCopiedAsBytes copies every array of the fixtures unchanged. Each chunk keeps its
// bytes, and missing ones stay missing, in any kind of store.
func TestFixturesAreCopiedAsBytes(t *testing.T) {
	dir := fixtures.Dir(t)
	m := loadManifest(t, dir)
	counts := map[string]int{}
	for i := range m.Cases {
		c := &m.Cases[i]
		if c.ExpectError != nil {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			s := newStores(dir)
			st := must.Get(s.open(t, c.Store, c.StoreKind, ""))(t)
			src, err := s.hierarchy(st).OpenArray(t.Context(), c.Array)
			if err != nil && c.Optional && refusal(err) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			what, err := copyBytes(t.Context(), src, st)
			if err != nil {
				t.Error(err)
			}
			counts[fmt.Sprintf("version %d %s", src.Metadata().Format, what)]++
		})
	}
	t.Logf("%v", counts)
}

// copyBytes copies an array to another store, and compares the chunks' objects in both.
func copyBytes(ctx context.Context, src *zarr.Array, from store.Locator) (what string, err error) {
	to := memstore.New(nil)
	h := zarr.New(to, writing.Codecs(), zarr.Options{})
	var invalid *zarr.InvalidMetadataError
	format := max(src.Metadata().Format, 2)
	if _, err := zarr.Copy(ctx, src, h, "copy", zarr.CopyOptions{Format: format}); errors.As(err, &invalid) {
		return "not: " + err.Error(), nil
	} else if err != nil {
		return "", err
	}
	dst, err := h.OpenArray(ctx, "copy")
	if err != nil {
		return "", err
	}
	read := func(ctx context.Context, s store.Source, name string, ask store.Ask) (store.Extent, error) {
		return s.Read(ctx, name, ask)
	}
	stored := func(keys grid.KeyEncoding, coords []int64) ([]byte, error) {
		key := store.Join(src.Path(), keys.Key(coords))
		at, err := from.Locate(ctx, key)
		if err != nil {
			return nil, err
		}
		e, err := at.Read(ctx, key, store.Ask{}, read)
		return e.Bytes, err
	}
	walk, err := src.Grid.Walk(nil, nil)
	if err != nil {
		return "", err
	}
	spans, coords := make([]grid.Projection, len(src.Shape)), make([]int64, len(src.Shape))
	chunks, most := 0, 5000 // compares the first chunks of larger arrays, and their number
	for n := 0; n < most && walk.Next(spans); n++ {
		for d := range spans {
			coords[d] = spans[d].Chunk
		}
		want, err := stored(src.Keys, coords)
		if errors.Is(err, fs.ErrNotExist) && src.Metadata().Format < 3 && !src.KeysWritten {
			want, err = stored(grid.KeyEncoding{Name: "v2", Separator: "/"}, coords)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		got, failed := to.Read(ctx, store.Join("copy", dst.Keys.Key(coords)), store.Ask{})
		if errors.Is(failed, fs.ErrNotExist) != (err != nil) || !bytes.Equal(got.Bytes, want) {
			return "", fmt.Errorf("chunk %v: %d bytes, %w; want %d, %w", coords, len(got.Bytes), failed, len(want), err)
		}
		if err == nil {
			chunks++
		}
	}
	a, err := src.StoredChunks(ctx)
	if err != nil && walk.At() != nil {
		return "", err
	}
	b, failed := dst.StoredChunks(ctx)
	if failed != nil || err == nil && a != b {
		return "", fmt.Errorf("%d chunks, %w; want %d", b, failed, a)
	}
	if chunks == 0 && a == 0 {
		return "without chunks", nil
	}
	return "as bytes", nil
}
