package icechunk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/icechunk"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/spent"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// over returns the store of a repository with these files.
func over(t testing.TB, files map[string][]byte, opt icechunk.Options) *icechunk.Store {
	t.Helper()
	return open(t, store.Plain(memstore.New(files)), opt)
}

// read reads a whole array of bytes.
func read(t testing.TB, s store.Locator, path string) ([]byte, error) {
	t.Helper()
	a, err := zarr.Over(s, codecs.Default(), zarr.Options{}).OpenArray(t.Context(), path)
	if err != nil {
		return nil, err
	}
	res, err := a.Read(t.Context(), nil, zarr.ReadOptions{})
	if err != nil {
		return nil, err
	}
	return res.Data, nil
}

// within runs f, and requires that it ends soon and allocates at most 256 MiB.
func within(t *testing.T, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := spent.Start()
	f()
	took := began.Took()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; took > spent.Most || n > 256<<20 {
		t.Errorf("%v, %d MiB", took, n>>20)
	}
}

// An object of the suite is the document of a node, or a chunk in each possible place.
func TestStore(t *testing.T) {
	type ways struct {
		key string
		ref func(data []byte, files map[string][]byte, n int) *chunkRef
	}
	outside := map[string][]byte{}
	for name, way := range map[string]ways{
		"document": {key: "/zarr.json"},
		"inline": {key: "/c/0", ref: func(data []byte, _ map[string][]byte, _ int) *chunkRef {
			return &chunkRef{inline: append([]byte{}, data...)}
		}},
		"native": {key: "/c/0", ref: func(data []byte, files map[string][]byte, n int) *chunkRef {
			x := number(n + 100)
			files["chunks/"+x.String()] = data
			return &chunkRef{chunk: &x, length: uint64(len(data))}
		}},
		"packed": {key: "/c/0", ref: func(data []byte, files map[string][]byte, n int) *chunkRef {
			x := number(99)
			name := "chunks/" + x.String()
			files[name] = append(files[name], data...)
			return &chunkRef{chunk: &x, offset: uint64(len(files[name]) - len(data)), length: uint64(len(data))}
		}},
		"virtual": {key: "/c/0", ref: func(data []byte, _ map[string][]byte, n int) *chunkRef {
			url := "https://data.test/file" + strconv.Itoa(n)
			outside[url[len("https://"):]] = slices.Concat([]byte("head"), data, []byte("tail"))
			return &chunkRef{location: url, offset: 4, length: uint64(len(data))}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, storetest.Harness{New: func(t testing.TB, objects map[string][]byte) store.Locator {
				files := map[string][]byte{}
				var nodes []node
				refs := map[int][]chunkRef{}
				var order []int
				x := number(7)
				for i, key := range slices.Sorted(maps.Keys(objects)) {
					n := node{path: "/" + key, doc: string(objects[key])}
					if way.ref != nil {
						ref := way.ref(objects[key], files, i)
						ref.index = []uint32{0}
						refs[i], order = []chunkRef{*ref}, append(order, i)
						n.array, n.rank, n.manifests = true, 1, []manifestRef{{x, []uint32{0, 1}}}
					}
					nodes = append(nodes, n)
				}
				maps.Copy(files, repository(nil, map[id]fields{x: manifest(x, nil, order, refs)}, nodes...))
				virtual := func(_ context.Context, url string) (store.Location, error) {
					return store.At(memstore.New(outside), strings.TrimPrefix(url, "https://")), nil
				}
				return suffixed{over(t, files, icechunk.Options{Virtual: virtual}), way.key}
			}})
		})
	}
}

// suffixed is a store with the keys of another one, without their suffixes.
type suffixed struct {
	of     store.Locator
	suffix string
}

func (s suffixed) Locate(ctx context.Context, key string) (store.Location, error) {
	return s.of.Locate(ctx, key+s.suffix)
}

// Arrays share a manifest, which lists them and their chunks in another order than the
// specification requires.
func TestManifestOfSeveralArrays(t *testing.T) {
	x, c := number(7), number(8)
	refs := map[int][]chunkRef{
		1: {{index: []uint32{2}, inline: []byte("llll")}, {index: []uint32{0}, inline: []byte("aaaa")}},
		2: {{index: []uint32{0}, chunk: &c, offset: 4, length: 4}, {index: []uint32{1}, chunk: &c, length: 4}},
		// These chunks lie outside of the manifest's box in the snapshot.
		3: {{index: []uint32{0}, inline: []byte("xxxx")}, {index: []uint32{1}, inline: []byte("yyyy")}},
	}
	all := []manifestRef{{x, []uint32{0, 3}}}
	files := repository(nil, map[id]fields{x: manifest(x, nil, []int{3, 1, 2}, refs)},
		node{path: "/", doc: group}, node{path: "/b", doc: bytesOf(12), array: true, rank: 1, manifests: all},
		node{path: "/a", doc: bytesOf(8), array: true, rank: 1, manifests: all},
		node{path: "/part", doc: bytesOf(8), array: true, rank: 1, manifests: []manifestRef{{x, []uint32{1, 2}}}},
		node{path: "/none", doc: bytesOf(4), array: true, rank: 1})
	files["chunks/"+c.String()] = []byte("22221111")
	s := over(t, files, icechunk.Options{})
	for path, want := range map[string]string{
		"b": "aaaa\xff\xff\xff\xffllll", "a": "11112222", "part": "\xff\xff\xff\xffyyyy", "none": "\xff\xff\xff\xff",
	} {
		if got, err := read(t, s, path); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v; want %q", path, got, err, want)
		}
	}
	for prefix, want := range map[string][]string{
		"": {"a/", "b/", "none/", "part/", "zarr.json"}, "b": {"c/", "zarr.json"}, "b/c": {"0", "2"}, "part/c": {"1"}, "none": {"zarr.json"},
		"none/c": nil, "b/c/0": nil, "nothing": nil,
	} {
		if got, err := s.List(t.Context(), prefix); err != nil || !slices.Equal(got, want) {
			t.Errorf("List(%q) = %q, %v; want %q", prefix, got, err, want)
		}
	}
}

