// Package parquet reads kerchunk references from a directory of Parquet files, in the layout of
// fsspec's LazyReferenceMapper.
//
// The file .zmetadata holds the documents in an object, and the number of references per file,
// record_size. References to the chunks of the array A are numbered in C order over its grid. They
// are the rows of A/refs.0.parq, A/refs.1.parq and so on. The column raw holds the bytes of a
// chunk. If raw is null, path is the URL of a file, with a range of bytes in offset and size. The
// range is the whole file if both are 0 or null. If path is null, or its file is absent, the chunk
// is absent. A relative path is relative to the Parquet file.
//
// The package reads the part of the Parquet format (github.com/apache/parquet-format) that writers
// use for such flat tables. It reads row groups of columns without nesting, pages of both versions,
// the encodings PLAIN and dictionary, levels as runs or packed bits, and checksums. The caller
// provides decompressors. A Parquet file is read when one of its references is first needed, and
// cached within a budget.
package parquet

import (
	"context"
	"errors"
	"io/fs"
	"math/bits"
	"strconv"
	"strings"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/document"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Options configure the reading of references. Zero fields have defaults.
type Options struct {
	// Decompress decompresses a page to exactly size bytes. The compression is the format's number:
	// 1 (SNAPPY), 2 (GZIP), 4 (BROTLI), 6 (ZSTD) or 7 (LZ4_RAW).
	Decompress func(ctx context.Context, compression int, stored []byte, size int64) ([]byte, error)
	// Rows limits the references in a file; default 1 Mi.
	Rows int64
	// FileBytes limits a file, as stored and decompressed, in bytes; default 64 MiB.
	FileBytes int64
	// MetadataBytes limits .zmetadata, in bytes; default 64 MiB.
	MetadataBytes int64
	// Budget limits the memory of cached files in bytes; default 64 MiB.
	Budget int64
	// Targets configures how the target files are found.
	Targets target.Options
}

// Store is a locator of the keys of a directory. It implements [store.Refresher].
type Store struct {
	of      store.Locator
	objects store.Objects
	sources *target.Sources
	opt     Options

	directory *share.Cache[bool, *directory]
	files     *share.Cache[string, *file]

	mu    sync.Mutex
	known map[string]bool // objects that were read; true for those to be read again
}

var _ store.Refresher = (*Store)(nil)

// New returns the store of a directory, which is given as a store. It reads the directory through
// objects on first use. All stores with targets share sources.
func New(of store.Locator, objects store.Objects, sources *target.Sources, opt Options) *Store {
	set := func(n *int64, usual int64) {
		if *n <= 0 {
			*n = usual
		}
	}
	set(&opt.Rows, 1<<20)
	set(&opt.FileBytes, 64<<20)
	set(&opt.MetadataBytes, 64<<20)
	set(&opt.Budget, 64<<20)
	opt.Targets = opt.Targets.Once()
	return &Store{
		of: of, objects: objects, sources: sources, opt: opt, directory: share.New[bool, *directory](1), files: share.New[string, *file](opt.Budget),
		known: map[string]bool{},
	}
}

// Error describes a defect of a directory.
type Error struct {
	Msg string
	Err error // the cause; nil when the message says everything
}

func (e *Error) Error() string {
	msg := "kerchunk references: " + e.Msg
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	return msg
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func invalid(key, msg string, err error) error {
	return &store.KeyError{Op: "get", Key: key, Err: &Error{msg, err}}
}

// Refresh implements [store.Refresher].
func (s *Store) Refresh() {
	s.mu.Lock()
	for name := range s.known {
		s.known[name] = true
	}
	s.mu.Unlock()
	s.directory.Drop(true)
	s.files.DropFunc(func(any) bool { return true })
}

// read reads an object of the directory and passes it to use. The first read after a Refresh
// bypasses all caches. An object that use rejects is read once more past all caches, now and at the
// next call.
func (s *Store) read(ctx context.Context, key string, most int64, use func([]byte) error) error {
	s.mu.Lock()
	fresh := s.known[key]
	s.mu.Unlock()
	for ; ; fresh = true {
		e, err := store.ReadKey(ctx, s.of, key, store.Ask{MaxBytes: most, Fresh: fresh}, s.objects.Extent)
		came := err == nil
		if came {
			err = use(e.Bytes)
		}
		s.mu.Lock()
		if err == nil || came || errors.Is(err, fs.ErrNotExist) {
			s.known[key] = came && err != nil
		}
		s.mu.Unlock()
		if err == nil || !came || fresh || ctx.Err() != nil {
			return err
		}
	}
}

// directory is the content of .zmetadata.
type directory struct {
	documents map[string][]byte
	arrays    map[string]grid
	record    uint64 // the number of references in a file
}

// grid is the shape of an array's chunk grid, and the separator of chunk keys.
type grid struct {
	shape     []uint64
	separator string
}

const metadataKey = document.Consolidated

func (s *Store) load(ctx context.Context) (*directory, error) {
	return s.directory.Do(ctx, true, func(ctx context.Context) (*directory, int64, error) {
		var d *directory
		err := s.read(ctx, metadataKey, s.opt.MetadataBytes, func(b []byte) (err error) {
			if d, err = parse(b); err != nil {
				err = invalid(metadataKey, "it cannot be read", err)
			}
			return err
		})
		if errors.Is(err, fs.ErrNotExist) {
			// Do not report absence: an overlay would then use a lower layer.
			return nil, 0, invalid(metadataKey, "there is no "+metadataKey+", so this is not a directory of references in Parquet files", nil)
		}
		return d, 0, err
	})
}

// parse parses .zmetadata.
func parse(b []byte) (*directory, error) {
	v, err := json.Parse(b, json.Limits{Bytes: len(b)})
	if err != nil {
		return nil, err
	}
	record, ok := v.Get("record_size").Int64()
	if !ok || record <= 0 {
		return nil, errors.New("record_size is not a whole number above 0")
	}
	metadata := v.Get("metadata")
	if metadata.Kind() != json.Object {
		return nil, errors.New("metadata is not an object")
	}
	d := &directory{map[string][]byte{}, map[string]grid{}, uint64(record)}
	for _, m := range metadata.Members() {
		if m.Value.Kind() != json.Object {
			return nil, errors.New("the document " + strconv.Quote(m.Name) + " is not an object")
		}
		d.documents[m.Name] = m.Value.Raw()
		path, name := "", m.Name
		if i := strings.LastIndexByte(m.Name, '/'); i >= 0 {
			path, name = m.Name[:i], m.Name[i+1:]
		}
		if name == document.Array {
			if d.arrays[path], err = gridOf(m.Value); err != nil {
				return nil, errors.New("the document " + strconv.Quote(m.Name) + ": " + err.Error())
			}
		}
	}
	// Consolidated metadata lists the members of groups, so that no other listing is needed.
	consolidated := append([]byte(`{"zarr_consolidated_format":1,"metadata":`), metadata.Raw()...)
	d.documents[metadataKey] = append(consolidated, '}')
	return d, nil
}

// gridOf returns the grid of the array of a document.
func gridOf(v json.Value) (g grid, err error) {
	shape, chunks := v.Get("shape").Items(), v.Get("chunks").Items()
	if len(shape) != len(chunks) {
		return g, errors.New("shape and chunks do not fit")
	}
	g.separator, _ = v.Get("dimension_separator").Text()
	total := uint64(1)
	for i := range shape {
		n, ok := shape[i].Uint64()
		c, fits := chunks[i].Uint64()
		if !ok || !fits || c == 0 {
			return g, errors.New("shape and chunks are not whole numbers above 0")
		}
		count := n / c
		if n%c != 0 {
			count++
		}
		high, low := bits.Mul64(total, count)
		if high != 0 {
			return g, errors.New("there are more than 2^64 chunks")
		}
		total = low
		g.shape = append(g.shape, count)
	}
	return g, nil
}

// number returns the number of a chunk in C order, and whether it is in the grid.
func (g *grid) number(chunk string) (n uint64, ok bool) {
	if len(g.shape) == 0 {
		return 0, chunk == "0"
	}
	separator := "."
	if g.separator == "/" && strings.Contains(chunk, "/") {
		separator = "/"
	}
	for _, count := range g.shape {
		var digits string
		digits, chunk, ok = strings.Cut(chunk, separator)
		i, err := strconv.ParseUint(digits, 10, 64)
		if err != nil || i >= count || len(digits) > 1 && digits[0] == '0' || digits[0] == '+' {
			return 0, false
		}
		n = n*count + i
	}
	return n, !ok && chunk == ""
}

// find returns the array of a chunk key, and the chunk's number.
func (d *directory) find(key string) (path string, n uint64, ok bool) {
	for i := len(key); i >= 0; i-- {
		switch {
		case i == 0:
			path = ""
		case i < len(key) && key[i] == '/':
			path = key[:i]
		default:
			continue
		}
		g, is := d.arrays[path]
		if !is {
			continue
		}
		chunk := key[i:]
		if i > 0 {
			chunk = key[i+1:]
		}
		n, ok = g.number(chunk)
		return path, n, ok
	}
	return "", 0, false
}

// file is a file of references. It is nil for an absent file.
type file struct {
	*table
	targets *target.Set
}

// open returns a file of references.
func (s *Store) open(ctx context.Context, key string) (*file, error) {
	return s.files.Do(ctx, key, func(ctx context.Context) (*file, int64, error) {
		var t *table
		var size int64
		err := s.read(ctx, key, s.opt.FileBytes, func(b []byte) (err error) {
			size = int64(len(b))
			if t, err = readFile(ctx, b, s.opt.Decompress, s.opt.Rows, s.opt.FileBytes); err != nil && ctx.Err() == nil {
				err = invalid(key, "it cannot be read", err)
			}
			return err
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil, int64(len(key)), nil
		}
		if err != nil {
			return nil, 0, err
		}
		at, err := s.of.Locate(ctx, key)
		if err != nil {
			return nil, 0, err
		}
		targets, err := target.New(s.sources, s.of, key, at, s.opt.Targets)
		return &file{t, targets}, t.bytes + size, err
	})
}

// Locate implements [store.Locator].
func (s *Store) Locate(ctx context.Context, key string) (store.Location, error) {
	if err := store.CheckKey(key); err != nil {
		return store.Location{}, err
	}
	d, err := s.load(ctx)
	if err != nil {
		return store.Location{}, err
	}
	if b, ok := d.documents[key]; ok {
		return store.Location{Inline: b}, nil
	}
	path, n, ok := d.find(key)
	if !ok {
		return store.Location{}, store.NotFound(key)
	}
	name := FileName(path, n/d.record)
	f, err := s.open(ctx, name)
	if err != nil {
		return store.Location{}, err
	}
	if f == nil {
		return store.Location{}, store.NotFound(key)
	}
	at, err := f.locate(ctx, key, n%d.record)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = &store.KeyError{Op: "get", Key: key, Err: err}
	}
	return at, err
}

// locate returns the location of a key's bytes by the reference in a row.
func (f *file) locate(ctx context.Context, key string, row uint64) (store.Location, error) {
	switch {
	case row >= uint64(f.rows):
	case f.raw != nil && f.raw[row] != nil:
		return store.Location{Inline: f.raw[row]}, nil
	case f.path != nil && f.path[row] != nil:
		url := string(f.path[row])
		if strings.Contains(url, "{{") {
			return store.Location{}, &Error{Msg: "a URL has a template, but references in Parquet files have no templates"}
		}
		at, err := f.targets.Locate(ctx, url)
		var offset, size int64
		if f.offset != nil {
			offset = f.offset[row]
		}
		if f.size != nil {
			size = f.size[row]
		}
		if err != nil || offset == 0 && size == 0 {
			return at, err
		}
		return at.Slice(key, offset, size)
	}
	return store.Location{}, store.NotFound(key)
}
