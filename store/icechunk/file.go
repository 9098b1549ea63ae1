package icechunk

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// id is the name of a snapshot, manifest or chunk file.
type id [12]byte

// digits is the alphabet of Crockford's base 32.
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// String formats the id like a file name: 20 digits, the last one for four bits of the id.
func (x id) String() string {
	var text [20]byte
	for i := range text {
		text[i] = digits[x.bits(5*i)]
	}
	return string(text[:])
}

// bits returns five bits from a bit offset. Bits after the end are zeros.
func (x id) bits(at int) byte {
	v := uint16(x[at/8]) << 8
	if at/8 < len(x)-1 {
		v |= uint16(x[at/8+1])
	}
	return byte(v>>(11-at%8)) & 31
}

// parseID parses an id.
func parseID(text string) (x id, ok bool) {
	if len(text) != 20 {
		return id{}, false
	}
	var acc uint32
	bits, n := 0, 0
	for i := range len(text) {
		v := strings.IndexByte(digits, text[i]&^(text[i]>>1&0x20))
		if v < 0 {
			return id{}, false
		}
		acc = acc<<5 | uint32(v)
		if bits += 5; bits >= 8 {
			bits -= 8
			x[n] = byte(acc >> bits)
			n++
		}
	}
	return x, acc&(1<<bits-1) == 0
}

// Error reports a defect of a repository, or a part that it lacks. It never matches fs.ErrNotExist,
// because a missing file is no missing chunk.
type Error struct {
	What string // "the repository", "snapshot 1CECHNKREP0F1RSTCMT0", ...
	Msg  string // "" if Err is sufficient
	Err  error
}

func (e *Error) Error() string {
	text := "icechunk: " + e.What
	if e.Msg != "" {
		text += ": " + e.Msg
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

const missing = "there is no such file, though the repository refers to it"

// fail returns an *Error that does not match fs.ErrNotExist.
func fail(what string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &Error{What: what, Msg: missing}
	}
	return &Error{What: what, Err: err}
}

func damaged(what string) error {
	return &Error{What: what, Msg: "it is damaged: its tables are not valid"}
}

// The kinds of files.
const (
	snapshotFile = 1
	manifestFile = 2
	repoFile     = 6
)

// header is the start of each file (spec v2, "Binary File Format").
const (
	magic      = "ICE\U0001F9CACHUNK"
	headerSize = len(magic) + 24 + 3
)

// file is a parsed file of tables.
type file struct {
	writer string
	spec   int
	flat   flat
}

// read reads a whole object of the repository.
func (s *Store) read(ctx context.Context, name string, ask store.Ask) ([]byte, error) {
	ask.MaxBytes = s.opt.TableBytes
	e, err := store.ReadKey(ctx, s.of, name, ask, s.objects.Extent)
	return e.Bytes, err
}

// file reads a file of tables. It reads an invalid one again, past all caches. A file that was
// invalid twice is always read past the caches.
func (s *Store) file(ctx context.Context, name string, kind byte, what string, use func(*file) error) error {
	_, fresh := s.damaged.Load(name)
	for again := false; ; again = true {
		data, err := s.read(ctx, name, store.Ask{Fresh: fresh || again})
		if err != nil {
			return fail(what, err)
		}
		err = s.parse(ctx, data, kind, what, use)
		var limit *limits.Error
		switch {
		case err == nil:
			s.damaged.Delete(name)
			return nil
		case again:
			s.damaged.Store(name, true)
			return err
		case ctx.Err() != nil || errtype.As(err, &limit):
			return err
		}
	}
}

// parse decompresses a file of tables and passes it to use.
func (s *Store) parse(ctx context.Context, data []byte, kind byte, what string, use func(*file) error) error {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return &Error{What: what, Msg: "it is not an Icechunk file"}
	}
	head, body := data[:headerSize], data[headerSize:]
	f := &file{writer: string(bytes.TrimSpace(head[len(magic) : headerSize-3])), spec: int(head[headerSize-3])}
	switch {
	case f.spec != 1 && f.spec != 2:
		return &Error{What: what, Msg: "version " + strconv.Itoa(f.spec) + " of the specification, written by " + strconv.Quote(f.writer) +
			", is not supported; expected 1 or 2"}
	case head[headerSize-2] != kind:
		return &Error{What: what, Msg: "it is a file of another kind, " + strconv.Itoa(int(head[headerSize-2]))}
	}
	// One file at a time, because decompressed tables may be large.
	select {
	case s.parsing <- struct{}{}:
		defer func() { <-s.parsing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	switch head[headerSize-1] {
	case 0:
		if err := limits.Check("TableBytes", s.opt.TableBytes, int64(len(body)), what); err != nil {
			return err
		}
	case 1:
		var err error
		if body, err = s.decompress(ctx, body, nil, s.opt.TableBytes, what); err != nil {
			return err
		}
	default:
		return &Error{What: what, Msg: "its compression, " + strconv.Itoa(int(head[headerSize-1])) + ", is not known"}
	}
	if len(body) < 8 || string(body[4:8]) != identifier {
		return &Error{What: what, Msg: "it has no FlatBuffers tables; Icechunk before 0.1.3 wrote another form (this file: " +
			strconv.Quote(f.writer) + "): write the data again"}
	}
	f.flat.b = body
	return use(f)
}

// decompress decompresses zstd. An output above most bytes is a *limits.Error.
func (s *Store) decompress(ctx context.Context, src, dictionary []byte, most int64, what string) ([]byte, error) {
	if s.opt.Decompress == nil {
		return nil, &Error{What: what, Msg: "it is compressed by zstd, and there is no decompressor"}
	}
	b, err := s.opt.Decompress(ctx, src, dictionary, most)
	var limit *limits.Error
	switch {
	case err == nil:
		return b, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errtype.As(err, &limit):
		return nil, &limits.Error{Limit: "TableBytes", Max: most, Asked: limit.Asked, What: "icechunk: " + what + ", decompressed"}
	}
	return nil, &Error{What: what, Msg: "it is damaged", Err: err}
}
