package n5store_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/n5store"
	"github.com/zarr-wasm/zarr-wasm/store/overlay"
	"github.com/zarr-wasm/zarr-wasm/store/prefix"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/spent"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// blocks is a store with keys of blocks, because the suite's keys are not keys of N5.
type blocks struct {
	store.Locator
	numbers map[string]int
}

func (b blocks) Locate(ctx context.Context, key string) (store.Location, error) {
	if err := store.CheckKey(key); err != nil {
		return store.Location{}, err
	}
	n, ok := b.numbers[key]
	if !ok {
		n = len(b.numbers) + len(key)
	}
	return b.Locator.Locate(ctx, "a/b/c/7/"+strconv.Itoa(n))
}

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Harness{New: func(_ testing.TB, objects map[string][]byte) store.Locator {
		numbers, stored := map[string]int{}, map[string][]byte{}
		for key, b := range objects {
			n := len(numbers)
			numbers[key] = n
			stored["a/b/"+strconv.Itoa(n)+"/7"] = b
		}
		return blocks{n5store.New(store.Plain(memstore.New(stored)), object.NewLayer(1<<20)), numbers}
	}})
}

// container is an N5 container in memory: its objects, with a hierarchy over them.
type container map[string][]byte

func (c container) open() *zarr.Hierarchy { return over(store.Plain(memstore.New(c))) }

// over opens the container in a store.
func over(of store.Locator) *zarr.Hierarchy {
	caches := zarr.NewCaches(zarr.CacheOptions{})
	return zarr.Over(n5store.New(of, caches.Layer()), codecs.Full(), zarr.Options{Caches: caches})
}

// types maps each data type to its size in bytes.
var types = map[string]int{
	"uint8": 1, "int8": 1, "uint16": 2, "int16": 2, "uint32": 4, "int32": 4, "uint64": 8, "int64": 8, "float32": 4, "float64": 8,
}

// element returns the big-endian bytes of a number.
func element(kind string, n int) []byte {
	switch kind {
	case "float32":
		return binary.BigEndian.AppendUint32(nil, math.Float32bits(float32(n)+0.5))
	case "float64":
		return binary.BigEndian.AppendUint64(nil, math.Float64bits(float64(n)+0.5))
	}
	return binary.BigEndian.AppendUint64(nil, uint64(n))[8-types[kind]:]
}

// header returns the header of a block, after N5's "File-system specification". Mode 2 has no
// dimensions, and modes 1 and 2 have a count.
func header(mode int, dims []int, count int) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(mode))
	if mode != 2 {
		b = binary.BigEndian.AppendUint16(b, uint16(len(dims)))
		for _, n := range dims {
			b = binary.BigEndian.AppendUint32(b, uint32(n))
		}
	}
	if mode != 0 {
		b = binary.BigEndian.AppendUint32(b, uint32(count))
	}
	return b
}

// compressions maps the members of a compression to its encoder. Public data has no example of
// useZlib, lz4 or bzip2. The first two are written here after N5's README and lz4-java's
// LZ4BlockOutputStream. bzip2 has no encoder: see TestBzip2.
var compressions = map[string]func([]byte) []byte{
	`"compression":{"type":"raw"}`:                               func(b []byte) []byte { return b },
	`"compressionType":"raw"`:                                    func(b []byte) []byte { return b },
	`"n5":"1.0.0"`:                                               func(b []byte) []byte { return b },
	`"compression":{"type":"gzip","level":-1}`:                   zipped,
	`"compressionType":"gzip"`:                                   zipped,
	`"compression":{"type":"gzip","useZlib":false,"level":5}`:    zipped,
	`"compression":{"type":"gzip","useZlib":true,"level":-1}`:    deflated,
	`"compression":{"type":"lz4","blockSize":65536}`:             lz4Stream,
	`"compressionType":"lz4"`:                                    lz4Stream,
	`"compressionType":"none yet","compression":{"type":"raw"}`:  func(b []byte) []byte { return b },
	`"compression":{"type":"gzip","useZlib":null,"extra":[1,2]}`: zipped,
}

func zipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b)
	_ = w.Close()
	return out.Bytes()
}

func deflated(b []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write(b)
	_ = w.Close()
	return out.Bytes()
}

