package lzma

import (
	"bytes"
	"context"
	stdsha "crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"
	ref "github.com/ulikunitz/xz/lzma"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

func newCodec(t testing.TB, config string) codec.BytesToBytes {
	t.Helper()
	return must.Get(Codec().New(codectest.JSON(t, config), codec.Build{}))(t).(codec.BytesToBytes)
}

func decode(c codec.BytesToBytes, size codec.Size, src []byte) ([]byte, error) {
	env := codec.NewEnv(context.Background(), codec.Limits{ChunkBytes: 64 << 20})
	return c.Decode(env, codec.Output{Size: size}, src)
}

const (
	rawLZMA1 = `{"format":3,"filters":[{"id":4611686018427387905,"preset":6}]}`
	rawLZMA2 = `{"format":3,"filters":[{"id":33,"preset":1}]}`
)

// samples need all kinds of symbols.
func samples() map[string][]byte {
	r := rand.New(rand.NewSource(1))
	random := make([]byte, 70_000)
	r.Read(random)
	walk := make([]byte, 100_000)
	for i, v := 0, 0; i < len(walk); i += 2 {
		v += r.Intn(21) - 10
		binary.LittleEndian.PutUint16(walk[i:], uint16(v))
	}
	text := make([]byte, 0, 300_000)
	words := strings.Fields("the dictionary is the output and the output is bounded by what a chunk may have")
	for len(text) < 200_000 {
		text = append(append(text, words[r.Intn(len(words))]...), ' ')
	}
	copy(text[150_000:], random[:9000])
	return map[string][]byte{
		"empty":  {},
		"one":    {7},
		"zeros":  make([]byte, 300_000),
		"random": random,
		"walk":   walk,
		"text":   text,
		"far":    append(append(bytes.Clone(random), walk...), random...),
	}
}

func xzOf(t testing.TB, data []byte, c xz.WriterConfig) []byte {
	return codectest.Written(t, data, c.NewWriter)
}

func aloneOf(t testing.TB, data []byte, c ref.WriterConfig) []byte {
	return codectest.Written(t, data, c.NewWriter)
}

func lzma2Of(t testing.TB, data []byte, c ref.Writer2Config) []byte {
	return codectest.Written(t, data, c.NewWriter2)
}

// encoded is one sample in one format.
type encoded struct {
	name, config string
	data, src    []byte
}

func corpus(t testing.TB, most int) (all []encoded) {
	for name, data := range samples() {
		data = data[:min(len(data), most)]
		add := func(kind, config string, src []byte) {
			all = append(all, encoded{name + " " + kind, config, data, src})
		}
		add("xz", `{"format":1,"check":4}`, xzOf(t, data, xz.WriterConfig{CheckSum: xz.CRC64}))
		add("xz of blocks", `{"format":1}`, xzOf(t, data, xz.WriterConfig{CheckSum: xz.SHA256, BlockSize: int64(len(data)/3 + 1)}))
		add("xz unchecked", `{}`, xzOf(t, data, xz.WriterConfig{NoCheckSum: true, DictCap: 1 << 16}))
		one := xzOf(t, data, xz.WriterConfig{CheckSum: xz.CRC32})
		all = append(all, encoded{name + " xz twice", `{"format":0}`, append(bytes.Clone(data), data...), append(append(bytes.Clone(one), make([]byte, 8)...), one...)})
		for _, p := range []ref.Properties{{LC: 3, LP: 0, PB: 2}, {LC: 0, LP: 4, PB: 4}, {LC: 4, LP: 0, PB: 0}, {LC: 1, LP: 2, PB: 3}} {
			add("alone", `{"format":2}`, aloneOf(t, data, ref.WriterConfig{Properties: &p}))
			add("raw LZMA2", rawLZMA2, lzma2Of(t, data, ref.Writer2Config{Properties: &p}))
			if len(data) == 0 {
				continue // the writer takes a size of 0 for none
			}
			add("alone of known size", `{"format":0}`, aloneOf(t, data, ref.WriterConfig{Properties: &p, SizeInHeader: true, Size: int64(len(data))}))
			add("alone of known size, marked", `{"format":2}`, aloneOf(t, data, ref.WriterConfig{Properties: &p, SizeInHeader: true, Size: int64(len(data)), EOSMarker: true}))
		}
		add("raw LZMA1", rawLZMA1, aloneOf(t, data, ref.WriterConfig{EOSMarker: true})[13:])
	}
	return all
}

func TestDecode(t *testing.T) {
	for _, e := range corpus(t, rounds.Of(1<<20)) {
		c := newCodec(t, e.config)
		n := int64(len(e.data))
		for _, size := range []codec.Size{codectest.Exact(len(e.data)), {N: n}, {N: 3*n + 1000}} {
			if got, err := decode(c, size, e.src); err != nil || !bytes.Equal(got, e.data) {
				t.Errorf("%s, %v: %v", e.name, size, err)
			}
		}
		if n == 0 {
			continue
		}
		if _, err := decode(c, codectest.Exact(len(e.data)-1), e.src); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("%s into less room: %v", e.name, err)
		}
		if _, err := decode(c, codectest.Exact(len(e.data)+1), e.src); !errors.Is(err, codec.ErrTruncated) {
			t.Errorf("%s into more room: %v", e.name, err)
		}
		buf := make([]byte, n)
		env := codec.NewEnv(context.Background(), codec.Limits{})
		if got, err := c.Decode(env, codec.Output{Buf: buf[:0], Size: codectest.Exact(len(e.data))}, e.src); err != nil || &got[0] != &buf[0] {
			t.Errorf("%s: not decoded into the given memory", e.name)
		}
	}
}

