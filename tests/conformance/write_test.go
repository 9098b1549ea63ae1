package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
)

// TestFixturesAreWrittenAnew reads every array of the fixtures, writes it in each version that
// supports its type, and compares the copies' elements.
func TestFixturesAreWrittenAnew(t *testing.T) {
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
			for _, format := range []int{2, 3} {
				what, err := writeAnew(t.Context(), src, format)
				if err != nil && c.Optional && refusal(err) {
					continue
				}
				if err != nil {
					t.Errorf("version %d: %v", format, err)
				}
				counts[fmt.Sprintf("version %d %s", format, what)]++
			}
		})
	}
	t.Logf("%v", counts)
	for _, format := range []int{2, 3} {
		if n := counts[fmt.Sprintf("version %d as it was", format)]; n < 100 {
			t.Errorf("only %d arrays were written in version %d with their own codecs", n, format)
		}
	}
}

// writeAnew copies an array to another store, and compares. what states whether the copy has the
// same codecs.
func writeAnew(ctx context.Context, src *zarr.Array, format int) (what string, err error) {
	want, err := src.Read(ctx, nil, zarr.ReadOptions{})
	var limit *zarr.LimitError
	if errors.As(err, &limit) {
		return "too large", nil
	}
	if err != nil {
		return "", err
	}
	what = "as it was"
	for _, codecs := range [][]zarr.Codec{nil, {{Name: "gzip", Config: map[string]any{"level": 1}}}} {
		to := memstore.New(nil)
		_, err = zarr.Copy(ctx, src, zarr.New(to, writing.Codecs(), zarr.Options{}), "copy", zarr.CopyOptions{
			Format: format,
			Array: func(_ string, spec *zarr.ArraySpec) {
				if codecs != nil {
					spec.Codecs = codecs
				}
			},
		})
		var unsupported *zarr.UnsupportedError
		var invalid *zarr.InvalidMetadataError
		// the codecs are lossy, and cannot represent their own result
		var value *zarr.InvalidValueError
		if errors.As(err, &unsupported) || errors.As(err, &invalid) || errors.As(err, &value) {
			if codecs != nil {
				return "not: " + err.Error(), nil
			}
			what = "with other codecs"
			continue
		}
		if err != nil {
			return what, err
		}
		a, err := zarr.New(to, writing.Codecs(), zarr.Options{}).OpenArray(ctx, "copy")
		if err != nil {
			return what, err
		}
		got, err := a.Read(ctx, nil, zarr.ReadOptions{})
		if err != nil {
			return what, err
		}
		if a.Metadata().Format != format || !slices.Equal(got.Shape, want.Shape) || !bytes.Equal(got.Data, want.Data) || !slices.EqualFunc(got.Items, want.Items, bytes.Equal) {
			return what, fmt.Errorf("%s: %v, %d bytes, %d items; want %v, %d bytes, %d items", what, got.Shape, len(got.Data), len(got.Items), want.Shape, len(want.Data), len(want.Items))
		}
		if !bytes.Equal(a.Fill, src.Fill) {
			return what, fmt.Errorf("the fill value is % x, want % x", a.Fill, src.Fill)
		}
		return what, nil
	}
	return what, err
}

// TestFixturesAreMigrated copies every array of versions 1 and 2 unchanged, migrates it to the next
// version, and compares the elements.
func TestFixturesAreMigrated(t *testing.T) {
	dir := fixtures.Dir(t)
	m := loadManifest(t, dir)
	counts := map[string]int{}
	for i := range m.Cases {
		c := &m.Cases[i]
		if c.ExpectError != nil || c.Format == 3 {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			what, err := migrateCopy(t, dir, c)
			if err != nil {
				t.Error(err)
			}
			counts[fmt.Sprintf("version %d %s", c.Format, what)]++
		})
	}
	t.Logf("%v", counts)
	if counts["version 1 migrated"] < 5 || counts["version 2 migrated"] < 300 {
		t.Error("only so many were migrated")
	}
}

func migrateCopy(t *testing.T, dir string, c *testCase) (what string, err error) {
	ctx := t.Context()
	s := newStores(dir)
	st, err := s.open(t, c.Store, c.StoreKind, "")
	if err != nil {
		return "", err
	}
	from := s.hierarchy(st)
	n, err := from.Open(ctx, c.Array, zarr.OpenOptions{Kind: "array", Format: c.Format})
	if err != nil && c.Optional && refusal(err) {
		return "refused", nil
	}
	if err != nil {
		return "", err
	}
	want, err := n.(*zarr.Array).Read(ctx, nil, zarr.ReadOptions{})
	var limit *zarr.LimitError
	if errors.As(err, &limit) {
		return "too large", nil
	}
	if err != nil {
		return "", err
	}
	h := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
	var unsupported *zarr.UnsupportedError
	if _, err := zarr.CopyStore(ctx, from, c.Array, h, "x", zarr.CopyStoreOptions{}); errors.As(err, &unsupported) {
		return "in a store that does not list", nil
	} else if err != nil {
		return "", err
	}
	before, err := h.Open(ctx, "x", zarr.OpenOptions{Kind: "array", Format: c.Format})
	if errors.Is(err, fs.ErrNotExist) {
		return "known by consolidated metadata only", nil
	}
	if err != nil {
		return "", err
	}
	_, err = h.Migrate(ctx, "x", c.Format+1)
	var invalid *zarr.InvalidMetadataError
	var unknown *zarr.UnknownCodecError
	if errors.As(err, &unsupported) || errors.As(err, &invalid) || errors.As(err, &unknown) {
		// The array is unchanged.
		got, rerr := before.(*zarr.Array).Read(ctx, nil, zarr.ReadOptions{})
		if rerr != nil || !bytes.Equal(got.Data, want.Data) {
			return "", fmt.Errorf("after %w: %w", err, rerr)
		}
		return "not: " + err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	a, err := h.OpenArray(ctx, "x")
	if err != nil {
		return "", err
	}
	got, err := a.Read(ctx, nil, zarr.ReadOptions{})
	if err != nil {
		return "", err
	}
	if a.Metadata().Format != c.Format+1 || !slices.Equal(got.Shape, want.Shape) || !bytes.Equal(got.Data, want.Data) || !slices.EqualFunc(got.Items, want.Items, bytes.Equal) {
		return "", fmt.Errorf("version %d: %v, %d bytes; want %v, %d bytes", a.Metadata().Format, got.Shape, len(got.Data), want.Shape, len(want.Data))
	}
	return "migrated", nil
}
