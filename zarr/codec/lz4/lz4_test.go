package lz4

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand"
	"testing"

	ref "github.com/pierrec/lz4/v4"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

func samples() [][]byte {
	r := rand.New(rand.NewSource(1))
	random := make([]byte, 100_000)
	r.Read(random)
	ramp := make([]byte, 200_000)
	for i := range ramp {
		ramp[i] = byte(i / 7 * (i & 3))
	}
	all := [][]byte{{1}, random, random[:70], ramp, make([]byte, 70_000), bytes.Repeat([]byte("abc"), 9000)}
	for period := range 40 { // overlapping matches of every distance
		all = append(all, append(bytes.Repeat(random[:period+1], 200/(period+1)+3), random[50:70]...))
	}
	return all
}

func block(t testing.TB, data []byte) []byte {
	dst := make([]byte, ref.CompressBlockBound(len(data)))
	var c ref.Compressor
	n := must.Get(c.CompressBlock(data, dst))(t)
	if n == 0 { // not compressible: one run of literals
		dst = append(dst[:0], byte(min(len(data), 15)<<4))
		if rest := len(data) - 15; rest >= 0 {
			for ; rest >= 255; rest -= 255 {
				dst = append(dst, 255)
			}
			dst = append(dst, byte(rest))
		}
		dst = append(dst, data...)
		n = len(dst)
	}
	return dst[:n]
}

func TestDecodeBlock(t *testing.T) {
	for i, data := range samples() {
		src := block(t, data)
		dst := make([]byte, len(data)+100)
		for _, waste := range []int{0, 1, 7, 30, 100} {
			clear(dst)
			n, err := DecodeBlock(dst[:len(data)+waste], src)
			if err != nil || n != len(data) || !bytes.Equal(dst[:n], data) {
				t.Errorf("sample %d, %d waste: %d %v", i, waste, n, err)
			}
			if !bytes.Equal(dst[len(data)+waste:], make([]byte, 100-waste)) {
				t.Errorf("sample %d, %d waste: written beyond the end", i, waste)
			}
		}
		if _, err := DecodeBlock(dst[:len(data)-1], src); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("sample %d into less room: %v", i, err)
		}
		for _, n := range []int{0, 1, len(src) - 1} {
			if got, err := DecodeBlock(dst, src[:n]); !errors.Is(err, codec.ErrTruncated) && !(err == nil && got < len(data)) {
				t.Errorf("sample %d cut to %d: %v", i, n, err)
			}
		}
	}
}

func TestDecodeBlockErrors(t *testing.T) {
	for _, test := range []struct {
		name, src string
		err       error
	}{
		{"empty", "", codec.ErrTruncated},
		{"offset 0", "\x10a\x00\x00\x10b", codec.ErrCorrupt},
		{"offset before the block", "\x10a\x02\x00\x10b", codec.ErrCorrupt},
		{"ends with a match", "\x10a\x01\x00", codec.ErrTruncated},
		{"half an offset", "\x10a\x01", codec.ErrTruncated},
		{"literal length does not end", "\xf0\xff\xff", codec.ErrTruncated},
		{"match length does not end", "\x1fa\x01\x00\xff", codec.ErrTruncated},
		{"match too long", "\x1fa\x01\x00\xff\xff\x00\x10b", codec.ErrCorrupt},
		{"literals too long", "\xf0\xff\x00" + string(make([]byte, 270)), codec.ErrCorrupt},
		{"literals that are not there", "\xf0\x05abc", codec.ErrTruncated},
	} {
		if _, err := DecodeBlock(make([]byte, 100), []byte(test.src)); !errors.Is(err, test.err) {
			t.Errorf("%s: %v, want %v", test.name, err, test.err)
		}
	}
}

