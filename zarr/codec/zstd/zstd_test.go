package zstd

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand"
	"runtime"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/internal/skipframe"
)

func samples() map[string][]byte {
	r := rand.New(rand.NewSource(1))
	random := make([]byte, 300_000)
	r.Read(random)
	skewed := make([]byte, 400_000)
	for i := range skewed {
		skewed[i] = byte(r.ExpFloat64() * 3)
	}
	return map[string][]byte{
		"empty": {}, "one": {7}, "zeros": make([]byte, 500_000), "random": random, "skewed": skewed,
		"text": bytes.Repeat([]byte("chunk of an array; "), 9999), "short": []byte("short, short, short and sweet"),
	}
}

// known and unknown make a frame with and without the size of its content.
func known(t testing.TB, data []byte) []byte {
	return must.Get(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true)))(t).EncodeAll(data, nil)
}

func unknown(t testing.TB, data []byte) []byte {
	var b bytes.Buffer
	w := must.Get(zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true), zstd.WithLowerEncoderMem(true)))(t)
	for len(data) > 0 { // flushed, so that it cannot know
		n := min(len(data), 100_000)
		w.Write(data[:n])
		w.Flush()
		data = data[n:]
	}
	w.Close()
	return b.Bytes()
}

func skippable(n int) []byte {
	b := binary.LittleEndian.AppendUint32(nil, skipframe.Magic+3)
	return append(binary.LittleEndian.AppendUint32(b, uint32(n)), make([]byte, n)...)
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func decode(size codec.Size, src []byte) ([]byte, error) {
	return codectest.Decode(new(Decoder), size, src)
}

func TestAgainstEncoder(t *testing.T) {
	for name, data := range samples() {
		for kind, src := range map[string][]byte{"known": known(t, data), "unknown": unknown(t, data)} {
			for _, size := range []codec.Size{codectest.Exact(len(data)), {N: int64(len(data))}, {N: 1 << 40}} {
				got, err := decode(size, src)
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("%s %s %v: %v", name, kind, size, err)
				}
			}
			if _, err := decode(codectest.Exact(len(data)+1), src); !errors.Is(err, codec.ErrTruncated) {
				t.Errorf("%s %s into more room: %v", name, kind, err)
			}
			if len(data) == 0 {
				continue
			}
			for _, size := range []codec.Size{codectest.Exact(len(data) - 1), {N: int64(len(data) - 1)}} {
				if _, err := decode(size, src); !errors.Is(err, codec.ErrCorrupt) {
					t.Errorf("%s %s into less room: %v", name, kind, err)
				}
			}
			if got, err := decode(codectest.Exact(2*len(data)), join(src, skippable(5), src, skippable(0))); err != nil || !bytes.Equal(got, append(data[:len(data):len(data)], data...)) {
				t.Errorf("%s %s, two frames: %v", name, kind, err)
			}
		}
	}
}

// TestLevels decodes what the encoder makes at all levels, of arrays and of
// data with a little less in it each time.
func TestLevels(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for level := zstd.SpeedFastest; level <= zstd.SpeedBestCompression; level++ {
		w := must.Get(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(level)))(t)
		check := func(name string, data []byte) {
			src := w.EncodeAll(data, nil)
			// Exactly as much room as it needs, in the middle of something else.
			buf := bytes.Repeat([]byte{0xa5}, len(data)+64)
			n, err := new(Decoder).DecodeBlock(buf[32:32+len(data)], src)
			if err != nil || n != len(data) || !bytes.Equal(buf[32:32+n], data) {
				t.Errorf("%s at level %v: %v", name, level, err)
			}
			if edge := join(buf[:32], buf[32+len(data):]); !bytes.Equal(edge, bytes.Repeat([]byte{0xa5}, 64)) {
				t.Errorf("%s at level %v: writes beyond its room", name, level)
			}
		}
		for name, data := range arrays() {
			check(name, data)
			check(name+", a part", data[12345:23456])
		}
		for n := range 300 {
			data := make([]byte, r.Intn(4*n+1))
			for i := range data {
				switch r.Intn(1 + n%7) {
				case 0:
					data[i] = byte(r.Intn(1 + n%250))
				default:
					data[i] = data[max(0, i-1-r.Intn(1+n%50))]
				}
			}
			check("random data", data)
		}
	}
}

