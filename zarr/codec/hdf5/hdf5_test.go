package hdf5

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

func build(t testing.TB, i int, config string) (codec.BytesToBytes, error) {
	t.Helper()
	return codectest.As[codec.BytesToBytes](Codecs()[i].New(codectest.JSON(t, config), codec.Build{Format: 2}))
}

// parameters begins data of scale-offset.
func parameters(bits uint32, least uint64) string {
	b := binary.LittleEndian.AppendUint32(nil, bits)
	b = binary.LittleEndian.AppendUint64(append(b, 8), least)
	return string(append(b, make([]byte, 8)...))
}

// A test of the command compares the values of many files with those of h5py.
func TestDecode(t *testing.T) {
	single := math.Float32bits
	for _, c := range []struct {
		which             int
		config, src, want string
	}{
		{0, `{"dtype":"|u1","precision":4}`, "\x12\x3f", "\x01\x02\x03\x0f"},
		{0, `{"dtype":"|i1","precision":4}`, "\x18\x3f", "\x01\xf8\x03\xff"},
		{0, `{"dtype":"<i2","precision":12}`, "\x7f\xf8\x00", "\xff\x07\x00\xf8"},
		{0, `{"dtype":">i2","precision":12}`, "\x7f\xf8\x00", "\x07\xff\xf8\x00"},
		{0, `{"dtype":"<u8","precision":64}`, "\x01\x02\x03\x04\x05\x06\x07\x08", "\x08\x07\x06\x05\x04\x03\x02\x01"},
		{1, `{"dtype":"<i2"}`, parameters(4, 1<<64-3) + "\x0f", "\xfd\xff\x0c\x00"},
		{1, `{"dtype":">i2","fill_value":-9}`, parameters(4, 1<<64-3) + "\x0f", "\xff\xfd\xff\xf7"},
		{1, `{"dtype":"<i2","fill_value":5}`, parameters(0, 7), "\x05\x00\x05\x00"},
		{1, `{"dtype":"<i2"}`, parameters(0, 7), "\x07\x00\x07\x00"},
		{1, `{"dtype":">i2"}`, parameters(0, 7), "\x00\x07\x00\x07\x00\x07"},
		{1, `{"dtype":">u2"}`, parameters(16, 7) + "\x01\x02\x03\x04", "\x02\x01\x04\x03"},
		{1, `{"dtype":"<f4","decimals":1}`, parameters(8, uint64(single(2))) + "\x05", string(binary.LittleEndian.AppendUint32(nil, single(2.5)))},
		{1, `{"dtype":"<f4","decimals":1,"fill_value":"NaN"}`, parameters(8, 0) + "\xff", "\x00\x00\xc0\x7f"},
		{1, `{"dtype":">f8","decimals":-1}`, parameters(8, math.Float64bits(2)) + "\x03", string(binary.BigEndian.AppendUint64(nil, math.Float64bits(32)))},
		// Blocks of two codes: one in full, and one of the differences 1 and -1 after a number in full.
		{2, `{"options_mask":0,"pixels_per_block":2,"bits_per_pixel":8,"pixels_per_scanline":2}`, "\x02\x00\x00\x00\xe2\x04\x60", "\x10\x23"},
		{2, `{"options_mask":32,"pixels_per_block":2,"bits_per_pixel":8,"pixels_per_scanline":2}`, "\x02\x00\x00\x00\xe2\x00\x20", "\x10\x0f"},
		{2, `{"options_mask":16,"pixels_per_block":2,"bits_per_pixel":16,"pixels_per_scanline":2}`, "\xff\xff\xff\xff\x01\x02\x03\x04", "\x01\x02\x03\x04"},
	} {
		d := must.Get(build(t, c.which, c.config))(t)
		got, err := codectest.Decode(d, codectest.Exact(len(c.want)), []byte(c.src))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: % x, %v", c.config, got, err)
		}
		for i := range c.src {
			if _, err := codectest.Decode(d, codectest.Exact(len(c.want)), []byte(c.src[:i])); !errors.Is(err, codec.ErrTruncated) {
				t.Errorf("%s of %d bytes: %v", c.config, i, err)
			}
		}
	}
	d := must.Get(build(t, 1, `{"dtype":"<i2"}`))(t)
	if _, err := codectest.Decode(d, codectest.Exact(4), []byte(parameters(17, 0)+"12345678")); !errors.Is(err, codec.ErrCorrupt) {
		t.Error(err)
	}
	var feature *codec.UnsupportedError
	if _, err := codectest.Decode(d, codec.Size{N: 4}, []byte(parameters(0, 0))); !errors.As(err, &feature) {
		t.Error(err)
	}
}

func TestDecodesEndWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for i, c := range []struct{ config, src string }{
		{`{"dtype":"|u1","precision":4}`, "\x12\x3f"},
		{`{"dtype":"<i2"}`, parameters(8, 7) + "\x01\x02"},
		{`{"options_mask":0,"pixels_per_block":2,"bits_per_pixel":8,"pixels_per_scanline":2}`, "\x04\x00\x00\x00\xe2\x04\x7c\x40\x80\x00"},
	} {
		out := codec.Output{Size: codectest.Exact(4)}
		if _, err := must.Get(build(t, i, c.config))(t).Decode(codec.NewEnv(ctx, codec.Limits{}), out, []byte(c.src)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", c.config, err)
		}
	}
}

func TestConfigurationsAreChecked(t *testing.T) {
	var config *codec.ConfigError
	for i, list := range [][]string{
		{`{}`, `{"dtype":"<i2"}`, `{"dtype":"<i2","precision":17}`, `{"dtype":"<i2","precision":0}`, `{"dtype":"<c8","precision":1}`, `{"dtype":"|S2","precision":1}`},
		{`{}`, `{"dtype":"|b1"}`, `{"dtype":"<f4"}`, `{"dtype":"<f4","decimals":1000}`, `{"dtype":"<i2","fill_value":"x"}`, `{"dtype":[["a","<i2"]]}`},
		{`{}`, `{"options_mask":0,"pixels_per_block":4,"bits_per_pixel":8,"pixels_per_scanline":2}`, `{"options_mask":0,"pixels_per_block":33,"bits_per_pixel":8,"pixels_per_scanline":40}`},
	} {
		for _, text := range list {
			if _, err := build(t, i, text); !errors.As(err, &config) {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	var feature *codec.UnsupportedError
	for i, text := range []string{
		`{"dtype":"<f4","precision":9}`, `{"dtype":"<f2","decimals":1}`, `{"options_mask":0,"pixels_per_block":2,"bits_per_pixel":30,"pixels_per_scanline":2}`,
	} {
		if _, err := build(t, i, text); !errors.As(err, &feature) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x12\x3f"), 4, uint8(0))
	f.Add([]byte(parameters(4, 1<<64-3)+"\x0f"), 4, uint8(1))
	var all []codec.BytesToBytes
	for i, list := range [][]string{
		{`{"dtype":"<i4","precision":9}`, `{"dtype":">u2","precision":16}`, `{"dtype":"|i1","precision":3}`, `{"dtype":"<u8","precision":63}`},
		{`{"dtype":"<i2"}`, `{"dtype":">u4","fill_value":3}`, `{"dtype":"<f4","decimals":3}`, `{"dtype":">f8","decimals":0,"fill_value":1}`},
	} {
		for _, text := range list {
			all = append(all, must.Get(build(f, i, text))(f))
		}
	}
	for _, bits := range []string{"8", "12", "24", "32", "64"} {
		all = append(all, must.Get(build(f, 2, `{"options_mask":48,"pixels_per_block":4,"bits_per_pixel":`+bits+`,"pixels_per_scanline":6}`))(f))
	}
	f.Add([]byte("\x04\x00\x00\x00\xe2\x00\x20"), 4, uint8(8))
	f.Fuzz(func(t *testing.T, src []byte, n int, which uint8) {
		n &= 1<<16 - 1
		_, _ = codectest.Guarded(t, all[int(which)%len(all)], n, src)
	})
}
