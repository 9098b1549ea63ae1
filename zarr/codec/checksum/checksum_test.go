package checksum

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/lookup3"
	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// The published vectors: Jenkins' own driver for lookup3, the fletcher32 example of RFC-like
// texts in HDF5's variant (big-endian words).
func TestKnownSums(t *testing.T) {
	long := []byte("Four score and seven years ago")
	for _, c := range []struct {
		name string
		got  uint32
		want uint32
	}{
		{"lookup3 of nothing", lookup3.Sum(nil, 0), 0xdeadbeef},
		{"lookup3 of nothing, seeded", lookup3.Sum(nil, 0xdeadbeef), 0xbd5b7dde},
		{"lookup3", lookup3.Sum(long, 0), 0x17770551},
		{"lookup3, seeded", lookup3.Sum(long, 1), 0xcd628161},
		{"fletcher32 of one word", fletcher32([]byte{1, 2}), 0x01020102},
		{"fletcher32 of an odd byte", fletcher32([]byte{1}), 0x01000100},
		{"fletcher32 folds to 65535, not 0", fletcher32([]byte{0xff, 0xff}), 0xffffffff},
	} {
		if c.got != c.want {
			t.Errorf("%s: %08x, want %08x", c.name, c.got, c.want)
		}
	}
}

func TestVerifyAndCut(t *testing.T) {
	data := []byte("some bytes of a chunk")
	for _, e := range Codecs() {
		for _, config := range []string{"{}", `{"location":"end"}`, `{"location":"start"}`} {
			v := codectest.JSON(t, config)
			c := must.Get(e.New(v, codec.Build{}))(t)
			s := c.(sum)
			n := s.of(data)
			four := []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}
			enc := append(bytes.Clone(data), four...)
			if s.start {
				enc = append(four, data...)
			}
			env := codec.NewEnv(context.Background(), codec.Limits{})
			out := codec.Output{Size: codec.Size{N: int64(len(data)), Exact: true}}
			got, err := s.Decode(env, out, enc)
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s %s: %q, %v", e.Names[0], config, got, err)
			}
			enc[6] ^= 1
			if _, err := s.Decode(env, out, enc); !errors.Is(err, codec.ErrChecksum) {
				t.Errorf("%s %s: a flipped bit gives %v", e.Names[0], config, err)
			}
			if _, err := s.Decode(env, out, enc[:3]); !errors.Is(err, codec.ErrTruncated) {
				t.Errorf("%s %s: three bytes give %v", e.Names[0], config, err)
			}
		}
	}
}