// TestTruncated cuts streams everywhere near their ends, and here and there.
func TestTruncated(t *testing.T) {
	for _, e := range corpus(t, 4000) {
		c := newCodec(t, e.config)
		for n := 0; n < len(e.src); n++ {
			if n > 40 && n < len(e.src)-40 && n%97 != 0 {
				continue
			}
			// At the end of the first of two streams only the length is wrong.
			_, err := decode(c, codectest.Exact(len(e.data)), e.src[:n])
			if len(e.data) == 0 && err == nil && strings.Contains(e.name, "twice") {
				continue
			}
			// Without its last bytes a stream of known size looks like a corrupt one.
			if strings.Contains(e.name, "known") && n > len(e.src)-6 && errors.Is(err, codec.ErrCorrupt) {
				continue
			}
			if !errors.Is(err, codec.ErrTruncated) {
				// Padding of two bytes is what is wrong there.
				if strings.Contains(e.name, "twice") && errors.Is(err, codec.ErrCorrupt) {
					continue
				}
				t.Errorf("%s, %d of %d bytes: %v", e.name, n, len(e.src), err)
			}
		}
	}
}

func TestDamaged(t *testing.T) {
	data := samples()["text"][:3000]
	src := xzOf(t, data, xz.WriterConfig{CheckSum: xz.CRC64})
	c := newCodec(t, `{"format":1}`)
	for i := range src {
		for bit := range 8 {
			bad := bytes.Clone(src)
			bad[i] ^= 1 << bit
			if got, err := decode(c, codectest.Exact(len(data)), bad); err == nil {
				t.Errorf("bit %d of byte %d flipped: no error, the same: %v", bit, i, bytes.Equal(got, data))
			}
		}
	}
	if _, err := decode(c, codectest.Exact(len(data)), append(bytes.Clone(src), "garbage"...)); !errors.Is(err, codec.ErrCorrupt) {
		t.Errorf("followed by garbage: %v", err)
	}
}