// lz4Stream writes blocks of at most 64 bytes. It alternates stored and compressed blocks, the
// latter with literals only.
func lz4Stream(b []byte) []byte {
	var out []byte
	for i := 0; ; i++ {
		part := b[:min(64, len(b))]
		b = b[len(part):]
		stored, token := part, byte(0x10)
		if i%2 == 1 && len(part) > 15 {
			token = 0x20
			stored = append([]byte{0xf0, byte(len(part) - 15)}, part...)
		}
		out = append(append(out, "LZ4Block"...), token)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(stored)))
		out = binary.LittleEndian.AppendUint32(out, uint32(len(part)))
		sum := uint32(0)
		if len(part) > 0 {
			sum = xxh32(part, 0x9747b28c) & 0xfffffff
		}
		out = append(binary.LittleEndian.AppendUint32(out, sum), stored...)
		if len(part) == 0 {
			return out
		}
	}
}

// xxh32 is a plain implementation of the specification of XXH32.
func xxh32(b []byte, seed uint32) uint32 {
	p := []uint32{0, 2654435761, 2246822519, 3266489917, 668265263, 374761393}
	left := func(v uint32, n int) uint32 { return v<<n | v>>(32-n) }
	h, n := seed+p[5], uint32(len(b))
	if len(b) >= 16 {
		lanes := []uint32{seed + p[1] + p[2], seed + p[2], seed, seed - p[1]}
		for ; len(b) >= 16; b = b[16:] {
			for i := range lanes {
				lanes[i] = left(lanes[i]+binary.LittleEndian.Uint32(b[4*i:])*p[2], 13) * p[1]
			}
		}
		h = left(lanes[0], 1) + left(lanes[1], 7) + left(lanes[2], 12) + left(lanes[3], 18)
	}
	h += n
	for ; len(b) >= 4; b = b[4:] {
		h = left(h+binary.LittleEndian.Uint32(b)*p[3], 17) * p[4]
	}
	for _, c := range b {
		h = left(h+uint32(c)*p[5], 11) * p[1]
	}
	h = (h ^ h>>15) * p[2]
	h = (h ^ h>>13) * p[3]
	return h ^ h>>16
}

// dataset describes a dataset that the tests write, in N5's order.
type dataset struct {
	kind       string
	dims, size []int
	more       string // members of its attributes
	compress   func([]byte) []byte
	mode       int
	padded     bool
	missing    func(block []int) bool
}

func list(v []int) string { return strings.ReplaceAll(fmt.Sprint(v), " ", ",") }

// put writes the dataset, and returns its elements in Zarr's order, little-endian. The value of an
// element is its number in N5's order.
func (d dataset) put(c container, path string) (want []byte) {
	c[store.Join(path, "attributes.json")] = fmt.Appendf(nil, `{"dimensions":%s,"blockSize":%s,"dataType":%q,%s}`,
		list(d.dims), list(d.size), d.kind, d.more)
	counts := make([]int, len(d.dims))
	for i, n := range d.dims {
		counts[i] = (n + d.size[i] - 1) / d.size[i]
	}
	number := func(at []int) int {
		n := 0
		for i := len(at) - 1; i >= 0; i-- {
			n = n*d.dims[i] + at[i]
		}
		return n
	}
	// N5's first dimension is the fastest one.
	each := func(shape []int, visit func(at []int)) {
		at := make([]int, len(shape))
		if slices.Contains(shape, 0) {
			return
		}
		for {
			visit(at)
			i := 0
			for ; i < len(at); i++ {
				if at[i]++; at[i] < shape[i] {
					break
				}
				at[i] = 0
			}
			if i == len(at) {
				return
			}
		}
	}
	absent := map[string]bool{}
	each(counts, func(block []int) {
		shape := make([]int, len(block))
		key := path
		for i, b := range block {
			key = store.Join(key, strconv.Itoa(b))
			if shape[i] = d.size[i]; !d.padded {
				shape[i] = min(shape[i], d.dims[i]-b*d.size[i])
			}
		}
		if d.missing != nil && d.missing(block) {
			absent[list(block)] = true
			return
		}
		var elements []byte
		each(shape, func(at []int) {
			whole := make([]int, len(at))
			n := 0
			for i := range at {
				if whole[i] = block[i]*d.size[i] + at[i]; whole[i] >= d.dims[i] {
					n = -1
				}
			}
			if n == 0 {
				n = number(whole)
			}
			elements = append(elements, element(d.kind, n)...)
		})
		c[key] = append(header(d.mode, shape, len(elements)/types[d.kind]), d.compress(elements)...)
	})
	each(d.dims, func(at []int) {
		block := make([]int, len(at))
		for i := range at {
			block[i] = at[i] / d.size[i]
		}
		e := element(d.kind, number(at))
		if absent[list(block)] {
			clear(e)
		}
		slices.Reverse(e)
		want = append(want, e...)
	})
	return want
}