// TestDamage changes every byte of some frames. None of that may panic or write
// beyond the room, and what has a checksum is not decoded to anything else.
func TestDamage(t *testing.T) {
	all := samples()
	for name, data := range arrays() {
		all[name] = data
	}
	var d Decoder
	for name, data := range all {
		data = data[:min(len(data), 6000)]
		src := known(t, data)
		buf := bytes.Repeat([]byte{0xa5}, len(data)+64)
		for i := range src {
			for _, x := range []byte{1, 0x80, 0xff, byte(i)} {
				damaged := bytes.Clone(src)
				damaged[i] ^= x
				n, err := d.DecodeBlock(buf[32:32+len(data)], damaged)
				if err == nil && !bytes.Equal(buf[32:32+n], data) && src[4]&damaged[4]&4 != 0 {
					t.Fatalf("%s: byte %d ^ %d is not noticed", name, i, x)
				}
				var unsupported *codec.UnsupportedError
				if err != nil && !errors.Is(err, codec.ErrCorrupt) && !errors.Is(err, codec.ErrTruncated) && !errors.Is(err, codec.ErrChecksum) && !errors.As(err, &unsupported) {
					t.Fatalf("%s: byte %d ^ %d: %v", name, i, x, err)
				}
			}
		}
		if edge := join(buf[:32], buf[32+len(data):]); !bytes.Equal(edge, bytes.Repeat([]byte{0xa5}, 64)) {
			t.Errorf("%s: writes beyond its room", name)
		}
	}
}

// TestNoAllocations holds after the first decode.
func TestNoAllocations(t *testing.T) {
	data := samples()["skewed"]
	src, buf := known(t, data), make([]byte, len(data))
	var d Decoder
	if n := testing.AllocsPerRun(20, func() {
		if _, err := d.DecodeBlock(buf, src); err != nil {
			t.Fatal(err)
		}
	}); n > 0.5 {
		t.Errorf("%v allocations", n)
	}
}

