package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/zipstore"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/spent"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

func TestFixtures(t *testing.T) {
	dir := fixtures.Dir(t)
	m := loadManifest(t, dir)
	for i := range m.Cases {
		c := &m.Cases[i]
		t.Run(c.ID, func(t *testing.T) {
			if err := runCase(t, dir, c); err != nil {
				t.Error(err)
			}
		})
	}
	for i := range m.Groups {
		g := &m.Groups[i]
		t.Run("group."+g.ID, func(t *testing.T) {
			if err := runGroup(t, dir, g); err != nil {
				t.Error(err)
			}
		})
	}
}

func runCase(t *testing.T, dir string, c *testCase) error {
	s := newStores(dir)
	st, err := s.open(t, c.Store, c.StoreKind, "")
	if err != nil {
		return err
	}
	if c.ExpectError != nil {
		return runErrorCase(t, s.hierarchy(st), c)
	}
	ways := []bool{c.has("consolidated-only")}
	if c.has("consolidated") && !ways[0] && c.Array != "" {
		ways = append(ways, true)
	}
	for _, throughRoot := range ways {
		err := readCase(t, dir, s.hierarchy(st), c, throughRoot)
		if err != nil && c.Optional && refusal(err) {
			t.Logf("refused, which is right as well: %v", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s stores) hierarchy(st store.Locator) *zarr.Hierarchy {
	return zarr.Over(st, codecs.Full(), zarr.Options{Caches: s.caches})
}

// readCase reads all of an array and its selections. With throughRoot it opens the root group
// first, and so uses its consolidated metadata.
func readCase(t *testing.T, dir string, h *zarr.Hierarchy, c *testCase, throughRoot bool) error {
	ctx := t.Context()
	if throughRoot {
		if _, err := h.OpenGroup(ctx, ""); err != nil {
			return fmt.Errorf("open the root: %w", err)
		}
	}
	a, err := h.OpenArray(ctx, c.Array)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	if got := a.Metadata().Format; got != c.Format {
		return fmt.Errorf("format %d, want %d", got, c.Format)
	}
	if !slices.Equal(a.Shape, c.Shape) {
		return fmt.Errorf("shape %v, want %v", a.Shape, c.Shape)
	}
	if got := fmt.Sprint(a.Grid.ChunkShapes()); a.Grid.Kind() == "regular" && got != fmt.Sprint(c.Chunks) {
		return fmt.Errorf("chunks %s, want %v", got, c.Chunks)
	}
	attributes := c.Attributes
	if c.AttributesNonstandard != nil {
		attributes = c.AttributesNonstandard
	}
	if err := compareAttributes(a.Metadata().Attributes, attributes); err != nil {
		return err
	}
	if c.Format == 3 && c.DimensionNames != nil {
		want := make([]meta.DimensionName, len(c.DimensionNames))
		for i, n := range c.DimensionNames {
			if n != nil {
				want[i] = meta.DimensionName{Text: *n, Named: true}
			}
		}
		if !slices.Equal(a.DimensionNames, want) {
			return fmt.Errorf("dimension names %v, want %v", a.DimensionNames, want)
		}
	}
	if e := c.Expected; e != nil {
		want := e.Values
		if e.Encoding == "json" && e.File != "" {
			var file struct{ Values []any }
			readJSON(t, filepath.Join(dir, filepath.FromSlash(e.File)), &file)
			want = file.Values
		}
		if err := readAndCompare(ctx, a, c, nil, c.Shape, e.SHA256, want); err != nil {
			return fmt.Errorf("all of it: %w", err)
		}
	}
	return readSelections(t, a, c)
}

func readSelections(t *testing.T, a *zarr.Array, c *testCase) error {
	for _, s := range c.Selections {
		if err := readAndCompare(t.Context(), a, c, items(t, s.Sel), s.Shape, s.SHA256, s.Values); err != nil {
			return fmt.Errorf("selection %v: %w", s.Sel, err)
		}
	}
	return nil
}

// readAndCompare reads a selection. It compares its shape, and its bytes by their SHA-256 or else
// its values.
func readAndCompare(ctx context.Context, a *zarr.Array, c *testCase, sel []grid.Item, shape []int64, sum string, want []any) error {
	res, err := a.Read(ctx, sel, zarr.ReadOptions{})
	if err != nil {
		return err
	}
	got := make([]int64, len(res.Shape))
	for i, n := range res.Shape {
		got[i] = int64(n)
	}
	if !slices.Equal(got, shape) {
		return fmt.Errorf("the result's shape is %v, want %v", got, shape)
	}
	if sum == "" {
		return compareValues(c, res, want)
	}
	if got := sha256.Sum256(res.Data); hex.EncodeToString(got[:]) != sum {
		return fmt.Errorf("other bytes: %d of them, % x..., want values %v", len(res.Data), res.Data[:min(len(res.Data), 32)], want)
	}
	return nil
}

// runErrorCase expects an error of the kind and at the stage that the manifest names, within its
// time and memory. Undamaged parts remain readable.
func runErrorCase(t *testing.T, h *zarr.Hierarchy, c *testCase) error {
	e := c.ExpectError
	opt := zarr.OpenOptions{Kind: "array"}
	if e.Kind == "not-found" {
		opt.Format = c.Format
	}

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := spent.Start()
	var a *zarr.Array
	stage := "open"
	n, err := h.Open(t.Context(), c.Array, opt)
	if err == nil {
		a = n.(*zarr.Array)
		stage = "read"
		_, err = a.Read(t.Context(), nil, zarr.ReadOptions{})
	}
	took := began.Took()
	runtime.ReadMemStats(&after)

	switch {
	case err == nil && c.Optional:
		t.Log("read without an error, which is right as well")
	case err == nil:
		return errors.New("opened and read without an error")
	case !strings.Contains(e.At, stage):
		return fmt.Errorf("failed at %s, want %s: %w", stage, e.At, err)
	case !ofKind(err, e.Kind):
		return fmt.Errorf("not an error of the kind %s: %T: %w", e.Kind, err, err)
	}
	if took.Seconds() > e.MaxSeconds {
		return fmt.Errorf("took %v", took)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > e.MaxAllocBytes {
		return fmt.Errorf("allocated %d bytes", used)
	}
	if a == nil {
		if len(c.Selections) > 0 {
			return fmt.Errorf("nothing can be read: %w", err)
		}
		return nil
	}
	return readSelections(t, a, c)
}

// refusal reports whether an error means that a feature is unsupported.
func refusal(err error) bool {
	return ofKind(err, "unsupported-codec") || ofKind(err, "unsupported-extension")
}

// ofKind says whether an error is of a kind of the manifest.
func ofKind(err error, kind string) bool {
	var (
		metadata    *zarr.InvalidMetadataError
		unknown     *zarr.UnknownCodecError
		unsupported *zarr.UnsupportedError
		pipeline    *zarr.CodecPipelineError
		missing     *zarr.NotFoundError
		limit       *codec.LimitError
		referred    *target.Error
		archive     *zipstore.Error
	)
	switch kind {
	case "metadata":
		return errors.As(err, &metadata)
	case "unsupported-codec":
		return errors.As(err, &unknown) || errors.As(err, &unsupported)
	case "unsupported-dtype", "unsupported-extension":
		return errors.As(err, &unsupported)
	case "codec":
		return errors.As(err, &pipeline)
	case "checksum":
		// The checksum of an archive's member belongs to no codec.
		return errors.As(err, &pipeline) && errors.Is(err, codec.ErrChecksum) || errors.As(err, &archive) && strings.Contains(err.Error(), "CRC-32")
	case "truncated":
		return errors.As(err, &pipeline) && errors.Is(err, codec.ErrTruncated)
	case "too-large":
		return errors.As(err, &limit)
	case "not-found":
		return errors.As(err, &missing) && errors.Is(err, fs.ErrNotExist) || errors.As(err, &referred) && referred.Absent
	}
	if kind == "container" {
		return !errors.As(err, &metadata) && !errors.As(err, &unknown) && !errors.As(err, &unsupported) && !errors.As(err, &pipeline) &&
			!errors.Is(err, fs.ErrNotExist)
	}
	return false
}

func runGroup(t *testing.T, dir string, g *testGroup) error {
	s := newStores(dir)
	st, err := s.open(t, g.Store, g.StoreKind, "")
	if err != nil {
		return err
	}
	ctx := context.Background()
	node, err := s.hierarchy(st).OpenGroup(ctx, g.Group)
	if err != nil {
		return err
	}
	if got := node.Metadata().Format; got != g.Format {
		return fmt.Errorf("format %d, want %d", got, g.Format)
	}
	if err := compareAttributes(node.Metadata().Attributes, g.Attributes); err != nil {
		return err
	}
	var consolidated []string
	if c := node.Metadata().Consolidated; c != nil {
		consolidated = slices.Sorted(slices.Values(c.Paths))
	}
	if want := slices.Sorted(slices.Values(g.Consolidated)); !slices.Equal(consolidated, want) {
		return fmt.Errorf("consolidated metadata of %q, want %q", consolidated, want)
	}
	members, err := node.Members(ctx)
	if err != nil {
		return err
	}
	var arrays, groups []string
	for _, m := range members {
		switch {
		case m.Err != nil:
			return fmt.Errorf("member %s: %w", m.Name, m.Err)
		case m.Kind == "array":
			arrays = append(arrays, m.Name)
		default:
			groups = append(groups, m.Name)
		}
	}
	slices.Sort(arrays)
	slices.Sort(groups)
	if want := slices.Sorted(slices.Values(g.Members.Arrays)); !slices.Equal(arrays, want) {
		return fmt.Errorf("arrays %q, want %q", arrays, want)
	}
	if want := slices.Sorted(slices.Values(g.Members.Groups)); !slices.Equal(groups, want) {
		return fmt.Errorf("groups %q, want %q", groups, want)
	}
	return nil
}
