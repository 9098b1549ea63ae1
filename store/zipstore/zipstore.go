// Package zipstore is a store in a zip archive (PKWARE's APPNOTE 6.3.10), which is one object of another store. A member of
// the archive is an object of the store, its name the key.
//
// # The directory
//
// The first key that is asked for has the end of the archive read, in one request for most archives: the end record
// (APPNOTE 4.3.16, with ZIP64 4.3.14 and 4.3.15), its comment, and as much of the central directory (4.3.12) as lies before it. A larger
// directory takes a second request. Over a network the beginning of the archive is asked for at the same time, because that is
// where writers put the documents. The directory is kept, compactly, until [Store.Refresh].
//
// Of several members of one name the last one in the directory counts. Names are UTF-8 where the archive says so (4.4.4, bit 11, or an
// Info-ZIP Unicode path, 4.6.9), else of code page 437. Backslashes are separators where an archive has no slashes. Bytes before the
// archive, as in a self-extracting one, and bytes behind it are allowed.
//
// # The members
//
// What the directory does not say is how long a member's local header (4.3.7) is, behind which its bytes begin. A member is
// read from its header on, up to the next one, so that the header costs no request, and neighbours are one range.
// Part of a stored member is read by itself. Where its bytes begin then follows from where the next member begins if nothing
// lies between the two, else from the header, which is read once.
//
// A stored member is not compressed; others are decoded as a whole by the functions of [Options.Decoders]. The CRC-32 of members that
// are read as a whole is checked, and that header and directory agree.
//
// # The top folder
//
// If all members lie below one folder that has a document of Zarr, the folder is the root of the store; keys
// may begin with its name all the same. [Options.Path] sets another root.
//
// # What is refused
//
// Errors are [*Error], wrapped: for the whole archive where its end or its directory is damaged, larger than [Options] allow, split, or has
// names that leave it; for one member where it is encrypted, overlaps another, declares a size that its bytes cannot have, or has the
// wrong ones. No memory is taken for a size that is only declared.
package zipstore

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"sync"

	"zarr-wasm/internal/guard"
	"zarr-wasm/internal/kernel"
	"zarr-wasm/internal/limits"
	"zarr-wasm/internal/share"
	"zarr-wasm/store"
)

// Decoder decompresses all stored bytes of a member to exactly the given number of bytes.
type Decoder = func(ctx context.Context, stored []byte, size int64) ([]byte, error)

// Methods of compression (APPNOTE 4.4.5).
const (
	Stored  = 0
	Deflate = 8
	Bzip2   = 12
	LZMA    = 14
	Zstd    = 93
	XZ      = 95
)

// Options are settings of a [Store]. Zero fields have defaults.
type Options struct {
	// Path is a folder of the archive that is the root of the store. By default that is the top folder, if there is one.
	Path string
	// Decoders are what decompresses members, by method. Stored ones need none.
	Decoders map[uint16]Decoder
	// Entries is how many members a directory may have; default 2,000,000.
	Entries int64
	// DirectoryBytes is how large a directory may be; default 128 MiB.
	DirectoryBytes int64
	// MemberBytes is how large a member may be that is read as a whole, and an archive that is itself compressed; default 1 GiB.
	MemberBytes int64
}

// Error says what is wrong with an archive, or with one of its members.
type Error struct {
	Archive string // its key
	Member  string // "" where it is the archive
	Msg     string
}

func (e *Error) Error() string {
	at := "zip archive " + strconv.Quote(e.Archive)
	if e.Member != "" {
		at += ", member " + strconv.Quote(e.Member)
	}
	return at + ": " + e.Msg
}

// Store is a locator of the members of an archive. It implements [store.Lister] and [store.Refresher].
type Store struct {
	of      store.Locator
	key     string
	objects store.Objects
	opt     Options
	root    string // of Options.Path, with a slash behind it

	directories *share.Cache[string, *directory] // the one that is kept

	mu    sync.Mutex
	fresh bool // the directory is to be read past all caches
}

