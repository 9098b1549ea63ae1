package imagecodecs

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

func make1(id, config string) (codec.BytesToBytes, error) {
	v, err := json.Parse([]byte(config), json.Limits{})
	if err != nil {
		return nil, err
	}
	for _, e := range Codecs() {
		if e.IDs[0] == id {
			c, err := e.New(v, codec.Build{Format: 2})
			if err != nil {
				return nil, err
			}
			return c.(codec.BytesToBytes), nil
		}
	}
	return nil, errors.New("no codec " + id)
}

func run(t testing.TB, id, config string, size codec.Size, src string) ([]byte, error) {
	t.Helper()
	c, err := make1(id, config)
	if err != nil {
		t.Fatalf("%s %s: %v", id, config, err)
	}
	limits := codec.Limits{ChunkBytes: 1 << 20}
	return c.Decode(codec.NewEnv(context.Background(), limits), codec.Output{Size: size}, []byte(src))
}

// pack writes codes as TIFF's LZW has them, all of one width.
func pack(width int, codes ...int) string {
	var out []byte
	bits, have := 0, 0
	for _, c := range codes {
		bits = bits<<width | c
		for have += width; have >= 8; have -= 8 {
			out = append(out, byte(bits>>(have-8)))
		}
		bits &= 1<<have - 1
	}
	if have > 0 {
		out = append(out, byte(bits<<(8-have)))
	}
	return string(out)
}

// lzwOf is the compressor of TIFF 6.0, section 13. It clears its table before
// code limit is added; 4094 is the standard's.
func lzwOf(data []byte, limit int) string {
	var out []byte
	bits, have := uint64(0), 0
	width, next := 9, 258
	table := map[string]int{}
	write := func(code int) {
		bits = bits<<width | uint64(code)
		for have += width; have >= 8; have -= 8 {
			out = append(out, byte(bits>>(have-8)))
		}
		bits &= 1<<have - 1
	}
	codeOf := func(s string) int {
		if len(s) == 1 {
			return int(s[0])
		}
		return table[s]
	}
	write(lzwClear)
	omega := ""
	for _, k := range data {
		s := omega + string([]byte{k})
		if _, ok := table[s]; ok || len(s) == 1 {
			omega = s
			continue
		}
		write(codeOf(omega))
		table[s] = next
		switch next {
		case 511, 1023, 2047: // as soon as this entry is added
			width++
		}
		next++
		if next > limit {
			write(lzwClear)
			clear(table)
			width, next = 9, 258
		}
		omega = string([]byte{k})
	}
	if omega != "" {
		write(codeOf(omega))
		// The decoder adds an entry for this code as well.
		switch next {
		case 511, 1023, 2047:
			width++
		}
	}
	write(lzwEnd)
	if have > 0 {
		out = append(out, byte(bits<<(8-have)))
	}
	return string(out)
}

func samples() [][]byte {
	r := rand.New(rand.NewSource(1))
	random := make([]byte, 20_000)
	r.Read(random)
	ramp := make([]byte, 60_000)
	for i := range ramp {
		ramp[i] = byte(i / 7 * (i & 3))
	}
	all := [][]byte{{1}, {1, 1}, {1, 1, 1}, random, ramp, make([]byte, 100_000), bytes.Repeat([]byte("abc"), 9000)}
	for n := 240; n < 270; n++ { // around the first change of width
		all = append(all, random[:n])
	}
	return all
}

