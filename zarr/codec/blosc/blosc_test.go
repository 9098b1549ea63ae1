package blosc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand"
	"os"
	"runtime"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	serial "github.com/zarr-wasm/zarr-wasm/zarr/codec/bytes"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

func newCodec(t testing.TB) codec.BytesToBytes {
	t.Helper()
	return must.Get(Codec().New(json.Value{}, codec.Build{}))(t).(codec.BytesToBytes)
}

// ints are little-endian int32 from 0 on.
func ints(n int) []byte {
	var b []byte
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, uint32(i))
	}
	return b
}

// TestFiles decodes files of other writers. The .cdata files are from c-blosc's compat directory
// (BSD licence), written by the releases in their names. The .dat file is from numcodecs' fixtures
// (MIT licence).
func TestFiles(t *testing.T) {
	c := newCodec(t)
	for name, n := range map[string]int{
		"blosc-1.11.1-blosclz.cdata":   1_000_000,
		"blosc-1.11.1-zlib.cdata":      1_000_000,
		"blosc-1.18.0-zstd.cdata":      1_000_000,
		"numcodecs-lz4-bitshuffle.dat": 1_000,
	} {
		src := must.Get(os.ReadFile("testdata/" + name))(t)
		got, err := codectest.Decode(c, codectest.Exact(4*n), src)
		if err != nil || !bytes.Equal(got, ints(n)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// contents returns data that compress well, hardly and not at all.
func contents(n int) map[string][]byte {
	r := rand.New(rand.NewSource(1))
	random, skewed, runs := make([]byte, n), make([]byte, n), make([]byte, n)
	r.Read(random)
	for i := range skewed {
		skewed[i] = byte(r.ExpFloat64() * 3)
		runs[i] = byte(i / 50 * 7)
	}
	return map[string][]byte{"random": random, "skewed": skewed, "runs": runs, "ints": ints(n)[:n]}
}

func TestAllKinds(t *testing.T) {
	c := newCodec(t)
	for name, data := range contents(5_123) {
		for format := range 5 {
			for _, shuffle := range []byte{0, flagShuffle, flagBitShuffle} {
				for _, typesize := range []int{1, 2, 3, 4, 8, 12, 16, 17, 255} {
					for _, unsplit := range []bool{false, true} {
						for _, blocksize := range []int{128 * typesize, 2056 / typesize * typesize, len(data)} {
							blocksize = min(blocksize, len(data))
							if blocksize == len(data) && !unsplit && typesize <= 16 {
								blocksize -= blocksize % typesize // as writers do, or it could not be split
							}
							w := writer{format, shuffle, unsplit, typesize, blocksize}
							src := w.encode(t, data)
							got, err := codectest.Decode(c, codectest.Exact(len(data)), append(src, "trailing"...))
							if err != nil || !bytes.Equal(got, data) {
								t.Fatalf("%s %+v: %v", name, w, err)
							}
						}
					}
				}
			}
		}
	}
}

func TestBlosclz(t *testing.T) {
	far := append(bytes.Repeat([]byte("0123456789abcdef0123456789ABCDEF"), 300), "0123456789abc"...)
	var src []byte
	for rest := far[:9600]; len(rest) > 0; rest = rest[32:] {
		src = append(append(src, 31), rest[:32]...)
	}
	src[0] |= 3 << 5                              // the first control's upper bits mean nothing
	src = append(src, 7<<5|31, 4, 255, 1000>>8&7) // 13 bytes from 8192+d back
	d := len(far) - 13 - 8192
	d -= d % 32
	src[len(src)-1] = byte(d >> 8)
	src = append(src, byte(d))
	dst := make([]byte, len(far))
	if n, err := blosclz(dst, src); err != nil || n != len(far) || !bytes.Equal(dst, far) {
		t.Errorf("a far match: %d %v", n, err)
	}
	for _, test := range []struct {
		name, src string
		err       error
	}{
		{"empty", "", codec.ErrTruncated},
		{"literals missing", "\x02ab", codec.ErrTruncated},
		{"match without distance", "\x00a\x20", codec.ErrTruncated},
		{"match length does not end", "\x00a\xe0\xff", codec.ErrTruncated},
		{"far match without distance", "\x00a\x3f\xff\x00", codec.ErrTruncated},
		{"match before the stream", "\x00a\x20\x01", codec.ErrCorrupt},
		{"far match before the stream", "\x00a\x3f\xff\x00\x00", codec.ErrCorrupt},
		{"match too long", "\x00a\xe0\x10\x00", codec.ErrCorrupt},
		{"literals too long", "\x0babcdefghijkl", codec.ErrCorrupt},
	} {
		if _, err := blosclz(make([]byte, 10), []byte(test.src)); !errors.Is(err, test.err) {
			t.Errorf("%s: %v, want %v", test.name, err, test.err)
		}
	}
}

func TestErrors(t *testing.T) {
	c := newCodec(t)
	data := contents(2000)["skewed"]
	good := writer{1, flagShuffle, false, 4, 1024}.encode(t, data)
	stored := append([]byte{2, 1, flagStored | flagShuffle, 4, 3, 0, 0, 0, 3, 0, 0, 0, 19, 0, 0, 0}, "abc"...)
	put := func(src []byte, at int, v int) []byte {
		src = bytes.Clone(src)
		binary.LittleEndian.PutUint32(src[at:], uint32(v))
		return src
	}
	set := func(src []byte, at int, v byte) []byte {
		src = bytes.Clone(src)
		src[at] = v
		return src
	}
	first := int(binary.LittleEndian.Uint32(good[headerSize:]))
	for _, test := range []struct {
		name string
		size codec.Size
		src  []byte
		err  error
	}{
		{"2 GiB", codectest.Exact(2000), put(good, 4, 1<<31-1), codec.ErrCorrupt},
		{"2 GiB, not exact", codec.Size{N: 2000}, put(good, 4, 1<<31-1), codec.ErrCorrupt},
		{"negative size", codectest.Exact(2000), put(good, 4, -1), codec.ErrCorrupt},
		{"a byte less", codectest.Exact(2001), good, codec.ErrTruncated},
		{"a byte more", codectest.Exact(1999), good, codec.ErrCorrupt},
		{"block size 0", codectest.Exact(2000), put(good, 8, 0), codec.ErrCorrupt},
		{"negative block size", codectest.Exact(2000), put(good, 8, -1), codec.ErrCorrupt},
		{"block size above the size", codectest.Exact(2000), put(good, 8, 2001), codec.ErrCorrupt},
		{"block size 1", codectest.Exact(2000), put(good, 8, 1), codec.ErrCorrupt},
		{"block that cannot be split", codectest.Exact(2000), put(good, 8, 1022), codec.ErrCorrupt},
		{"compressed size beyond", codectest.Exact(2000), put(good, 12, len(good)+1), codec.ErrTruncated},
		{"compressed size negative", codectest.Exact(2000), put(good, 12, -1), codec.ErrCorrupt},
		{"compressed size small", codectest.Exact(2000), put(good, 12, 15), codec.ErrCorrupt},
		{"no room for the offsets", codectest.Exact(2000), put(good, 12, 20), codec.ErrCorrupt},
		{"cut", codectest.Exact(2000), good[:len(good)-1], codec.ErrTruncated},
		{"short header", codectest.Exact(2000), good[:15], codec.ErrTruncated},
		{"empty", codectest.Exact(2000), nil, codec.ErrTruncated},
		{"type size 0", codectest.Exact(2000), set(good, 3, 0), codec.ErrCorrupt},
		{"version 1", codectest.Exact(2000), set(good, 0, 1), codec.ErrCorrupt},
		{"reserved flag", codectest.Exact(2000), set(good, 2, good[2]|flagReserved), codec.ErrCorrupt},
		{"block before the offsets", codectest.Exact(2000), put(good, headerSize, headerSize), codec.ErrCorrupt},
		{"block behind the end", codectest.Exact(2000), put(good, headerSize, len(good)+1), codec.ErrCorrupt},
		{"block at the end", codectest.Exact(2000), put(good, headerSize, len(good)), codec.ErrCorrupt},
		{"negative offset", codectest.Exact(2000), put(good, headerSize, -1), codec.ErrCorrupt},
		{"stream behind the end", codectest.Exact(2000), put(good, first, len(good)), codec.ErrCorrupt},
		{"negative stream", codectest.Exact(2000), put(good, first, -1), codec.ErrCorrupt},
		{"stored, of another size", codectest.Exact(3), put(stored, 12, 18), codec.ErrCorrupt},
	} {
		if _, err := codectest.Decode(c, test.size, test.src); !errors.Is(err, test.err) {
			t.Errorf("%s: %v, want %v", test.name, err, test.err)
		}
	}
	if got, err := codectest.Decode(c, codectest.Exact(3), stored); err != nil || string(got) != "abc" {
		t.Errorf("stored: %q %v", got, err)
	}
	empty := []byte{2, 1, 0x21, 4, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0}
	if got, err := codectest.Decode(c, codectest.Exact(0), empty); err != nil || len(got) != 0 {
		t.Errorf("empty container: %v %v", got, err)
	}
	var unsupported *codec.UnsupportedError
	for name, src := range map[string][]byte{
		"version 5":    set(good, 0, 5),
		"frame":        []byte("\x9e\xa8b2frame\x00"),
		"compressor 5": set(good, 2, 5<<5|flagShuffle),
	} {
		if _, err := codectest.Decode(c, codectest.Exact(2000), src); !errors.As(err, &unsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var limit *codec.LimitError
	env := codec.NewEnv(context.Background(), codec.Limits{ChunkBytes: 1000})
	if _, err := c.Decode(env, codec.Output{Size: codec.Size{N: 1 << 40}}, good); !errors.As(err, &limit) {
		t.Errorf("over the limit: %v", err)
	}
}

func TestHeaderAllocatesNothing(t *testing.T) {
	c := newCodec(t)
	src := writer{1, flagShuffle, false, 4, 1024}.encode(t, contents(2000)["skewed"])
	binary.LittleEndian.PutUint32(src[4:], 1<<31-1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := codectest.Decode(c, codectest.Exact(2000), src)
	runtime.ReadMemStats(&after)
	if err == nil || after.TotalAlloc-before.TotalAlloc > 1<<16 {
		t.Errorf("%v, %d bytes", err, after.TotalAlloc-before.TotalAlloc)
	}
}

func TestDecodesInPlace(t *testing.T) {
	c := newCodec(t)
	data := contents(9999)["runs"]
	for _, shuffle := range []byte{0, flagShuffle, flagBitShuffle} {
		buf := make([]byte, len(data))
		env := codec.NewEnv(context.Background(), codec.Limits{})
		got, err := c.Decode(env, codec.Output{Buf: buf[:0], Size: codectest.Exact(len(data))}, writer{4, shuffle, true, 2, 4096}.encode(t, data))
		if err != nil || &got[0] != &buf[0] || !bytes.Equal(buf, data) {
			t.Errorf("not decoded into the given memory: %v", err)
		}
	}
}

// plan returns the plan of chunks of little-endian elements that only blosc encodes.
func plan(t *testing.T, shape []int, typ string) *codec.Plan {
	t.Helper()
	parsed := must.Get(dtype.ParseV2(codectest.JSON(t, typ), dtype.Limits{}))(t)
	limits := codec.Limits{}.WithDefaults()
	registry := codec.NewRegistry(Codec(), serial.Codec())
	a := codec.Array{Shape: shape, Type: parsed, Fill: make([]byte, parsed.Size)}
	chain := []meta.CodecSpec{{Name: "bytes"}, {Name: "blosc"}}
	p := must.Get(registry.Pipeline(chain, codec.Build{Format: 2, Array: a, Limits: limits}))(t)
	return must.Get(p.Plan(a))(t)
}

// TestDecodesOnlyBlocksOfTheRegion decodes regions of a chunk of 8 by 256 elements of 4 bytes. A
// row is a block of a kilobyte.
func TestDecodesOnlyBlocksOfTheRegion(t *testing.T) {
	data := contents(8 << 10)["skewed"]
	p := plan(t, []int{8, 256}, `"<i4"`)
	for _, shuffle := range []byte{0, flagShuffle, flagBitShuffle} {
		src := writer{1, shuffle, false, 4, 1024}.encode(t, data)
		for i := range 8 {
			if i != 2 && i != 3 {
				binary.LittleEndian.PutUint32(src[headerSize+4*i:], 1<<31-1)
			}
		}
		env := codec.NewEnv(context.Background(), codec.Limits{}.WithDefaults())
		dst := ndarray.Block{Shape: []int{8, 256}, Size: 4, Data: make([]byte, len(data))}
		if err := p.Decode(env, dst, src, []codec.Range{{From: 2, To: 4}, {From: 7, To: 8}}); err != nil || !bytes.Equal(dst.Data[2048:4096], data[2048:4096]) {
			t.Errorf("shuffle %d: the blocks that are whole: %v", shuffle, err)
		}
		if err := p.Decode(env, dst, src, []codec.Range{{From: 3, To: 5}, {From: 7, To: 8}}); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("shuffle %d: a block that is damaged: %v", shuffle, err)
		}
	}
}

// TestEncodedRangesSuffice decodes regions of containers that hold only the bytes that
// EncodedRanges returns.
func TestEncodedRangesSuffice(t *testing.T) {
	data := contents(8 << 10)["skewed"]
	p := plan(t, []int{8, 256}, `"<i4"`)
	limits := codec.Limits{}.WithDefaults()
	want := []codec.Range{{From: 2, To: 4}, {From: 7, To: 8}}
	for _, w := range []writer{{1, 0, false, 4, 1024}, {1, flagShuffle, false, 4, 1024}, {4, flagBitShuffle, true, 4, 3000}} {
		src := w.encode(t, data)
		head := src[:headerSize+4*8]
		ranges, n, ok := p.EncodedRanges(head, want)
		if !ok || n != len(src) || len(ranges) == 0 {
			t.Fatalf("%v: %v of %d bytes, %v", w, ranges, n, ok)
		}
		sparse := make([]byte, n)
		copy(sparse, head)
		for _, r := range ranges {
			copy(sparse[r.From:], src[r.From:r.To])
		}
		env := codec.NewEnv(context.Background(), limits)
		dst := ndarray.Block{Shape: []int{8, 256}, Size: 4, Data: make([]byte, len(data))}
		if err := p.Decode(env, dst, sparse, want); err != nil || !bytes.Equal(dst.Data[3*1024-4:3*1024], data[3*1024-4:3*1024]) || !bytes.Equal(dst.Data[4*1024-4:4*1024], data[4*1024-4:4*1024]) {
			t.Errorf("%v: %v", w, err)
		}
		for _, n := range []int{0, 8, headerSize, len(head) - 4*7} {
			if _, _, ok := p.EncodedRanges(head[:n], want); ok {
				t.Errorf("%v: %d bytes tell where the blocks are", w, n)
			}
		}
	}
	stored := append([]byte{2, 1, flagStored, 4}, make([]byte, 12)...)
	binary.LittleEndian.PutUint32(stored[4:], 8<<10)
	binary.LittleEndian.PutUint32(stored[8:], 1024)
	binary.LittleEndian.PutUint32(stored[12:], 8<<10+headerSize)
	ranges, n, ok := p.EncodedRanges(stored, want)
	if !ok || n != 8<<10+headerSize || len(ranges) != 2 || ranges[0] != (codec.Range{From: headerSize + 2048, To: headerSize + 3072}) {
		t.Errorf("stored: %v of %d bytes, %v", ranges, n, ok)
	}
}

func TestDecodeAllocatesNothing(t *testing.T) {
	data := contents(64 << 10)["skewed"]
	p := plan(t, []int{128, 128}, `"<i4"`)
	env := codec.NewEnv(context.Background(), codec.Limits{}.WithDefaults())
	dst := ndarray.Block{Shape: []int{128, 128}, Size: 4, Data: make([]byte, len(data))}
	for format := range 2 {
		for _, shuffle := range []byte{0, flagShuffle, flagBitShuffle} {
			src := writer{format, shuffle, false, 4, 8192}.encode(t, data)
			if n := testing.AllocsPerRun(10, func() {
				must.Do(t, p.Decode(env, dst, src, nil))
			}); n > 0 {
				t.Errorf("compressor %d, shuffle %d: %v allocations", format, shuffle, n)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	c := newCodec(f)
	for _, data := range contents(1300) {
		for format := range 5 {
			f.Add(writer{format, flagShuffle, false, 4, 512}.encode(f, data), len(data))
			f.Add(writer{format, flagBitShuffle, true, 2, 512}.encode(f, data), len(data))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, n int) {
		n &= 1<<16 - 1
		if got, err := codectest.Decode(c, codectest.Exact(n), src); err == nil && len(got) != n {
			t.Fatalf("%d bytes, not %d", len(got), n)
		}
	})
}

func FuzzBlosclz(f *testing.F) {
	for _, data := range contents(500) {
		f.Add(blosclzOf(data), len(data))
	}
	f.Fuzz(func(t *testing.T, src []byte, n int) {
		dst := make([]byte, n&0xffff)
		if k, err := blosclz(dst, src); err == nil && k > len(dst) {
			t.Fatal("too many bytes")
		}
	})
}

// FuzzEncodedRanges reads regions of containers. The result equals that part of the whole, or is an
// error.
func FuzzEncodedRanges(f *testing.F) {
	data := contents(8 << 10)["skewed"]
	for _, w := range []writer{{1, 0, false, 4, 1024}, {4, flagBitShuffle, true, 4, 3000}} {
		f.Add(w.encode(f, data), uint16(60))
	}
	f.Fuzz(func(t *testing.T, src []byte, n uint16) {
		p := plan(t, []int{8, 256}, `"<i4"`)
		want := []codec.Range{{From: 2, To: 4}, {From: 7, To: 8}}
		head := src[:min(int(n), len(src))]
		ranges, length, ok := p.EncodedRanges(head, want)
		if !ok || length > len(src) {
			return
		}
		sparse := make([]byte, length)
		copy(sparse, head)
		for _, r := range ranges {
			copy(sparse[r.From:], src[r.From:r.To])
		}
		env := codec.NewEnv(context.Background(), codec.Limits{}.WithDefaults())
		block := func() ndarray.Block { return ndarray.Block{Shape: []int{8, 256}, Size: 4, Data: make([]byte, 8<<10)} }
		part, whole := block(), block()
		if err := p.Decode(env, part, sparse, want); err != nil {
			return
		}
		if err := p.Decode(env, whole, src, want); err != nil {
			t.Fatalf("the part can be read, and the whole cannot: %v", err)
		}
		for y := 2; y < 4; y++ {
			if row := (y*256 + 7) * 4; !bytes.Equal(part.Data[row:row+4], whole.Data[row:row+4]) {
				t.Errorf("row %d: %v, not %v", y, part.Data[row:row+4], whole.Data[row:row+4])
			}
		}
	})
}
