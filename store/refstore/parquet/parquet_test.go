package parquet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/refstore/parquet"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/spent"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

var decompress = codecs.Parquet(codecs.Full())

func open(of store.Locator, opt parquet.Options) *parquet.Store {
	layer := object.NewLayer(1 << 20)
	sources := target.NewSources(func(origin string) (store.Source, error) {
		return httpstore.New(origin, httpstore.Options{Retries: -1})
	}, layer.Drop)
	opt.Decompress = decompress
	return parquet.New(of, layer, sources, opt)
}

func inMemory(objects map[string][]byte, opt parquet.Options) *parquet.Store {
	return open(store.Plain(memstore.New(objects)), opt)
}

func get(ctx context.Context, l store.Locator, key string) (string, error) {
	e, err := store.ReadKey(ctx, l, key, store.Ask{}, func(ctx context.Context, s store.Source, name string, ask store.Ask) (store.Extent, error) {
		return s.Read(ctx, name, ask)
	})
	return string(e.Bytes), err
}

func metadata(record int, arrays ...string) []byte {
	return fmt.Appendf(nil, `{"metadata":{".zgroup":{"zarr_format":2},%s},"record_size":%d}`, strings.Join(arrays, ","), record)
}

const array1000 = `"a/b/.zarray":{"zarr_format":2,"shape":[2000,10],"chunks":[20,1],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}`

// parquet-go v0.32.0 wrote the files of testdata. They have pages of both versions, PLAIN and
// dictionary encoding, five compressions and none, several pages and row groups. The function row
// of this test returns the content of each row.
func TestFilesOfAnotherWriter(t *testing.T) {
	names, err := filepath.Glob("testdata/*-v?.parq")
	if err != nil || len(names) < 8 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		b := must.Get(os.ReadFile(name))(t)
		s := inMemory(map[string][]byte{
			".zmetadata": metadata(1000, array1000), "a/b/refs.0.parq": b,
			"a/b/whole/0.bin": []byte("0"), "a/b/whole/1.bin": []byte("1"), "a/b/whole/2.bin": []byte("2"),
		}, parquet.Options{})
		for i := range 1000 {
			key := "a/b/" + strconv.Itoa(i/10) + "." + strconv.Itoa(i%10)
			at, err := s.Locate(t.Context(), key)
			switch {
			case i%7 == 3:
				if !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s: %s: %+v, %v; want absence", name, key, at, err)
				}
			case err != nil:
				t.Errorf("%s: %s: %v", name, key, err)
			case i%11 == 5:
				if want := "inline " + strconv.Itoa(i); string(at.Inline) != want || at.Source != nil {
					t.Errorf("%s: %s: %q, want %q", name, key, at.Inline, want)
				}
			case i%13 == 1:
				if got, err := get(t.Context(), s, key); got != strconv.Itoa(i%3) || err != nil {
					t.Errorf("%s: %s: %q, %v", name, key, got, err)
				}
			default:
				want := "https://host/file%20" + strconv.Itoa(i/100) + ".nc"
				if got := at.Source.(store.Remote).Address(at.Name); got != want || at.Offset != int64(i)*123457 || at.Length != int64(i+1) {
					t.Errorf("%s: %s: %s %d+%d", name, key, got, at.Offset, at.Length)
				}
			}
			if t.Failed() {
				break
			}
		}
	}
	b := must.Get(os.ReadFile("testdata/delta.parq"))(t)
	s := inMemory(map[string][]byte{".zmetadata": metadata(1000, array1000), "a/b/refs.0.parq": b}, parquet.Options{})
	if _, err := s.Locate(t.Context(), "a/b/0.0"); err == nil || !strings.Contains(err.Error(), "column offset: the encoding 5 is not supported") {
		t.Error(err)
	}
}

// A writer of small files after the specification, for damaged ones.

type field struct {
	id    int
	value any // int is a number, string a text, []any a list, []field a structure
}

