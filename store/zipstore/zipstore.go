// Package zipstore is a store in a zip archive (PKWARE's APPNOTE 6.3.10), which is one object of
// another store. A member of the archive is an object of the store, and its name is the key.
//
// # The directory
//
// The first access reads the end of the archive, in one request for most archives. This part holds
// the end record (APPNOTE 4.3.16, with ZIP64 4.3.14 and 4.3.15), its comment, and the part of the
// central directory (4.3.12) before it. A larger directory takes a second request. Over a network
// the store reads the beginning of the archive at the same time, because writers put the documents
// there. The directory is cached in a compact form until [Store.Refresh].
//
// If several members have one name, the last one in the directory counts. Names are UTF-8 if the
// archive says so (4.4.4, bit 11, or an Info-ZIP Unicode path, 4.6.9), else in code page 437.
// Backslashes are separators if an archive has no slashes. Bytes before the archive, as in a
// self-extracting one, and bytes after it are allowed.
//
// # The members
//
// A member's bytes follow its local header (4.3.7), whose length is not in the directory. The store
// reads a member from its header up to the next member. The header then costs no request, and
// neighbours form one range. A part of a stored member is read by itself. If nothing lies between a
// member and the next one, their offsets give the length of the header. Otherwise the header is
// read once.
//
// A stored member is not compressed. Others are decoded as a whole by the function of
// [Options.Decode]. Reads of whole members check the CRC-32, and that header and directory agree.
//
// # The top folder
//
// If all members lie below one folder with a Zarr document, the folder is the root of the store.
// Keys may still begin with its name. [Options.Path] sets another root.
//
// # Rejected archives
//
// Errors are wrapped [*Error] values. The whole archive is rejected if its end or its directory is
// damaged, larger than [Options] allow, or split, or if a name leaves it. A single member is
// rejected if it is encrypted, overlaps another, declares an impossible size, or has the wrong
// bytes. A declared size alone never causes an allocation.
package zipstore

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Decoder decompresses all stored bytes of a member to exactly size bytes. The method is that of
// APPNOTE 4.4.5: 8 is DEFLATE.
type Decoder = func(ctx context.Context, method uint16, stored []byte, size int64) ([]byte, error)

// Options configure a [Store]. Zero fields have defaults.
type Options struct {
	// Path is the folder of the archive that becomes the root of the store. The default is the top
	// folder, if there is one.
	Path string
	// Decode decompresses members. Without it compressed members are rejected.
	Decode Decoder
	// Entries limits the members of a directory; default 2,000,000.
	Entries int64
	// DirectoryBytes limits the directory, in bytes; default 128 MiB.
	DirectoryBytes int64
	// MemberBytes limits a member that is read as a whole, and an archive that is compressed
	// itself, in bytes; default 1 GiB.
	MemberBytes int64
}

// Error describes a defect of an archive, or of one of its members.
type Error struct{ Msg string }

func (e *Error) Error() string { return e.Msg }

// Store is a locator of the members of an archive. It implements [store.Lister] and
// [store.Refresher].
type Store struct {
	of      store.Locator
	key     string
	objects store.Objects
	opt     Options
	root    string // Options.Path with a trailing slash

	directories *share.Cache[string, *directory] // the cached one
	fresh       atomic.Bool                      // the next read bypasses all caches
}

var (
	_ store.Lister    = (*Store)(nil)
	_ store.Refresher = (*Store)(nil)
)

// New returns the store in the archive under a key of another store. It reads nothing yet. An error
// matches fs.ErrInvalid.
func New(of store.Locator, key string, objects store.Objects, opt Options) (*Store, error) {
	opt.Entries = or(opt.Entries, 2_000_000)
	opt.DirectoryBytes = min(or(opt.DirectoryBytes, 128<<20), 1<<30) // positions have 32 bits
	opt.MemberBytes = or(opt.MemberBytes, 1<<30)
	s := &Store{of: of, key: key, objects: objects, opt: opt, directories: share.New[string, *directory](8)}
	err := store.CheckKey(key)
	if path := strings.Trim(opt.Path, "/"); path != "" && err == nil {
		s.root, err = path+"/", store.CheckKey(path)
	}
	return s, err
}