// TestKeys reads coordinates of several dimensions and of none, and invalid keys.
func TestKeys(t *testing.T) {
	x := number(7)
	refs := map[int][]chunkRef{
		1: {{index: nil, inline: []byte("zero")}},
		2: {{index: []uint32{0, 10}, inline: []byte("0/10")}, {index: []uint32{0, 9}, inline: []byte("0/9")}, {index: []uint32{4294967295, 1}, inline: []byte("last")}},
		3: {{index: []uint32{1}, inline: []byte("in c")}},
	}
	files := repository(nil, map[id]fields{x: manifest(x, nil, []int{1, 2, 3}, refs)},
		node{path: "/", doc: group}, node{path: "/0d", doc: "{}", array: true, manifests: []manifestRef{{x, nil}}},
		node{path: "/2d", doc: "{}", array: true, rank: 2, manifests: []manifestRef{{x, []uint32{0, 4294967295, 0, 11}}, {x, []uint32{4294967295, 0, 1, 2}}, {x, nil}}},
		node{path: "/2d/c/c", doc: "{}", array: true, rank: 1, manifests: []manifestRef{{x, []uint32{0, 2}}}})
	s := over(t, files, icechunk.Options{})
	for key, want := range map[string]string{
		"0d/c": "zero", "2d/c/0/10": "0/10", "2d/c/0/9": "0/9", "2d/c/4294967295/1": "last", "2d/c/c/c/1": "in c",
		"2d/c/0": "", "2d/c/0/9/0": "", "2d/c/00/9": "", "2d/c/+0/9": "", "2d/c/-1/9": "", "2d/c/0/4294967305": "", "2d/c": "", "0d/c/0": "",
		"2d/0/9": "", "2d/c/c/c": "", "2d/c.0.9": "", "c": "", "c/0": "", "0d": "", "2d/c/0x0/9": "", "2d/c/1_0/9": "", "repo": "",
	} {
		at, err := s.Locate(t.Context(), key)
		if want == "" && !errors.Is(err, fs.ErrNotExist) || want != "" && (err != nil || string(at.Inline) != want) {
			t.Errorf("%s: %q, %v; want %q", key, at.Inline, err, want)
		}
	}
	for prefix, want := range map[string][]string{
		"0d": {"c", "zarr.json"}, "2d": {"c/", "zarr.json"}, "2d/c": {"0/", "4294967295/", "c/"}, "2d/c/0": {"10", "9"}, "2d/c/c": {"c/", "zarr.json"},
	} {
		if got, err := s.List(t.Context(), prefix); err != nil || !slices.Equal(got, want) {
			t.Errorf("List(%q) = %q, %v; want %q", prefix, got, err, want)
		}
	}
}