func compact(b []byte, fields ...field) []byte {
	last := 0
	for _, f := range fields {
		kind := map[string]byte{"int": 5, "string": 8, "[]interface {}": 9, "[]parquet_test.field": 12}[fmt.Sprintf("%T", f.value)]
		if yes, ok := f.value.(bool); ok {
			if kind = 2; yes {
				kind = 1
			}
		}
		b = append(b, byte(f.id-last)<<4|kind)
		last = f.id
		b = item(b, f.value)
	}
	return append(b, 0)
}

func item(b []byte, value any) []byte {
	switch v := value.(type) {
	case int:
		b = binary.AppendVarint(b, int64(v))
	case string:
		b = append(binary.AppendUvarint(b, uint64(len(v))), v...)
	case []field:
		b = compact(b, v...)
	case []any:
		kind := byte(12)
		switch v[0].(type) {
		case int:
			kind = 5
		case string:
			kind = 8
		}
		b = binary.AppendUvarint(append(b, 0xf0|kind), uint64(len(v)))
		for _, one := range v {
			b = item(b, one)
		}
	}
	return b
}

type damage struct {
	rows, values, groups     int
	headerSize, headerStored int // added to the true number
	levels, footer           []byte
	physical, repetition     int
	name                     string
	encoding, codec, length  int
	index                    []byte
	crc                      bool
	dictionary               int
	nested                   int
	magic                    string
}

// small returns a file of one column, path, in pages of version 1: a dictionary and a page of
// indexes.
func small(d damage) []byte {
	or := func(a, b int) int {
		if a != 0 {
			return a
		}
		return b
	}
	rows := or(d.rows, 3)
	dictionary := []byte("\x01\x00\x00\x00x\x02\x00\x00\x00yz")
	body := []byte{2, 0, 0, 0, byte(rows << 1), 1} // levels: a run of ones
	if d.levels != nil {
		body = d.levels
	}
	if body = append(body, 1, 3, 0b010); d.index != nil {
		body = append(body[:len(body)-3], d.index...)
	}
	b := []byte("PAR1")
	page := func(kind int, body []byte, header field) {
		fields := []field{{1, kind}, {2, len(body) + d.headerSize}, {3, len(body) + d.headerStored}}
		if d.crc {
			fields = append(fields, field{4, int(int32(crc32.ChecksumIEEE(body) ^ 1))})
		}
		b = append(compact(b, append(fields, header)...), body...)
	}
	page(2, dictionary, field{7, []field{{1, or(d.dictionary, 2)}, {2, 0}}})
	page(0, body, field{5, []field{{1, or(d.values, rows)}, {2, or(d.encoding, 8)}, {3, 3}, {4, 3}}})
	length := len(b) - 4
	name := "path"
	if d.name != "" {
		name = d.name
	}
	column := []field{{3, []field{{1, 6}, {4, d.codec}, {5, or(d.values, rows)}, {7, length + d.length}, {9, 4}, {11, 4}}}}
	group := []field{{1, []any{column}}, {2, 100}, {3, rows}}
	groups := []any{group}
	for range d.groups {
		groups = append(groups, group)
	}
	footer := compact(nil, field{1, 1}, field{2, []any{
		[]field{{4, "schema"}, {5, or(d.nested, 1)}}, []field{{1, or(d.physical, 6)}, {3, or(d.repetition, 1)}, {4, name}},
	}}, field{3, rows}, field{4, groups})
	if d.footer != nil {
		footer = d.footer
	}
	b = binary.LittleEndian.AppendUint32(append(b, footer...), uint32(len(footer)))
	if d.magic != "" {
		return append(b, d.magic...)
	}
	return append(b, "PAR1"...)
}

const array3 = `"a/.zarray":{"zarr_format":2,"shape":[3],"chunks":[1],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}`