func TestLZW(t *testing.T) {
	// The example of TIFF 6.0: 7 7 7 8 8 7 7 6 6.
	src := pack(9, 256, 7, 258, 8, 8, 258, 6, 6, 257)
	if got, err := run(t, "imagecodecs_lzw", `{}`, codectest.Exact(9), src); string(got) != "\x07\x07\x07\x08\x08\x07\x07\x06\x06" {
		t.Errorf("the standard's example: % x, %v", got, err)
	}
	for i, data := range samples() {
		for _, limit := range []int{4093, 4094, 300} {
			src := lzwOf(data, limit)
			for _, size := range []codec.Size{codectest.Exact(len(data)), {N: int64(len(data))}, {N: 1 << 40}} {
				if got, err := run(t, "imagecodecs_lzw", `{}`, size, src); err != nil || !bytes.Equal(got, data) {
					t.Fatalf("sample %d, limit %d, %v: %d bytes, %v", i, limit, size, len(got), err)
				}
			}
			if _, err := run(t, "imagecodecs_lzw", `{}`, codectest.Exact(len(data)-1), src); !errors.Is(err, codec.ErrCorrupt) {
				t.Errorf("sample %d for a smaller chunk: %v", i, err)
			}
			for _, n := range []int{1, len(src) / 2, len(src) - 2} {
				got, err := run(t, "imagecodecs_lzw", `{}`, codectest.Exact(len(data)), src[:n])
				// Whether the codes end in their last byte or before it: only the end code may be
				// missing.
				if !errors.Is(err, codec.ErrTruncated) && !(err == nil && n == len(src)-2 && bytes.Equal(got, data)) {
					t.Errorf("sample %d cut to %d of %d: %v", i, n, len(src), err)
				}
			}
		}
	}
}

func TestLZWErrors(t *testing.T) {
	for _, test := range []struct {
		name, src string
		n         int
		err       error
	}{
		{"one byte", "\x80", 1, codec.ErrTruncated},
		{"nothing", "", 1, codec.ErrTruncated},
		{"no clear code", pack(9, 7, 257), 1, codec.ErrCorrupt},
		{"a string right after a clear", pack(9, 256, 258, 257), 1, codec.ErrCorrupt},
		{"a string right after a second clear", pack(9, 256, 7, 7, 256, 258, 257), 3, codec.ErrCorrupt},
		{"a string that is not there yet", pack(9, 256, 7, 259, 257), 3, codec.ErrCorrupt},
		{"less than the chunk", pack(9, 256, 7, 257), 2, codec.ErrTruncated},
		{"more than the chunk", pack(9, 256, 7, 7, 257), 1, codec.ErrCorrupt},
		{"an end at once", pack(9, 256, 257), 1, codec.ErrTruncated},
	} {
		if got, err := run(t, "imagecodecs_lzw", `{}`, codectest.Exact(test.n), test.src); !errors.Is(err, test.err) {
			t.Errorf("%s: % x, %v, want %v", test.name, got, err, test.err)
		}
	}
	if _, err := run(t, "imagecodecs_lzw", `{}`, codec.Size{N: 9}, pack(9, 256, 7)); !errors.Is(err, codec.ErrTruncated) {
		t.Errorf("no end, and no size that says so: %v", err)
	}
	if got, err := run(t, "imagecodecs_lzw", `{}`, codectest.Exact(2), pack(9, 256, 256, 7, 7)); string(got) != "\x07\x07" {
		t.Errorf("two clears and no end: % x %v", got, err)
	}
	var feature *codec.UnsupportedError
	if _, err := run(t, "imagecodecs_lzw", `{}`, codectest.Exact(1), "\x00\x0f\x02\x02"); !errors.As(err, &feature) {
		t.Errorf("lowest bit first: %v", err)
	}
	var limit *codec.LimitError
	if _, err := run(t, "imagecodecs_lzw", `{}`, codec.Size{N: 1 << 40}, lzwOf(make([]byte, 1<<20+1), 4094)); !errors.As(err, &limit) {
		t.Errorf("over the limit: %v", err)
	}
}

