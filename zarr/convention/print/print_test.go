package print_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/print"
)

// tests/conventions/print.mjs expects the same texts, with further lines on the store.
func TestTexts(t *testing.T) {
	root := must.Get(fixtures.Root())(t)
	b := must.Get(os.ReadFile(filepath.Join(root, "tests", "conventions", "print.json")))(t)
	var rows []struct {
		Store, Path string
		Text        []string
	}
	if err := json.Unmarshal(b, &rows); err != nil || len(rows) < 15 {
		t.Fatal(len(rows), err)
	}
	for _, r := range rows {
		h := zarr.New(filestore.New(os.DirFS(filepath.Join(fixtures.Dir(t), r.Store))), codecs.Full(), zarr.Options{})
		node, err := h.Open(t.Context(), r.Path, zarr.OpenOptions{})
		if err != nil {
			t.Fatal(r.Path, err)
		}
		if got, want := print.Text(node), strings.Join(r.Text, "\n"); got != want {
			t.Errorf("%s/%s:\n%s\nand not\n%s", r.Store, r.Path, got, want)
		}
		h.Close()
	}
}

func TestHostileDocuments(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	h := zarr.New(memstore.New(map[string][]byte{
		"zarr.json": []byte(`{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"string","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},` +
			`"chunk_key_encoding":"default","fill_value":"a\nb\u0000` + long + `","codecs":["vlen-utf8"],"dimension_names":["x\ny"]}`),
	}), codecs.Full(), zarr.Options{})
	defer h.Close()
	node := must.Get(h.Open(t.Context(), "", zarr.OpenOptions{}))(t)
	text := print.Text(node)
	if len(text) > 1000 || strings.Count(text, "\n") != 12 || !strings.Contains(text, "(x y,)") || !strings.Contains(text, " : a b xxx") || !strings.Contains(text, "x…") {
		t.Errorf("%d lines: %s", strings.Count(text, "\n"), text)
	}
}

func ExampleText() {
	h := zarr.New(memstore.New(map[string][]byte{".zgroup": []byte(`{"zarr_format": 2}`)}), codecs.Default(), zarr.Options{})
	defer h.Close()
	group, err := h.OpenGroup(context.Background(), "")
	if err != nil {
		panic(err)
	}
	fmt.Println(print.Text(group))
	// Output:
	// Name         : /
	// Type         : Group
	// Zarr format  : 2
	// Consolidated : no
}
