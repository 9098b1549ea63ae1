package zarrpython_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/python"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

var programs = flag.Int("fill.programs", rounds.Of(1500), "how many random programs write arrays for zarr-python")

// fillTypes lists types of both versions, with texts of fill values in documents of version 2, as
// written by zarr-python and by others.
var fillTypes = []struct {
	v2      string // the dtype
	filters string
	fills   []string
}{
	{`"|b1"`, "", []string{"true", "false", "0", "1"}},
	{`"|i1"`, "", []string{"0", "-7", "7.0", `"3"`}},
	{`"|u1"`, "", []string{"0", "255", "[7]"}},
	{`"<i2"`, "", []string{"0", "-300", "1e2"}},
	{`">i4"`, "", []string{"0", "70000"}},
	{`"<i8"`, "", []string{"0", "-9223372036854775808", "9223372036854775807", "9007199254740993"}},
	{`">u8"`, "", []string{"0", "18446744073709551615", "9223372036854775808"}},
	{`"<f2"`, "", []string{"0.0", "0", "-0.0", "-0", `"NaN"`, `"-Infinity"`}},
	{`"<f4"`, "", []string{"0.1", "1e10", "-0.0", "-0", `"NaN"`, "NaN", `"Infinity"`, `"inf"`}},
	{`">f8"`, "", []string{"0", "-0.0", "-0", "0.1", `"NaN"`, `"nan"`, `"7"`, "Infinity"}},
	{`"<c8"`, "", []string{"[0.0,0.0]", "[1.5,-2.0]", "[-0.0,0.0]", "[0.0,-0.0]", `["NaN",1.0]`, `[1.0,"Infinity"]`, "0"}},
	{`">c16"`, "", []string{"[0,1]", "[1.0,-0.0]", `["Infinity","NaN"]`}},
	{`"|S3"`, "", []string{`""`, `"YQ=="`, `"YWJj"`, `"YQAA"`, "0", `"ab"`, `"abcd"`}},
	{`"<U2"`, "", []string{`""`, `"a"`, `"\u65e5\u672c"`, `"\u00e9"`, "0"}},
	{`"|V3"`, "", []string{`"AAAA"`, `"AQID"`, `"AQ=="`, "0"}},
	{`"<M8[s]"`, "", []string{"0", "-9223372036854775808", "86400", `"NaT"`}},
	{`">m8[ms]"`, "", []string{"0", "-1"}},
	{`[["a","<i2"],["b",">f4"]]`, "", []string{`"AAAAAAAA"`, `"AQA/gAAA"`, "0"}},
	{`"|O"`, `[{"id":"vlen-utf8"}]`, []string{`""`, `"fill"`, `"\u00e4"`, "0"}},
	{`"|O"`, `[{"id":"vlen-bytes"}]`, []string{`""`, `"YQ=="`, "0"}},
}

// written is an array with the known facts about its elements.
type written struct {
	*zarr.Array
	// The stored elements.
	elements []string
	// Whether each was written. Otherwise it is the fill value, or arbitrary without one.
	set []bool
}

// program creates a random array of version 2 or 3, and changes it.
type program struct {
	*rand.Rand
	h  *zarr.Hierarchy
	at string
	w  written
	// what it did
	log []string
}

func (p *program) element() string {
	a := p.w.Array
	// chunks of nothing but the fill value, and of nothing but zeros, come up often
	if k := p.IntN(4); k < 2 {
		if zero := a.Type.Zero(); k == 1 {
			return string(zero)
		}
		return string(a.Fill)
	}
	b := make([]byte, a.Type.Size)
	for i := range b {
		b[i] = byte(p.Uint32())
	}
	switch a.Type.Kind {
	case dtype.Bool:
		b[0] &= 1
	case dtype.Unicode:
		for i := 0; i < len(b); i += 4 {
			copy(b[i:], []byte{byte('a' + p.IntN(26)), 0, 0, 0})
		}
	case dtype.Char:
		for i := range b {
			b[i] = byte('a' + p.IntN(26))
		}
	case dtype.String:
		b = []byte(strings.Repeat("é", p.IntN(3)))
	case dtype.Bytes:
		b = []byte(strings.Repeat("\xff", p.IntN(3)))
	}
	return string(b)
}

// values returns a block of random elements: one repeated, or different ones.
func (p *program) values(shape []int64) ndarray.Block {
	a := p.w.Array
	dims := make([]int, len(shape))
	for d, n := range shape {
		dims[d] = int(n)
	}
	block := ndarray.New(dims, a.Type.Size, a.Type.Variable())
	one, alike := p.element(), p.IntN(2) == 0
	for i := range block.Len() {
		if !alike {
			one = p.element()
		}
		if a.Type.Variable() {
			block.Items[i] = []byte(one)
		} else {
			copy(block.Data[i*block.Size:], one)
		}
	}
	return block
}

func elementOf(b ndarray.Block, i int) string {
	if b.Items != nil {
		return string(b.Items[i])
	}
	return string(b.Data[i*b.Size : (i+1)*b.Size])
}