var (
	_ store.Lister    = (*Store)(nil)
	_ store.Refresher = (*Store)(nil)
)

// New returns the store in the archive under a key of another store. Nothing is read yet. An error matches fs.ErrInvalid.
func New(of store.Locator, key string, objects store.Objects, opt Options) (*Store, error) {
	if err := store.CheckKey(key); err != nil {
		return nil, err
	}
	set := func(p *int64, n int64) {
		if *p <= 0 {
			*p = n
		}
	}
	set(&opt.Entries, 2_000_000)
	set(&opt.DirectoryBytes, 128<<20)
	set(&opt.MemberBytes, 1<<30)
	// Places in the directory are kept in 32 bits.
	opt.Entries, opt.DirectoryBytes = min(opt.Entries, 1<<30), min(opt.DirectoryBytes, 1<<30)
	s := &Store{of: of, key: key, objects: objects, opt: opt, directories: share.New[string, *directory](1 << 62)}
	if path := strings.Trim(opt.Path, "/"); path != "" {
		if err := store.CheckKey(path); err != nil {
			return nil, err
		}
		s.root = path + "/"
	}
	return s, nil
}

func (s *Store) wrong(msg string) *Error { return &Error{Archive: s.key, Msg: msg} }

// Refresh implements [store.Refresher].
func (s *Store) Refresh() {
	s.mu.Lock()
	s.fresh = true
	s.mu.Unlock()
	s.directories.Drop("")
	if r, ok := s.of.(store.Refresher); ok {
		r.Refresh()
	}
}

// Comment returns the comment of the archive, without zeros at its end. That of an OME-Zarr archive (.ozx) is
// JSON and says which version it has.
func (s *Store) Comment(ctx context.Context) (string, error) {
	d, err := s.directory(ctx)
	if err != nil {
		return "", err
	}
	return d.comment, nil
}

// Root returns the folder of the archive that is the root of the store: [Options.Path], the top folder, or "".
func (s *Store) Root(ctx context.Context) (string, error) {
	d, err := s.directory(ctx)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(s.root+d.top, "/"), nil
}

// name returns the name of the member that a key is of, or the folder that a prefix is of.
func (s *Store) name(d *directory, key string) string {
	if s.root != "" {
		return s.root + key
	}
	if d.top == "" || d.alias && strings.HasPrefix(key+"/", d.top) {
		return key
	}
	return d.top + key
}

// Locate implements [store.Locator].
func (s *Store) Locate(ctx context.Context, key string) (store.Location, error) {
	if err := store.CheckKey(key); err != nil {
		return store.Location{}, err
	}
	d, err := s.directory(ctx)
	if err != nil {
		return store.Location{}, err
	}
	k, ok := d.search(s.name(d, key))
	if !ok {
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
	}
	d, err := s.directory(ctx)
	if err != nil {
		return nil, err
	}
	if prefix = s.name(d, prefix); prefix != "" && prefix[len(prefix)-1] != '/' {
		prefix += "/"
	}
	return d.list(prefix), nil
}

// directory returns the directory, which it reads the first time.
func (s *Store) directory(ctx context.Context) (*directory, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if d, ok := s.directories.Get(""); ok {
		return d, nil
	}
	return s.directories.Do(ctx, "", func(ctx context.Context) (*directory, int64, error) {
		s.mu.Lock()
		fresh := s.fresh
		s.fresh = false
		s.mu.Unlock()
		d, err := s.load(ctx, fresh)
		if errors.Is(err, store.ErrChanged) && !fresh { // while it was read
			if r, ok := s.of.(store.Refresher); ok {
				r.Refresh()
			}
			d, err = s.load(ctx, true)
		}
		if err != nil && fresh {
			s.mu.Lock()
			s.fresh = true
			s.mu.Unlock()
		}
		return d, 1, err
	})
}

