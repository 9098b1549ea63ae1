package lz4

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// stream writes blocks of at most size bytes like lz4-java's LZ4BlockOutputStream. It stores blocks
// that do not become smaller.
func stream(t testing.TB, data []byte, size, level int) []byte {
	var out []byte
	for {
		part := data[:min(size, len(data))]
		data = data[len(part):]
		stored, method := part, byte(streamStored)
		if len(part) > 0 {
			if packed := block(t, part); len(packed) < len(part) {
				stored, method = packed, streamPacked
			}
		}
		out = append(append(out, streamMagic...), method|byte(level))
		for _, n := range []uint32{uint32(len(stored)), uint32(len(part)), xxh32(part, streamSeed) & (1<<28 - 1)} {
			if len(part) == 0 {
				n = 0
			}
			out = binary.LittleEndian.AppendUint32(out, n)
		}
		out = append(out, stored...)
		if len(part) == 0 {
			return out
		}
	}
}

func TestStream(t *testing.T) {
	for i, data := range samples() {
		for _, size := range []int{1 << 10, 64 << 10} {
			level := map[int]int{1 << 10: 0, 64 << 10: 6}[size]
			src := stream(t, data, size, level)
			for _, exact := range []bool{true, false} {
				env := codec.NewEnv(context.Background(), codec.Limits{})
				got, err := decodeStream(env, codec.Output{Size: codec.Size{N: int64(len(data)), Exact: exact}}, src)
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("sample %d in blocks of %d: %v", i, size, err)
				}
			}
			for _, n := range []int{-1, 1} {
				env := codec.NewEnv(context.Background(), codec.Limits{})
				if _, err := decodeStream(env, codec.Output{Size: codectest.Exact(len(data) + n)}, src); err == nil {
					t.Errorf("sample %d: %d bytes are %d", i, len(data), len(data)+n)
				}
			}
		}
	}
}

func FuzzStream(f *testing.F) {
	data := samples()[3][:2000]
	f.Add(stream(f, data, 1<<10, 0), 2000)
	f.Add(stream(f, data[:70], 64<<10, 6), 70)
	f.Add(stream(f, nil, 64<<10, 6), 0)
	f.Fuzz(func(t *testing.T, src []byte, n int) {
		n &= 1<<16 - 1
		got, err := codectest.Guarded(t, decoder(decodeStream), n, src)
		env := codec.NewEnv(context.Background(), codec.Limits{ChunkBytes: 1 << 20})
		other, otherErr := decodeStream(env, codec.Output{Size: codec.Size{N: 1 << 30}}, src)
		if err == nil && (otherErr != nil || !bytes.Equal(got, other)) {
			t.Fatalf("%v where the size is not known", otherErr)
		}
		if !codectest.Classed(otherErr) {
			t.Fatal(otherErr)
		}
	})
}
