package zipstore

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Writer writes a new archive sequentially. Members are uncompressed and have UTF-8 names. Their
// headers hold sizes and CRC-32, and the time 1980-01-01, so that equal writes produce equal bytes.
// It is a [store.Writer]. Nothing can be read before it is closed.
//
// An overwritten or deleted object leaves the directory, but its bytes remain in the archive. If
// objects are written several times, write to another store first, and copy that to an archive.
type Writer struct {
	mu      sync.Mutex
	w       io.Writer
	at      int64
	members []written // deleted ones have no name
	index   map[string]int
	err     error // the first failed write: later bytes would have wrong offsets
}

// written is a member.
type written struct {
	name   string
	offset int64
	size   int64
	crc    uint32
}

var (
	_ store.Writer = (*Writer)(nil)
)

// NewWriter returns a writer of an archive. Close writes the archive's end and must be called.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w, index: map[string]int{}} }

// errClosed reports that an archive has its end.
var errClosed = errors.New("the archive is closed")

const (
	utf8Names    = 1 << 11 // a flag: APPNOTE 4.4.4
	firstDay     = 1<<5 | 1
	most16       = math.MaxUint16
	most32       = math.MaxUint32
	zip64Version = 45
	plainVersion = 20
)

// Set implements [store.Writer].
func (w *Writer) Set(ctx context.Context, key string, data []byte) error {
	if err := store.CheckFor(ctx, "set", key); err != nil {
		return err
	}
	fail := func(err error) error { return &store.KeyError{Op: "set", Key: key, Err: err} }
	if len(key) > most16 {
		return fail(&Error{"a name of more than 65535 bytes"})
	}
	m := written{name: key, size: int64(len(data)), crc: kernel.CRC32(data)}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return fail(w.err)
	}
	m.offset = w.at
	if err := w.write(m.local()); err != nil {
		return fail(err)
	}
	if err := w.write(data); err != nil {
		return fail(err)
	}
	w.drop(key)
	w.index[key] = len(w.members)
	w.members = append(w.members, m)
	return nil
}

// Delete implements [store.Writer].
func (w *Writer) Delete(ctx context.Context, key string) error {
	if err := store.CheckFor(ctx, "delete", key); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drop(key)
	return nil
}

// DeleteAll implements [store.Writer].
func (w *Writer) DeleteAll(ctx context.Context, prefix string) error {
	if prefix != "" {
		if err := store.CheckFor(ctx, "delete", prefix); err != nil {
			return err
		}
		prefix += "/"
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for key := range w.index {
		if len(key) > len(prefix) && key[:len(prefix)] == prefix {
			w.drop(key)
		}
	}
	return ctx.Err()
}

// DeletesAtomically implements [store.Writer].
func (w *Writer) DeletesAtomically() bool { return true }

// drop removes a member from the directory.
func (w *Writer) drop(key string) {
	if i, there := w.index[key]; there {
		w.members[i].name = ""
		delete(w.index, key)
	}
}

// Close writes the directory. It does not close the underlying writer.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if err := w.write(directoryOf(w.members, w.at)); err != nil {
		return err
	}
	w.err = errClosed
	return nil
}

func (w *Writer) write(b []byte) error {
	n, err := w.w.Write(b)
	if w.at += int64(n); err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	w.err = err
	return err
}

// fields appends little-endian integers with the widths of a layout, in bytes.
func fields(b []byte, layout string, values ...int64) []byte {
	for i, v := range values {
		switch layout[i] {
		case '2':
			b = binary.LittleEndian.AppendUint16(b, uint16(v))
		case '4':
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		default:
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
	}
	return b
}

// local returns a member's local header (APPNOTE 4.3.7).
func (m *written) local() []byte {
	version, size := int64(plainVersion), m.size
	var extra []byte
	if m.size >= most32 {
		version, size = zip64Version, most32
		extra = fields(nil, "2288", 1, 16, m.size, m.size)
	}
	b := fields(nil, "42222244422", localSignature, version, utf8Names, 0, 0, firstDay, int64(m.crc), size, size, int64(len(m.name)), int64(len(extra)))
	return append(append(b, m.name...), extra...)
}

// central appends a member's entry in the directory (APPNOTE 4.3.12).
func (m *written) central(b []byte) []byte {
	version, size, offset := int64(plainVersion), m.size, m.offset
	var large []int64
	if m.size >= most32 {
		size, large = most32, []int64{m.size, m.size}
	}
	if m.offset >= most32 {
		offset, large = most32, append(large, m.offset)
	}
	var extra []byte
	if len(large) > 0 {
		version = zip64Version
		extra = fields(fields(nil, "22", 1, int64(8*len(large))), "888", large...)
	}
	const unix, file = 3 << 8, 0o100644 << 16 // permissions of the unpacked file
	b = fields(b, "4222222444222224", centralSignature, unix|version, version, utf8Names, 0, 0, firstDay, int64(m.crc), size, size,
		int64(len(m.name)), int64(len(extra)), 0, 0, 0, file)
	b = fields(b, "4", offset)
	return append(append(b, m.name...), extra...)
}

// directoryOf returns the bytes after the members, which end at an offset: their entries, and the
// end records (APPNOTE 4.3.14 to 4.3.16).
func directoryOf(members []written, at int64) []byte {
	members = slices.DeleteFunc(slices.Clone(members), func(m written) bool { return m.name == "" })
	var b []byte
	for i := range members {
		b = members[i].central(b)
	}
	count, size, offset := int64(len(members)), int64(len(b)), at
	if count >= most16 || size >= most32 || offset >= most32 {
		end := at + size
		b = fields(b, "482244888", end64Signature, 44, 3<<8|zip64Version, zip64Version, 0, 0, count, count, size)
		b = fields(b, "8", offset)
		b = fields(b, "4484", locatorSignature, 0, end, 1)
		count, size, offset = min(count, most16), min(size, most32), min(offset, most32)
	}
	return fields(b, "42222442", endSignature, 0, 0, count, count, size, offset, 0)
}
