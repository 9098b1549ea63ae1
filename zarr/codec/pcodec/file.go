package pcodec

import (
	"context"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel/bitio"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// file reads a standalone file.
type file struct {
	bitio.Reader
	major int
}

// decode decodes a file into dst, which it must fill exactly. Chunks must be of the wanted type;
// the zero number allows any.
func decode(ctx context.Context, dst, src []byte, want number) error {
	f := file{Reader: bitio.NewReader(src)}
	if err := f.header(); err != nil {
		return err
	}
	for {
		// A chunk of one number may have large tables.
		if err := ctx.Err(); err != nil {
			return err
		}
		code := byte(f.Bits(8))
		switch {
		case f.Past():
			return codec.Truncated("ends without a terminator")
		case code == 0 && len(dst) > 0:
			return codec.Truncated("fewer numbers than the chunk has")
		case code == 0:
			return nil
		}
		t, ok := numberOfCode(code)
		switch {
		case !ok:
			return codec.Corrupt("unknown type of numbers " + strconv.Itoa(int(code)))
		case want.code != 0 && t != want:
			return codec.Corrupt("the numbers are not of the array's type")
		}
		n := int(f.Bits(24)) + 1
		size := int(t.width / 8)
		if n > len(dst)/size {
			return codec.Corrupt("more numbers than the chunk has")
		}
		c := chunk{number: t, n: n}
		err := c.read(&f)
		if err == nil {
			err = c.decode(&f.Reader, dst[:n*size])
		}
		switch {
		case f.Past():
			// Any other error comes from the zeros beyond the end.
			return codec.Truncated("ends inside a chunk")
		case err != nil:
			return err
		}
		dst = dst[n*size:]
	}
}

// header reads the two versions: of the file, and of the wrapped format. The first two versions of
// files had none of their own.
func (f *file) header() error {
	if f.Left() < 6*8 {
		return codec.Truncated("shorter than a header")
	}
	if f.Bits(32) != 'p'|'c'<<8|'o'<<16|'!'<<24 {
		return codec.Corrupt("not a pcodec file")
	}
	version := int(f.Bits(8))
	f.major = version
	if version > 3 {
		return &codec.UnsupportedError{Feature: "pcodec files of version " + strconv.Itoa(version)}
	}
	if version >= 3 {
		f.Bits(8) // the type of all chunks, which they repeat
	}
	if version >= 2 {
		f.Skip(int64(f.Bits(6)) + 1) // a hint at the count of numbers
		f.Align()
		f.major = int(f.Bits(8))
	}
	minor := 0
	if f.major >= 4 {
		minor = int(f.Bits(8))
	}
	if f.major > 4 || minor > 1 {
		return &codec.UnsupportedError{Feature: "pcodec format " + strconv.Itoa(f.major) + "." + strconv.Itoa(minor)}
	}
	return nil
}