// reshaped changes the shape of the model.
func (p *program) reshaped(a *zarr.Array) {
	was := p.w
	n := int64(1)
	for _, length := range a.Shape {
		n *= length
	}
	p.w = written{a, make([]string, n), make([]bool, n)}
	for i := range p.w.elements {
		p.w.elements[i] = string(a.Fill)
		at, stride, old := int64(i), int64(1), int64(0)
		inside := was.Array != nil
		for d := len(a.Shape) - 1; d >= 0 && inside; d-- {
			c := at % a.Shape[d]
			at /= a.Shape[d]
			inside = c < was.Shape[d]
			old += c * stride
			stride *= was.Shape[d]
		}
		if inside {
			p.w.elements[i], p.w.set[i] = was.elements[old], was.set[old]
		}
	}
}

// box records that the values of a box were written.
func (p *program) box(from, to []int64, values ndarray.Block) {
	n := 0
	for i := range p.w.elements {
		at, inside := int64(i), true
		for d := len(from) - 1; d >= 0; d-- {
			c := at % p.w.Shape[d]
			at /= p.w.Shape[d]
			inside = inside && c >= from[d] && c < to[d]
		}
		if inside {
			p.w.elements[i], p.w.set[i] = elementOf(values, n), true
			n++
		}
	}
}

func (p *program) step(ctx context.Context) error {
	a := p.w.Array
	opt := zarr.WriteOptions{SkipEmpty: p.IntN(3) > 0}
	switch p.IntN(6) {
	case 0, 1: // set a box
		var sel []grid.Item
		from, to, shape := make([]int64, len(a.Shape)), slices.Clone(a.Shape), make([]int64, len(a.Shape))
		for d, n := range a.Shape {
			if p.IntN(2) == 0 {
				from[d] = p.Int64N(n + 1)
				to[d] = from[d] + p.Int64N(n-from[d]+1)
			}
			shape[d] = to[d] - from[d]
			sel = append(sel, grid.Range(&from[d], &to[d], nil))
		}
		p.log = append(p.log, fmt.Sprint("set ", from, to, opt.SkipEmpty))
		values := p.values(shape)
		p.box(from, to, values)
		return a.Set(ctx, sel, values, opt)
	case 2: // append
		d := p.IntN(len(a.Shape))
		shape, from := slices.Clone(a.Shape), make([]int64, len(a.Shape))
		shape[d], from[d] = 1+p.Int64N(3), a.Shape[d]
		p.log = append(p.log, fmt.Sprint("append ", shape, d, opt.SkipEmpty))
		values := p.values(shape)
		a, err := a.Append(ctx, values, d, opt)
		if err == nil {
			p.reshaped(a)
			p.box(from, a.Shape, values)
		}
		return err
	case 3: // resize
		shape := slices.Clone(a.Shape)
		for d := range shape {
			shape[d] = p.Int64N(7)
		}
		p.log = append(p.log, fmt.Sprint("resize ", shape))
		a, err := a.Resize(ctx, shape...)
		if err == nil {
			p.reshaped(a)
		}
		return err
	}
	o := zarr.CopyOptions{Recode: p.IntN(2) == 0}
	if p.IntN(4) == 0 {
		o.Format = 2 + p.IntN(2)
	}
	if p.IntN(2) == 0 {
		chunks := []int64{1 + p.Int64N(4), 1 + p.Int64N(4)}[:len(a.Shape)]
		o.Array = func(_ string, spec *zarr.ArraySpec) {
			spec.Chunks = chunks
			if a.Type.Kind != dtype.String && a.Type.Kind != dtype.Bytes {
				spec.Codecs = []zarr.Codec{}
			}
		}
	}
	to := p.at + "." + fmt.Sprint(len(p.log))
	p.log = append(p.log, fmt.Sprint("copy ", o.Recode, o.Format, o.Array != nil))
	var unsupported *zarr.UnsupportedError
	if _, err := zarr.Copy(ctx, a, p.h, to, o); errors.As(err, &unsupported) {
		return nil // the other version has no such type or fill value
	} else if err != nil {
		return err
	}
	a, err := p.h.OpenArray(ctx, to)
	p.w.Array = a
	return err
}

