package codecs

import (
	"encoding/hex"
	"errors"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// TestUnzip decompresses members written by Python's zipfile and lzma.
func TestUnzip(t *testing.T) {
	const text = "hello hello hello hello hello hello"
	for method, stored := range map[uint16]string{
		12: "425a6839314159265359daee3ac4000005910040000244a00030cd008a31520f7a41a0e177245385090daee3ac40",
		14: "090405005d0000800000341949ee8de9576f34ae2bfffffbc54000",
		95: "fd377a585a000004e6d6b4460200210116000000742fe5a3e00022000c5d00341949ee8de9576f2baf000000c606dbf178db4af400012823f36abcdf1fb6f37d010000000004595a",
	} {
		b := must.Get(hex.DecodeString(stored))(t)
		got, err := UnzipFull(Full())(t.Context(), method, b, int64(len(text)))
		if err != nil || string(got) != text {
			t.Errorf("method %d: %q, %v", method, got, err)
		}
		for _, size := range []int64{int64(len(text)) - 1, int64(len(text)) + 1} {
			if got, err := UnzipFull(Full())(t.Context(), method, b, size); err == nil {
				t.Errorf("method %d: %q of size %d", method, got, size)
			}
		}
		if got, err := UnzipFull(Full())(t.Context(), method, b[:8], int64(len(text))); err == nil {
			t.Errorf("method %d: %q", method, got)
		}
		var unknown *codec.UnknownError
		if _, err := Unzip(Default())(t.Context(), method, b, int64(len(text))); !errors.As(err, &unknown) {
			t.Errorf("method %d: %v", method, err)
		}
	}
	var unknown *codec.UnknownError
	if _, err := UnzipFull(Full())(t.Context(), 9, nil, 1); !errors.As(err, &unknown) || unknown.Name != "zip method 9" {
		t.Error(err)
	}
}