func (d dataset) check(t *testing.T, name string) {
	t.Helper()
	c := container{}
	want := d.put(c, "a/b")
	a, err := c.open().OpenArray(t.Context(), "a/b")
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for range 2 {
		res, err := a.Read(t.Context(), nil, zarr.ReadOptions{})
		if err != nil || !bytes.Equal(res.Data, want) {
			t.Errorf("%s: %v, %d bytes, other than the %d that were written", name, err, len(res.Data), len(want))
			return
		}
	}
	for i, n := range d.dims {
		if a.Shape[len(d.dims)-1-i] != int64(n) {
			t.Errorf("%s: shape %v", name, a.Shape)
		}
	}
}

func TestElementsOfEveryTypeAndCompression(t *testing.T) {
	for kind := range types {
		for more, compress := range compressions {
			for _, padded := range []bool{false, true} {
				d := dataset{kind: kind, dims: []int{7, 5}, size: []int{3, 2}, more: more, compress: compress, padded: padded}
				d.check(t, kind+" "+more)
			}
		}
	}
}

func TestBlocksOfEveryShape(t *testing.T) {
	plain := dataset{kind: "int32", more: `"compression":{"type":"raw"}`, compress: func(b []byte) []byte { return b }}
	for _, shape := range [][2][]int{
		{{10}, {3}}, {{1}, {1}}, {{1}, {100}}, {{4, 4}, {4, 4}}, {{5, 3, 4}, {2, 2, 3}}, {{3, 2, 2, 5}, {2, 1, 2, 2}}, {{0, 3}, {2, 2}}, {{2, 3}, {9, 9}},
	} {
		for mode := range 3 {
			d := plain
			d.dims, d.size, d.mode = shape[0], shape[1], mode
			d.padded = mode == 2 // without dimensions a block has the full size
			d.check(t, fmt.Sprint(shape, mode))
			d.missing = func(block []int) bool { return block[0]%2 == 0 }
			d.check(t, fmt.Sprint(shape, mode, " some missing"))
		}
	}
}

// TestBzip2 reads a block that Python's bz2 wrote: the numbers 1 to 6 as uint16.
func TestBzip2(t *testing.T) {
	packed, _ := hex.DecodeString("425a6839314159265359023e0dd200000040007f002000221a63508600e72866f8bb9229c2848011f06e90")
	for _, name := range []string{`"compression":{"type":"bzip2","blockSize":9}`, `"compressionType":"bzip2"`} {
		c := container{
			"attributes.json": []byte(`{"dimensions":[3,2],"blockSize":[3,2],"dataType":"uint16",` + name + `}`),
			"0/0":             append(header(0, []int{3, 2}, 0), packed...),
		}
		if got, err := read(t, c.open(), ""); err != nil || string(got) != "\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00" {
			t.Errorf("%x, %v", got, err)
		}
	}
}

func read(t testing.TB, h *zarr.Hierarchy, path string, sel ...grid.Item) ([]byte, error) {
	a, err := h.OpenArray(t.Context(), path)
	if err != nil {
		return nil, err
	}
	res, err := a.Read(t.Context(), sel, zarr.ReadOptions{})
	if err != nil {
		return nil, err
	}
	return res.Data, nil
}

func TestTexts(t *testing.T) {
	block := func(dims []int, texts ...string) []byte {
		data := []byte(strings.Join(texts, "\x00") + "\x00")
		return append(header(1, dims, len(data)), zipped(data)...)
	}
	for _, cut := range []bool{false, true} {
		c := container{
			"attributes.json": []byte(`{"dimensions":[3,2],"blockSize":[2,2],"dataType":"string","compression":{"type":"gzip"}}`),
			"0/0":             block([]int{2, 2}, "a", "", "Grüezi", "d"),
			"1/0":             block([]int{2, 2}, "e", "beyond", "", "beyond"),
		}
		if cut {
			c["1/0"] = block([]int{1, 2}, "e", "")
		}
		a := must.Get(c.open().OpenArray(t.Context(), ""))(t)
		res := must.Get(a.Read(t.Context(), nil, zarr.ReadOptions{}))(t)
		var got []string
		for i := range len(res.Items) {
			got = append(got, string(res.Items[i]))
		}
		if !slices.Equal(got, []string{"a", "", "e", "Grüezi", "d", ""}) {
			t.Errorf("%q", got)
		}
	}
	none := container{"attributes.json": []byte(`{"dimensions":[2],"blockSize":[2],"dataType":"string","compression":{"type":"raw"}}`)}
	a := must.Get(none.open().OpenArray(t.Context(), ""))(t)
	if res, err := a.Read(t.Context(), nil, zarr.ReadOptions{}); err != nil || len(res.Items) != 2 || len(res.Items[0]) != 0 {
		t.Errorf("%v, %v", res, err)
	}
}

