package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/lookup3"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// undefined is the address of absent storage.
const undefined = math.MaxUint64

// The limits of what one structure, and all of them, may take of the reader.
const (
	maxBlock = 64 << 20
	maxDepth = 64      // of groups, types and trees
	maxWork  = 8 << 30 // bytes
)

// file reads structures of a file, and bounds the work by the size of the file.
type file struct {
	r       io.ReaderAt
	size    int64 // of the file
	base    uint64
	offsets int // bytes of an address
	lengths int // bytes of a length
	work    int64
	// fatal is the first error after which nothing else can be read.
	fatal error
	// unchecked accepts wrong checksums, so that fuzzing reaches what lies behind them.
	unchecked bool

	collections map[uint64]map[uint16][]byte
	kept        int
	skipped     int64 // bytes of chunks that skip filters
}

// fault is an error of the file's contents, without the name of the object.
type fault struct {
	msg         string
	unsupported bool
}

func (e *fault) Error() string { return e.msg }

func damaged(format string, args ...any) error { return &fault{msg: fmt.Sprintf(format, args...)} }

func unsupported(format string, args ...any) error {
	return &fault{msg: fmt.Sprintf(format, args...), unsupported: true}
}

// named adds the name of an object to an error.
func named(object string, err error) error {
	var f *fault
	switch {
	case !errors.As(err, &f):
		return err
	case f.unsupported:
		return &references.Unsupported{Object: object, Feature: f.msg}
	}
	return &references.Damaged{Object: object, Msg: f.msg}
}

// read reads a block of the file at an address.
func (f *file) read(what string, address uint64, n int64) ([]byte, error) {
	if f.fatal != nil {
		return nil, f.fatal
	}
	if address == undefined {
		return nil, damaged("%s is missing", what)
	}
	if n < 0 || n > maxBlock {
		return nil, damaged("%s of %d bytes", what, n)
	}
	at, ok := f.within(address, n)
	if !ok {
		return nil, damaged("%s lies beyond the end of the file", what)
	}
	if f.work -= n + 64; f.work < 0 {
		f.fatal = &references.Damaged{Msg: "the structures refer to each other again and again"}
		return nil, f.fatal
	}
	b := make([]byte, n)
	if _, err := f.r.ReadAt(b, at); err != nil {
		f.fatal = fmt.Errorf("%s: %w", what, err)
		return nil, f.fatal
	}
	return b, nil
}

// within returns the offset of n bytes at an address, if the file has them.
func (f *file) within(address uint64, n int64) (int64, bool) {
	if address > math.MaxInt64-f.base || n < 0 {
		return 0, false
	}
	at := int64(address + f.base)
	return at, at <= f.size && n <= f.size-at
}

// block reads a structure that begins with a signature, at most n bytes. The size of many
// structures follows from their first bytes: the caller checks the sum.
func (f *file) block(what, signature string, address uint64, n int64) (*cursor, error) {
	b, err := f.read(what, address, n)
	if err != nil {
		return nil, err
	}
	if len(b) < len(signature) || string(b[:len(signature)]) != signature {
		return nil, damaged("%s has no signature %s", what, signature)
	}
	return &cursor{f: f, what: what, b: b, at: len(signature)}, nil
}

// checked reads a structure of n bytes that ends with its checksum.
func (f *file) checked(what, signature string, address uint64, n int64) (*cursor, error) {
	c, err := f.block(what, signature, address, n)
	if err == nil {
		err = f.verify(what, c.b)
	}
	if err != nil {
		return nil, err
	}
	c.b = c.b[:len(c.b)-4]
	return c, nil
}

// verify compares the checksum in the last four bytes of a block.
func (f *file) verify(what string, b []byte) error {
	if len(b) < 4 {
		return damaged("%s is too short", what)
	}
	if end := len(b) - 4; lookup3.Sum(b[:end], 0) != binary.LittleEndian.Uint32(b[end:]) && !f.unchecked {
		return damaged("%s has another checksum", what)
	}
	return nil
}

// cursor reads fields of a structure. After the end it returns zeros and has an error.
type cursor struct {
	f    *file
	what string
	b    []byte
	at   int
	err  error
	// packed accepts integers of fewer bits than their bytes have.
	packed bool
}

func (f *file) cursor(what string, b []byte) *cursor { return &cursor{f: f, what: what, b: b} }

func (c *cursor) left() int { return len(c.b) - c.at }

func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *cursor) bytes(n int) []byte {
	if n < 0 || n > c.left() || c.err != nil {
		c.fail(damaged("%s is too short", c.what))
		return nil
	}
	c.at += n
	return c.b[c.at-n : c.at : c.at]
}

func (c *cursor) skip(n int) { c.bytes(n) }

// uint reads a little-endian number of up to 8 bytes.
func (c *cursor) uint(n int) (v uint64) {
	if n > 8 {
		c.fail(damaged("%s has a number of %d bytes", c.what, n))
		return 0
	}
	for i, b := range c.bytes(n) {
		v |= uint64(b) << (8 * i)
	}
	return v
}

func (c *cursor) u8() int  { return int(c.uint(1)) }
func (c *cursor) u16() int { return int(c.uint(2)) }
func (c *cursor) u32() int { return int(c.uint(4)) }

// address reads an address; all ones are undefined.
func (c *cursor) address() uint64 {
	v := c.uint(c.f.offsets)
	if c.f.offsets < 8 && v == 1<<(8*c.f.offsets)-1 {
		return undefined
	}
	return v
}

// length reads a length in bytes or a count.
func (c *cursor) length() int64 {
	v := c.uint(c.f.lengths)
	if v > math.MaxInt64 {
		c.fail(damaged("%s has a length of %d", c.what, v))
		return 0
	}
	return int64(v)
}

// text reads a text that ends with a NUL, padded to a multiple of `pad` bytes.
func (c *cursor) text(pad int) string {
	from := c.at
	for c.err == nil {
		if b := c.bytes(1); b != nil && b[0] == 0 {
			break
		}
	}
	if c.err != nil {
		return ""
	}
	s := string(c.b[from : c.at-1])
	if n := (c.at - from) % pad; n != 0 {
		c.skip(pad - n)
	}
	return s
}

// version reads a version, and rejects those outside of a range.
func (c *cursor) version(from, to int) int {
	v := c.u8()
	if c.err == nil && (v < from || v > to) {
		c.fail(unsupported("version %d of %s", v, c.what))
	}
	return v
}

// bytesFor returns the number of bytes that hold numbers up to n.
func bytesFor(n uint64) int {
	bytes := 1
	for n >>= 8; n > 0; n >>= 8 {
		bytes++
	}
	return bytes
}

func log2(n uint64) int {
	bits := -1
	for ; n > 0; n >>= 1 {
		bits++
	}
	return bits
}
