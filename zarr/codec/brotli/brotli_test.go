package brotli

import (
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"io"
	mathbits "math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	ref "github.com/andybalholm/brotli"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// tested has one pool for all tests, like a program.
var tested = &decoder{}

func decode(size codec.Size, src []byte) ([]byte, error) {
	return codectest.Decode(tested, size, src)
}

func encode(t testing.TB, data []byte, quality, window int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := ref.NewWriterOptions(&b, ref.WriterOptions{Quality: quality, LGWin: window})
	must.Get(w.Write(data))(t)
	must.Do(t, w.Close())
	return b.Bytes()
}

func samples() map[string][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(n, mod int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.IntN(mod))
		}
		return b
	}
	ramp := make([]byte, 40000)
	for i := range ramp {
		ramp[i] = byte(i / 4 >> (8 * (i & 3)))
	}
	mixed := bytes.Join([][]byte{random(5000, 256), bytes.Repeat([]byte("abcdef"), 900), random(9000, 7), ramp[:3000]}, nil)
	const text = "The government of the United States, which is the international community's most " +
		"important information about this website. <a href=\"http://www.example.com/\">Privacy policy</a> "
	var words strings.Builder
	for words.Len() < 30000 {
		for _, w := range strings.Fields(text) {
			if rng.IntN(3) == 0 {
				words.WriteString(w + " ")
			}
		}
	}
	return map[string][]byte{
		"empty":  {},
		"one":    {7},
		"zeros":  make([]byte, 100000),
		"random": random(50000, 256),
		"skewed": random(30000, 5),
		"ramp":   ramp,
		"mixed":  mixed,
		"phrase": []byte(text),
		"text":   []byte(words.String()),
		"utf8":   []byte(strings.Repeat("Größe, 東京, Москва, ελληνικά. ", 40)),
	}
}

// TestTables checks the tables for which the RFC has checksums.
func TestTables(t *testing.T) {
	tested.words.once.Do(tested.words.unpack)
	var lut [3][256]byte
	for b := range 256 {
		lut[0][b], lut[1][b], lut[2][b] = lastClass(b), beforeClass(b), signedClass(b)
	}
	var all []byte
	for _, tr := range transforms {
		all = append(append(append(all, tr.prefix...), 0, tr.change), tr.suffix+"\x00"...)
	}
	for _, c := range []struct {
		name string
		data []byte
		sum  uint32
	}{
		{"dictionary", tested.words.words, 0x5136cb04},
		{"Lut0", lut[0][:], 0x8e91efb7},
		{"Lut1", lut[1][:], 0xd01a32f4},
		{"Lut2", lut[2][:], 0x0dd7a0d6},
		{"transforms", all, 0x3d965f81},
	} {
		if got := crc32.ChecksumIEEE(c.data); got != c.sum {
			t.Errorf("%s: CRC-32 %#08x, not %#08x", c.name, got, c.sum)
		}
	}
	if end := tested.words.first[maxWord] + maxWord<<wordBits[maxWord]; end != dictionarySize {
		t.Errorf("the words have %d bytes", end)
	}
}

func TestDecode(t *testing.T) {
	for name, data := range samples() {
		for quality := range rounds.Each(12) {
			for _, window := range []int{10, 16, 17, 18, 22, 24} {
				if window != 22 && (quality%5 != 0 || len(data) > 40000) {
					continue
				}
				src := encode(t, data, quality, window)
				for _, size := range []codec.Size{codectest.Exact(len(data)), {N: int64(len(data))}, {N: 1 << 40}} {
					got, err := decode(size, src)
					if err != nil || !bytes.Equal(got, data) {
						t.Fatalf("%s at quality %d, window %d (%v): %d bytes, %v", name, quality, window, size, len(got), err)
					}
				}
			}
		}
	}
}

func TestWrongSize(t *testing.T) {
	data := samples()["text"]
	for quality := range 12 {
		src := encode(t, data, quality, 22)
		if _, err := decode(codectest.Exact(len(data)-1), src); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("too many, quality %d: %v", quality, err)
		}
		if _, err := decode(codectest.Exact(len(data)+1), src); !errors.Is(err, codec.ErrTruncated) {
			t.Errorf("too few, quality %d: %v", quality, err)
		}
	}
}

