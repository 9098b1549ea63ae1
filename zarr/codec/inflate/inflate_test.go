package inflate

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"math/rand"
	"runtime"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// samples are contents that exercise different parts of the format.
func samples() map[string][]byte {
	r := rand.New(rand.NewSource(1))
	random := make([]byte, 70_000)
	r.Read(random)
	skewed := make([]byte, 100_000)
	for i := range skewed {
		skewed[i] = byte(r.ExpFloat64() * 3)
	}
	ramp := make([]byte, 90_000)
	for i := range ramp {
		ramp[i] = byte(i / 7 * (i & 3))
	}
	geometric := []byte{} // very uneven counts: long codes
	for i := range 20 {
		geometric = append(geometric, bytes.Repeat([]byte{byte(i * 11)}, 1<<min(i, 15))...)
	}
	r.Shuffle(len(geometric), func(i, j int) { geometric[i], geometric[j] = geometric[j], geometric[i] })
	return map[string][]byte{
		"empty": {}, "one": {7}, "short": []byte("hello, hello, hello"), "zeros": make([]byte, 200_000),
		"random": random, "skewed": skewed, "ramp": ramp, "geometric": geometric,
		"period3": bytes.Repeat([]byte("abc"), 30_000), "text": bytes.Repeat([]byte("chunk of an array; "), 999),
	}
}

func rawOf(t testing.TB, data []byte, level int) []byte {
	return codectest.Written(t, data, func(w io.Writer) (*flate.Writer, error) { return flate.NewWriter(w, level) })
}

func gzipOf(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Name, w.Comment, w.Extra = "name", "comment", []byte("extra")
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func TestAgainstStandardWriters(t *testing.T) {
	for name, data := range samples() {
		for level := flate.HuffmanOnly; level <= 9; level++ {
			got, err := codectest.Decode(raw, codectest.Exact(len(data)), rawOf(t, data, level))
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s level %d: %v", name, level, err)
			}
		}
		for kind, v := range map[string]struct {
			c   container
			src []byte
		}{"zlib": {unzlib, codectest.Zlib(data)}, "gzip": {gunzip, gzipOf(data)}} {
			for _, size := range []codec.Size{codectest.Exact(len(data)), {N: int64(len(data))}, {N: 1 << 40}} {
				got, err := codectest.Decode(v.c, size, v.src)
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("%s %s %v: %v", kind, name, size, err)
				}
			}
			if _, err := codectest.Decode(v.c, codectest.Exact(len(data)+1), v.src); !errors.Is(err, codec.ErrTruncated) {
				t.Errorf("%s %s into more room: %v", kind, name, err)
			}
			if len(data) == 0 {
				continue
			}
			for _, size := range []codec.Size{codectest.Exact(len(data) - 1), {N: int64(len(data) - 1)}} {
				if _, err := codectest.Decode(v.c, size, v.src); !errors.Is(err, codec.ErrCorrupt) {
					t.Errorf("%s %s into less room: %v", kind, name, err)
				}
			}
		}
	}
}

func TestEveryCutIsTruncated(t *testing.T) {
	data := samples()["ramp"][:3000]
	for kind, v := range map[string]struct {
		c   container
		src []byte
	}{"zlib": {unzlib, codectest.Zlib(data)}, "gzip": {gunzip, gzipOf(data)}, "raw": {raw, rawOf(t, data, 6)}, "stored": {raw, rawOf(t, data, 0)}} {
		for n := range v.src {
			if _, err := codectest.Decode(v.c, codectest.Exact(len(data)), v.src[:n]); !errors.Is(err, codec.ErrTruncated) {
				t.Fatalf("%s cut to %d of %d: %v", kind, n, len(v.src), err)
			}
		}
	}
}

