package snappy

import (
	"bytes"
	"errors"
	"math/rand"
	"testing"

	ref "github.com/klauspost/compress/snappy"

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
	return [][]byte{{}, {1}, random, random[:70], ramp, make([]byte, 70_000), bytes.Repeat([]byte("abcde"), 9000)}
}

func TestAgainstEncoder(t *testing.T) {
	for i, data := range samples() {
		src := ref.Encode(nil, data)
		dst := make([]byte, len(data))
		if n, err := DecodeBlock(dst, src); err != nil || n != len(data) || !bytes.Equal(dst, data) {
			t.Errorf("sample %d: %d %v", i, n, err)
		}
		if len(data) > 0 {
			if _, err := DecodeBlock(dst[1:], src); !errors.Is(err, codec.ErrCorrupt) {
				t.Errorf("sample %d into less room: %v", i, err)
			}
		}
		for _, n := range []int{0, len(src) / 2, len(src) - 1} {
			if _, err := DecodeBlock(dst, src[:n]); !errors.Is(err, codec.ErrTruncated) {
				t.Errorf("sample %d cut to %d: %v", i, n, err)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for name, src := range map[string]string{
		"match before the block":   "\x04\x00a\x0d\x05",
		"match of offset 0":        "\x05\x00a\x01\x00",
		"more than the length":     "\x01\x04ab",
		"length of 64 bits":        "\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
		"length that never ends":   "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		"copy beyond the length":   "\x03\x00a\x01\x01",
		"literal of 2^32 in 5":     "\x05\xfc\xff\xff\xff\xffabcde",
		"copy with 4-byte offset":  "\x08\x00a\x0f\xff\xff\xff\xff",
		"copy with 2-byte offset":  "\x08\x00a\x0e\xff\xff",
		"copy with half an offset": "\x08\x00a\x0e\xff",
	} {
		_, err := DecodeBlock(make([]byte, 10), []byte(src))
		if !errors.Is(err, codec.ErrCorrupt) && !errors.Is(err, codec.ErrTruncated) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecodeBlock(f *testing.F) {
	for _, data := range samples() {
		f.Add(ref.Encode(nil, data[:min(len(data), 2000)]))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		n, err := ref.DecodedLen(src)
		if err != nil || n > 1<<20 { // klauspost would allocate what the length says
			if _, err := DecodeBlock(make([]byte, 100), src); err == nil {
				t.Fatal("decoded without a length that fits")
			}
			return
		}
		dst := make([]byte, n)
		_, gotErr := DecodeBlock(dst, src)
		want, wantErr := ref.Decode(nil, src)
		// klauspost also decodes S2, where a copy of offset 0 has a meaning.
		if gotErr == nil && (wantErr != nil || !bytes.Equal(dst, want)) {
			t.Fatalf("%v, klauspost: %v", gotErr, wantErr)
		}
	})
}