func TestPackbits(t *testing.T) {
	// The example of Apple's technical note 1023.
	src := "\xfe\xaa\x02\x80\x00\x2a\xfd\xaa\x03\x80\x00\x2a\x22\xf7\xaa"
	want := strings.Repeat("\xaa", 3) + "\x80\x00\x2a" + strings.Repeat("\xaa", 4) + "\x80\x00\x2a\x22" + strings.Repeat("\xaa", 10)
	for _, c := range []struct {
		src, want string
	}{
		{src, want},
		{"\x80" + src + "\x80", want}, // 128 stands for nothing
		{"", ""},
		{"\x00a", "a"},
		{"\x7f" + strings.Repeat("ab", 64), strings.Repeat("ab", 64)},
		{strings.Repeat("\x81a", 300), strings.Repeat("a", 128*300)},
		{strings.Repeat("\xffa", 3), "aaaaaa"},
	} {
		for _, size := range []codec.Size{codectest.Exact(len(c.want)), {N: int64(len(c.want))}, {N: 1 << 40}} {
			if got, err := run(t, "imagecodecs_packbits", `{"axis":null}`, size, c.src); err != nil || string(got) != c.want {
				t.Errorf("%.20q, %v: %d bytes, %v", c.src, size, len(got), err)
			}
		}
	}
	for _, test := range []struct {
		src string
		n   int
		err error
	}{
		{"\x02ab", 3, codec.ErrTruncated},
		{"\xfe", 3, codec.ErrTruncated},
		{"\xfea", 4, codec.ErrTruncated},
		{"\xfea", 2, codec.ErrCorrupt},
		{"\x02abc", 2, codec.ErrCorrupt},
	} {
		if _, err := run(t, "imagecodecs_packbits", `{}`, codectest.Exact(test.n), test.src); !errors.Is(err, test.err) {
			t.Errorf("%q: %v, want %v", test.src, err, test.err)
		}
	}
	var limit *codec.LimitError
	if _, err := run(t, "imagecodecs_packbits", `{}`, codec.Size{N: 1 << 40}, strings.Repeat("\x81a", 1<<13+1)); !errors.As(err, &limit) {
		t.Errorf("over the limit: %v", err)
	}
}

func TestLZF(t *testing.T) {
	for _, c := range []struct{ config, src, want string }{
		{`{"header":false}`, "\x02abc", "abc"},
		{`{"header":false}`, "\x00a\x20\x00", "aaaa"},
		{`{"header":false}`, "\x01ab\xe0\x05\x01\x00c", "abababababababab" + "c"},
		{`{"header":false}`, "\x02abc\x40\x02", "abcabca"},
		{`{"header":true}`, "\x04\x00\x00\x00\x00a\x20\x00", "aaaa"},
		{`{}`, "\x03\x00\x00\x00\x02abc", "abc"},
	} {
		for _, size := range []codec.Size{codectest.Exact(len(c.want)), {N: 1 << 10}} {
			if got, err := run(t, "imagecodecs_lzf", c.config, size, c.src); err != nil || string(got) != c.want {
				t.Errorf("%s %q: %q, %v", c.config, c.src, got, err)
			}
		}
		for i := range c.src {
			if _, err := run(t, "imagecodecs_lzf", c.config, codectest.Exact(len(c.want)), c.src[:i]); !errors.Is(err, codec.ErrTruncated) {
				t.Errorf("%s %q: %v", c.config, c.src[:i], err)
			}
		}
	}
	for _, src := range []string{"\x00a\x20\x01", "\x20\x00", "\x00a\xe0\x20\x00"} {
		if _, err := run(t, "imagecodecs_lzf", `{"header":false}`, codectest.Exact(4), src); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("%q: %v", src, err)
		}
	}
	var config *codec.ConfigError
	if _, err := make1("imagecodecs_lzf", `{"header":1}`); !errors.As(err, &config) {
		t.Error(err)
	}
}

// le writes numbers of a width, little-endian.
func le(width int, numbers ...int) string {
	var out []byte
	for _, n := range numbers {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], uint64(n))
		out = append(out, b[:width]...)
	}
	return string(out)
}