func tree() container {
	c := container{
		"attributes.json":              []byte(`{"n5":"4.0.0","title":"a tree"}`),
		"volume/attributes.json":       []byte(`{"multiScale":true,"pixelResolution":{"unit":"nm","dimensions":[4.0,4.0,40.0]}}`),
		"bare/below/x/attributes.json": []byte(`{}`),
		"c/attributes.json":            []byte(`{"name":"a group called c"}`),
		"notes.txt":                    []byte("not N5"),
	}
	raw := func(b []byte) []byte { return b }
	for i, name := range []string{"volume/s0", "volume/s1", "c/0"} {
		more := fmt.Sprintf(`"downsamplingFactors":[%d,1,1],"compression":{"type":"raw"},"big":9007199254740993,"max":1e400`, i+1)
		dataset{kind: "uint8", dims: []int{4, 3, 2}, size: []int{2, 2, 2}, more: more, compress: raw}.put(c, name)
	}
	return c
}

func TestNodes(t *testing.T) {
	h := tree().open()
	for path, want := range map[string][]string{
		"":           {"bare group", "c group", "volume group"},
		"volume":     {"s0 array", "s1 array"},
		"c":          {"0 array"},
		"bare":       {"below group"},
		"bare/below": {"x group"},
	} {
		for range 2 {
			g, err := h.OpenGroup(t.Context(), path)
			if err != nil {
				t.Fatal(path, err)
			}
			members, err := g.Members(t.Context())
			var got []string
			for _, m := range members {
				got = append(got, m.Name+" "+m.Kind)
				if m.Err != nil {
					t.Error(m.Err)
				}
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%q: %q, %v", path, got, err)
			}
		}
	}
	for path, want := range map[string]string{
		"":          `{"n5":"4.0.0","title":"a tree"}`,
		"volume":    `{"multiScale":true,"pixelResolution":{"unit":"nm","dimensions":[4.0,4.0,40.0]}}`,
		"volume/s1": `{"downsamplingFactors":[2,1,1],"big":9007199254740993,"max":1e400}`,
		"bare":      `{}`,
	} {
		n, err := h.Open(t.Context(), path, zarr.OpenOptions{})
		if err != nil {
			t.Fatal(path, err)
		}
		if got := string(n.Metadata().Attributes.Raw()); got != want {
			t.Errorf("%q: attributes %s", path, got)
		}
	}
	for _, path := range []string{"volume/s0/0", "volume/s0/0/1", "volume/s0/c", "none", "bare/none", "notes.txt"} {
		var missing *zarr.NotFoundError
		if _, err := h.Open(t.Context(), path, zarr.OpenOptions{}); !errors.As(err, &missing) {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// The containers lie in a store that cannot list, below a path, in an overlay, and have inline or
// decoded attributes.
func TestContainersWhereverTheyLie(t *testing.T) {
	below := container{}
	for key, b := range tree() {
		below["x/y/"+key] = b
	}
	inside := must.Get(prefix.New(store.Plain(memstore.New(below)), "x/y"))(t)
	want := must.Get(read(t, tree().open(), "volume/s1"))(t)
	for name, of := range map[string]store.Locator{
		"prefix":  inside,
		"overlay": overlay.New(store.Plain(memstore.New(map[string][]byte{"volume/s1/9/9/9": {}})), store.Plain(memstore.New(tree()))),
		"inline":  inline(tree()),
		"decoded": decoded(tree()),
	} {
		if got, err := read(t, over(of), "volume/s1"); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := over(of).OpenGroup(t.Context(), "volume"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := over(of).Open(t.Context(), "none", zarr.OpenOptions{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// inline holds its objects in locations, and knows which are absent.
type inline map[string][]byte

func (m inline) Locate(_ context.Context, key string) (store.Location, error) {
	if b, ok := m[key]; ok {
		return store.Location{Inline: b}, nil
	}
	return store.Location{}, store.NotFound(key)
}

// decoded stores the complement of each byte, behind an alternative that is always absent.
type decoded map[string][]byte

func (m decoded) Locate(_ context.Context, key string) (store.Location, error) {
	flip := func(b []byte) []byte {
		b = slices.Clone(b)
		for i := range b {
			b[i] = ^b[i]
		}
		return b
	}
	objects := map[string][]byte{}
	if b, ok := m[key]; ok {
		objects[key] = flip(b)
	}
	at := store.At(memstore.New(objects), key)
	at.Packed = &store.Packed{Decode: func(_ context.Context, b []byte, _ int64) ([]byte, error) { return flip(b), nil }}
	first := store.At(memstore.New(nil), key)
	first.Else = &at
	return first, nil
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	good := `{"dimensions":[4],"blockSize":[2],"dataType":"uint8","compression":{"type":"raw"}}`
	for name, attributes := range map[string]string{
		"no JSON":                `{"dimensions":`,
		"nothing":                ``,
		"a list":                 `[]`,
		"dimensions of texts":    strings.Replace(good, "[4]", `["4"]`, 1),
		"dimensions that are 4":  strings.Replace(good, "[4]", `4`, 1),
		"a negative dimension":   strings.Replace(good, "[4]", `[-4]`, 1),
		"half a dimension":       strings.Replace(good, "[4]", `[4.5]`, 1),
		"2^64 elements":          strings.Replace(good, "[4]", `[18446744073709551616]`, 1),
		"blocks of another rank": strings.Replace(good, "[2]", `[2,2]`, 1),
		"blocks of nothing":      strings.Replace(good, "[2]", `[0]`, 1),
		"no such type":           strings.Replace(good, "uint8", "uint7", 1),
		"objects":                strings.Replace(good, "uint8", "object", 1),
		"a type that is 8":       strings.Replace(good, `"uint8"`, "8", 1),
		"no such compression":    strings.Replace(good, "raw", "jpeg", 1),
		"a compression of 7":     strings.Replace(good, `{"type":"raw"}`, "7", 1),
		"a type of null":         strings.Replace(good, `"raw"`, "null", 1),
		"an old type of 7":       strings.Replace(good, `"compression":{"type":"raw"}`, `"compressionType":7`, 1),
		"deep":                   strings.Replace(good, "[4]", strings.Repeat("[", 10000)+strings.Repeat("]", 10000), 1),
		"17 MiB":                 `{"a":"` + strings.Repeat("x", 17<<20) + `"}`,
		"4 Mi members":           `{"a":[` + strings.Repeat("0,", 5<<20) + `0]}`,
		"a million dimensions":   strings.Replace(good, "[4]", "["+strings.Repeat("1,", 1<<20)+"1]", 1),
	} {
		begun := spent.Start()
		_, err := container{"attributes.json": []byte(attributes)}.open().Open(t.Context(), "", zarr.OpenOptions{})
		var (
			metadata    *zarr.InvalidMetadataError
			unsupported *zarr.UnsupportedError
			unknown     *zarr.UnknownCodecError
			limit       *zarr.LimitError
		)
		if !errors.As(err, &metadata) && !errors.As(err, &unsupported) && !errors.As(err, &unknown) && !errors.As(err, &limit) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "no such compression" && (unknown == nil || unknown.Codec != "jpeg") {
			t.Errorf("%s: %v", name, err)
		}
		if d := begun.Took(); d > spent.Most {
			t.Errorf("%s: %v", name, d)
		}
	}
	stream := lz4Stream([]byte{1, 2})
	for name, test := range map[string]struct{ kind, compression, block string }{
		"no header":                   {"uint8", "raw", ""},
		"half a header":               {"uint8", "raw", string(header(0, []int{2}, 0)[:6])},
		"no elements":                 {"uint8", "raw", string(header(0, []int{2}, 0))},
		"an element too few":          {"uint8", "raw", string(header(0, []int{2}, 0)) + "a"},
		"an element too many":         {"uint8", "raw", string(header(0, []int{2}, 0)) + "abc"},
		"no such mode":                {"uint8", "raw", string(header(0, []int{2}, 0)[:0]) + "\x00\x03\x00\x01\x00\x00\x00\x02ab"},
		"two dimensions":              {"uint8", "raw", string(header(0, []int{2, 1}, 0)) + "ab"},
		"65535 dimensions":            {"uint8", "raw", "\x00\x00\xff\xff\x00\x00\x00\x02ab"},
		"a block of 4 GiB":            {"uint8", "raw", string(header(0, []int{-1}, 0)) + "ab"},
		"more elements than lengths":  {"uint8", "raw", string(header(1, []int{2}, 3)) + "abc"},
		"fewer elements than lengths": {"uint8", "raw", string(header(1, []int{2}, 1)) + "a"},
		"objects of another count":    {"uint8", "raw", string(header(2, nil, 3)) + "abc"},
		"mode 1 without a count":      {"uint8", "raw", string(header(1, []int{2}, 2)[:8])},
		"not gzip":                    {"uint8", "gzip", string(header(0, []int{2}, 0)) + "abc"},
		"not LZ4":                     {"uint8", "lz4", string(header(0, []int{2}, 0)) + "ab"},
		"LZ4 that is cut":             {"uint8", "lz4", string(header(0, []int{2}, 0)) + string(stream[:len(stream)-1])},
		"LZ4 without its end":         {"uint8", "lz4", string(header(0, []int{2}, 0)) + string(stream[:23])},
		"LZ4 and more":                {"uint8", "lz4", string(header(0, []int{2}, 0)) + string(stream) + "x"},
		"LZ4 of another sum":          {"uint8", "lz4", string(header(0, []int{2}, 0)) + strings.Replace(string(stream), "\x01\x02", "\x02\x01", 1)},
		"LZ4 of three bytes":          {"uint8", "lz4", string(header(0, []int{2}, 0)) + string(lz4Stream([]byte{1, 2, 3}))},
		"fewer texts":                 {"string", "raw", string(header(1, []int{2}, 2)) + "a\x00"},
		"more texts":                  {"string", "raw", string(header(1, []int{2}, 6)) + "a\x00b\x00c\x00"},
		"texts that are none":         {"string", "raw", string(header(1, []int{2}, 4)) + "\xff\x00b\x00"},
		"texts without dimensions":    {"string", "raw", string(header(2, nil, 4)) + "a\x00b\x00"},
	} {
		attributes := fmt.Sprintf(`{"dimensions":[4],"blockSize":[2],"dataType":%q,"compression":{"type":%q}}`, test.kind, test.compression)
		c := container{"attributes.json": []byte(attributes), "0": []byte(test.block)}
		for range 2 {
			var (
				pipeline    *zarr.CodecPipelineError
				unsupported *zarr.UnsupportedError
			)
			if _, err := read(t, c.open(), ""); !errors.As(err, &pipeline) && !errors.As(err, &unsupported) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// faulty is a source with objects that fail while there is an error.
type faulty struct {
	store.Source
	err  atomic.Pointer[error]
	fail func(name string) bool
}

func (f *faulty) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	if err := f.err.Load(); err != nil && f.fail(name) {
		return store.Extent{}, &store.KeyError{Op: "get", Key: name, Err: *err}
	}
	return f.Source.Read(ctx, name, ask)
}

func TestFailureThenSuccess(t *testing.T) {
	want := must.Get(read(t, tree().open(), "volume/s0"))(t)
	for _, object := range []string{"attributes.json", "0/1/0"} {
		f := &faulty{Source: memstore.New(tree()), fail: func(name string) bool { return strings.HasSuffix(name, object) }}
		h := over(store.Plain(f))
		for range 2 {
			failure := io.ErrUnexpectedEOF
			f.err.Store(&failure)
			if _, err := read(t, h, "volume/s0"); !errors.Is(err, failure) {
				t.Errorf("%s: %v", object, err)
			}
			f.err.Store(nil)
			if got, err := read(t, h, "volume/s0"); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %v", object, err)
			}
			h = over(store.Plain(f))
		}
	}
	h := tree().open()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.OpenArray(cancelled, "volume/s0"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got, err := read(t, h, "volume/s0"); err != nil || !bytes.Equal(got, want) {
		t.Error(err)
	}
}

// bounded is a source that records the size limits of attributes.
type bounded struct {
	store.Source
	most atomic.Int64
}

func (b *bounded) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	if strings.HasSuffix(name, "attributes.json") {
		b.most.Store(ask.MaxBytes)
	}
	return b.Source.Read(ctx, name, ask)
}

func TestNoMoreThan16MiBOfAttributesAreTaken(t *testing.T) {
	b := &bounded{Source: memstore.New(tree())}
	if _, err := read(t, over(store.Plain(b)), "volume/s0"); err != nil || b.most.Load() != 16<<20 {
		t.Errorf("%d bytes, %v", b.most.Load(), err)
	}
}

// replaced is a store with replaceable objects.
type replaced struct {
	now atomic.Pointer[memstore.Store]
}

func (r *replaced) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	return r.now.Load().Read(ctx, name, ask)
}

func TestAttributesThatWereReplaced(t *testing.T) {
	r := &replaced{}
	damaged := tree()
	damaged["volume/s0/attributes.json"] = []byte(`{"dimensions":[`)
	r.now.Store(memstore.New(damaged))
	h := over(store.Plain(r))
	var metadata *zarr.InvalidMetadataError
	if _, err := read(t, h, "volume/s0"); !errors.As(err, &metadata) {
		t.Errorf("%v", err)
	}
	r.now.Store(memstore.New(tree()))
	if _, err := read(t, h, "volume/s0"); err != nil {
		t.Errorf("what was damaged is still: %v", err)
	}
}

// TestHammer reads from many goroutines and cancels some. The others get all bytes.
func TestHammer(t *testing.T) {
	h := tree().open()
	want := must.Get(read(t, h, "volume/s1"))(t)
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%4 == 3 {
				defer time.AfterFunc(time.Duration(i)*20*time.Microsecond, cancel).Stop()
			}
			for range 20 {
				a, err := h.OpenArray(ctx, "volume/s1")
				if err == nil {
					var res *zarr.Result
					if res, err = a.Read(ctx, nil, zarr.ReadOptions{}); err == nil && !bytes.Equal(res.Data, want) {
						t.Error("other bytes")
					}
				}
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				g, err := h.OpenGroup(ctx, "volume")
				if err == nil {
					_, err = g.Members(ctx)
				}
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func FuzzDocument(f *testing.F) {
	for key, b := range tree() {
		if strings.HasSuffix(key, "attributes.json") {
			f.Add(b)
		}
	}
	for more := range compressions {
		f.Add([]byte(`{"dimensions":[7,5],"blockSize":[3,2],"dataType":"uint8",` + more + `}`))
	}
	f.Add([]byte(`{"dimensions":7,"blockSize":null,"dataType":"string","compression":{"type":"x\"y"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, limit := n5store.Document(text)
		if limit != nil {
			return
		}
		v, err := json.Parse(text, json.Limits{})
		if err != nil || v.Kind() != json.Object {
			if !bytes.Equal(doc, text) {
				t.Fatalf("%q became %q", text, doc)
			}
			return
		}
		made, err := json.Parse(doc, json.Limits{Depth: 200})
		if err != nil {
			t.Fatalf("%q is not JSON: %v", doc, err)
		}
		if format, ok := made.Get("zarr_format").Int64(); !ok || format != 3 {
			t.Fatalf("%q", doc)
		}
		// Opening succeeds or returns an error.
		_, _ = container{"attributes.json": text}.open().Open(t.Context(), "", zarr.OpenOptions{})
	})
}

// gone lists, and hides the attributes a number of times.
type gone struct {
	*memstore.Store
	times atomic.Int64
}

func (g *gone) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	if g.times.Add(-1) >= 0 {
		return store.Extent{}, store.NotFound(name)
	}
	return g.Store.Read(ctx, name, ask)
}

func (g *gone) List(context.Context, string) ([]string, error) { return nil, errors.ErrUnsupported }

func (g *gone) Locate(_ context.Context, key string) (store.Location, error) {
	return store.At(g, key), nil
}

// A container that was absent for a moment is found by the next open, because absence of attributes
// is not cached.
func TestWhatIsGoneForAMomentIsReadAgain(t *testing.T) {
	for times := range int64(9) {
		g := &gone{Store: memstore.New(tree())}
		g.times.Store(times)
		h := over(g)
		for range 2 * times {
			if _, err := h.Open(t.Context(), "volume", zarr.OpenOptions{}); err == nil {
				break
			} else if g.times.Load() < 0 {
				if _, err = h.Open(t.Context(), "volume", zarr.OpenOptions{}); err != nil {
					t.Errorf("gone %d times: %v", times, err)
				}
				break
			}
		}
	}
}