func TestEveryCutIsTruncated(t *testing.T) {
	data := samples()["skewed"][:3000]
	for _, src := range [][]byte{known(t, data), unknown(t, data), join(skippable(9), known(t, data))} {
		for n := range src {
			if _, err := decode(codectest.Exact(len(data)), src[:n]); !errors.Is(err, codec.ErrTruncated) {
				t.Fatalf("cut to %d of %d: %v", n, len(src), err)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	data := samples()["skewed"]
	frame := known(t, data)
	change := func(f func([]byte)) []byte {
		b := bytes.Clone(frame)
		f(b)
		return b
	}
	// One stored block of a byte, in frames with hand-made headers.
	block := []byte{1 | 1<<3, 0, 0, 'x'}
	magic := []byte{0x28, 0xb5, 0x2f, 0xfd}
	tests := []struct {
		name string
		src  []byte
		n    int
		err  error
	}{
		{"checksum", change(func(b []byte) { b[len(b)-1] ^= 1 }), len(data), codec.ErrChecksum},
		{"magic", change(func(b []byte) { b[0]++ }), len(data), codec.ErrCorrupt},
		{"garbage behind the frame", join(frame, []byte("garbage")), len(data), codec.ErrCorrupt},
		{"a little behind the frame", join(frame, []byte("g")), len(data), codec.ErrTruncated},
		{"reserved bit", join(magic, []byte{0x28, 1}, block), 1, codec.ErrCorrupt},
		{"reserved block", join(magic, []byte{0x20, 1, 1 | 3<<1, 0, 0}), 1, codec.ErrCorrupt},
		{"content larger than the header says", join(magic, []byte{0x20, 0}, block), 1, codec.ErrCorrupt},
		{"content smaller than the header says", join(magic, []byte{0x20, 2}, block), 2, codec.ErrCorrupt},
		{"content of 2^60 bytes", join(magic, []byte{0xe0, 0, 0, 0, 0, 0, 0, 0, 0x10}, block), 1, codec.ErrCorrupt},
		{"content of 2^64-1 bytes, twice", join(magic, []byte{0xe0}, bytes.Repeat([]byte{255}, 8), block, magic, []byte{0xe0}, bytes.Repeat([]byte{255}, 8), block), 1, codec.ErrCorrupt},
		{"empty", nil, 1, codec.ErrTruncated},
	}
	for _, test := range tests {
		for _, size := range []codec.Size{codectest.Exact(test.n), {N: int64(test.n)}} {
			if _, err := decode(size, test.src); !errors.Is(err, test.err) {
				t.Errorf("%s: %v, want %v", test.name, err, test.err)
			}
		}
	}
	var unsupported *codec.UnsupportedError
	if _, err := decode(codectest.Exact(1), join(magic, []byte{0x21, 7, 1}, block)); !errors.As(err, &unsupported) {
		t.Errorf("dictionary: %v", err)
	}
	for name, src := range map[string][]byte{
		"dictionary 0":    join(magic, []byte{0x21, 0, 1}, block),
		"window of 2 TiB": join(magic, []byte{0x00, 31 << 3}, block),
		"window of 1 KiB": join(magic, []byte{0x00, 0}, block),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := decode(codectest.Exact(1), src)
		runtime.ReadMemStats(&after)
		if err != nil || string(got) != "x" {
			t.Errorf("%s: %q %v", name, got, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
			t.Errorf("%s allocates %d bytes", name, n)
		}
	}
	// A frame cut short of its last blocks decodes to less than its header says.
	if n, err := new(Decoder).DecodeBlock(make([]byte, 3), join(magic, []byte{0x20, 1}, block)); n != 1 || err != nil {
		t.Errorf("DecodeBlock into more room: %d %v", n, err)
	}
	if _, err := new(Decoder).DecodeBlock(nil, join(magic, []byte{0x20, 1}, block)); !errors.Is(err, codec.ErrCorrupt) {
		t.Errorf("DecodeBlock into less room: %v", err)
	}
}

// TestBombStops decodes a great many zeros in a chunk that is much smaller.
func TestBombStops(t *testing.T) {
	zeros := make([]byte, 16<<20)
	for kind, src := range map[string][]byte{"known": known(t, zeros), "unknown": unknown(t, zeros)} {
		for _, size := range []codec.Size{codectest.Exact(1000), {N: 1000}} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := decode(size, src)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, codec.ErrCorrupt) {
				t.Errorf("%s: %v", kind, err)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
				t.Errorf("%s allocates %d bytes", kind, n)
			}
		}
		env := codec.NewEnv(context.Background(), codec.Limits{ChunkBytes: 1 << 20})
		var limit *codec.LimitError
		if _, err := new(Decoder).Decode(env, codec.Output{Size: codec.Size{N: 1 << 40}}, src); !errors.As(err, &limit) {
			t.Errorf("%s, limit: %v", kind, err)
		}
	}
}

func TestDecodesInPlaceConcurrently(t *testing.T) {
	e := Codec()
	made := must.Get(e.New(json.Value{}, codec.Build{}))(t)
	c := made.(codec.BytesToBytes)
	var wg sync.WaitGroup
	for _, data := range samples() {
		src := unknown(t, data)
		for range 3 {
			wg.Go(func() {
				env := codec.NewEnv(context.Background(), codec.Limits{})
				buf := make([]byte, len(data), len(data)+20)
				guard := buf[len(data):cap(buf)]
				got, err := c.Decode(env, codec.Output{Buf: buf[:0], Size: codectest.Exact(len(data))}, src)
				if err != nil || !bytes.Equal(buf, data) || len(data) > 0 && &got[0] != &buf[0] || !bytes.Equal(guard, make([]byte, 20)) {
					t.Errorf("not decoded into the given memory: %v", err)
				}
			})
		}
	}
	wg.Wait()
}

// FuzzDecode compares with klauspost/compress: whatever one of them can decode,
// the other decodes to the same.
func FuzzDecode(f *testing.F) {
	for _, data := range samples() {
		data = data[:min(len(data), 2000)]
		f.Add(known(f, data))
		f.Add(join(unknown(f, data), skippable(3), known(f, data)))
	}
	for _, data := range arrays() {
		f.Add(known(f, data[:3000]))
	}
	f.Add(frameOf(raw("0123456789"), compressed(stored("a"), same(1, 1, 3, 0, field{1, 3})), compressed(stored("b"), []byte{1, 0xfc, 1})))
	f.Add(frameOf(compressed([]byte{4<<4 | 2, 3 << 6, 0, 128, 1 << 4}, backwards(field{0b0110, 4}), []byte{0})))
	plain := must.Get(zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<62), zstd.WithDecoderMaxWindow(1<<41+7<<38), zstd.WithDecodeAllCapLimit(true)))(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		const most = 1 << 20
		var d Decoder
		buf := bytes.Repeat([]byte{0xa5}, most+64)
		n, err := d.DecodeBlock(buf[32:32+most], src)
		if edge := join(buf[:32], buf[32+most:]); !bytes.Equal(edge, bytes.Repeat([]byte{0xa5}, 64)) {
			t.Fatal("writes beyond its room")
		}
		want, wantErr := plain.DecodeAll(src, make([]byte, 0, most+maxBlock))
		if err != nil {
			// It takes an offset of 0 for 1.
			if wantErr == nil && len(want) <= most && err != errOffset {
				t.Fatalf("%v, klauspost decodes it", err)
			}
			return
		}
		got := buf[32 : 32+n]
		if wantErr != nil {
			t.Fatalf("decoded, klauspost: %v", wantErr)
		}
		if !bytes.Equal(got, want) {
			t.Fatal("decoded to something else than klauspost does")
		}
		// The same in no more room than it needs, where nothing is copied in wide steps.
		clear(got)
		if m, err := d.DecodeBlock(got, src); err != nil || m != n || !bytes.Equal(got, want) {
			t.Fatalf("without more room: %v", err)
		}
		if n > 0 {
			if _, err := d.DecodeBlock(got[:n-1], src); err == nil {
				t.Fatal("fits into too little room")
			}
		}
	})
}