func TestPredictors(t *testing.T) {
	for _, test := range []struct{ id, config, src, want string }{
		{"delta", `{"shape":[2,3],"dtype":"|u1","axis":-1,"dist":1}`, le(1, 1, 2, 3, 250, 10, 1), le(1, 1, 3, 6, 250, 4, 5)},
		{"delta", `{"shape":[2,3],"dtype":"<i2"}`, le(2, 1, -2, 3, 32767, 1, 1), le(2, 1, -1, 2, 32767, -32768, -32767)},
		{"delta", `{"shape":[2,3],"dtype":"<u4","axis":1}`, le(4, 1, 2, 3, -1, 2, 3), le(4, 1, 3, 6, -1, 1, 4)},
		{"delta", `{"shape":[2,3],"dtype":"<i4","axis":0}`, le(4, 1, 2, 3, 4, 5, 6), le(4, 1, 2, 3, 5, 7, 9)},
		{"delta", `{"shape":[2,3],"dtype":"<i8","axis":-2}`, le(8, 1, 2, 3, 4, 5, 6), le(8, 1, 2, 3, 5, 7, 9)},
		{"delta", `{"shape":[2,2,2],"dtype":"<i2","axis":1}`, le(2, 1, 2, 3, 4, 5, 6, 7, 8), le(2, 1, 2, 4, 6, 5, 6, 12, 14)},
		{"delta", `{"shape":[0,3],"dtype":"<i2","axis":0}`, "", ""},
		{"delta", `{"shape":[3,0],"dtype":"<i2","axis":0}`, "", ""},
		{"xor", `{"shape":[2,3],"dtype":"<u2","axis":-1}`, le(2, 0x101, 2, 0x303, 1, 1, 1), le(2, 0x101, 0x103, 0x200, 1, 0, 1)},
		{"xor", `{"shape":[2,3],"dtype":">u2"}`, le(2, 0x101, 2, 0x303, 1, 1, 1), le(2, 0x101, 0x103, 0x200, 1, 0, 1)},
		{"xor", `{"shape":[2,2],"dtype":"<f4","axis":0}`, le(4, 1, 2, 3, 4), le(4, 1, 2, 2, 6)},
		{"xor", `{"shape":[3],"dtype":"<f8"}`, le(8, 1, 2, 3), le(8, 1, 3, 0)},
		// Two numbers of four bytes: 0x01020304 and 0x11223344.
		{"floatpred", `{"shape":[1,2],"dtype":">f4"}`, "\x01\x10\xf1\x20\xe1\x30\xd1\x40", "\x01\x02\x03\x04\x11\x22\x33\x44"},
		{"floatpred", `{"shape":[1,2],"dtype":"<f4"}`, "\x01\x10\xf1\x20\xe1\x30\xd1\x40", "\x04\x03\x02\x01\x44\x33\x22\x11"},
		{"floatpred", `{"shape":[2,2],"dtype":">f2","axis":-1,"dist":1}`, "\x01\x01\x01\x01\x07\xff\x01\x01", "\x01\x03\x02\x04\x07\x07\x06\x08"},
		// One pixel of two samples, then two of them.
		{"floatpred", `{"shape":[1,1,2],"dtype":">f2","axis":-2}`, "\x01\x02\x03\x04", "\x01\x04\x02\x06"},
		{"floatpred", `{"shape":[1,2,2],"dtype":">f2","axis":-2}`, "\x01\x02\x01\x02\x01\x02\x01\x02", "\x01\x03\x02\x06\x02\x04\x04\x08"},
		{"floatpred", `{"shape":[0,2],"dtype":">f2"}`, "", ""},
	} {
		got, err := run(t, "imagecodecs_"+test.id, test.config, codectest.Exact(len(test.want)), test.src)
		if err != nil || string(got) != test.want {
			t.Errorf("%s %s: % x, %v, want % x", test.id, test.config, got, err, test.want)
		}
		for n, want := range map[int]error{len(test.src) - 1: codec.ErrTruncated, len(test.src) + 1: codec.ErrCorrupt} {
			if n < 0 {
				continue
			}
			src := (test.src + "x")[:n]
			if _, err := run(t, "imagecodecs_"+test.id, test.config, codec.Size{N: 1000}, src); !errors.Is(err, want) {
				t.Errorf("%s %s of %d bytes: %v", test.id, test.config, n, err)
			}
		}
	}
	if _, err := run(t, "imagecodecs_xor", `{"shape":[3],"dtype":"<f8"}`, codec.Size{N: 8}, le(8, 1, 2, 3)); !errors.Is(err, codec.ErrCorrupt) {
		t.Errorf("more than the chunk: %v", err)
	}
}

