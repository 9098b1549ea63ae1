package conformance

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// containers holds the fields of public/containers.json that tests use.
type containers struct {
	Counts struct{ Cases int }
	Cases  []containerCase
}

type containerCase struct {
	testCase
	// All elements, or those of Sel.
	Values []any
	Sel    []any
	// Ref selects the snapshot of an Icechunk repository, such as {branch: name}.
	Ref            map[string]string
	Snapshot       string
	VirtualObjects map[string]struct{ Hex string } `json:"virtual_objects"`
	// Entries holds the members of an archive.
	Entries map[string]struct {
		Size   int64
		SHA256 string
	}
	// Counts and the fields below describe references: their number, their arrays, and the places
	// of some.
	Counts *struct {
		Arrays []string
	}
}

// TestContainers reads other projects' data: archives, references, repositories of Icechunk, N5.
func TestContainers(t *testing.T) {
	dir := filepath.Join(fixtures.Dir(t), "public")
	var all containers
	readJSON(t, filepath.Join(dir, "containers.json"), &all)
	if len(all.Cases) == 0 || len(all.Cases) != all.Counts.Cases {
		t.Fatalf("%d cases, and %d are announced", len(all.Cases), all.Counts.Cases)
	}
	for i := range all.Cases {
		c := &all.Cases[i]
		t.Run(c.ID, func(t *testing.T) {
			if err := runContainer(t, dir, c); err != nil {
				t.Error(err)
			}
		})
	}
}

// options returns the settings of a case's store, as members of its description.
func (c *containerCase) options(endpoint string) string {
	text := ""
	for name, value := range c.Ref {
		text += fmt.Sprintf(",%q:%q", name, value)
	}
	if c.StoreKind != "zip" && c.StoreKind != "n5" {
		// No test leaves the machine.
		text += fmt.Sprintf(`,"endpoints":{"s3://":%q}`, endpoint)
	}
	return text
}

func runContainer(t *testing.T, dir string, c *containerCase) error {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := hex.DecodeString(c.VirtualObjects["s3:/"+r.URL.Path].Hex)
		if err != nil || len(b) == 0 {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(b)))
	}))
	defer server.Close()
	s := newStores(dir)
	st, err := s.open(t, c.Store, c.StoreKind, c.options(server.URL+"/"))
	if err != nil {
		return err
	}
	if c.Entries != nil {
		return runEntries(t, s, st, c)
	}
	h := s.hierarchy(st)
	if c.Counts != nil {
		for _, name := range c.Counts.Arrays {
			if _, err := h.OpenArray(t.Context(), name); err != nil {
				return err
			}
		}
		return nil
	}
	a, err := h.OpenArray(t.Context(), c.Array)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	if got := a.Metadata().Format; c.Format != 0 && got != c.Format {
		return fmt.Errorf("format %d, want %d", got, c.Format)
	}
	if c.Sel == nil && c.Shape != nil && !slices.Equal(a.Shape, c.Shape) {
		return fmt.Errorf("shape %v, want %v", a.Shape, c.Shape)
	}
	if c.Attributes != nil {
		if err := compareAttributes(a.Metadata().Attributes, c.Attributes); err != nil {
			return err
		}
	}
	res, err := a.Read(t.Context(), items(t, c.Sel), zarr.ReadOptions{})
	if err != nil {
		return err
	}
	if e := c.Expected; e.Encoding == "json" {
		err = compareValues(&c.testCase, res, e.Values)
	} else if got := sha256.Sum256(res.Data); hex.EncodeToString(got[:]) != e.SHA256 {
		err = fmt.Errorf("other bytes: %d of them, % x..., want values %v", len(res.Data), res.Data[:min(len(res.Data), 32)], c.Values)
	}
	if err != nil || len(c.VirtualObjects) == 0 {
		return err
	}
	return withoutVirtual(t, dir, c)
}

// withoutVirtual expects a read to fail when a virtual object is missing.
func withoutVirtual(t *testing.T, dir string, c *containerCase) error {
	gone := httptest.NewServer(http.NotFoundHandler())
	defer gone.Close()
	s := newStores(dir)
	st, err := s.open(t, c.Store, c.StoreKind, c.options(gone.URL+"/"))
	if err != nil {
		return err
	}
	a, err := s.hierarchy(st).OpenArray(t.Context(), c.Array)
	if err != nil {
		return err
	}
	if _, err := a.Read(t.Context(), nil, zarr.ReadOptions{}); err == nil {
		return fmt.Errorf("read without the objects that it refers to")
	}
	return nil
}

// runEntries reads the members of an archive.
func runEntries(t *testing.T, s stores, st store.Locator, c *containerCase) error {
	for key, want := range c.Entries {
		e, err := store.ReadKey(t.Context(), st, key, store.Ask{}, s.caches.Layer().Extent)
		if err != nil {
			if c.Optional && ofKind(err, "container") {
				t.Logf("refused, which is right as well: %v", err)
				continue
			}
			return err
		}
		sum := sha256.Sum256(e.Bytes)
		if int64(len(e.Bytes)) != want.Size || hex.EncodeToString(sum[:]) != want.SHA256 {
			return fmt.Errorf("%s: %q", key, e.Bytes)
		}
	}
	return nil
}