func TestNodesInAnyOrder(t *testing.T) {
	var nodes []node
	for _, path := range []string{"/b", "/a/c", "/", "/a-b", "/a", "/a/c/d", "/deep/er", "/a.b/x"} {
		nodes = append(nodes, node{path: path, doc: group})
	}
	s := over(t, repository(nil, nil, nodes...), icechunk.Options{})
	for prefix, want := range map[string][]string{
		"": {"a-b/", "a.b/", "a/", "b/", "deep/", "zarr.json"}, "a": {"c/", "zarr.json"}, "a/c": {"d/", "zarr.json"}, "deep": {"er/"}, "a.b": {"x/"},
	} {
		if got, err := s.List(t.Context(), prefix); err != nil || !slices.Equal(got, want) {
			t.Errorf("List(%q) = %q, %v; want %q", prefix, got, err, want)
		}
	}
	for name, paths := range map[string][]string{
		"twice": {"/a", "/b", "/a"}, "relative": {"a"}, "dots": {"/a/../b"}, "slash": {"/a/"}, "empty": {""}, "not UTF-8": {"/\xff"},
	} {
		var nodes []node
		for _, path := range paths {
			nodes = append(nodes, node{path: path, doc: group})
		}
		if _, err := over(t, repository(nil, nil, nodes...), icechunk.Options{}).Info(t.Context()); !refused(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// refused reports whether an error says that a repository cannot be read.
func refused(err error) bool {
	var own *icechunk.Error
	return errors.As(err, &own) && !errors.Is(err, fs.ErrNotExist)
}

// dated is a source whose objects have a tag and a date.
type dated struct {
	store.Source
	etag, modified string
}

func (d *dated) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	e, err := d.Source.Read(ctx, name, ask)
	e.ETag, e.Modified = d.etag, d.modified
	return e, err
}

// A file that changed after its chunks were recorded is an error, if its answers show the change.
func TestConditions(t *testing.T) {
	x := number(7)
	at := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	date := func(seconds int) string {
		return at.Add(time.Duration(seconds) * time.Second).Format("Mon, 02 Jan 2006 15:04:05 GMT")
	}
	for name, c := range map[string]struct {
		ref            chunkRef
		etag, modified string
		ok             bool
	}{
		"no condition":               {chunkRef{}, `"a"`, date(9), true},
		"as old":                     {chunkRef{modified: uint32(at.Unix())}, "", date(0), true},
		"older":                      {chunkRef{modified: uint32(at.Unix())}, "", date(-86400), true},
		"newer":                      {chunkRef{modified: uint32(at.Unix())}, "", date(1), false},
		"newer, with a tag":          {chunkRef{modified: uint32(at.Unix())}, `"a"`, date(1), false},
		"year 9999, cut":             {chunkRef{modified: 4294111232}, "", date(1), true},
		"a file's time, newer":       {chunkRef{modified: uint32(at.Unix())}, "", strconv.FormatInt(at.Unix()*1e9+1e9, 10), false},
		"a file's time":              {chunkRef{modified: uint32(at.Unix())}, "", strconv.FormatInt(at.Unix()*1e9+1, 10), true},
		"a date that is none":        {chunkRef{modified: uint32(at.Unix())}, "", "Thu, 29 Foo 2024 12:00:00 GMT", true},
		"the answer tells nothing":   {chunkRef{modified: 1, etag: `"a"`}, "", "", true},
		"tag":                        {chunkRef{etag: `"a"`}, `"a"`, "", true},
		"tag without quotes":         {chunkRef{etag: `a`}, `"a"`, "", true},
		"weak tag":                   {chunkRef{etag: `"a"`}, `W/"a"`, "", true},
		"weak tag in the manifest":   {chunkRef{etag: `W/"a"`}, `"a"`, "", true},
		"another tag":                {chunkRef{etag: `"a"`}, `"b"`, "", false},
		"the tag counts, not a date": {chunkRef{etag: `"a"`, modified: 1}, `"a"`, date(0), true},
	} {
		t.Run(name, func(t *testing.T) {
			c.ref.index, c.ref.location, c.ref.offset, c.ref.length = []uint32{0}, "https://data.test/file", 1, 4
			files := repository(nil, map[id]fields{x: manifest(x, nil, []int{0}, map[int][]chunkRef{0: {c.ref}})},
				node{path: "/a", doc: bytesOf(4), array: true, rank: 1, manifests: []manifestRef{{x, []uint32{0, 1}}}})
			source := &dated{memstore.New(map[string][]byte{"file": []byte("-data-")}), c.etag, c.modified}
			s := over(t, files, icechunk.Options{Virtual: func(context.Context, string) (store.Location, error) {
				return store.At(source, "file"), nil
			}})
			got, err := read(t, s, "a")
			if c.ok && (err != nil || string(got) != "data") || !c.ok && !errors.Is(err, store.ErrChanged) {
				t.Errorf("%q, %v; want data: %v", got, err, c.ok)
			}
		})
	}
}

func TestCompressedLocations(t *testing.T) {
	x := number(7)
	var texts [][]byte
	for i := range 500 {
		texts = append(texts, fmt.Appendf(nil, "https://data.test/model/run=%02d/temperature_%05d.nc", i%7, i))
	}
	dictionary := must.Get(zstd.BuildDict(zstd.BuildDictOptions{ID: 9, Contents: texts, History: bytes.Join(texts[:50], nil), Offsets: [3]int{1, 4, 8}}))(t)
	virtual := func(_ context.Context, url string) (store.Location, error) {
		return store.Location{Inline: []byte(url[len(url)-8 : len(url)-3])}, nil
	}
	for name, dict := range map[string][]byte{"with a dictionary": dictionary, "without": nil} {
		opts := []zstd.EOption{zstd.WithEncoderConcurrency(1)}
		if dict != nil {
			opts = append(opts, zstd.WithEncoderDict(dict))
		}
		w := must.Get(zstd.NewWriter(nil, opts...))(t)
		var refs []chunkRef
		for i, text := range texts {
			refs = append(refs, chunkRef{index: []uint32{uint32(i)}, compressed: w.EncodeAll(text, nil), offset: 1, length: 4})
		}
		files := repository(nil, map[id]fields{x: manifest(x, dict, []int{0}, map[int][]chunkRef{0: refs})},
			node{path: "/a", doc: bytesOf(2000), array: true, rank: 1, manifests: []manifestRef{{x, []uint32{0, 500}}}})
		got, err := read(t, over(t, files, icechunk.Options{Virtual: virtual}), "a")
		if err != nil || string(got[4*321:4*321+4]) != "0321" || string(got[1996:]) != "0499" {
			t.Errorf("%s: %q, %v", name, got[:min(len(got), 40)], err)
		}
		// A damaged location, or a decompression bomb, is the error of its chunk only.
		refs[3].compressed = w.EncodeAll(bytes.Repeat([]byte("https://data.test/"), 1<<20), nil)
		refs[4].compressed = []byte("no frame")
		files = repository(nil, map[id]fields{x: manifest(x, dict, []int{0}, map[int][]chunkRef{0: refs})},
			node{path: "/a", doc: bytesOf(2000), array: true, rank: 1, manifests: []manifestRef{{x, []uint32{0, 500}}}})
		s := over(t, files, icechunk.Options{Virtual: virtual})
		var limit *limits.Error
		within(t, func() {
			if _, err := s.Locate(t.Context(), "a/c/3"); !errors.As(err, &limit) {
				t.Errorf("%s, a bomb: %v", name, err)
			}
		})
		if _, err := s.Locate(t.Context(), "a/c/4"); !refused(err) {
			t.Errorf("%s, damaged: %v", name, err)
		}
		if at, err := s.Locate(t.Context(), "a/c/5"); err != nil || string(at.Inline) != "0005" {
			t.Errorf("%s, the next one: %q, %v", name, at.Inline, err)
		}
	}
}

// Locations may be relative to containers that the repository's configuration names.
func TestNamedContainers(t *testing.T) {
	x := number(7)
	config := flexConfig(map[string]string{"mine": "https://data.test/all", "other": "s3://bucket/"})
	var refs []chunkRef
	urls := []string{"vcc://mine/a/b.nc", "vcc://other/x", "vcc://unknown/x", "vcc://mine", "vcc://mine/../up", "https://plain.test/f", "vcc://mine/a/./b"}
	for i, url := range urls {
		refs = append(refs, chunkRef{index: []uint32{uint32(i)}, location: url, length: 4})
	}
	files := func(config []byte) map[string][]byte {
		return repository(config, map[id]fields{x: manifest(x, nil, []int{0}, map[int][]chunkRef{0: refs})},
			node{path: "/a", doc: bytesOf(40), array: true, rank: 1, manifests: []manifestRef{{x, []uint32{0, 10}}}})
	}
	var asked string
	opt := icechunk.Options{Virtual: func(_ context.Context, url string) (store.Location, error) {
		asked = url
		return store.Location{Inline: []byte("four")}, nil
	}}
	look := func(s *icechunk.Store, want ...string) {
		t.Helper()
		for i, want := range want {
			asked = ""
			_, err := s.Locate(t.Context(), "a/c/"+strconv.Itoa(i))
			if want == "" && !refused(err) || want != "" && err != nil || asked != want {
				t.Errorf("%s: %q, %v; want %q", urls[i], asked, err, want)
			}
		}
	}
	look(over(t, files(config), opt), "https://data.test/all/a/b.nc", "s3://bucket/x", "", "", "", "https://plain.test/f", "")
	look(over(t, files(nil), opt), "", "", "", "", "", "https://plain.test/f", "")
	own := opt
	own.Containers = map[string]string{"mine": "https://own.test/", "unknown": "https://known.test/d/"}
	look(over(t, files(config), own), "https://own.test/a/b.nc", "s3://bucket/x", "https://known.test/d/x", "", "", "https://plain.test/f", "")
	if _, err := over(t, files(config), icechunk.Options{}).Locate(t.Context(), "a/c/0"); !refused(err) {
		t.Errorf("without targets: %v", err)
	}
	// A damaged configuration has no containers, and does not prevent other reads.
	for range 2000 {
		bad := bytes.Clone(config)
		for range 1 + rand.Intn(3) {
			bad[rand.Intn(len(bad))] = byte(rand.Intn(256))
		}
		s := over(t, files(bad[:rand.Intn(len(bad)+1)]), opt)
		if _, err := s.Locate(t.Context(), "a/c/5"); err != nil {
			t.Fatalf("% x: %v", bad, err)
		}
		_, _ = s.Locate(t.Context(), "a/c/0")
	}
}

func TestStatus(t *testing.T) {
	x := number(1)
	for status, want := range []string{"online", "read-only", ""} {
		files := repository(nil, nil, node{path: "/", doc: group})
		files["repo"] = file(2, repoKind, 0, flatbuffer(repo(uint8(status), "it moves", nil, 0, commit{x, -1, ""})))
		for _, opt := range []icechunk.Options{{}, {Snapshot: x.String()}} {
			info, err := over(t, files, opt).Info(t.Context())
			if want != "" && (err != nil || info.Status != want || info.Reason != "it moves") {
				t.Errorf("%+v, %v; want %s", info, err, want)
			}
			if want == "" && (!refused(err) || !strings.Contains(err.Error(), `offline, and may not be read: "it moves"`)) {
				t.Errorf("offline: %v", err)
			}
		}
	}
}

func TestHistory(t *testing.T) {
	a, b, c := number(1), number(2), number(3)
	v2 := func(parents ...int32) map[string][]byte {
		files := repository(nil, nil, node{path: "/", doc: group})
		var all []commit
		for i, p := range parents {
			all = append(all, commit{number(i + 1), p, "message " + strconv.Itoa(i)})
		}
		files["repo"] = file(2, repoKind, 0, flatbuffer(repo(0, "", nil, 0, all...)))
		return files
	}
	v1 := func(parents map[id]*id) map[string][]byte {
		files := map[string][]byte{"refs/branch.main/ref.json": []byte(`{"snapshot":"` + a.String() + `"}`)}
		for x, parent := range parents {
			files["snapshots/"+x.String()] = file(1, snapshotKind, 1, flatbuffer(snapshot(x, parent, "of "+x.String(), node{path: "/", doc: group})))
		}
		return files
	}
	for name, c := range map[string]struct {
		files map[string][]byte
		n     int // -1: rejected
	}{
		"v2": {v2(1, 2, -1), 3}, "v2, one": {v2(-1), 1}, "v2, itself": {v2(0), -1}, "v2, cycle": {v2(1, 2, 1), -1}, "v2, beyond": {v2(3, 0, 0), -1}, "v2, negative": {v2(-2), -1},
		"v1": {v1(map[id]*id{a: &b, b: &c, c: nil}), 3}, "v1, itself": {v1(map[id]*id{a: &a}), -1}, "v1, cycle": {v1(map[id]*id{a: &b, b: &c, c: &b}), -1},
		"v1, missing": {v1(map[id]*id{a: &b}), -1},
	} {
		s := over(t, c.files, icechunk.Options{})
		got, err := s.History(t.Context(), 0)
		if c.n < 0 && !refused(err) || c.n >= 0 && (err != nil || len(got) != c.n) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if one, err := s.History(t.Context(), 1); c.n > 0 && (err != nil || len(one) != 1 || one[0] != got[0]) {
			t.Errorf("%s, one: %v, %v", name, one, err)
		}
	}
	// A snapshot that the table lacks is readable, and is its own history.
	files := v2(-1)
	files["snapshots/"+c.String()] = file(2, snapshotKind, 1, flatbuffer(snapshot(c, nil, "alone", node{path: "/", doc: group})))
	got, err := over(t, files, icechunk.Options{Snapshot: c.String()}).History(t.Context(), 0)
	if err != nil || len(got) != 1 || got[0].Message != "alone" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestRefusals(t *testing.T) {
	x := number(1)
	name := "snapshots/" + x.String()
	good := func() map[string][]byte { return repository(nil, nil, node{path: "/", doc: group}) }
	for what, c := range map[string]struct {
		change func(map[string][]byte)
		says   string
	}{
		"another version":       {func(f map[string][]byte) { f[name][36] = 3 }, "version 3 of the specification"},
		"another kind":          {func(f map[string][]byte) { f[name][37] = 2 }, "another kind, 2"},
		"another compression":   {func(f map[string][]byte) { f[name][38] = 9 }, "compression, 9"},
		"no file of Icechunk's": {func(f map[string][]byte) { f[name] = []byte("<html>") }, "not an Icechunk file"},
		"no frame":              {func(f map[string][]byte) { f[name] = f[name][:50] }, "damaged"},
		"another snapshot": {func(f map[string][]byte) {
			f[name] = file(2, snapshotKind, 0, flatbuffer(snapshot(number(2), nil, "")))
		}, "holds another snapshot"},
		"before 0.1.3": {func(f map[string][]byte) {
			f[name] = file(1, snapshotKind, 1, []byte("\x95\x9c\x01\x02 MessagePack, not tables"))
		}, "before 0.1.3"},
		"no snapshot":               {func(f map[string][]byte) { delete(f, name) }, "no such file"},
		"a repository of version 3": {func(f map[string][]byte) { f["repo"] = file(2, repoKind, 0, flatbuffer(fields{uint8(3)})) }, "version 3"},
		"no repository":             {func(f map[string][]byte) { delete(f, "repo") }, `neither a repo object nor a branch "main"`},
		"an empty ref.json": {func(f map[string][]byte) {
			delete(f, "repo")
			f["refs/branch.main/ref.json"] = []byte("{}")
		}, "names no snapshot"},
		"a damaged ref.json": {func(f map[string][]byte) {
			delete(f, "repo")
			f["refs/branch.main/ref.json"] = []byte("{")
		}, "damaged"},
	} {
		files := good()
		c.change(files)
		s := over(t, files, icechunk.Options{})
		for range 2 {
			if _, err := s.Locate(t.Context(), "zarr.json"); !refused(err) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	if _, err := icechunk.New(store.Plain(memstore.New(nil)), object.NewLayer(0), icechunk.Options{Branch: "a", Tag: "b"}); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a branch and a tag: %v", err)
	}
	without, err := icechunk.New(store.Plain(memstore.New(good())), object.NewLayer(0), icechunk.Options{})
	if err == nil {
		_, err = without.Info(t.Context())
	}
	if !refused(err) || !strings.Contains(err.Error(), "no decompressor") {
		t.Errorf("without a decompressor: %v", err)
	}
}

// hostile returns false tables, by their defect.
func hostile() map[string]map[string][]byte {
	x := number(7)
	at := []manifestRef{{x, []uint32{0, 1 << 31}}}
	with := func(t []byte, compression byte) map[string][]byte {
		files := repository(nil, nil, node{path: "/a", doc: bytesOf(1 << 30), array: true, rank: 1, manifests: at})
		files["manifests/"+x.String()] = file(2, manifestKind, compression, t)
		return files
	}
	patched := func(find, put []byte) []byte {
		b := flatbuffer(manifest(x, nil, []int{0}, map[int][]chunkRef{0: {{index: []uint32{77}, inline: []byte("inline bytes")}}}))
		i := bytes.Index(b, find)
		copy(b[i:], put)
		return b
	}
	// A vector of 10 million chunks that all share one table.
	var shared []byte
	{
		b := flatbuffer(manifest(x, nil, []int{0}, map[int][]chunkRef{0: {{index: []uint32{0}, inline: []byte("x")}}}))
		const n = 10_000_000
		ref, _ := 0, 0
		// The table of the only chunk is the last table with ten fields.
		for i := 0; i+4 < len(b); i++ {
			if b[i] == 24 && b[i+1] == 0 && b[i+2] >= 4 && b[i+3] == 0 {
				ref = i
			}
		}
		ref += 24
		vector := bytes.LastIndex(b[:ref], []byte{1, 0, 0, 0})
		big := make([]byte, len(b), len(b)+4+4*n)
		copy(big, b)
		field := vector - 4
		for ; field > 0; field-- {
			if int(b[field])|int(b[field+1])<<8|int(b[field+2])<<16|int(b[field+3])<<24 == vector-field {
				break
			}
		}
		to := len(big) - field
		copy(big[field:], []byte{byte(to), byte(to >> 8), byte(to >> 16), byte(to >> 24)})
		big = append(big, byte(n&255), byte(n>>8&255), byte(n>>16), 0)
		for range n {
			o := uint32(ref - len(big))
			big = append(big, byte(o), byte(o>>8), byte(o>>16), byte(o>>24))
		}
		shared = big
	}
	unsized := with(nil, 0)
	var frame bytes.Buffer
	w, err := zstd.NewWriter(&frame, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	for range 1 << 10 {
		if _, err = w.Write(make([]byte, 1<<20)); err != nil {
			panic(err)
		}
	}
	w.Close()
	head := unsized["manifests/"+x.String()]
	head[len(head)-1] = 1
	unsized["manifests/"+x.String()] = append(head, frame.Bytes()...)
	return map[string]map[string][]byte{
		"a bomb without a size":         unsized,
		"a vector longer than the file": with(patched([]byte{12, 0, 0, 0, 'i'}, []byte{255, 255, 255, 127}), 0),
		"a vector of 2^32":              with(patched([]byte{12, 0, 0, 0, 'i'}, []byte{255, 255, 255, 255}), 0),
		"a rank of 2^28":                with(patched([]byte{1, 0, 0, 0, 77}, []byte{0, 0, 0, 16}), 0),
		"offsets of zero":               with(append([]byte("\x08\x00\x00\x00Ichk"), make([]byte, 1000)...), 0),
		"a root beyond the end":         with([]byte("\xff\xff\xff\x7fIchk----"), 0),
		"ten million chunks":            with(shared, 0),
		"a bomb of zstd":                with(make([]byte, 1<<30), 1),
		"a bomb of a table":             with(append(flatbuffer(manifest(x, nil, nil, nil)), make([]byte, 200<<20)...), 1),
	}
}

func TestHostileTables(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes memory and time to write them")
	}
	for name, files := range hostile() {
		t.Run(name, func(t *testing.T) {
			s := over(t, files, icechunk.Options{})
			within(t, func() {
				_, err := s.Locate(t.Context(), "a/c/0")
				var limit *limits.Error
				if !refused(err) && !errors.As(err, &limit) || errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%v", err)
				}
				t.Log(err)
			})
			if at, err := s.Locate(t.Context(), "a/zarr.json"); err != nil || len(at.Inline) == 0 {
				t.Errorf("the array's document: %v", err)
			}
		})
	}
}

// A manifest of 1 million chunks takes less than 256 MiB while it is read, and a fraction of that
// when it is cached.
func TestMillionChunks(t *testing.T) {
	if testing.Short() || raced || runtime.GOARCH == "wasm" {
		t.Skip("it takes memory and time to write it")
	}
	x := number(7)
	for kind, ref := range map[string]func(i int) chunkRef{
		"native": func(i int) chunkRef {
			c := number(i)
			return chunkRef{chunk: &c, length: 4}
		},
		"virtual": func(i int) chunkRef {
			return chunkRef{location: fmt.Sprintf("https://data.test/some/where/file_%04d.nc", i/1000), offset: uint64(i % 1000), length: 4}
		},
	} {
		var refs list
		for i := range 1_000_000 {
			r := ref(i)
			r.index = []uint32{uint32(i / 10_000), uint32(i / 100 % 100), uint32(i % 100)}
			t := r.fields()
			if r.chunk != nil {
				t = t[:5]
			} else {
				t = t[:6]
			}
			refs = append(refs, t)
		}
		tables := flatbuffer(fields{inplace(x[:]), list{{nodeID(0), refs}}})
		files := repository(nil, nil, node{path: "/a", doc: "{}", array: true, rank: 3, manifests: []manifestRef{{x, []uint32{0, 100, 0, 100, 0, 100}}}})
		files["manifests/"+x.String()] = file(2, manifestKind, 1, tables)
		t.Logf("%s: %d MiB of tables", kind, len(tables)>>20)
		refs, tables = nil, nil
		s := over(t, files, icechunk.Options{Virtual: func(_ context.Context, url string) (store.Location, error) {
			return store.At(memstore.New(nil), url[len("https://"):]), nil
		}})
		within(t, func() {
			at, err := s.Locate(t.Context(), "a/c/99/98/97")
			if want := number(999897); err != nil || at.Length != 4 || kind == "native" && at.Name != "chunks/"+want.String() || kind == "virtual" && (at.Offset != 897 || !strings.HasSuffix(at.Name, "file_0999.nc")) {
				t.Errorf("%s: %+v, %v", kind, at, err)
			}
		})
		began := time.Now()
		for i := range 100_000 {
			must.Get(s.Locate(t.Context(), fmt.Sprintf("a/c/%d/%d/%d", i%100, i/100%100, i/10_000)))(t)
		}
		t.Logf("%s: %v a chunk", kind, time.Since(began)/100_000)
		runtime.GC()
		var kept runtime.MemStats
		runtime.ReadMemStats(&kept)
		t.Logf("%s: %d MiB in use", kind, kept.HeapAlloc>>20)
		runtime.KeepAlive(s)
	}
}

// flaky is a source that fails or damages the tables that it sends, on demand. Chunks stay intact:
// Icechunk has no checksum for them, so only a codec can detect damage.
type flaky struct {
	store.Source
	fails, damages atomic.Int64
	asked          atomic.Int64
}

var errDown = errors.New("the network is down")

func (f *flaky) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	f.asked.Add(1)
	if err := ctx.Err(); err != nil {
		return store.Extent{}, err
	}
	if f.fails.Add(-1) >= 0 {
		return store.Extent{}, errDown
	}
	e, err := f.Source.Read(ctx, name, ask)
	if err == nil && !strings.HasPrefix(name, "chunks/") && f.damages.Add(-1) >= 0 {
		e.Bytes = bytes.Clone(e.Bytes)
		e.Bytes[len(e.Bytes)-1] ^= 0x55
		e.Bytes[len(e.Bytes)/2] ^= 0x55
	}
	return e, err
}

// A failure leaves no trace, and a damaged file is read once more.
func TestFailureThenSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := number(7)
		files := repository(nil, map[id]fields{x: manifest(x, nil, []int{0}, map[int][]chunkRef{0: {{index: []uint32{0}, inline: []byte("data")}}})},
			node{path: "/a", doc: bytesOf(4), array: true, rank: 1, manifests: []manifestRef{{x, []uint32{0, 1}}}})
		f := &flaky{Source: memstore.New(files)}
		s := open(t, store.Plain(f), icechunk.Options{})
		// Abandoned reads end before the next failure is prepared.
		prepare := func(fails, damages int64) {
			synctest.Wait()
			f.fails.Store(fails)
			f.damages.Store(damages)
			f.asked.Store(0)
		}
		prepare(2, 0) // "repo" and the file of the branch are read at once
		if _, err := s.Info(t.Context()); !errors.Is(err, errDown) {
			t.Errorf("while the network is down: %v", err)
		}
		prepare(0, 0)
		if _, err := s.Info(t.Context()); err != nil {
			t.Errorf("afterwards: %v", err)
		}
		prepare(1, 0)
		if _, err := s.Locate(t.Context(), "a/c/0"); !errors.Is(err, errDown) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("while the network is down: %v", err)
		}
		prepare(0, 2)
		if _, err := s.Locate(t.Context(), "a/c/0"); !refused(err) {
			t.Errorf("damaged twice: %v", err)
		}
		prepare(0, 1)
		if at, err := s.Locate(t.Context(), "a/c/0"); err != nil || string(at.Inline) != "data" || f.asked.Load() != 2 {
			t.Errorf("damaged once: %q, %v after %d questions", at.Inline, err, f.asked.Load())
		}
	})
}