func TestContainers(t *testing.T) {
	a, b := []byte("first member"), []byte("second")
	both := append(bytes.Clone(a), b...)
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	flip := func(src []byte, at int) []byte {
		src = bytes.Clone(src)
		if at < 0 {
			at += len(src)
		}
		src[at] ^= 1
		return src
	}
	withHeaderCRC := func(ok bool) []byte {
		src := gzipOf(a)
		src[3] |= 2
		n := 10 + 2 + 5 + 5 + 8
		sum := uint16(0)
		if ok {
			sum = uint16(crc32.ChecksumIEEE(src[:n]))
		}
		return join(src[:n], []byte{byte(sum), byte(sum >> 8)}, src[n:])
	}
	z, g := codectest.Zlib(a), gzipOf(a)
	tests := []struct {
		name string
		c    container
		src  []byte
		want []byte
		err  error
	}{
		{"two members", gunzip, join(g, gzipOf(b)), both, nil},
		{"two members, zeros behind each", gunzip, join(g, make([]byte, 9), gzipOf(b), make([]byte, 3)), both, nil},
		{"garbage behind a member", gunzip, join(g, []byte("garbage")), both, codec.ErrCorrupt},
		{"half a member behind a member", gunzip, join(g, gzipOf(b)[:12]), both, codec.ErrTruncated},
		{"header CRC", gunzip, withHeaderCRC(true), a, nil},
		{"wrong header CRC", gunzip, withHeaderCRC(false), a, codec.ErrChecksum},
		{"gzip is zlib", gunzip, z, a, codec.ErrCorrupt},
		{"gzip wrong magic", gunzip, flip(g, 0), a, codec.ErrCorrupt},
		{"gzip wrong CRC", gunzip, flip(g, -8), a, codec.ErrChecksum},
		{"gzip wrong length", gunzip, flip(g, -1), a, codec.ErrChecksum},
		{"gzip empty", gunzip, nil, a, codec.ErrTruncated},
		{"zlib, trailing bytes", unzlib, join(z, []byte("more")), a, nil},
		{"zlib wrong Adler", unzlib, flip(z, -1), a, codec.ErrChecksum},
		{"zlib is gzip", unzlib, g, a, codec.ErrCorrupt},
		{"zlib garbage", unzlib, []byte("these are no zlib bytes"), a, codec.ErrCorrupt},
		{"zlib empty", unzlib, nil, a, codec.ErrTruncated},
		{"zlib is raw deflate", unzlib, rawOf(t, a, 6), a, nil},
		{"zlib is raw deflate, trailing bytes", unzlib, join(rawOf(t, a, 6), []byte("more")), a, codec.ErrCorrupt},
		{"zlib is raw deflate of less", unzlib, rawOf(t, a[:len(a)-1], 6), a, codec.ErrCorrupt},
		{"gzip decoded on the way", gunzip, a, a, nil},
		{"gzip decoded on the way, cut", gunzip, a[:len(a)-1], a, codec.ErrCorrupt},
		{"deflate, trailing bytes", raw, join(rawOf(t, a, 9), []byte("more")), a, nil},
		{"reserved block", raw, []byte{7}, a, codec.ErrCorrupt},
		{"stored length", raw, []byte{1, 5, 0, 0, 0, 1, 2, 3, 4, 5}, a, codec.ErrCorrupt},
		{"distance before the data", raw, []byte{0x63, 0x00, 0x42, 0x00}, a, codec.ErrCorrupt},
	}
	for _, test := range tests {
		got, err := codectest.Decode(test.c, codectest.Exact(len(test.want)), test.src)
		if test.err != nil {
			if !errors.Is(err, test.err) {
				t.Errorf("%s: %v, want %v", test.name, err, test.err)
			}
			continue
		}
		if err != nil || !bytes.Equal(got, test.want) {
			t.Errorf("%s: %q %v", test.name, got, err)
		}
	}
	preset := []byte{0x78, 0xbb, 0, 0, 0, 0}
	var unsupported *codec.UnsupportedError
	if _, err := codectest.Decode(unzlib, codectest.Exact(1), preset); !errors.As(err, &unsupported) {
		t.Errorf("preset dictionary: %v", err)
	}
}

// TestBombStops decodes zeros in a chunk that is much smaller.
func TestBombStops(t *testing.T) {
	bomb := codectest.Zlib(make([]byte, 64<<20))
	for _, size := range []codec.Size{codectest.Exact(1000), {N: 1000}} {
		n := testing.AllocsPerRun(1, func() {
			if _, err := codectest.Decode(unzlib, size, bomb); !errors.Is(err, codec.ErrCorrupt) {
				t.Error(err)
			}
		})
		if n > 20 {
			t.Errorf("%v allocations", n)
		}
	}
	env := codec.NewEnv(context.Background(), codec.Limits{ChunkBytes: 1 << 20})
	var limit *codec.LimitError
	if _, err := container(unzlib).Decode(env, codec.Output{Size: codec.Size{N: 1 << 40}}, bomb); !errors.As(err, &limit) {
		t.Errorf("limit: %v", err)
	}
}