func TestEveryCutIsTruncated(t *testing.T) {
	for name, data := range samples() {
		data = data[:min(len(data), 3000)]
		for _, quality := range []int{0, 1, 5, 11} {
			src := encode(t, data, quality, 22)
			for n := range src {
				if _, err := decode(codectest.Exact(len(data)), src[:n]); !errors.Is(err, codec.ErrTruncated) {
					t.Fatalf("%s at quality %d cut to %d of %d: %v", name, quality, n, len(src), err)
				}
			}
		}
	}
}

// reference decodes with andybalholm/brotli, no more than most bytes.
func reference(src []byte, most int) ([]byte, error) {
	return io.ReadAll(io.LimitReader(ref.NewReader(bytes.NewReader(src)), int64(most)+1))
}

// compare decodes src with both decoders and reports whether it is valid.
func compare(t *testing.T, src []byte) bool {
	t.Helper()
	const most = 1 << 20
	want, wantErr := reference(src, most)
	got, err := decode(codec.Size{N: most}, src)
	switch {
	case len(want) > most:
		// If the length of the meta-block is already too large, its contents do not matter.
		if err == nil {
			t.Fatalf("%x: too many bytes and no error", src)
		}
		return false
	case err == nil && (wantErr != nil || !bytes.Equal(got, want)):
		// The reference rejects bytes after the stream.
		if wantErr != nil && strings.Contains(wantErr.Error(), "excessive") {
			return false
		}
		t.Fatalf("%x: decoded to %d bytes; the reference: %d bytes, %v", src, len(got), len(want), wantErr)
	case err != nil && wantErr == nil:
		t.Fatalf("%x: %v; the reference: %d bytes", src, err, len(want))
	}
	return err == nil
}

func TestFlippedBits(t *testing.T) {
	for name, data := range samples() {
		data = data[:min(len(data), 400)]
		for _, quality := range []int{1, 5, 9, 11} {
			src := encode(t, data, quality, 18)
			for bit := range min(8*len(src), 2000) {
				src[bit/8] ^= 1 << (bit % 8)
				compare(t, src)
				src[bit/8] ^= 1 << (bit % 8)
			}
			if !compare(t, src) {
				t.Errorf("%s: not valid", name)
			}
		}
	}
}