// changing is a source whose objects are added and removed, even while it still answers an
// abandoned request.
type changing struct {
	mu      sync.Mutex
	objects map[string][]byte
}

func (c *changing) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	c.mu.Lock()
	now := memstore.New(c.objects)
	c.mu.Unlock()
	return now.Read(ctx, name, ask)
}

func (c *changing) set(name string, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.objects[name] = data
}

func (c *changing) remove(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.objects, name)
}

// A store keeps its snapshot, and reports when that is removed.
func TestSnapshotIsKept(t *testing.T) {
	x := number(7)
	manifests := map[id]fields{x: manifest(x, nil, []int{0}, map[int][]chunkRef{0: {{index: []uint32{0}, inline: []byte("data")}}})}
	files := repository(nil, manifests, node{path: "/a", doc: bytesOf(4), array: true, rank: 1, manifests: []manifestRef{{x, []uint32{0, 1}}}})
	shared := &changing{objects: maps.Clone(files)}
	of := store.Plain(shared)
	layer := object.NewLayer(0)
	s := must.Get(icechunk.New(of, layer, icechunk.Options{Decompress: expand}))(t)
	must.Get(s.Locate(t.Context(), "a/zarr.json"))(t)
	// A commit keeps the old files.
	y := number(2)
	shared.set("repo", file(2, repoKind, 1, flatbuffer(repo(0, "", nil, 1, commit{number(1), -1, "first"}, commit{y, 0, "second"}))))
	shared.set("snapshots/"+y.String(), file(2, snapshotKind, 1, flatbuffer(snapshot(y, nil, "second", node{path: "/b", doc: group}))))
	s.Refresh()
	if at, err := s.Locate(t.Context(), "a/c/0"); err != nil || string(at.Inline) != "data" {
		t.Errorf("after a commit: %q, %v", at.Inline, err)
	}
	if _, err := s.Locate(t.Context(), "b/zarr.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the node of another snapshot: %v", err)
	}
	// The old snapshot is removed.
	shared.remove("snapshots/" + number(1).String())
	s.Refresh()
	for range 2 {
		if _, err := s.Locate(t.Context(), "a/c/0"); !refused(err) || !strings.Contains(err.Error(), "open the repository again") {
			t.Errorf("after the snapshot was removed: %v", err)
		}
	}
	next, err := icechunk.New(of, layer, icechunk.Options{Decompress: expand})
	if err == nil {
		_, err = next.Locate(t.Context(), "b/zarr.json")
	}
	if err != nil {
		t.Errorf("another store: %v", err)
	}
	// The snapshot returns.
	shared.set("snapshots/"+number(1).String(), files["snapshots/"+number(1).String()])
	s.Refresh()
	if _, err := s.Locate(t.Context(), "a/c/0"); err != nil {
		t.Errorf("after it came back: %v", err)
	}
}