func TestDecodesInPlace(t *testing.T) {
	data := samples()["skewed"]
	buf := make([]byte, len(data))
	env := codec.NewEnv(context.Background(), codec.Limits{})
	got, err := container(gunzip).Decode(env, codec.Output{Buf: buf[:0], Size: codectest.Exact(len(data))}, gzipOf(data))
	if err != nil || &got[0] != &buf[0] || !bytes.Equal(buf, data) {
		t.Errorf("not decoded into the given memory: %v", err)
	}
	if n, err := Zlib(buf, codectest.Zlib(data)); err != nil || n != len(data) {
		t.Errorf("Zlib: %d %v", n, err)
	}
	if _, err := Zlib(buf[:len(data)-1], codectest.Zlib(data)); !errors.Is(err, codec.ErrCorrupt) {
		t.Errorf("Zlib into less room: %v", err)
	}
}

func TestEntries(t *testing.T) {
	for _, e := range Codecs() {
		c, err := e.New(json.Value{}, codec.Build{})
		if _, ok := c.(codec.BytesToBytes); !ok || err != nil {
			t.Errorf("%v: %T %v", e.Names, c, err)
		}
	}
}

func TestImagecodecs(t *testing.T) {
	data := []byte("some bytes of a chunk, some bytes of a chunk")
	for config, src := range map[string][]byte{
		`{}`: codectest.Zlib(data), `{"raw":null}`: codectest.Zlib(data), `{"level":6,"raw":false}`: codectest.Zlib(data), `{"level":null,"raw":true}`: rawOf(t, data, 6),
	} {
		v := codectest.JSON(t, config)
		c := must.Get(newImagecodecs(v, codec.Build{}))(t)
		if got, err := codectest.Decode(c.(container), codectest.Exact(len(data)), src); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %v", config, err)
		}
	}
	v := codectest.JSON(t, `{"raw":"yes"}`)
	var wrong *codec.ConfigError
	if _, err := newImagecodecs(v, codec.Build{}); !errors.As(err, &wrong) {
		t.Errorf("raw that is a text: %v", err)
	}
}

// likeTheStandard compares with compress/flate: if one of them can decode an input, the other
// decodes it to the same.
func likeTheStandard(t *testing.T, src []byte) {
	t.Helper()
	const most = 1 << 20
	want, wantErr := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(src)), most+1))
	got, err := codectest.Decode(raw, codec.Size{N: most}, src)
	if len(want) > most {
		if !errors.Is(err, codec.ErrCorrupt) && !errors.Is(err, codec.ErrTruncated) {
			t.Fatalf("too long: %v", err)
		}
		return
	}
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%v, compress/flate: %v", err, wantErr)
	}
	if err == nil && !bytes.Equal(got, want) {
		t.Fatal("decoded to something else than compress/flate")
	}
}

// TestDamaged changes and cuts streams anywhere.
func TestDamaged(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for _, data := range samples() {
		for _, level := range []int{flate.HuffmanOnly, 1, 6} {
			src := rawOf(t, data[:min(len(data), 30_000)], level)
			for range 40 {
				damaged := bytes.Clone(src)
				for range 1 + r.Intn(3) {
					damaged[r.Intn(len(damaged))] ^= 1 << r.Intn(8)
				}
				if r.Intn(4) == 0 {
					damaged = damaged[:r.Intn(len(damaged))]
				}
				likeTheStandard(t, damaged)
			}
		}
	}
}

// TestManyMembers decodes gzip members of every length, one behind the other.
func TestManyMembers(t *testing.T) {
	data := samples()["skewed"]
	var src, want []byte
	for n := range 400 {
		src = append(src, gzipOf(data[n:2*n])...)
		want = append(want, data[n:2*n]...)
	}
	for _, size := range []codec.Size{codectest.Exact(len(want)), {N: 1 << 30}} {
		if got, err := codectest.Decode(gunzip, size, src); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: %v", size, err)
		}
	}
}

// TestNothingIsAllocated decodes a chunk again and again.
func TestNothingIsAllocated(t *testing.T) {
	data := samples()["skewed"]
	buf := make([]byte, len(data))
	env := codec.NewEnv(context.Background(), codec.Limits{})
	for c, src := range map[container][]byte{gunzip: gzipOf(data), unzlib: codectest.Zlib(data), raw: rawOf(t, data, 6)} {
		n := testing.AllocsPerRun(20, func() {
			if _, err := c.Decode(env, codec.Output{Buf: buf[:0], Size: codectest.Exact(len(data))}, src); err != nil {
				t.Error(err)
			}
		})
		if n > 0 {
			t.Errorf("container %d: %v allocations", c, n)
		}
	}
}