// member returns where a member lies.
func (s *Store) member(ctx context.Context, d *directory, i uint32) (store.Location, error) {
	m := &d.members[i]
	fail := func(msg string) (store.Location, error) {
		return store.Location{}, &Error{s.key, d.name(i), msg}
	}
	decode := s.opt.Decoders[m.method]
	switch {
	case m.flags&(1|1<<6|1<<13) != 0:
		return fail("is encrypted, which is not supported")
	case m.flags&(1<<5) != 0:
		return fail("is patch data, which is not supported")
	case m.slack < 0:
		return fail("overlaps another member, or the directory")
	case m.method == Stored && m.size != m.stored:
		return fail("is not compressed, and declares another size than it has")
	case m.method == Deflate && m.size/1032 > m.stored:
		return fail("declares more bytes than its compressed ones can be: " + strconv.FormatInt(m.size, 10))
	case m.method != Stored && decode == nil:
		return fail("compression method " + methodName(m.method) + " is not supported")
	case m.size == 0 && m.crc == 0:
		return store.Location{Inline: []byte{}}, nil
	}
	head := d.header(i)
	if head < 0 && m.slack > mostSlack {
		var err error
		if head, err = s.readHeader(ctx, d, i); err != nil {
			return store.Location{}, err
		}
	}
	n := m.room() + m.stored
	if head >= 0 {
		n = head + m.stored
	}
	at := d.extent(m.offset, n)
	at.Size = m.size
	at.Decode = func(ctx context.Context, raw []byte, most int64) ([]byte, error) {
		if most <= 0 {
			most = s.opt.MemberBytes
		}
		if m.size > most {
			return nil, limits.Encoded(most, m.size, "member "+strconv.Quote(d.name(i))+" of zip archive "+strconv.Quote(s.key))
		}
		head, err := s.checkHeader(d, i, raw)
		if err != nil {
			return nil, err
		}
		b := raw[head:]
		if int64(len(b)) < m.stored {
			return nil, &Error{s.key, d.name(i), "its local header is longer than the directory leaves room for"}
		}
		if b = b[:m.stored:m.stored]; m.method != Stored {
			if b, err = decode(ctx, b, m.size); err != nil {
				return nil, err
			}
		}
		if int64(len(b)) != m.size || kernel.CRC32(b) != m.crc {
			return nil, &Error{s.key, d.name(i), "its CRC-32 is not that of its bytes: it is damaged"}
		}
		return b, nil
	}
	if m.method == Stored {
		at.Exact = func(ctx context.Context) (store.Location, error) {
			head, err := d.header(i), error(nil)
			if head < 0 {
				head, err = s.readHeader(ctx, d, i)
			}
			return d.extent(m.offset+max(head, 0), m.stored), err
		}
	}
	return at, nil
}

// mostSlack is how many bytes that may be no part of a member are read along with it. Where more lie behind one, its
// header is read first.
const mostSlack = 4 << 10

// readHeader returns the length of a member's local header, of which it reads as much as there can be.
func (s *Store) readHeader(ctx context.Context, d *directory, i uint32) (int64, error) {
	m := &d.members[i]
	at := d.extent(m.offset, min(m.room(), m.fixed()+math.MaxUint16))
	e, err := at.Read(ctx, s.key, store.Ask{Range: &store.ByteRange{Length: m.fixed()}}, s.objects.Extent)
	if err != nil {
		return 0, err
	}
	return s.checkHeader(d, i, e.Bytes)
}

// checkHeader returns the length of the local header that b begins with.
func (s *Store) checkHeader(d *directory, i uint32, b []byte) (int64, error) {
	m := &d.members[i]
	if len(b) < localSize || le32(b) != localSignature {
		return 0, &Error{s.key, d.name(i), "there is no local header where the directory says: the archive is damaged, or was replaced"}
	}
	names := int64(le16(b[26:]))
	head := localSize + names + int64(le16(b[28:]))
	// With a descriptor, sizes and CRC-32 follow the bytes.
	sizes := le16(b[6:])&descriptor == 0
	if names != int64(m.rawName) || le16(b[8:]) != m.method || sizes && (le32(b[14:]) != m.crc || !is32(le32(b[18:]), m.stored) || !is32(le32(b[22:]), m.size)) {
		return 0, &Error{s.key, d.name(i), "its local header and the directory contradict each other"}
	}
	if head > m.room() {
		return 0, &Error{s.key, d.name(i), "its local header is longer than the directory leaves room for"}
	}
	d.learn(i, head)
	return head, nil
}

