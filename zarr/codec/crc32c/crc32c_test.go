package crc32c

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

func newCodec(t *testing.T, config json.Value) codec.BytesToBytes {
	t.Helper()
	return must.Get(Codec().New(config, codec.Build{}))(t).(codec.BytesToBytes)
}

func location(s string) json.Value {
	return json.Make(json.Member{Name: "location", Value: json.Text(s)})
}

func TestDecode(t *testing.T) {
	data := []byte("123456789")
	const check = 0xe3069283 // the check value of the catalogues of CRCs
	sum := binary.LittleEndian.AppendUint32(nil, check)
	if crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) != check {
		t.Fatal("not the Castagnoli polynomial")
	}
	end, start := append(data[:9:9], sum...), append(sum[:4:4], data...)
	for _, test := range []struct {
		name   string
		config json.Value
		src    []byte
		err    error
	}{
		{"no configuration", json.Value{}, end, nil},
		{"end", location("end"), end, nil},
		{"start", location("start"), start, nil},
		{"wrong side", location("start"), end, codec.ErrChecksum},
		{"wrong data", json.EmptyObject(), append([]byte("x"), end[1:]...), codec.ErrChecksum},
		{"short", json.EmptyObject(), end[:3], codec.ErrTruncated},
		{"empty", json.EmptyObject(), nil, codec.ErrTruncated},
	} {
		c := newCodec(t, test.config)
		got, err := c.Decode(codec.NewEnv(context.Background(), codec.Limits{}), codec.Output{}, test.src)
		if test.err != nil {
			if !errors.Is(err, test.err) {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		if err != nil || string(got) != string(data) {
			t.Errorf("%s: %q %v", test.name, got, err)
		}
	}
	if s := newCodec(t, json.Value{}).EncodedSize(codec.Size{N: 16, Exact: true}); s != (codec.Size{N: 20, Exact: true}) {
		t.Errorf("encoded size %v", s)
	}
	var config *codec.ConfigError
	if _, err := Codec().New(location("middle"), codec.Build{}); !errors.As(err, &config) {
		t.Errorf("location middle: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("123456789\x83\x92\x06\xe3"), false)
	f.Add([]byte{0, 0, 0, 0}, true)
	f.Fuzz(func(t *testing.T, src []byte, start bool) {
		c := checksum{table: crc32.MakeTable(crc32.Castagnoli), start: start}
		if got, err := c.Decode(nil, codec.Output{}, src); err == nil && len(got) != len(src)-4 {
			t.Fatal("not cut off")
		}
	})
}