func or(n, usual int64) int64 {
	if n <= 0 {
		n = usual
	}
	return n
}

// wrong returns the error for an archive, or for a member of it.
func (s *Store) wrong(member, msg string) error {
	at := "zip archive " + strconv.Quote(s.key)
	if member != "" {
		at += ", member " + strconv.Quote(member)
	}
	return &Error{at + ": " + msg}
}

// Refresh implements [store.Refresher].
func (s *Store) Refresh() {
	s.fresh.Store(true)
	s.directories.Drop("")
	s.refreshBelow()
}

func (s *Store) refreshBelow() {
	store.CapabilitiesOf(s.of).Refresh()
}

// Comment returns the comment of the archive, without trailing zeros. The comment of an OME-Zarr
// archive (.ozx) is JSON with its version.
func (s *Store) Comment(ctx context.Context) (string, error) {
	d, err := s.directory(ctx)
	if err != nil {
		return "", err
	}
	return d.comment, nil
}

// Root returns the folder of the archive that is the root of the store: [Options.Path], the top
// folder, or "".
func (s *Store) Root(ctx context.Context) (string, error) {
	d, err := s.directory(ctx)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(s.root+d.top, "/"), nil
}

// Describe returns an object of JSON, with the results of [Store.Comment] and [Store.Root].
func (s *Store) Describe(ctx context.Context, _ string, _ int) ([]byte, error) {
	d, err := s.directory(ctx)
	if err != nil {
		return nil, err
	}
	b := json.AppendString([]byte(`{"comment":`), strings.ToValidUTF8(d.comment, "\uFFFD"))
	b = json.AppendString(append(b, `,"root":`...), strings.TrimSuffix(s.root+d.top, "/"))
	return append(b, '}'), nil
}

// find returns the directory, and the name of a key or folder in it.
func (s *Store) find(ctx context.Context, key string) (*directory, string, error) {
	d, err := s.directory(ctx)
	if err != nil || d.alias && strings.HasPrefix(key+"/", d.top) {
		return d, key, err
	}
	return d, s.root + d.top + key, nil
}

// Locate implements [store.Locator].
func (s *Store) Locate(ctx context.Context, key string) (store.Location, error) {
	if err := store.CheckKey(key); err != nil {
		return store.Location{}, err
	}
	d, name, err := s.find(ctx, key)
	if err != nil {
		return store.Location{}, err
	}
	k, found := d.search(name)
	if found != name {
		return store.Location{}, store.NotFound(key)
	}
	return s.member(ctx, d, d.sorted[k])
}

// List implements [store.Lister].
func (s *Store) List(ctx context.Context, prefix string) ([]string, error) {
	if prefix != "" {
		if err := store.CheckKey(prefix); err != nil {
			return nil, &store.KeyError{Op: "list", Key: prefix, Err: err}
		}
		prefix += "/"
	}
	d, folder, err := s.find(ctx, prefix)
	if err != nil {
		return nil, err
	}
	return d.list(folder), nil
}

// ListsAll implements [store.Lister].
func (s *Store) ListsAll() bool { return true }

// directory returns the directory, and reads it on first use.
func (s *Store) directory(ctx context.Context) (*directory, error) {
	return s.directories.Do(ctx, "", func(ctx context.Context) (*directory, int64, error) {
		fresh := s.fresh.Swap(false)
		d, err := s.load(ctx, fresh)
		var damaged *Error
		// the archive changed while it was read
		if !fresh && (errors.Is(err, store.ErrChanged) || errtype.As(err, &damaged)) {
			s.refreshBelow()
			d, err = s.load(ctx, true)
		}
		if err != nil {
			s.fresh.Store(true) // the caches are useless
		}
		if errors.Is(err, fs.ErrNotExist) {
			// an absent archive does not prove that a member is absent
			err = s.wrong("", "it is absent")
		}
		return d, 1, err
	})
}

