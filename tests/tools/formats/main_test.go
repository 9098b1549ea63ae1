package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
)

func TestPageIsCurrent(t *testing.T) {
	root, err := fixtures.Root()
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := page(&want, root); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "docs", "reports", "formats.md"))
	if err != nil {
		t.Fatal(err)
	}
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
		[]alias{{"numcodecs.a", []string{"a"}}, {"new", []string{"newer"}}},
		[]known{{name("numcodecs.a"), "yy?n?", ""}, {name("b"), "nn?n?", ""}, {name("c", "a"), unknown, ""}},
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