// TestHeaders tries short streams by the bit, as the RFC writes them: lowest first.
func TestHeaders(t *testing.T) {
	const (
		w16     = "0 "
		last    = "1 1 "
		hello5  = "0 00 0010 0000 0000 0000 1 " // not the last, 5 bytes, uncompressed
		padding = "| "
	)
	for _, c := range []struct {
		name, bits, want string
		err              error
	}{
		{"empty", w16 + last, "", nil},
		{"window of 18", "1 100 " + last, "", nil},
		{"window of 17", "1 000 000 " + last, "", nil},
		{"window of 10", "1 000 010 " + last, "", nil},
		{"window of 15", "1 000 111 " + last, "", nil},
		{"reserved window", "1 000 100 1 " + last, "", codec.ErrCorrupt},
		{"uncompressed", w16 + hello5 + padding + "hello " + last, "hello", nil},
		{"uncompressed, padding of ones", w16 + hello5 + "1" + padding + "hello " + last, "", codec.ErrCorrupt},
		{"uncompressed, cut", w16 + hello5 + padding + "hell", "", codec.ErrTruncated},
		{"no end", w16 + hello5 + padding + "hello ", "", codec.ErrTruncated},
		{"what follows the end", w16 + hello5 + padding + "hello " + last + padding + "hello ", "hello", nil},
		{"padding of ones", w16 + last + "1", "", codec.ErrCorrupt},
		{"metadata", w16 + "0 11 0 10 00100000 " + padding + "hello " + last, "", nil},
		{"metadata, reserved bit", w16 + "0 11 1 10 00100000 " + padding + "hello " + last, "", codec.ErrCorrupt},
		{"metadata, length too long", w16 + "0 11 0 01 00100000 00000000 " + padding + "hello " + last, "", codec.ErrCorrupt},
		{"metadata, cut", w16 + "0 11 0 10 00100000 " + padding + "hell", "", codec.ErrTruncated},
		{"metadata, none", w16 + "0 11 0 00 " + padding + last, "", nil},
		{"length with a nibble too many", w16 + "0 10 0010 0000 0000 0000 0000 1 " + padding + "hello " + last, "", codec.ErrCorrupt},
	} {
		src := fromBits(c.bits)
		got, err := decode(codec.Size{N: 10}, src)
		if !errors.Is(err, c.err) || c.err == nil && (err != nil || string(got) != c.want) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	var unsupported *codec.UnsupportedError
	if _, err := decode(codectest.Exact(0), fromBits("1 000 100 0 011110 1 1")); !errors.As(err, &unsupported) {
		t.Errorf("large window: %v", err)
	}
	if _, err := decode(codectest.Exact(0), nil); !errors.Is(err, codec.ErrTruncated) {
		t.Errorf("no bytes: %v", err)
	}
}

// TestCommands tries single commands: a meta-block whose codes all have one symbol.
func TestCommands(t *testing.T) {
	// One type of each kind of blocks, no direct distances; one code each. Numbers are
	// lowest bit first too.
	block := func(size, command, distance int, data string) []byte {
		return fromBits("0 1 0 00 " + number(size-1, 16) + "0 0 0 00 0000 00 0 0" +
			"10 00 " + number('x', 8) + "10 00 " + number(command, 10) + "10 00 " + number(distance, 6) + data)
	}
	for _, c := range []struct {
		name              string
		size              int
		command, distance int
		data              string
		want              string
		err               error
	}{
		{"literals only", 5, 5 << 3, 0, "", "xxxxx", nil},
		{"insert 1, copy 2 from 4 ago, beyond the data", 3, 1 << 3, 0, "", "", codec.ErrCorrupt},
		{"insert 5, copy 2", 7, 5 << 3, 0, "", "xxxxxxx", nil},
		{"insert 5, copy 9", 14, 5<<3 | 7, 0, "", "xxxxxxxxxxxxxx", nil},
		{"copy one too many", 6, 5 << 3, 0, "", "", codec.ErrCorrupt},
		{"insert one too many", 4, 5 << 3, 0, "", "", codec.ErrCorrupt},
		{"distance 1 by a symbol for 4 - 3", 7, 128 | 1<<3 | 4, 8, "", "xxxxxxx", nil},
		{"the word \"time\"", 4, 128 | 2, 16, "0", "time", nil},
		{"the word \"down\"", 4, 128 | 2, 16, "1", "down", nil},
		{"a word of 3", 3, 128 | 1, 16, "0", "", codec.ErrCorrupt},
		{"a distance of 4 - 3, then -2", 9, 128 | 1<<3, 8, "", "", codec.ErrCorrupt},
		{"a distance beyond all words", 4, 128 | 2, 16 + 30, strings.Repeat("1", 16), "", codec.ErrCorrupt},
	} {
		src := block(c.size, c.command, c.distance, c.data)
		got, err := decode(codectest.Exact(c.size), src)
		if !errors.Is(err, c.err) || c.err == nil && (err != nil || string(got) != c.want) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
		compare(t, src)
	}
}

// TestWords has every transform of words of every length, one in a stream.
func TestWords(t *testing.T) {
	tested.words.once.Do(tested.words.unpack)
	rng := rand.New(rand.NewPCG(7, 8))
	for number := range transforms {
		for size := minWord; size <= maxWord; size++ {
			index := rng.IntN(1 << wordBits[size])
			at := tested.words.first[size] + index*size
			want := transforms[number].append(nil, tested.words.words[at:at+size])
			if len(want) == 0 {
				continue
			}
			i, extra := 0, 0
			for i = range copyBase {
				if extra = size - int(copyBase[i]); extra < 1<<copyBits[i] {
					break
				}
			}
			command := 128 | i
			if i >= 8 {
				command = 192 | i - 8
			}
			// The distance, less one, is (2 or 3) << n - 4 and n extra bits.
			distance := index + number<<wordBits[size] + 4
			n := mathbits.Len(uint(distance)) - 2
			var w writer
			w.bits(0b0010, 5) // a window of 64 KiB, the last block, not empty; 4 nibbles
			w.bits(len(want)-1, 16)
			w.bits(0, 13)
			for _, code := range [][2]int{{'x', 8}, {command, 10}, {16 + 2*(n-1) + distance>>n&1, 6}} {
				w.bits(1, 4)
				w.bits(code[0], code[1])
			}
			w.bits(extra, int(copyBits[i]))
			w.bits(distance&(1<<n-1), n)
			if got, err := decode(codectest.Exact(len(want)), w.b); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("transform %d of %d bytes: %q, not %q; %v", number, size, got, want, err)
			}
			if !compare(t, w.b) {
				t.Fatalf("transform %d of %d bytes is not valid", number, size)
			}
		}
	}
}