// hidden is a source that does not distinguish absent objects from others.
type hidden struct {
	store.Source
	err error
}

func (h hidden) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	e, err := h.Source.Read(ctx, name, ask)
	if errors.Is(err, fs.ErrNotExist) {
		err = h.err
	}
	return e, err
}

type unsure struct{ blocked bool }

func (unsure) Error() string        { return "nothing is known" }
func (u unsure) Blocked() bool      { return u.blocked }
func (u unsure) MaybeMissing() bool { return !u.blocked }

// If a host hides absence, a readable file proves that the others are absent.
func TestHiddenAbsence(t *testing.T) {
	dir, all := public(t)
	for _, err := range []error{unsure{true}, unsure{false}} {
		for _, r := range all.Repositories {
			plain := store.CapabilitiesOf(files(dir, r.Store)).Source
			of := store.Plain(hidden{plain, err})
			opts := []icechunk.Options{{}, {Snapshot: r.Branches["main"]}}
			for tag := range r.Tags {
				opts = append(opts, icechunk.Options{Tag: tag})
			}
			for _, opt := range opts {
				if _, err := open(t, of, opt).Info(t.Context()); err != nil {
					t.Errorf("%s %+v: %v", r.ID, opt, err)
				}
			}
			if _, got := open(t, of, icechunk.Options{Branch: "none"}).Info(t.Context()); r.Layout == "v1" && !errors.Is(got, err) || got == nil {
				t.Errorf("%s, no such branch: %v", r.ID, got)
			}
		}
	}
	// A failing server proves nothing.
	plain := store.CapabilitiesOf(files(dir, all.Repositories[0].Store)).Source
	if _, err := open(t, store.Plain(hidden{plain, errDown}), icechunk.Options{}).Info(t.Context()); !errors.Is(err, errDown) {
		t.Errorf("a server that fails: %v", err)
	}
}