// run creates an array from a document of version 2, and changes it.
func (p *program) run(ctx context.Context, st *memstore.Store) error {
	kind := fillTypes[p.IntN(len(fillTypes))]
	fill := "null"
	if p.IntN(4) > 0 {
		fill = kind.fills[p.IntN(len(kind.fills))]
	}
	rank := 1 + p.IntN(2)
	shape, chunks := []int64{1 + p.Int64N(6), 1 + p.Int64N(6)}[:rank], []int64{1 + p.Int64N(3), 1 + p.Int64N(3)}[:rank]
	filters, compressor := kind.filters, `{"id":"zlib","level":1}`
	if filters == "" {
		filters = "null"
	}
	if p.IntN(2) == 0 {
		compressor = "null"
	}
	list := func(of []int64) string { return strings.Join(strings.Fields(fmt.Sprint(of)), ",") }
	document := fmt.Sprintf(`{"zarr_format":2,"shape":%s,"chunks":%s,"dtype":%s,"fill_value":%s,"order":%q,"filters":%s,"compressor":%s}`,
		list(shape), list(chunks), kind.v2, fill, []string{"C", "F"}[p.IntN(2)], filters, compressor)
	p.log = append(p.log, document)
	if err := st.Set(ctx, p.at+"/.zarray", []byte(document)); err != nil {
		return err
	}
	a, err := p.h.OpenArray(ctx, p.at)
	if err != nil {
		return err
	}
	p.reshaped(a)
	for range 1 + p.IntN(5) {
		if err := p.step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// reading prints the elements of arrays, one array a line.
const reading = `
import json, sys, warnings
import numpy as np
import zarr
warnings.simplefilter("ignore")
for path in open(sys.argv[1]).read().split():
    try:
        a = zarr.open_array(path, mode="r")
        v = a[...]
        if a.dtype.kind == "O":
            out = [x.encode().hex() if isinstance(x, str) else x.hex() if isinstance(x, bytes) else repr(x) for x in v.ravel("C")]
        else:
            data, n = v.astype(a.dtype.newbyteorder("<")).tobytes("C"), a.dtype.itemsize
            out = [data[i : i + n].hex() for i in range(0, len(data), n)]
        print(json.dumps(out))
    except Exception as e:
        print(json.dumps(repr(e)))
`

// TestOthersReadWhatIsWritten runs random programs of set, append, resize and copy on arrays of all
// types, fill values and versions. Another hierarchy reads every element as written, and
// zarr-python those of version 2. An element that was never written is the fill value. zarr-python
// is compared only where all readers agree on it.
func TestOthersReadWhatIsWritten(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	var all []*program
	var paths []string
	absent, stored := 0, 0
	for seed := range uint64(*programs) {
		st := memstore.New(nil)
		p := &program{Rand: rand.New(rand.NewPCG(seed, 26)), h: zarr.New(st, writing.Codecs(), zarr.Options{}), at: fmt.Sprint(seed)}
		if err := p.run(ctx, st); err != nil {
			t.Fatalf("seed %d: %q: %v", seed, p.log, err)
		}
		a, err := zarr.New(st, writing.Codecs(), zarr.Options{}).OpenArray(ctx, p.w.Path())
		if err != nil {
			t.Fatalf("seed %d: %q: %v", seed, p.log, err)
		}
		res, err := a.Read(ctx, nil, zarr.ReadOptions{})
		if err != nil {
			t.Fatalf("seed %d: %q: %v", seed, p.log, err)
		}
		for i, want := range p.w.elements {
			if got := elementOf(res.Block, i); got != want {
				t.Fatalf("seed %d: %q: element %d is % x, want % x", seed, p.log, i, got, want)
			}
		}
		n, err := a.StoredChunks(ctx)
		total, _ := a.Grid.Total()
		if err != nil {
			t.Fatal(err)
		}
		stored, absent = stored+int(n), absent+int(total-n)
		if a.Metadata().Format == 2 {
			path := filepath.Join(dir, p.w.Path())
			all, paths = append(all, p), append(paths, path)
			save(t, st, p.w.Path(), path)
		}
	}
	file := filepath.Join(dir, "paths")
	if err := os.WriteFile(file, []byte(strings.Join(paths, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(python.Zarr(t, reading, file)), []byte("\n"))
	if len(lines) != len(all) {
		t.Fatalf("%d answers of %d arrays", len(lines), len(all))
	}
	elements, refused := 0, 0
	for i, line := range lines {
		p := all[i]
		var got []string
		if json.Unmarshal(line, &got) != nil {
			if refused++; p.w.PortableFill() || !p.w.FillDefined {
				t.Errorf("%q: zarr-python: %s", p.log, line)
			}
			continue
		}
		if len(got) != len(p.w.elements) {
			t.Errorf("%q: %d elements, want %d", p.log, len(got), len(p.w.elements))
			continue
		}
		portable := p.w.PortableFill()
		for k, want := range p.w.elements {
			if p.w.set[k] || portable {
				if elements++; got[k] != hex.EncodeToString([]byte(want)) {
					t.Errorf("%q: zarr-python: element %d is %s, want %x (written: %v)", p.log, k, got[k], want, p.w.set[k])
					break
				}
			}
		}
	}
	t.Logf("%d programs; zarr-python read %d elements of %d arrays, and refused %d; of the chunks %d are stored and %d absent", *programs, elements, len(all), refused, stored, absent)
	if elements < *programs || absent == 0 {
		t.Error("next to nothing was read")
	}
}

// save writes the objects below a key to a folder.
func save(t *testing.T, st *memstore.Store, key, path string) {
	t.Helper()
	names, err := st.List(t.Context(), key)
	if err == nil {
		err = os.MkdirAll(path, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if folder, ok := strings.CutSuffix(name, "/"); ok {
			save(t, st, store.Join(key, folder), filepath.Join(path, folder))
			continue
		}
		e, err := st.Read(t.Context(), store.Join(key, name), store.Ask{})
		if err == nil {
			err = os.WriteFile(filepath.Join(path, name), e.Bytes, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
