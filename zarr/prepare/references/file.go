package references

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/store"
)

func sorted(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// File reads an object of a source in blocks, and keeps the last ones. It implements io.ReaderAt
// for one goroutine.
type File struct {
	// Requests and Bytes count what was read of the source.
	Requests, Bytes int64

	ctx    context.Context
	source store.Source
	name   string
	size   int64
	blocks map[int64][]byte
	order  []int64 // of the blocks, the oldest first
}

const (
	blockBytes = 64 << 10
	maxBlocks  = 512 // 32 MiB
)

// OpenFile opens an object. Reads end with the context.
func OpenFile(ctx context.Context, source store.Source, name string) (*File, error) {
	f := &File{ctx: ctx, source: source, name: name, blocks: map[int64][]byte{}}
	e, err := f.read(0, blockBytes)
	if err != nil {
		return nil, err
	}
	if f.size = e.Size; f.size < 0 {
		return nil, errors.New("the server does not report the size of " + name)
	}
	f.keep(0, e.Bytes[:min(int64(len(e.Bytes)), blockBytes)])
	return f, nil
}

// Size returns the size of the object in bytes.
func (f *File) Size() int64 { return f.size }

func (f *File) read(offset, length int64) (store.Extent, error) {
	f.Requests++
	e, err := f.source.Read(f.ctx, f.name, store.Ask{Range: &store.ByteRange{Offset: offset, Length: length, Short: true}})
	f.Bytes += int64(len(e.Bytes))
	return e, err
}

func (f *File) keep(block int64, b []byte) {
	if len(f.order) >= maxBlocks {
		delete(f.blocks, f.order[0])
		f.order = f.order[1:]
	}
	f.blocks[block] = bytes.Clone(b) // b may be part of a whole object
	f.order = append(f.order, block)
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, at int64) (n int, err error) {
	if at < 0 {
		return 0, errors.New("negative offset")
	}
	for n < len(p) && at < f.size {
		block := at / blockBytes
		b, ok := f.blocks[block]
		if !ok {
			if b, err = f.fetch(block, at+int64(len(p)-n)); err != nil {
				return n, err
			}
		}
		from := at - block*blockBytes
		if from >= int64(len(b)) {
			return n, io.ErrUnexpectedEOF
		}
		k := copy(p[n:], b[from:])
		n, at = n+k, at+int64(k)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// fetch reads a block, and those after it up to an offset that are not kept. It returns the first.
func (f *File) fetch(block, to int64) ([]byte, error) {
	last := block
	for next := block + 1; next*blockBytes < to && next < block+16; next++ {
		if _, ok := f.blocks[next]; ok {
			break
		}
		last = next
	}
	r := store.ByteRange{Offset: block * blockBytes}
	r.Length = min((last+1)*blockBytes, f.size) - r.Offset
	e, err := f.read(r.Offset, r.Length)
	if err != nil {
		return nil, err
	}
	b, err := e.Cut(f.name, r)
	if err != nil {
		return nil, err
	}
	for i := block; i <= last; i++ {
		from := (i - block) * blockBytes
		f.keep(i, b[from:min(from+blockBytes, int64(len(b)))])
	}
	return f.blocks[block], nil
}