func TestDamagedFiles(t *testing.T) {
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"none":                      {small(damage{}), ""},
		"empty":                     {[]byte{}, "begin and end"},
		"cut":                       {small(damage{})[:50], "begin and end"},
		"encrypted":                 {small(damage{magic: "PARE"}), "encrypted"},
		"too large a footer":        {append(small(damage{})[:40], "\xff\xff\xff\x7fPAR1"...), "footer"},
		"a footer of nothing":       {small(damage{footer: []byte{}}), "footer"},
		"a footer without a schema": {small(damage{footer: []byte{0}}), "no schema"},
		"a deep footer":             {small(damage{footer: bytes.Repeat([]byte{0x1c}, 1<<20)}), "Thrift"},
		"deep lists":                {small(damage{footer: append([]byte{0x19}, bytes.Repeat([]byte{0x19}, 1<<20)...)}), "Thrift"},
		"a long list":               {small(damage{footer: append([]byte{0x19, 0xf8}, "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"...)}), "Thrift"},
		"a long text":               {small(damage{footer: append([]byte{0x18}, "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"...)}), "Thrift"},
		"nested columns":            {small(damage{nested: 2}), "nested"},
		"repeated values":           {small(damage{repetition: 2}), "another type"},
		"numbers for paths":         {small(damage{physical: 2}), "another type"},
		"another number of values":  {small(damage{rows: 3, values: 4}), "differs from the number of rows"},
		"bytes beyond the file":     {small(damage{length: 1 << 20}), "not in the file"},
		"too few bytes":             {small(damage{length: -5}), "not in the file"},
		"a page beyond the file":    {small(damage{headerStored: 1 << 20}), "not in the file"},
		"a page of another size":    {small(damage{headerSize: 1}), "differs from its header"},
		"a page of no compression":  {small(damage{codec: 3}), "LZO"},
		"an unknown compression":    {small(damage{codec: 99}), "compression 99"},
		"bytes that do not inflate": {small(damage{codec: 6}), "zstd"},
		"a bomb":                    {small(damage{codec: 6, headerSize: 1 << 30}), "exceeds the limit"},
		"another checksum":          {small(damage{crc: true}), "checksum"},
		"another encoding":          {small(damage{encoding: 7}), "encoding 7"},
		"a large dictionary":        {small(damage{dictionary: 1 << 30}), "dictionary"},
		"levels beyond the page":    {small(damage{levels: []byte{255, 255, 255, 255}}), "levels"},
		"levels of no length":       {small(damage{levels: []byte{0, 0, 0, 0}}), "too early"},
		"levels of empty runs":      {small(damage{levels: []byte{2, 0, 0, 0, 0, 0}}), "too early"},
		"levels too large":          {small(damage{levels: []byte{2, 0, 0, 0, 6, 2}}), "run"},
		"no index":                  {small(damage{index: []byte{}}), "lacks the width"},
		"wide indexes":              {small(damage{index: []byte{33, 3, 0}}), "lacks the width"},
		"indexes that end":          {small(damage{index: []byte{1}}), "too early"},
		"an index beyond":           {small(damage{index: []byte{8, 6, 2}}), "beyond the dictionary"},
		"2^31 rows":                 {small(damage{rows: 1 << 31}), "exceeds the limit"},
		"many row groups":           {small(damage{rows: 1000, groups: 100_000, levels: []byte{3, 0, 0, 0, 0xd0, 0x0f, 0}}), "exceeds the limit"},
	} {
		t.Run(name, func(t *testing.T) {
			s := inMemory(map[string][]byte{".zmetadata": metadata(10, array3), "a/refs.0.parq": c.file, "a/x": []byte("X"), "a/yz": []byte("YZ")}, parquet.Options{})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := spent.Start()
			for range 2 {
				got, err := get(t.Context(), s, "a/1")
				if c.says == "" && (err != nil || got != "YZ") || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) || errors.Is(err, fs.ErrNotExist)) {
					t.Errorf("%q, %v; want %q", got, err, c.says)
				}
			}
			runtime.ReadMemStats(&after)
			if took := start.Took(); took > spent.Most {
				t.Errorf("it took %v", took)
			}
			if grown := after.Sys - before.Sys; grown > 256<<20 {
				t.Errorf("it took %d MiB", grown>>20)
			}
			if got, err := get(t.Context(), s, "a/.zarray"); err != nil || !strings.HasPrefix(got, "{") {
				t.Error("the documents are not read", err)
			}
		})
	}
}

