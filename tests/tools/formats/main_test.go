package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

func TestPageIsCurrent(t *testing.T) {
	root := must.Get(fixtures.Root())(t)
	var want bytes.Buffer
	must.Do(t, page(&want, root))
	got := must.Get(os.ReadFile(filepath.Join(root, "docs", "reports", "formats.md")))(t)
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("docs/reports/formats.md is not current: go run ./tests/tools/formats >docs/reports/formats.md")
	}
}

func TestRunTellsYesFromNo(t *testing.T) {
	good, bad := trial{name: "good", node: v3()}, trial{name: "bad", node: v3("data_type", `"int128"`)}
	for _, c := range []struct {
		trials    []trial
		own, note string
	}{
		{[]trial{good}, "yes", ""},
		{[]trial{bad}, "no", ""},
		{[]trial{good, bad}, "partly", "not `bad`"},
		{[]trial{{name: "x", node: bad.node, refused: true}}, "yes", ""},
		{[]trial{{name: "x", node: good.node, refused: true}}, "no", ""},
		{[]trial{{node: v3("fill_value", "7"), element: "07"}}, "yes", ""},
		{[]trial{{node: v3("fill_value", "7"), element: "08"}}, "no", ""},
	} {
		if own, note := run(c.trials); own != c.own || note != c.note {
			t.Errorf("%v: %q, %q; want %q, %q", c.trials, own, note, c.own, c.note)
		}
	}
}

func TestCodecTable(t *testing.T) {
	rows := codecTable(
		[]alias{{"numcodecs.a", []string{"a"}, codec.Entry{}}, {"new", []string{"newer"}, codec.Entry{}}},
		[]known{{name("numcodecs.a"), "yy?n?", ""}, {name("b"), "nn?n?", ""}, {name("c", "a"), unknown, ""}}, 3,
	).rows
	var got []string
	for _, r := range rows {
		got = append(got, r.first[0]+" "+r.own)
	}
	want := []string{"`numcodecs.a` yes", "`b` no", "`c`, `a` partly", "`new` (`newer`) yes"}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("row %d: %q, want %q", i, got[i], want[i])
		}
	}
}

func TestAnswers(t *testing.T) {
	for _, bad := range []others{"", "yyyy", "yyyyx"} {
		if _, err := bad.cells(); err == nil {
			t.Errorf("%q is taken for answers", bad)
		}
	}
}

// TestKindsAreThoseOfTheChains checks the kinds of the registry against chains that can be built.
// Each has one array-to-bytes codec, between array-to-array codecs and bytes-to-bytes codecs.
func TestKindsAreThoseOfTheChains(t *testing.T) {
	r := codecs.Full()
	checked := map[string]bool{}
	for _, c := range writers {
		if c.chain == "" {
			continue
		}
		v := must.Get(json.Parse([]byte(strings.ReplaceAll(c.chain, "NAME", c.name)), json.Limits{}))(t)
		chain := must.Get(meta.Codecs(v, 2))(t)
		serializers := 0
		for i, spec := range chain {
			kind := r.Kind(spec.Name)
			if kind == codec.KindArrayToBytes {
				serializers++
			}
			if kind == 0 || i > 0 && kind < r.Kind(chain[i-1].Name) {
				t.Errorf("%s: %s is %q", c.chain, spec.Name, kind)
			}
			checked[spec.Name] = true
		}
		if serializers != 1 {
			t.Errorf("%s has %d array-to-bytes codecs", c.chain, serializers)
		}
	}
	for _, e := range r.Entries() {
		if len(e.Names) > 0 && !slices.ContainsFunc(e.Names, func(name string) bool { return checked[name] }) {
			switch e.Names[0] {
			// The table has no v3 chain for these.
			case "n5_block", "n5_strings", "numcodecs.vlen-array", "numcodecs.pickle":
				if e.Kind != codec.KindArrayToBytes {
					t.Errorf("%v is %q", e.Names, e.Kind)
				}
			default:
				t.Errorf("no chain has %v", e.Names)
			}
		}
	}
}