// member returns the location of a member.
func (s *Store) member(ctx context.Context, d *directory, i int) (store.Location, error) {
	m, wrong := &d.members[i], ""
	switch {
	case m.flags&encrypted != 0:
		wrong = "is encrypted, which is not supported"
	case m.flags&patch != 0:
		wrong = "is patch data, which is not supported"
	case m.slack == outside:
		wrong = "lies in the directory or after it: the archive is damaged, or its end record is wrong"
	case m.slack < 0:
		wrong = "overlaps another member"
	case m.method == 0:
		if m.size != m.stored {
			wrong = "is not compressed, but declares another size than it has"
		}
	case s.opt.Decode == nil:
		wrong = "compression method " + strconv.Itoa(int(m.method)) + " is not supported"
	case m.method == 8 && m.size/1032 > m.stored:
		wrong = "declares more bytes than its compressed bytes can hold: " + strconv.FormatInt(m.size, 10)
	}
	if wrong != "" {
		return store.Location{}, s.wrong(d.name(i), wrong)
	}
	if m.size == 0 && m.crc == 0 {
		return store.Location{Inline: []byte{}}, nil
	}
	head := d.header(m)
	if head < 0 {
		if head = m.fixed() + int64(m.slack); m.slack > maxSlack {
			var err error
			if head, err = s.readHeader(ctx, d, i); err != nil {
				return store.Location{}, err
			}
		}
	}
	at := d.archive
	d.extent(&at, m.offset, head+m.stored)
	at.Packed = &store.Packed{Size: m.size}
	at.Packed.Decode = func(ctx context.Context, raw []byte, most int64) ([]byte, error) {
		if most <= 0 {
			most = s.opt.MemberBytes
		}
		if m.size > most {
			return nil, limits.Encoded(most, m.size, "member "+strconv.Quote(d.name(i)))
		}
		head, err := s.checkHeader(d, i, raw)
		if err != nil {
			return nil, err
		}
		// An archive of unknown version may have changed since the header was read.
		b := raw[min(head, int64(len(raw))):]
		b = b[:min(m.stored, int64(len(b)))]
		if m.method != 0 {
			if b, err = s.opt.Decode(ctx, m.method, b, m.size); err != nil {
				return nil, err
			}
		}
		if int64(len(b)) != m.size || kernel.CRC32(b) != m.crc {
			return nil, s.wrong(d.name(i), "its CRC-32 does not match its bytes: it is damaged")
		}
		return b, nil
	}
	if m.method == 0 {
		at.Packed.Exact = func(ctx context.Context) (store.Location, error) {
			at := d.archive
			head, err := s.readHeader(ctx, d, i)
			if err == nil {
				d.extent(&at, m.offset+head, m.stored)
			}
			return at, err
		}
	}
	return at, nil
}

// maxSlack limits the extra bytes that are read along with a member. With more slack the header is
// read first.
const maxSlack = 4 << 10

// readHeader returns the length of a member's local header, which it reads once.
func (s *Store) readHeader(ctx context.Context, d *directory, i int) (int64, error) {
	m := &d.members[i]
	if head := d.header(m); head >= 0 {
		return head, nil
	}
	e, err := s.read(ctx, d, store.Ask{Range: &store.ByteRange{Offset: m.offset, Length: m.fixed()}})
	if err != nil {
		return 0, err
	}
	return s.checkHeader(d, i, e.Bytes)
}

