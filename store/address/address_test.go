package address

import (
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// row is a line of testdata/addresses.json, which the tests of the command and of the package's
// JavaScript read, too. Rows with the member "of" are headings.
type row struct {
	Of        string
	Address   string
	Files     bool
	Folders   []string // among the paths of files; null when unknown
	Known     string
	Endpoints map[string]string
	Store     any // a Composition of js/stores
	Path      string
	Format    int
	Guessed   bool
	Error     string
	Command   bool   // only the command, which knows the folders, finds it
	Found     string // the path, if only opening shows the container
	Is        any    // the object there, in the hierarchies of tests/js/addresses.mjs
}

func (r row) options() Options {
	opt := Options{Endpoints: r.Endpoints, Known: r.Known, Files: r.Files}
	if r.Folders != nil {
		opt.IsFolder = func(path string) bool { return slices.Contains(r.Folders, path) }
	}
	return opt
}

func table(t testing.TB) (rows []row) {
	b, err := os.ReadFile("testdata/addresses.json")
	if err == nil {
		err = json.Unmarshal(b, &rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(rows, func(r row) bool { return r.Of != "" })
}

// composition returns the store of an address in its JSON form.
func composition(a Address) any {
	var of any = a.Place
	for _, l := range a.Layers {
		made := map[string]any{l.Kind: of}
		if l.Option != "" {
			made[l.Option] = l.Value
		}
		of = made
	}
	return of
}

func text(t *testing.T, v any) string {
	return string(must.Get(json.Marshal(v))(t))
}

func TestAddresses(t *testing.T) {
	rows := table(t)
	if len(rows) < 150 {
		t.Fatalf("only %d addresses", len(rows))
	}
	for _, r := range rows {
		a, err := Parse(r.Address, r.options())
		if r.Error != "" {
			if err == nil || !strings.Contains(err.Error(), r.Error) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%q: %v, want an error with %q", r.Address, err, r.Error)
			}
			continue
		}
		if got, want := text(t, composition(a)), text(t, r.Store); err != nil || got != want || a.Path != r.Path || a.Format != r.Format || a.Guessed != r.Guessed {
			t.Errorf("%q: %s %q %d %v %v, want %s %q %d %v", r.Address, got, a.Path, a.Format, a.Guessed, err, want, r.Path, r.Format, r.Guessed)
		}
	}
}

// A place is one object if the first container is directly on it. It is a path if it has no scheme
// and Files is set.
func TestPlaces(t *testing.T) {
	for address, want := range map[string][2]bool{
		"https://h/a.zip": {false, true}, "https://h/a": {false, false}, "a.zip|zip:b": {true, true}, "a|n5:": {true, false}, "a/|reference:": {true, false},
		"https://h/a|icechunk:r|zip:": {false, false}, "C:/a": {true, false}, "file:///a.json": {false, true},
	} {
		a, err := Parse(address, Options{Files: true})
		if err != nil || a.File != want[0] || a.Object != want[1] {
			t.Errorf("%q: %+v %v", address, a, err)
		}
	}
}

func TestContainer(t *testing.T) {
	for url, want := range map[string]string{
		"https://h/a.zip/": "zip", "https://h/a.ZIP/b/c": "zip", "https://h/refs.json/a": "reference", "https://h/r.parq/": "reference",
		"https://h/a.zarr/": "", "https://h.zip/a": "", "https://h/x%7Czip:/": "zip", "https://h/x%7Cicechunk:@tag.a/g": "icechunk", "https://h/x%7Cb/": "",
		"https://h/a.zarr%7Czarr3:/": "", "file:///data/a.zip/": "zip", "/data/a?b.zip/c": "zip", "https://h/a?b.zip/": "", "https://h/a%7Ctar:/": "", "": "",
	} {
		if got := Container(url); got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	}
}

// pipelineOf returns a pipeline that means the address.
func pipelineOf(a Address) string {
	var out strings.Builder
	out.WriteString(a.Place)
	encode := func(path string) string {
		return strings.NewReplacer("%2F", "/", "@", "%40").Replace(url.PathEscape(path))
	}
	for _, l := range a.Layers {
		if l.Option == "key" || l.Option == "path" {
			out.WriteString(encode(l.Value))
		}
		if l.Kind == "prefix" {
			continue
		}
		out.WriteString("|" + l.Kind + ":")
		if l.Option == "snapshot" {
			out.WriteString("@" + strings.ReplaceAll(encode(l.Value), "/", "%2F") + "/")
		} else if l.Option == "branch" || l.Option == "tag" {
			out.WriteString("@" + l.Option + "." + strings.ReplaceAll(encode(l.Value), "/", "%2F") + "/")
		}
	}
	if out.Len() == len(a.Place) && a.Path != "" {
		out.WriteString("|zarr:")
	}
	out.WriteString(encode(a.Path))
	if a.Format != 0 {
		out.WriteString("|zarr" + string(rune('0'+a.Format)) + ":")
	}
	return out.String()
}

// FuzzParse parses any text. The result is an Error, or a store and a path that its pipeline means
// as well.
func FuzzParse(f *testing.F) {
	for _, r := range table(f) {
		f.Add(r.Address, r.Known, r.Files)
	}
	f.Fuzz(func(t *testing.T, text, known string, files bool) {
		Container(text)
		switch known {
		case "", "folder", "zip", "reference", "parquet", "icechunk", "n5":
		default:
			return
		}
		a, err := Parse(text, Options{Known: known, Files: files})
		if err != nil {
			if _, ok := err.(Error); !ok || a.Place != "" {
				t.Errorf("%q: %T %v", text, err, err)
			}
			return
		}
		names := []string{a.Path}
		for i, l := range a.Layers {
			if l.Option == "key" || l.Option == "path" {
				names = append(names, l.Value)
			}
			if (l.Kind == "prefix") != (l.Option == "path") || (l.Option == "") != (l.Value == "") || i == 0 && l.Option == "key" || i > 2*maxSteps {
				t.Errorf("%q: %+v", text, a)
			}
		}
		for _, path := range names {
			for _, name := range strings.Split(path, "/") {
				if name == "." || name == ".." || name == "" && path != "" {
					t.Errorf("%q: the path %q", text, path)
				}
			}
		}
		if a.Format != 0 && a.Format != 2 && a.Format != 3 {
			t.Errorf("%q: version %d", text, a.Format)
		}
		if strings.TrimSpace(a.Place) != a.Place {
			return // at the start its spaces do not count
		}
		again, err := Parse(pipelineOf(a), Options{Known: "folder", Files: files})
		again.Guessed = a.Guessed
		if err != nil || composed(again) != composed(a) {
			t.Errorf("%q: %s, and its pipeline %q: %s %v", text, composed(a), pipelineOf(a), composed(again), err)
		}
	})
}

func composed(a Address) string {
	b, _ := json.Marshal(a)
	return string(b)
}

// The time grows linearly with the length of a text.
func TestLongAddresses(t *testing.T) {
	const n = 200_000
	for _, part := range []string{"zip::", "|zip:", "|zip:a", "zarr3://", "a.zip/", "|", "|a", "::", ":", "%", "../", "a::", "simplecache::", ".", "a/", "[", "zip://a::", "|zarr:a"} {
		for _, text := range []string{strings.Repeat(part, n), "https://h/" + strings.Repeat(part, n), strings.Repeat(part, n) + "https://h/a.zip", "zip::" + strings.Repeat(part, n)} {
			for _, known := range []string{"", "zip"} {
				began := time.Now()
				_, _ = Parse(text, Options{Known: known})
				Container(text)
				if took := time.Since(began); took > 5*time.Second {
					t.Errorf("%.20s... took %v", text, took)
				}
			}
		}
	}
}