func TestDirectories(t *testing.T) {
	array := func(name, shape, chunks, more string) string {
		return fmt.Sprintf(`%q:{"zarr_format":2,"shape":%s,"chunks":%s,"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null%s}`, name, shape, chunks, more)
	}
	files := map[string][]byte{"x": []byte("root"), "0d/x": []byte("0d"), "n/e/x": []byte("x"), "n/e/yz": []byte("yz"), "s/yz": []byte("slash")}
	for _, name := range []string{"refs.0.parq", "0d/refs.0.parq", "n/e/refs.1.parq", "s/refs.0.parq"} {
		files[name] = small(damage{})
	}
	files[".zmetadata"] = metadata(3, array(".zarray", "[1]", "[1]", ""), array("0d/.zarray", "[]", "[]", ""),
		array("n/e/.zarray", "[3,2]", "[2,1]", ""), array("s/.zarray", "[2,2]", "[1,1]", `,"dimension_separator":"/"`), `"n/.zgroup":{"zarr_format":2}`)
	s := inMemory(files, parquet.Options{})
	for key, want := range map[string]string{
		"0": "root", "0d/0": "0d", "n/e/1.1": "x", "n/e/1.0": "absent", "n/e/0.0": "absent", "s/0/1": "slash", "s/0.1": "slash",
		"1": "absent", "0d/1": "absent", "n/e/2.0": "absent", "n/e/0.2": "absent", "n/e/00.0": "absent", "n/e/0": "absent", "n/e/0.0.0": "absent", "n/e/+0.0": "absent",
		"n/e/": "invalid", "n/e": "absent", "none/0": "absent", "n/.zgroup": `{"zarr_format":2}`, "n/.zarray": "absent", "refs.0.parq": "absent", "n/e/0.-1": "absent",
	} {
		got, err := get(t.Context(), s, key)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			got = "absent"
		case errors.Is(err, fs.ErrInvalid):
			got = "invalid"
		case err != nil:
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if got, err := get(t.Context(), s, ".zmetadata"); err != nil || !strings.Contains(got, `"zarr_consolidated_format":1`) || strings.Contains(got, "record_size") {
		t.Error(got, err)
	}
	for _, text := range []string{
		``, `[]`, `{}`, `{"metadata":null,"record_size":1}`, `{"metadata":{"a":"b"},"record_size":1}`, `{"metadata":{}}`, `{"metadata":{},"record_size":0}`,
		`{"metadata":{},"record_size":0.5}`, `{"metadata":{` + array("x/.zarray", "[1]", "[0]", "") + `},"record_size":1}`,
		`{"metadata":{` + array("x/.zarray", "[1]", "[1,1]", "") + `},"record_size":1}`, `{"metadata":{` + array("x/.zarray", "[4000000000,4000000000,4]", "[1,1,1]", "") + `},"record_size":1}`,
	} {
		s := inMemory(map[string][]byte{".zmetadata": []byte(text)}, parquet.Options{})
		if _, err := get(t.Context(), s, "x/0"); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := get(t.Context(), inMemory(nil, parquet.Options{}), "x"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Error("a directory without .zmetadata is read", err)
	}
	var limit *limits.Error
	if _, err := get(t.Context(), inMemory(files, parquet.Options{Rows: 2}), "0"); !errors.As(err, &limit) {
		t.Error(err)
	}
}

// counting counts reads.
type counting struct {
	store.Source
	mu    sync.Mutex
	reads map[string]int
}

func (c *counting) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	c.mu.Lock()
	c.reads[name]++
	c.mu.Unlock()
	return c.Source.Read(ctx, name, ask)
}

func TestFilesAreReadOnceAndAfterARefresh(t *testing.T) {
	files := fstest.MapFS{".zmetadata": {Data: metadata(10, array3)}, "a/refs.0.parq": {Data: small(damage{})}, "a/x": {Data: []byte("X")}, "a/yz": {Data: []byte("YZ")}}
	c := &counting{Source: filestore.New(files), reads: map[string]int{}}
	s := open(store.Plain(c), parquet.Options{})
	var all sync.WaitGroup
	for i := range 32 {
		all.Add(1)
		go func() {
			defer all.Done()
			for k := range 20 {
				ctx, cancel := context.WithCancel(t.Context())
				if (i+k)%5 == 0 {
					cancel()
				}
				if _, err := s.Locate(ctx, "a/1"); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				cancel()
			}
		}()
	}
	all.Wait()
	if n := c.reads["a/refs.0.parq"]; n < 1 || n > 8 { // cancelled reads are repeated
		t.Errorf("%d reads", n)
	}
	files["a/refs.0.parq"] = &fstest.MapFile{Data: small(damage{index: []byte{1, 3, 0}})}
	before := c.reads["a/refs.0.parq"]
	if got, err := get(t.Context(), s, "a/1"); got != "YZ" || err != nil {
		t.Error(got, err)
	}
	s.Refresh()
	for range 3 {
		if got, err := get(t.Context(), s, "a/1"); got != "X" || err != nil {
			t.Error(got, err)
		}
	}
	if n := c.reads["a/refs.0.parq"] - before; n != 1 {
		t.Errorf("%d reads after a refresh", n)
	}
	files["a/refs.0.parq"] = &fstest.MapFile{Data: []byte("damaged")}
	s.Refresh()
	if _, err := get(t.Context(), s, "a/1"); err == nil {
		t.Error("a damaged file was read")
	}
}

// Damaged files are read again, past the caches.
func TestDamagedFilesAreNotKept(t *testing.T) {
	good := map[string][]byte{".zmetadata": metadata(10, array3), "a/refs.0.parq": small(damage{}), "a/yz": []byte("YZ")}
	for _, name := range []string{".zmetadata", "a/refs.0.parq"} {
		files := fstest.MapFS{}
		for key, b := range good {
			files[key] = &fstest.MapFile{Data: b}
		}
		c := &counting{Source: filestore.New(files), reads: map[string]int{}}
		s := open(store.Plain(c), parquet.Options{})
		files[name] = &fstest.MapFile{Data: good[name][:20]}
		if got, err := get(t.Context(), s, "a/1"); err == nil || c.reads[name] != 2 {
			t.Errorf("%s: %q, %d reads", name, got, c.reads[name])
		}
		files[name] = &fstest.MapFile{Data: good[name]}
		for range 2 {
			if got, err := get(t.Context(), s, "a/1"); got != "YZ" || err != nil || c.reads[name] != 3 {
				t.Errorf("%s: %q, %v, %d reads", name, got, err, c.reads[name])
			}
		}
	}
}

func TestTheUserIsAskedOnceForAllFiles(t *testing.T) {
	asked := 0
	b := must.Get(os.ReadFile("testdata/plain-snappy-v1.parq"))(t)
	opt := parquet.Options{Targets: target.Options{Confirm: func(_ context.Context, origin string) (bool, error) {
		asked++
		return origin == "https://host", nil
	}}}
	array := strings.ReplaceAll(array1000, "a/b", "c")
	s := inMemory(map[string][]byte{".zmetadata": metadata(1000, array1000, array), "a/b/refs.0.parq": b, "c/refs.0.parq": b}, opt)
	for _, key := range []string{"a/b/0.0", "a/b/0.2", "c/0.0"} {
		if _, err := s.Locate(t.Context(), key); err != nil {
			t.Error(err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

func FuzzFile(f *testing.F) {
	names := must.Get(filepath.Glob("testdata/*.parq"))(f)
	for _, name := range names {
		if b, err := os.ReadFile(name); err == nil && len(b) < 20_000 {
			f.Add(b)
		}
	}
	f.Add(small(damage{}))
	f.Add(small(damage{rows: 9, levels: []byte{3, 0, 0, 0, 3, 255, 1}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := inMemory(map[string][]byte{".zmetadata": metadata(1000, array1000), "a/b/refs.0.parq": b}, parquet.Options{Rows: 2000, FileBytes: 1 << 20})
		for _, key := range []string{"a/b/0.0", "a/b/0.1", "a/b/99.9"} {
			if _, err := s.Locate(t.Context(), key); err != nil && strings.Contains(err.Error(), "panic") {
				t.Error(err)
			}
		}
	})
}