// TestRandomStreams makes meta-blocks of random simple codes, context maps and
// parameters with random bits for data. Writers use few of these.
func TestRandomStreams(t *testing.T) {
	valid := 0
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		r := randomStream(rng)
		compare(t, r.b)
		w := newWork(&tested.words)
		try := func() error {
			w.in = bits{src: r.b}
			size := codec.Size{N: 1 << 20}
			out := &sink{env: codec.NewEnv(context.Background(), codec.Limits{}), out: codec.Output{Size: size}, most: int(size.N)}
			err := w.stream(out)
			if n := out.n - r.stored; err != nil && err != errPadding && n > 0 {
				// Random commands hardly ever fit: the block has the size of those that do.
				r.setSize(n)
				compare(t, r.b)
			}
			return err
		}
		if err := try(); err != nil && err != errPadding {
			err = try()
			if err != nil && err != errPadding {
				continue
			}
		}
		// The end of the data is known now, except for the bits of the last byte.
		src := bytes.Clone(r.b[:w.in.pos])
		for bit := 7; bit >= 0; bit-- {
			src[len(src)-1] &= 1<<(bit+1) - 1
			if compare(t, src) {
				valid++
				break
			}
		}
	}
	t.Logf("%d valid streams", valid)
	if valid < 1000 {
		t.Error("hardly any was valid")
	}
}

// FuzzDecode compares with the reference: if one of them can decode an input, the other decodes it
// to the same.
func FuzzDecode(f *testing.F) {
	for _, data := range samples() {
		data = data[:min(len(data), 1000)]
		for _, quality := range []int{0, 1, 5, 11} {
			f.Add(encode(f, data, quality, 18))
		}
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		f.Add(randomStream(rng).b)
	}
	f.Fuzz(func(t *testing.T, src []byte) { compare(t, src) })
}

// TestHeadersTakeNoMemory decodes headers that declare large sizes.
func TestHeadersTakeNoMemory(t *testing.T) {
	src := fromBits("0 0 10 0000 0000 0000 0000 1111 0")
	n := testing.AllocsPerRun(1, func() {
		env := codec.NewEnv(context.Background(), codec.Limits{})
		out, err := tested.Decode(env, codec.Output{Size: codec.Size{N: 1 << 40}}, src)
		if !errors.Is(err, codec.ErrTruncated) || cap(out) > 4096 {
			t.Error(err)
		}
	})
	if n > 20 {
		t.Errorf("%v allocations", n)
	}
	zeros := encode(t, make([]byte, 8<<20), 9, 22)
	env := codec.NewEnv(context.Background(), codec.Limits{ChunkBytes: 1 << 20})
	var limit *codec.LimitError
	if _, err := tested.Decode(env, codec.Output{Size: codec.Size{N: 1 << 40}}, zeros); !errors.As(err, &limit) {
		t.Errorf("limit: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := tested.Decode(codec.NewEnv(ctx, codec.Limits{}), codec.Output{Size: codectest.Exact(8 << 20)}, zeros); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestDecodesInPlace(t *testing.T) {
	data := samples()["text"]
	buf := make([]byte, len(data))
	env := codec.NewEnv(context.Background(), codec.Limits{})
	got, err := tested.Decode(env, codec.Output{Buf: buf[:0], Size: codectest.Exact(len(data))}, encode(t, data, 6, 22))
	if err != nil || &got[0] != &buf[0] || !bytes.Equal(buf, data) {
		t.Errorf("not decoded into the given memory: %v", err)
	}
}

func TestEntry(t *testing.T) {
	c, err := Codec().New(json.Value{}, codec.Build{})
	if _, ok := c.(codec.BytesToBytes); !ok || err != nil {
		t.Errorf("%T %v", c, err)
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"skewed", "ramp", "text"} {
		data := bytes.Repeat(samples()[name], 10)
		src := encode(b, data, 6, 22)
		buf := make([]byte, len(data))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			env := codec.NewEnv(context.Background(), codec.Limits{})
			for b.Loop() {
				if _, err := tested.Decode(env, codec.Output{Buf: buf[:0], Size: codectest.Exact(len(data))}, src); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/reference", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			r := ref.NewReader(nil)
			for b.Loop() {
				must.Do(b, r.Reset(bytes.NewReader(src)))
				if _, err := io.ReadFull(r, buf); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