// TestHammer reads from many goroutines over a source that sometimes fails, and cancels some. Each
// gets the right bytes or its own error.
func TestHammer(t *testing.T) {
	dir, all := public(t)
	var path string
	for _, r := range all.Repositories {
		if r.ID == "icechunk.split-repo-v2" {
			path = r.Store
		}
	}
	plain := store.CapabilitiesOf(files(dir, path)).Source
	want := map[string][]byte{}
	first := open(t, store.Plain(plain), icechunk.Options{})
	names, err := first.List(t.Context(), "group1/split/c")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	layer := object.NewLayer(1 << 20)
	get := func(ctx context.Context, s store.Locator, key string) ([]byte, error) {
		e, err := store.ReadKey(ctx, s, key, store.Ask{}, layer.Extent)
		return e.Bytes, err
	}
	for _, a := range names {
		below, err := first.List(t.Context(), "group1/split/c/"+strings.TrimSuffix(a, "/"))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range below {
			key := "group1/split/c/" + a + b
			if want[key], err = get(t.Context(), first, key); err != nil {
				t.Fatal(key, err)
			}
		}
	}
	keys := slices.Sorted(maps.Keys(want))
	f := &flaky{Source: plain}
	s := must.Get(icechunk.New(store.Plain(f), object.NewLayer(1<<10), icechunk.Options{Decompress: expand, ManifestsBytes: 2000}))(t)
	var wait sync.WaitGroup
	for i := range 40 {
		wait.Go(func() {
			r := rand.New(rand.NewSource(int64(i)))
			for j := range 60 {
				ctx, cancel := context.WithCancel(t.Context())
				if i%4 == 0 {
					time.AfterFunc(time.Duration(r.Intn(300))*time.Microsecond, cancel)
				}
				switch {
				case i == 1 && j%10 == 0:
					f.fails.Store(1)
				case i == 2 && j%10 == 0:
					f.damages.Store(1)
				case i == 3 && j%5 == 0:
					s.Refresh()
				}
				key := keys[r.Intn(len(keys))]
				s.Prepare(ctx, keys[:r.Intn(len(keys))])
				got, err := get(ctx, s, key)
				switch {
				case err == nil && !bytes.Equal(got, want[key]):
					t.Errorf("%s: other bytes", key)
				case err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, errDown) && !refused(err):
					t.Errorf("%s: %v", key, err)
				case errors.Is(err, context.Canceled) && i%4 != 0:
					t.Errorf("%s: %v, of another", key, err)
				}
				cancel()
			}
		})
	}
	wait.Wait()
	f.fails.Store(0)
	f.damages.Store(0)
	for _, key := range keys {
		if got, err := get(t.Context(), s, key); err != nil || !bytes.Equal(got, want[key]) {
			t.Errorf("afterwards, %s: %v", key, err)
		}
	}
}