// checkHeader checks the local header at the beginning of b, and returns its length.
func (s *Store) checkHeader(d *directory, i int, b []byte) (int64, error) {
	m := &d.members[i]
	r := unpack(b, localLayout)
	head := localSize + r[8] + r[9]
	// ZIP64 keeps such a field elsewhere
	is := func(field, n int64) bool { return field == n || field == math.MaxUint32 }
	wrong := "its local header and the directory contradict each other"
	switch {
	case r[0] != localSignature:
		wrong = "there is no local header where the directory says: the archive is damaged, or was replaced"
	case r[8] != int64(m.rawName) || r[3] != int64(m.method):
	case int64(len(b)) < m.fixed() || !d.named(i, b[localSize:m.fixed()]):
		wrong = "its local header has another name"
	case r[2]&descriptor == 0 && (r[5] != int64(m.crc) || !is(r[6], m.stored) || !is(r[7], m.size)):
	case head > m.fixed()+int64(m.slack):
	default:
		atomic.StoreUint32(&m.extra, uint32(r[9])+1)
		return head, nil
	}
	return 0, s.wrong(d.name(i), wrong)
}

// load reads the directory from the first location of the archive that exists.
func (s *Store) load(ctx context.Context, fresh bool) (*directory, error) {
	d := &directory{}
	var err error
	if d.archive, err = s.of.Locate(ctx, s.key); err == nil {
		err = s.loadAt(ctx, d, fresh)
	}
	for d.archive.Else != nil && errors.Is(err, fs.ErrNotExist) {
		d.archive = *d.archive.Else
		err = s.loadAt(ctx, d, fresh)
	}
	d.archive.Else = nil
	return d, err
}

// read reads from the archive. For a range that is not a suffix it returns exactly these bytes.
func (s *Store) read(ctx context.Context, d *directory, ask store.Ask) (store.Extent, error) {
	at := d.archive
	at.Else = nil
	e, err := at.Read(ctx, s.key, ask, s.objects.Extent)
	if r := ask.Range; r != nil && !r.Suffix {
		if err == nil {
			e.Bytes, err = e.Cut(s.key, *r)
		}
		if errors.Is(err, store.ErrRange) {
			err = store.ErrChanged // the archive had these bytes before
		}
	}
	return e, err
}

// firstPiece is the number of bytes of the archive's end that are read first. Half as many are read
// from its beginning. The end record with the longest comment has 64 KiB.
const firstPiece = 128 << 10

// loadAt reads the directory of the archive.
func (s *Store) loadAt(ctx context.Context, d *directory, fresh bool) (err error) {
	at := &d.archive
	if at.Packed != nil && at.Packed.Exact != nil {
		next := at.Else
		if *at, err = at.Packed.Exact(ctx); err != nil {
			return err
		}
		at.Else = next
	}
	ask := store.Ask{MaxBytes: s.opt.MemberBytes, Fresh: fresh}
	if at.Packed == nil {
		ask.Range = &store.ByteRange{Length: firstPiece, Suffix: true, Short: true}
		ask.Enough = 4 * firstPiece
	}
	first, within := guard.NewGroup(ctx)
	if remote := store.SourceCapabilities(at.Source).Remote != nil; remote && at.Length < 0 && !fresh {
		// Most documents lie at the beginning. The object layer caches that piece. The delay keeps
		// browsers from caching it, because a cached part would split later requests.
		first.Go(func() error {
			time.Sleep(5 * time.Millisecond)
			_, _ = s.read(within, d, store.Ask{Range: &store.ByteRange{Length: firstPiece / 2, Short: true}})
			return nil
		})
	}
	e, err := s.read(ctx, d, ask)
	switch {
	case errors.Is(err, store.ErrRange) && !fresh || err == nil && min(e.Offset, e.Size) >= 0 && e.Offset+int64(len(e.Bytes)) != e.Size:
		err = store.ErrChanged // the last bytes belong to the previous size
	case errors.Is(err, store.ErrRange):
		// for a store without short ranges
		e, err = s.read(ctx, d, store.Ask{MaxBytes: firstPiece, Fresh: fresh})
	}
	if waited := first.Wait(); err == nil {
		err = waited // the context ended
	}
	if err != nil {
		return err
	}
	switch {
	case at.Packed != nil:
		*at = store.Location{Inline: e.Bytes}
	case at.Source != nil && at.Version == (store.Version{}):
		if at.Version = e.Version; at.Length >= 0 {
			at.Version.Size = -1 // it is the size of the extent
		}
	}
	return s.parse(ctx, d, &e, fresh)
}