// TestSuite decodes files from the test suite of XZ Utils (tests/files, in the public domain),
// whose README describes each.
func TestSuite(t *testing.T) {
	type want struct {
		n   int
		crc uint32
	}
	good := map[string]want{
		"good-0catpad-empty":    {},
		"good-1-3delta-lzma2":   {457, 0xdb4847fb},
		"good-1-block_header-1": {13, 0x15a2a343},
		"good-1-check-crc64":    {13, 0x15a2a343},
		"good-1-check-sha256":   {13, 0x15a2a343},
		"good-1-lzma2-4":        {457, 0xdb4847fb},
		"good-1-lzma2-5":        {},
		"good-1-sparc-lzma2":    {1240, 0xcc270da1},
		"good-1-x86-lzma2":      {1388, 0xa3679091},
		"good-2-lzma2":          {13, 0x15a2a343},
	}
	kinds := map[string]error{
		"bad-0-empty-truncated":      codec.ErrTruncated,
		"bad-1-check-crc64":          codec.ErrChecksum,
		"bad-1-check-sha256":         codec.ErrChecksum,
		"bad-2-index-4":              codec.ErrChecksum,
		"unsupported-check":          nil,
		"unsupported-filter_flags-2": nil,
	}
	files, err := filepath.Glob("testdata/*.xz")
	if err != nil || len(files) < 20 {
		t.Fatal("no files", err)
	}
	c := newCodec(t, `{"format":0}`)
	for _, f := range files {
		src := must.Get(os.ReadFile(f))(t)
		name := strings.TrimSuffix(filepath.Base(f), ".xz")
		got, err := decode(c, codec.Size{N: 1 << 20}, src)
		if w, ok := good[name]; ok {
			if err != nil || len(got) != w.n || crc32.ChecksumIEEE(got) != w.crc {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
			continue
		}
		kind, listed := kinds[name]
		if !listed {
			kind = codec.ErrCorrupt
		}
		var unsupported *codec.UnsupportedError
		if kind == nil && !errors.As(err, &unsupported) || kind != nil && !errors.Is(err, kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPython decodes streams of 64 integers that Python's lzma module wrote.
func TestPython(t *testing.T) {
	var data []byte
	for i := range 64 {
		data = binary.LittleEndian.AppendUint32(data, uint32(i*i%97-i))
	}
	for _, test := range []struct{ config, src string }{
		{`{"id":"lzma","format":2,"check":-1,"preset":1,"filters":null}`, "XQAAEAD//////////wAAan7WH0EJ66i6eL0LmfSKRGM8eBQKRy0cjJpd6kasKyuhh5ckx/ORQ/KWPbvyd2WsXHpU9do2l/axuQ6bTB6F+nlWFe3qyIR0hN7MGVBCaHnB+64en+GXW38TtkA58ISpnGyJVBd/ARmNFaMXB8H4hov6M+LNqNsiVJ3zOKvUPPxuw7+407rIXLOZOf/+oJgA"},
		{`{"format":0}`, "GwAAgAD//////////wAAayruASkEx4wNpkVmNmrbDmmkrQu8isb/noBLa6DZqRsSwLboH2EJkYUThY7kyay9IxbwE6DI99znJu2evMFZYdoF9dsdH3c/bOtzq3fyL0G8HTlnQ6qNxANEfGIzDU+OlfGkOytpjAh86MMf1sCMJEsqmlf+2MEA"},
		{rawLZMA1, "AABqfvcJi8wettmMnOVvxmYY7I/pqluJoM/ARwiPqwECqNtP8FeYpGChYvK7sXNnOZniRWlm1fX5RzxrzzUII46L8uVk1HbiW/rn/Dwt5tz+ujwoEPgVE+/qt77c3osKd3944+YDamoGFB63AubXPSYLG0xV//3bEAA="},
		{`{"format":3,"filters":[{"id":4611686018427387905,"lc":1,"lp":2,"pb":4,"dict_size":65536}]}`, "AABqfvcJi8wxYeuaFBuvUa0vRgtVdeaQeycO0DdV4/mCKZhfOEmQB11WyfTjjLHZjl/ScXWS1ii4ii1o1NBWqbvL2OW/7oStyXeQOSv5FZI1peiV25UlXKJmyiERdjO9kNV3KAzhlYZy+wJqE1ON4Pw1z1AfsDa8GM3naFbXpf/8PbAA"},
		{`{"format":3,"filters":[{"id":3,"dist":4},{"id":33,"preset":1}]}`, "4AD/AJFdAABqftYfQNi/+FEUo4reiqO4SIEs21n4cbY255wn+ZhORdOOQQQgH+QjswA0TkMm4yd6BKduGbnp9dHnVJWche29SSKkzzQDQfjTkYA4SV5SerkBI+AR+B6266ysu955KMMFSnCPZU+anZmQugiSGsxlJJZozx2LFI4CNBPoWvf31+1J4cbf1/OdLeb7JEznTmgA"},
		{`{"format":3,"filters":[{"id":7},{"id":3,"dist":4},{"id":3},{"id":4611686018427387905,"preset":1}]}`, "AABqfvXPBjUbGcFiMY9D380sSVIOOLNTupFK/0q3ErrArcmhV1FATKeqb8oo84DH8tEhA+DAckxjpKmWLXuOUGdYLtxWXSRZYV9zRUcdAZdM0Ble05hiDl3UGXUg2bjjwRDu9Jx2pRsUyMvQbn+8g0EuoK2s4X0m8rsCvxwrW22/2Lz7t+fGT33s2rcAgOWnCbFuk6HQqkWZMiv///GUkAA="},
	} {
		src := must.Get(base64.StdEncoding.DecodeString(test.src))(t)
		if got, err := decode(newCodec(t, test.config), codectest.Exact(len(data)), src); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %v", test.config, err)
		}
	}
}

// TestFilters compares with the CRC-32 of the output of liblzma's filters for the same bytes.
func TestFilters(t *testing.T) {
	opcodes := []byte{0xe8, 0xe9, 0x00, 0xff, 0xeb, 0xf0, 0xf8, 0x40, 0x7f, 0x48, 0x01, 0x94, 0x90, 0x97, 0x17, 0xef, 0x10, 0x11, 0x05, 0xb0, 0x13, 0x53, 0x73, 0x93}
	data := make([]byte, 100_003)
	x := uint32(1)
	for i := range data {
		x = x*1664525 + 1013904223
		data[i] = byte(x >> 24)
		if h := x >> 16; h&3 != 0 {
			data[i] = opcodes[h>>2%uint32(len(opcodes))]
		}
	}
	for _, test := range []struct {
		id  uint64
		arg uint32
		crc uint32
	}{
		{idDelta, 1, 0x5a5072a7}, {idDelta, 4, 0x33971cc0}, {idDelta, 255, 0x15040e9a}, {idDelta, 256, 0x89ccaaf8},
		{idX86, 0, 0x942ebd5f}, {idX86, 0x3039, 0xde3fc60d}, {idX86, 0xfffffff0, 0xd006d5eb},
		{idPowerPC, 0, 0xb2cace78}, {idPowerPC, 0xc0e4, 0x973e7b43}, {idPowerPC, 0xfffffff0, 0x72951d7c},
		{idIA64, 0, 0x494c4655}, {idIA64, 0x30390, 0x1aa3754f}, {idIA64, 0xfffffff0, 0x338ce148},
		{idARM, 0, 0x0ea4905f}, {idARM, 0xc0e4, 0xade3e5c7}, {idARM, 0xfffffff0, 0x8bc52d7d},
		{idARMThumb, 0, 0x4f73b0f7}, {idARMThumb, 0x6072, 0x209cae0b}, {idARMThumb, 0xfffffff0, 0x74ecfb1a},
		{idSPARC, 0, 0x8622acf4}, {idSPARC, 0xc0e4, 0xb1cde227}, {idSPARC, 0xfffffff0, 0x6f10023b},
		{idARM64, 0, 0x9bbb9a06}, {idARM64, 0xc0e4, 0xcd2f8734}, {idARM64, 0xfffffff0, 0x1258c907},
		{idRISCV, 0, 0xc152b846}, {idRISCV, 24690, 0xec72e41e}, {idRISCV, 0xfffffff0, 0xbe390aa2},
	} {
		var ch chain
		if !ch.add(test.id, test.arg) {
			t.Errorf("filter %d refuses %#x", test.id, test.arg)
			continue
		}
		got := bytes.Clone(data)
		ch.filters[0].undo(got, test.arg)
		if crc := crc32.ChecksumIEEE(got); crc != test.crc {
			t.Errorf("filter %d, %#x: %08x, want %08x", test.id, test.arg, crc, test.crc)
		}
		for n := range 20 {
			ch.filters[0].undo(got[:n:n], test.arg)
		}
	}
}

func TestConfig(t *testing.T) {
	var wrong *codec.ConfigError
	var unsupported *codec.UnsupportedError
	for _, test := range []struct {
		config string
		target any
	}{
		{`{"format":4}`, &wrong},
		{`{"format":"xz"}`, &wrong},
		{`{"format":3}`, &wrong},
		{`{"format":3,"filters":null}`, &wrong},
		{`{"format":3,"filters":[]}`, &wrong},
		{`{"format":3,"filters":[{"id":3}]}`, &wrong},
		{`{"format":3,"filters":[{"id":33},{"id":33}]}`, &wrong},
		{`{"format":3,"filters":[{"id":33},{"id":3}]}`, &wrong},
		{`{"format":3,"filters":[{"id":3},{"id":3},{"id":3},{"id":3},{"id":33}]}`, &wrong},
		{`{"format":3,"filters":[{"id":3,"dist":0},{"id":33}]}`, &wrong},
		{`{"format":3,"filters":[{"id":3,"dist":257},{"id":33}]}`, &wrong},
		{`{"format":3,"filters":[{"id":5,"start_offset":2},{"id":33}]}`, &wrong},
		{`{"format":3,"filters":[{"id":4,"start_offset":4294967296},{"id":33}]}`, &wrong},
		{`{"format":3,"filters":[{"id":4611686018427387905,"lc":5}]}`, &wrong},
		{`{"format":3,"filters":[{"id":4611686018427387905,"lc":3,"lp":2}]}`, &wrong},
		{`{"format":3,"filters":[{"id":4611686018427387905,"pb":-1}]}`, &wrong},
		{`{"format":3,"filters":[{"dist":1},{"id":33}]}`, &wrong},
		{`{"format":3,"filters":[{"id":12},{"id":33}]}`, &unsupported},
	} {
		v := codectest.JSON(t, test.config)
		if _, err := Codec().New(v, codec.Build{}); !errors.As(err, test.target) {
			t.Errorf("%s: %v", test.config, err)
		}
	}
	// Only raw streams need the filters; version 1 has a number for the whole of it.
	for _, config := range []string{`{}`, `null`, `6`, `{"format":1,"filters":[{"id":99}]}`, `{"format":2,"filters":[]}`} {
		newCodec(t, config)
	}
}

func TestHeaders(t *testing.T) {
	alone := aloneOf(t, []byte("abc"), ref.WriterConfig{})
	var unsupported *codec.UnsupportedError
	for _, test := range []struct {
		name   string
		change func([]byte)
		ok     func(error) bool
	}{
		{"properties", func(b []byte) { b[0] = 225 }, func(err error) bool { return errors.Is(err, codec.ErrCorrupt) }},
		{"lc of 8", func(b []byte) { b[0] = 8 }, func(err error) bool { return errors.As(err, &unsupported) }},
		{"huge size", func(b []byte) { b[12] = 0x7f }, func(err error) bool { return errors.Is(err, codec.ErrCorrupt) }},
		{"huge dictionary", func(b []byte) { b[4] = 0xff }, func(err error) bool { return err == nil }},
		{"first byte", func(b []byte) { b[13] = 1 }, func(err error) bool { return errors.Is(err, codec.ErrCorrupt) }},
		{"lzip", func(b []byte) { copy(b, "LZIP") }, func(err error) bool { return errors.As(err, &unsupported) }},
	} {
		src := bytes.Clone(alone)
		test.change(src)
		if _, err := decode(newCodec(t, `{"format":0}`), codectest.Exact(3), src); !test.ok(err) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestBombStops decodes zeros in a chunk that is much smaller.
func TestBombStops(t *testing.T) {
	zeros := make([]byte, 16<<20)
	bomb := xzOf(t, zeros, xz.WriterConfig{})
	alone := aloneOf(t, zeros, ref.WriterConfig{})
	for _, src := range [][]byte{bomb, alone} {
		for _, size := range []codec.Size{codectest.Exact(1000), {N: 1000}} {
			if _, err := decode(newCodec(t, `{"format":0}`), size, src); !errors.Is(err, codec.ErrCorrupt) {
				t.Error(err)
			}
		}
		env := codec.NewEnv(context.Background(), codec.Limits{ChunkBytes: 1 << 20})
		var limit *codec.LimitError
		if _, err := newCodec(t, `{"format":0}`).Decode(env, codec.Output{Size: codec.Size{N: 1 << 40}}, src); !errors.As(err, &limit) {
			t.Errorf("limit: %v", err)
		}
	}
}

func TestSHA256(t *testing.T) {
	data := samples()["random"]
	for _, n := range []int{0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 10_000} {
		if want := stdsha.Sum256(data[:n]); !bytes.Equal(sha256(data[:n]), want[:]) {
			t.Errorf("%d bytes", n)
		}
	}
}

// FuzzDecode compares with ulikunitz/xz: what both can decode is the same.
func FuzzDecode(f *testing.F) {
	for _, data := range samples() {
		data = data[:min(len(data), 700)]
		f.Add(xzOf(f, data, xz.WriterConfig{NoCheckSum: true}), 1, len(data))
		f.Add(aloneOf(f, data, ref.WriterConfig{}), 2, len(data))
		f.Add(lzma2Of(f, data, ref.Writer2Config{}), 3, len(data))
		f.Add(aloneOf(f, data, ref.WriterConfig{EOSMarker: true})[13:], 4, len(data))
	}
	files, _ := filepath.Glob("testdata/*.xz")
	for _, name := range files {
		src := must.Get(os.ReadFile(name))(f)
		f.Add(src, 0, 457)
	}
	configs := []string{`{"format":0}`, `{"format":1}`, `{"format":2}`, rawLZMA2, rawLZMA1}
	for id := 3; id <= 11; id++ { // delta, and the filters of machine code
		configs = append(configs, `{"format":3,"filters":[{"id":`+strconv.Itoa(id)+`},{"id":33,"preset":1}]}`)
		code := bytes.Repeat([]byte{0xe8, 0x12, 0x48, 0x00, 0x01, 0xeb, 0x97, 0x40, 0x00, 0xf0, 0x00, 0xf8, 0x17, 0x01, 0xef, 0xff}, 40)
		f.Add(lzma2Of(f, code, ref.Writer2Config{}), len(configs)-1, len(code))
	}
	f.Fuzz(func(t *testing.T, src []byte, which, n int) {
		which = which & 0xff % len(configs)
		n &= 1<<16 - 1
		c := newCodec(t, configs[which])
		got, err := codectest.Guarded(t, c, n, src)
		loose, looseErr := decode(c, codec.Size{N: int64(n)}, src)
		if err == nil && (looseErr != nil || !bytes.Equal(got, loose)) {
			t.Fatalf("%d bytes; not exact: %d, %v", len(got), len(loose), looseErr)
		}
		if err != nil {
			return
		}
		want := make([]byte, n+1)
		k, refErr := refDecode(which, want, src)
		if refErr == nil && len(got) > k && configs[which] == rawLZMA2 {
			// Python reads on after the end of a raw stream, ulikunitz/xz does not.
			got = got[:k]
		}
		if refErr == nil && !bytes.Equal(want[:k], got) {
			t.Fatalf("%d bytes; ulikunitz/xz: %d", len(got), k)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"walk", "text"} {
		data := bytes.Repeat(samples()[name], 4)
		src := xzOf(b, data, xz.WriterConfig{NoCheckSum: true})
		buf := make([]byte, len(data))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			c := newCodec(b, `{}`)
			env := codec.NewEnv(context.Background(), codec.Limits{})
			for b.Loop() {
				if _, err := c.Decode(env, codec.Output{Buf: buf[:0], Size: codectest.Exact(len(data))}, src); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/ulikunitz", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if n, err := refDecode(1, buf, src); err != nil || n != len(buf) {
					b.Fatal(n, err)
				}
			}
		})
	}
}