// validTables returns consistent tables of a repository, a snapshot and a manifest.
func validTables() [3][]byte {
	x, c, y := number(7), number(8), number(2)
	refs := map[int][]chunkRef{
		1: {{index: []uint32{0, 1}, chunk: &c, offset: 3, length: 4}, {index: []uint32{0, 0}, location: "https://data.test/a", length: 4, etag: "e"}},
		2: {{index: []uint32{1}, inline: []byte("inline")}, {index: []uint32{0}, compressed: []byte("\x28\xb5\x2f\xfd")}},
	}
	at := []manifestRef{{x, []uint32{0, 2, 0, 2}}}
	return [3][]byte{
		flatbuffer(repo(1, "reason", flexConfig(map[string]string{"a": "https://b/"}), 0, commit{number(1), 1, "a"}, commit{y, -1, "b"})),
		flatbuffer(snapshot(number(1), &y, "message", node{path: "/", doc: group}, node{path: "/a", doc: "{}", array: true, rank: 2, manifests: at},
			node{path: "/a/b", doc: "{}", array: true, rank: 1, manifests: []manifestRef{{x, []uint32{0, 2}}}})),
		flatbuffer(manifest(x, []byte("dictionary"), []int{1, 2}, refs)),
	}
}

// tryTables reads everything in a repository with one replaced file of tables. The repository is
// read or rejected.
func tryTables(t *testing.T, valid [3][]byte, which int, data []byte) {
	kinds := [3]byte{repoKind, snapshotKind, manifestKind}
	places := [3]string{"repo", "snapshots/" + number(1).String(), "manifests/" + number(7).String()}
	files := map[string][]byte{}
	for i, b := range valid {
		files[places[i]] = file(2, kinds[i], 0, b)
	}
	files[places[which]] = file(2, kinds[which], 0, data)
	s := over(t, files, icechunk.Options{TableBytes: 1 << 20, Virtual: func(context.Context, string) (store.Location, error) {
		return store.Location{Inline: make([]byte, 100)}, nil
	}})
	check := func(err error, absent bool) {
		var limit *limits.Error
		if err != nil && !refused(err) && !errors.As(err, &limit) && !(absent && errors.Is(err, fs.ErrNotExist)) && !errors.Is(err, store.ErrRange) {
			t.Errorf("%d, % x: %v", which, data, err)
		}
	}
	_, err := s.Info(t.Context())
	check(err, false)
	_, err = s.History(t.Context(), 0)
	check(err, false)
	for _, key := range []string{"zarr.json", "a/zarr.json", "a/c/0/0", "a/c/0/1", "a/b/c/0", "a/b/c/1", "a/c"} {
		_, err := s.Locate(t.Context(), key)
		check(err, true)
	}
	for _, prefix := range []string{"", "a", "a/c", "a/c/0", "a/b", "a/b/c"} {
		_, err := s.List(t.Context(), prefix)
		check(err, false)
	}
}