func FuzzDeflate(f *testing.F) {
	for _, data := range samples() {
		data = data[:min(len(data), 2000)]
		for _, level := range []int{-2, 0, 1, 9} {
			f.Add(rawOf(f, data, level))
		}
	}
	f.Add([]byte{0x63, 0x00, 0x42, 0x00})
	f.Fuzz(likeTheStandard)
}

func FuzzContainers(f *testing.F) {
	for _, data := range samples() {
		data = data[:min(len(data), 300)]
		f.Add(gzipOf(data), 300)
		f.Add(codectest.Zlib(data), len(data))
	}
	f.Fuzz(func(t *testing.T, src []byte, n int) {
		n &= 1<<16 - 1
		for _, c := range []container{gunzip, unzlib} {
			got, err := codectest.Decode(c, codectest.Exact(n), src)
			if err == nil && len(got) != n {
				t.Fatalf("%d bytes, not %d", len(got), n)
			}
		}
	})
}

func BenchmarkDeflate(b *testing.B) {
	for _, name := range []string{"skewed", "ramp", "text"} {
		data := bytes.Repeat(samples()[name], 10)
		src := rawOf(b, data, 6)
		buf := make([]byte, len(data))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			env := codec.NewEnv(context.Background(), codec.Limits{})
			for b.Loop() {
				if _, err := container(raw).Decode(env, codec.Output{Buf: buf[:0], Size: codectest.Exact(len(data))}, src); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/std", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			r := flate.NewReader(nil)
			for b.Loop() {
				r.(flate.Resetter).Reset(bytes.NewReader(src), nil)
				if _, err := io.ReadFull(r, buf); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestUnknownSizeIsMeasured decodes large streams of unknown size. Streams within the limit decode
// completely. Other streams are rejected before memory is allocated for them.
func TestUnknownSizeIsMeasured(t *testing.T) {
	random := make([]byte, 3<<20)
	rand.New(rand.NewSource(2)).Read(random)
	var data []byte
	for len(data) < 60<<20 {
		data = append(data, random...)
		data = append(data, make([]byte, 9<<20+len(data)%7)...)
	}
	gunzip := func(most int64, src []byte) ([]byte, int, error) {
		env := codec.NewEnv(t.Context(), codec.Limits{ChunkBytes: 4 * most})
		env.Large = new(codec.Large)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := container(0).Decode(env, codec.Output{Size: codec.Size{N: codec.UnknownSize}}, src)
		runtime.ReadMemStats(&after)
		env.EndLarge(err != nil)
		return got, int((after.TotalAlloc - before.TotalAlloc) >> 20), err
	}
	for _, level := range []int{flate.NoCompression, flate.HuffmanOnly, flate.BestSpeed} {
		var b bytes.Buffer
		for range 2 { // members
			w := must.Get(gzip.NewWriterLevel(&b, level))(t)
			w.Write(data)
			w.Close()
		}
		src := b.Bytes()
		all := int64(2 * len(data))
		if got, _, err := gunzip(all, src); err != nil || !bytes.Equal(got[:len(data)], data) || !bytes.Equal(got[len(data):], data) {
			t.Errorf("level %d: %d bytes, %v", level, len(got), err)
		}
		var limit *codec.LimitError
		if _, _, err := gunzip(all-1, src); !errors.As(err, &limit) {
			t.Errorf("level %d: one byte too many: %v", level, err)
		}
		if _, _, err := gunzip(all, src[:len(src)/2-100]); !errors.Is(err, codec.ErrTruncated) {
			t.Errorf("level %d: cut: %v", level, err)
		}
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for range 256 {
		w.Write(make([]byte, 1<<20))
	}
	w.Close()
	for _, src := range [][]byte{b.Bytes(), append(b.Bytes()[:b.Len()-8:b.Len()-8], make([]byte, 8)...)} {
		var limit *codec.LimitError
		if _, taken, err := gunzip(128<<20, src); !errors.As(err, &limit) || taken > 50 {
			t.Errorf("a bomb: %d MiB were taken, %v", taken, err)
		}
	}
	// A cancelled decode ends during the measurement.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := container(0).Decode(codec.NewEnv(ctx, codec.Limits{}), codec.Output{Size: codec.Size{N: codec.UnknownSize}}, b.Bytes()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