func TestConfigurations(t *testing.T) {
	var config *codec.ConfigError
	for _, test := range []struct{ id, config string }{
		{"delta", `{}`},
		{"delta", `{"shape":null,"dtype":null,"axis":-1,"dist":1}`},
		{"delta", `{"dtype":"<i4"}`},
		{"xor", `{"shape":[3]}`},
		{"xor", `{"shape":[],"dtype":"<i4"}`},
		{"xor", `{"shape":[3],"dtype":"<i4","axis":1}`},
		{"xor", `{"shape":[3],"dtype":"<i4","axis":-2}`},
		{"xor", `{"shape":[3],"dtype":"<i4","axis":"x"}`},
		{"xor", `{"shape":[-3],"dtype":"<i4"}`},
		{"xor", `{"shape":["3"],"dtype":"<i4"}`},
		{"xor", `{"shape":[3],"dtype":"|b1"}`},
		{"xor", `{"shape":[3],"dtype":"<c8"}`},
		{"xor", `{"shape":[3],"dtype":"|O"}`},
		{"xor", `{"shape":[3],"dtype":"?!"}`},
		{"xor", `{"shape":[3],"dtype":[["a","<i4"]]}`},
		{"xor", `{"shape":[4294967296,4294967296],"dtype":"<i4"}`},
		{"xor", `{"shape":[9223372036854775807],"dtype":"<i4"}`},
		{"xor", `{"shape":[1e400],"dtype":"<i4"}`},
	} {
		if _, err := make1("imagecodecs_"+test.id, test.config); !errors.As(err, &config) {
			t.Errorf("%s %s: %v", test.id, test.config, err)
		}
	}
	var feature *codec.UnsupportedError
	for _, c := range []string{
		`{"shape":[3],"dtype":"<f4"}`, `{"shape":[3],"dtype":">i4"}`, `{"shape":[3],"dtype":"<i4","dist":2}`,
	} {
		if _, err := make1("imagecodecs_delta", c); !errors.As(err, &feature) {
			t.Errorf("delta %s: %v", c, err)
		}
	}
	for _, c := range []string{`{"shape":[3],"dtype":"<i4"}`, `{"shape":[3],"dtype":"<f4","dist":2}`} {
		if _, err := make1("imagecodecs_floatpred", c); !errors.As(err, &feature) {
			t.Errorf("floatpred %s: %v", c, err)
		}
	}
}

func TestBuffer(t *testing.T) {
	data := bytes.Repeat([]byte("some bytes of a chunk"), 100)
	buf := make([]byte, 0, len(data))
	c := must.Get(make1("imagecodecs_lzw", `{}`))(t)
	got, err := c.Decode(codec.NewEnv(context.Background(), codec.Limits{}), codec.Output{Buf: buf, Size: codectest.Exact(len(data))}, []byte(lzwOf(data, 4094)))
	if err != nil || !bytes.Equal(got, data) || &got[0] != &buf[:1][0] {
		t.Errorf("not decoded where it belongs: %v", err)
	}
}