// is32 tells whether a field of 32 bits is of a number, which ZIP64 keeps elsewhere.
func is32(field uint32, n int64) bool { return field == math.MaxUint32 || int64(field) == n }

func methodName(method uint16) string {
	number := strconv.Itoa(int(method))
	for _, known := range []struct {
		method uint16
		name   string
	}{{Bzip2, "bzip2"}, {LZMA, "LZMA"}, {Zstd, "Zstandard"}, {XZ, "XZ"}, {9, "Deflate64"}} {
		if known.method == method {
			return number + " (" + known.name + ")"
		}
	}
	return number
}

// load reads the directory, of the first of the places where the archive may lie that has one.
func (s *Store) load(ctx context.Context, fresh bool) (*directory, error) {
	at, err := s.of.Locate(ctx, s.key)
	for l := &at; err == nil; l = l.Else {
		one := *l
		one.Else = nil
		d, failed := s.loadAt(ctx, one, fresh)
		if !errors.Is(failed, fs.ErrNotExist) {
			return d, failed
		}
		if l.Else == nil {
			err = failed
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = s.wrong("it is absent") // which a member of it is not
	}
	return nil, err
}

// firstPiece is how much of the end of an archive is read first, and of its beginning. The end record with the longest comment that
// there can be has 64 KiB.
const firstPiece = 128 << 10

// loadAt reads the directory of an archive that lies at a place.
func (s *Store) loadAt(ctx context.Context, at store.Location, fresh bool) (*directory, error) {
	if at.Decode != nil && at.Exact != nil {
		part, err := at.Exact(ctx)
		if err != nil {
			return nil, err
		}
		at = part
	}
	d := &directory{archive: at}
	if at.Decode != nil || at.Source == nil {
		e, err := at.Read(ctx, s.key, store.Ask{Most: s.opt.MemberBytes, Fresh: fresh}, s.objects.Extent)
		if err != nil {
			return nil, err
		}
		d.archive = store.Location{Inline: e.Bytes}
		return d, s.parse(ctx, d, e, fresh)
	}
	read := func(ctx context.Context, ask store.Ask) (store.Extent, error) {
		return at.Read(ctx, s.key, ask, s.objects.Extent)
	}
	if _, remote := at.Source.(store.Remote); remote && at.Length < 0 && !fresh {
		// Documents mostly lie there. The object layer keeps it for who asks.
		first := make(chan struct{})
		guard.Go(func() error {
			_, err := read(ctx, store.Ask{Range: &store.ByteRange{Length: firstPiece / 2, Short: true}})
			return err
		}, func(error) { close(first) }) // whoever needs it finds out
		defer func() {
			select {
			case <-first:
			case <-ctx.Done():
			}
		}()
	}
	e, err := read(ctx, store.Ask{
		Range: &store.ByteRange{Length: firstPiece, Suffix: true, Short: true}, Most: s.opt.MemberBytes, Fresh: fresh,
		Hint: store.Hint{Enough: 4 * firstPiece},
	})
	if errors.Is(err, store.ErrRange) {
		// A store that does not know short ranges.
		e, err = read(ctx, store.Ask{Most: firstPiece, Fresh: fresh})
	}
	if err != nil {
		return nil, err
	}
	if d.archive.Version == (store.Version{}) {
		if d.archive.Version = e.Version; at.Length >= 0 {
			d.archive.Version.Size = -1 // it is that of the extent
		}
	}
	return d, s.parse(ctx, d, e, fresh)
}