func TestCodec(t *testing.T) {
	data := samples()[3]
	src := append(binary.LittleEndian.AppendUint32(nil, uint32(len(data))), block(t, data)...)
	withSize := func(n uint32) []byte {
		return append(binary.LittleEndian.AppendUint32(nil, n), src[4:]...)
	}
	exact := codec.Size{N: int64(len(data)), Exact: true}
	limits := codec.Limits{ChunkBytes: 1 << 20}
	run := func(size codec.Size, src []byte) ([]byte, error) {
		return decoder(decodeAny).Decode(codec.NewEnv(context.Background(), limits), codec.Output{Size: size}, src)
	}
	for _, size := range []codec.Size{exact, {N: exact.N}, {N: 1 << 40}} {
		if got, err := run(size, src); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%v: %v", size, err)
		}
	}
	for _, test := range []struct {
		name string
		size codec.Size
		src  []byte
		err  error
	}{
		{"huge size", exact, withSize(1<<31 - 1), codec.ErrCorrupt},
		{"negative size", exact, withSize(1 << 31), codec.ErrCorrupt},
		{"negative size, not exact", codec.Size{N: 9}, withSize(1 << 31), codec.ErrCorrupt},
		{"smaller size", exact, withSize(uint32(len(data) - 1)), codec.ErrTruncated},
		{"smaller size, not exact", codec.Size{N: exact.N}, withSize(uint32(len(data) - 1)), codec.ErrCorrupt},
		{"larger size", codec.Size{N: exact.N + 9}, withSize(uint32(len(data) + 1)), codec.ErrTruncated},
		{"cut", exact, src[:len(src)-1], codec.ErrTruncated},
		{"short", exact, src[:3], codec.ErrTruncated},
	} {
		if _, err := run(test.size, test.src); !errors.Is(err, test.err) {
			t.Errorf("%s: %v, want %v", test.name, err, test.err)
		}
	}
	var limit *codec.LimitError
	if _, err := run(codec.Size{N: 1 << 40}, withSize(1<<30)); !errors.As(err, &limit) {
		t.Errorf("over the limit: %v", err)
	}
}

// plain decodes a block a byte at a time, after the format's description.
func plain(src []byte, most int) (dst []byte, ok bool) {
	next := func() int {
		if len(src) == 0 {
			ok = false
			return 0
		}
		b := int(src[0])
		src = src[1:]
		return b
	}
	length := func(n, more int) int {
		for b := 255; n >= more && b == 255 && ok; n += b {
			b = next()
		}
		return n
	}
	for ok = true; ok; {
		token := next()
		for range length(token>>4, 15) {
			if dst = append(dst, byte(next())); len(dst) > most {
				return nil, false
			}
		}
		if !ok || len(src) == 0 {
			return dst, ok
		}
		offset := next() | next()<<8
		if offset == 0 || offset > len(dst) {
			return nil, false
		}
		for range length(token&15, 15) + 4 {
			if dst = append(dst, dst[len(dst)-offset]); len(dst) > most {
				return nil, false
			}
		}
	}
	return nil, false
}

// FuzzDecodeBlock compares with plain, and with pierrec/lz4, which refuses some valid
// blocks that no encoder writes and takes some that end with a match.
func FuzzDecodeBlock(f *testing.F) {
	for _, data := range samples() {
		f.Add(block(f, data[:min(len(data), 2000)]), len(data))
	}
	f.Add([]byte("OR\xfd\xfc\a\x04\x00\xbd\xf1\x05\xd2\xc4\"\xac\xd2\b\xa0\a)9H\x7fi\x99\xeb\x9d\x18\xa4G\x84"), 232)
	f.Fuzz(func(t *testing.T, src []byte, n int) {
		n &= 1<<16 - 1
		guarded := bytes.Repeat([]byte{0xa5}, n+32)
		got, err := DecodeBlock(guarded[:n], src)
		if !bytes.Equal(guarded[n:], bytes.Repeat([]byte{0xa5}, 32)) {
			t.Fatal("written beyond the end")
		}
		want, ok := plain(src, n)
		if (err == nil) != ok || ok && !bytes.Equal(want, guarded[:got]) {
			t.Fatalf("%d bytes, %v; plain: %d, %v", got, err, len(want), ok)
		}
		dst := make([]byte, n)
		if k, refErr := ref.UncompressBlock(src, dst); err == nil && refErr == nil && !bytes.Equal(dst[:k], guarded[:got]) {
			t.Fatalf("%d bytes; pierrec/lz4: %d", got, k)
		}
	})
}

func BenchmarkDecodeBlock(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	data := make([]byte, 1<<20)
	for i := range data {
		data[i] = byte(r.ExpFloat64() * 3 * float64(i&1))
		if i > 100 && r.Intn(8) == 0 {
			k := r.Intn(20)
			copy(data[max(0, i-k):i], data[r.Intn(i-50):])
		}
	}
	src := block(b, data)
	dst := make([]byte, len(data))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := DecodeBlock(dst, src); err != nil {
			b.Fatal(err)
		}
	}
}