func FuzzTables(f *testing.F) {
	valid := validTables()
	for i, b := range valid {
		f.Add(byte(i), b)
	}
	for _, b := range hostileSeeds {
		f.Add(byte(2), []byte(b))
	}
	f.Fuzz(func(t *testing.T, which byte, data []byte) { tryTables(t, valid, int(which%3), data) })
}

// Files of tables with changed bytes are read or rejected.
func TestMutatedTables(t *testing.T) {
	valid := validTables()
	r := rand.New(rand.NewSource(3))
	for range mutations {
		which := r.Intn(3)
		data := bytes.Clone(valid[which])
		for range 1 + r.Intn(4) {
			at := 8 + r.Intn(len(data)-8)
			switch r.Intn(3) {
			case 0:
				data[at] ^= 1 << r.Intn(8)
			case 1:
				data[at] = byte(r.Intn(256))
			case 2: // an offset or a length that leads elsewhere
				at &^= 3
				copy(data[at:], []byte{byte(r.Intn(256)), byte(r.Intn(2)), 0, 0})
			}
		}
		if tryTables(t, valid, which, data); t.Failed() {
			return
		}
	}
}

const mutations = 5000

var hostileSeeds = []string{"\x08\x00\x00\x00Ichk\x00\x00\x00\x00", "\xff\xff\xff\x7fIchk----"}

func TestDamagedTables(t *testing.T) {
	x := number(7)
	good := flatbuffer(manifest(x, nil, []int{0}, map[int][]chunkRef{0: {{index: []uint32{0}, inline: []byte("data")}, {index: []uint32{1}, location: "https://a.test/b", length: 4}}}))
	at := []manifestRef{{x, []uint32{0, 2}}}
	for n := range good {
		files := repository(nil, nil, node{path: "/a", doc: bytesOf(8), array: true, rank: 1, manifests: at})
		files["manifests/"+x.String()] = file(2, manifestKind, 0, good[:n])
		if _, err := over(t, files, icechunk.Options{}).Locate(t.Context(), "a/c/0"); err == nil && n < len(good)-20 {
			t.Errorf("the first %d of %d bytes: read", n, len(good))
		} else if errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the first %d of %d bytes: %v", n, len(good), err)
		}
	}
}