// FuzzCompressors decodes anything: an error or no more than allowed, and the
// same whether the size is known before or not.
func FuzzCompressors(f *testing.F) {
	f.Add([]byte(lzwOf(samples()[4][:3000], 4094)), 3000, true)
	f.Add([]byte(lzwOf(make([]byte, 5000), 4094)), 5000, true)
	f.Add([]byte(pack(9, 256, 7, 258, 8, 8, 258, 6, 6, 257)), 9, true)
	f.Add([]byte("\xfe\xaa\x02\x80\x00\x2a\xfd\xaa"), 10, false)
	f.Add([]byte("\x01ab\xe0\x05\x01\x00c"), 1<<16+17, false)
	f.Fuzz(func(t *testing.T, src []byte, n int, strings bool) {
		c := compressor(packbits)
		if n>>16&1 != 0 {
			c = lzf
		}
		if n &= 1<<16 - 1; strings {
			c = lzw
		}
		got, err := codectest.Guarded(t, c, n, src)
		env := codec.NewEnv(context.Background(), codec.Limits{ChunkBytes: 1 << 20})
		other, otherErr := c.Decode(env, codec.Output{Size: codec.Size{N: 1 << 30}}, src)
		if otherErr == nil && len(other) == n && (err != nil || !bytes.Equal(got, other)) {
			t.Fatalf("not the same where the size is known: %v", err)
		}
		if err == nil && otherErr != nil && !errors.Is(otherErr, codec.ErrTruncated) {
			t.Fatalf("where the size is not known: %v", otherErr)
		}
	})
}

// FuzzPredictors undoes what it did itself, for any shape.
func FuzzPredictors(f *testing.F) {
	f.Add([]byte("abcdefghijklmnopqrstuvwx"), uint8(2), uint8(3), uint8(1), false)
	f.Add([]byte("abcdefghijklmnopqrstuvwx"), uint8(1), uint8(4), uint8(0), true)
	f.Fuzz(func(t *testing.T, data []byte, log, columns, axis uint8, xor bool) {
		width := 1 << (log & 3)
		cols := int(columns)%5 + 1
		rows := len(data) / (cols * width)
		data = data[:rows*cols*width]
		axis &= 1
		p := predictor{bytes: int64(len(data)), line: cols * width, step: width, width: width}
		if axis == 0 {
			p.line, p.step = len(data), cols*width
		}
		if xor {
			p.width = 0
		}
		read := func(i int) uint64 {
			var b [8]byte
			copy(b[:], data[i*width:(i+1)*width])
			return binary.LittleEndian.Uint64(b[:])
		}
		var src []byte
		for r := range rows {
			for c := range cols {
				v, before := read(r*cols+c), uint64(0)
				switch {
				case axis == 1 && c > 0:
					before = read(r*cols + c - 1)
				case axis == 0 && r > 0:
					before = read((r-1)*cols + c)
				}
				d := v - before
				if xor {
					d = v ^ before
				}
				src = append(src, binary.LittleEndian.AppendUint64(nil, d)[:width]...)
			}
		}
		got, err := p.Decode(codec.NewEnv(context.Background(), codec.Limits{}), codec.Output{Size: codectest.Exact(len(data))}, src)
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%d x %d of %d, axis %d: %v", rows, cols, width, axis, err)
		}
	})
}

// FuzzFloatpred undoes what it did itself, for any shape.
func FuzzFloatpred(f *testing.F) {
	f.Add([]byte("abcdefghijklmnopqrstuvwx"), uint8(1), uint8(3), uint8(1), false)
	f.Add([]byte("abcdefghijklmnopqrstuvwx"), uint8(2), uint8(1), uint8(2), true)
	f.Fuzz(func(t *testing.T, data []byte, log, columns, samples uint8, big bool) {
		width, n := 1<<(1+log%3), int(samples)%4+1
		line := (int(columns)%5 + 1) * n * width
		data = data[:len(data)/line*line]
		var src []byte
		for at := 0; at < len(data); at += line {
			planes := make([]byte, line)
			for i := range planes {
				element, plane := i%(line/width), i/(line/width)
				if !big {
					plane = width - 1 - plane
				}
				planes[i] = data[at+element*width+plane]
			}
			for i := range planes {
				before := byte(0)
				if i >= n {
					before = planes[i-n]
				}
				src = append(src, planes[i]-before)
			}
		}
		p := floatpred{predictor{bytes: int64(len(data)), line: line, step: n * width, width: width}, big}
		got, err := p.Decode(codec.NewEnv(context.Background(), codec.Limits{}), codec.Output{Size: codectest.Exact(len(data))}, src)
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("lines of %d, %d samples of %d: %v", line, n, width, err)
		}
	})
}
