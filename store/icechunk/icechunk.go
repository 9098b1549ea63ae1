// Package icechunk presents a snapshot of an Icechunk repository as a hierarchy of Zarr version 3.
// It only reads. The specifications are those of versions 1, 2 and 2.1 (earth-mover/icechunk,
// docs/reference/spec-v1.md, spec-v2.md, spec-v2-1.md).
//
// # Files
//
// A repository is a folder. Version 2 has the object "repo", a table of the branches, tags and
// snapshots. Version 1 has a file per branch and tag, refs/branch.NAME/ref.json or
// refs/tag.NAME/ref.json. The first open requests both at once. "repo" wins if both exist. A
// version 2 repository may keep files of version 1 from before its migration, so each file states
// its own version.
//
// A snapshot (snapshots/ID) lists the nodes with their zarr.json. A manifest (manifests/ID) lists
// the chunks of one or more arrays. It refers to files of the repository (chunks/ID) or files
// elsewhere, or holds the bytes. These files have a header of 39 bytes and a FlatBuffer, compressed
// by zstd ("Binary File Format").
//
// # Reads
//
// Opening a branch and reading takes four round trips: the repository, the snapshot, the manifests
// of the wanted chunks, and the chunks. Documents come with the snapshot, inline chunks with the
// manifest. A manifest is read when one of its chunks is first wanted, once for all concurrent
// readers. It is cached as slices of numbers within a budget.
//
// # One snapshot
//
// A Store shows one snapshot for its whole life: the one of the branch or tag at the first read.
// All its reads are therefore consistent. Files of snapshots, manifests and chunks never change. If
// the repository is replaced or old snapshots are removed, a file may be missing. The store reports
// that, and a new Store finds the branch's new snapshot.
//
// # Virtual chunks
//
// A virtual chunk lies in a file outside of the repository, which [Options].Virtual locates. An
// entity tag or a time in the manifest is a condition: bytes of a file that changed since are an
// error. If an answer has no tag or date, there is no such check. Browsers often hide these headers
// from pages of another origin. A missing file is an error, never a missing chunk.
package icechunk

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/zarr-wasm/zarr-wasm/internal/document"
	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/internal/weburl"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Options select a snapshot of a repository and configure its reads. At most one of Branch, Tag and
// Snapshot is set.
type Options struct {
	// Branch is the name of a branch; the default is "main".
	Branch string
	// Tag is the name of a tag.
	Tag string
	// Snapshot is the id of a snapshot.
	Snapshot string
	// Decompress decompresses all zstd frames of src, with the dictionary unless it is nil. An
	// output of more than most bytes is a *limits.Error.
	Decompress func(ctx context.Context, src, dictionary []byte, most int64) ([]byte, error)
	// Virtual returns the location of a whole file outside of the repository. Without it virtual
	// chunks are errors.
	Virtual func(ctx context.Context, url string) (store.Location, error)
	// Containers maps names in the locations of virtual chunks, "vcc://NAME/...", to URL prefixes.
	// They override those in the repository's configuration.
	Containers map[string]string
	// TableBytes limits a decompressed file of tables, in bytes; default 160 MiB. A manifest of 1
	// million chunks takes 64 MiB and more.
	TableBytes int64
	// ManifestsBytes is the approximate memory limit for cached manifests, in bytes; default 192
	// MiB.
	ManifestsBytes int64
}

// Store presents a snapshot of a repository.
type Store struct {
	of      store.Locator
	objects store.Objects
	opt     Options

	opening   *share.Cache[struct{}, *view]
	shown     atomic.Pointer[view]
	gone      atomic.Pointer[Error]
	recheck   atomic.Bool
	manifests *share.Cache[id, *manifest]
	parsing   chan struct{}
	damaged   sync.Map // the names of damaged files
}

var (
	_ store.Refresher = (*Store)(nil)
	_ store.Lister    = (*Store)(nil)
)

// New returns the store of the repository at the root of another store. It reads nothing yet. The
// error matches fs.ErrInvalid if more than one of Branch, Tag and Snapshot is set.
func New(of store.Locator, objects store.Objects, opt Options) (*Store, error) {
	set := 0
	for _, text := range []string{opt.Branch, opt.Tag, opt.Snapshot} {
		if text != "" {
			set++
		}
	}
	switch set {
	case 0:
		opt.Branch = "main"
	case 1:
	default:
		return nil, &Error{What: "options", Msg: "expected one of branch, tag and snapshot", Err: fs.ErrInvalid}
	}
	if opt.TableBytes <= 0 {
		opt.TableBytes = 160 << 20
	}
	opt.TableBytes = min(opt.TableBytes, math.MaxUint32)
	if opt.ManifestsBytes <= 0 {
		opt.ManifestsBytes = 192 << 20
	}
	return &Store{
		of: of, objects: objects, opt: opt,
		opening: share.New[struct{}, *view](0), manifests: share.New[id, *manifest](opt.ManifestsBytes), parsing: make(chan struct{}, 1),
	}, nil
}

// view returns the store's snapshot, and opens it first if necessary.
func (s *Store) view(ctx context.Context) (*view, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v := s.shown.Load()
	if v == nil {
		return s.opening.Do(ctx, struct{}{}, func(ctx context.Context) (*view, int64, error) {
			if v := s.shown.Load(); v != nil {
				return v, 0, nil
			}
			v, err := s.open(ctx)
			if err == nil {
				s.shown.Store(v)
			}
			return v, 0, err
		})
	}
	if s.recheck.Swap(false) {
		if err := s.check(ctx, v.snapshot.id); err != nil {
			return nil, err
		}
	}
	if err := s.gone.Load(); err != nil {
		return nil, err
	}
	return v, nil
}

// Refresh implements [store.Refresher]. A snapshot never changes, but its files can be removed: the
// next read checks that the snapshot still exists.
func (s *Store) Refresh() { s.recheck.Store(true) }

// check checks that the snapshot still exists.
func (s *Store) check(ctx context.Context, x id) error {
	_, err := s.read(ctx, "snapshots/"+x.String(), store.Ask{Fresh: true})
	switch {
	case err == nil:
		s.gone.Store(nil)
	case errors.Is(err, fs.ErrNotExist):
		s.gone.Store(&Error{What: "snapshot " + x.String(), Msg: "it was removed from the repository while it was read: open the repository again"})
	default:
		s.recheck.Store(true)
		return fail("snapshot "+x.String(), err)
	}
	return nil
}

// Locate implements [store.Locator].
func (s *Store) Locate(ctx context.Context, key string) (store.Location, error) {
	if err := store.CheckKey(key); err != nil {
		return store.Location{}, err
	}
	v, err := s.view(ctx)
	if err != nil {
		return store.Location{}, err
	}
	if path, ok := nodeOf(key); ok {
		if i := v.snapshot.find(path); i >= 0 {
			return store.Location{Inline: v.snapshot.nodes[i].data}, nil
		}
		return store.Location{}, store.NotFound(key)
	}
	var room [8]uint32
	path, coords, ok := chunkOf(key, room[:0])
	if !ok {
		return store.Location{}, store.NotFound(key)
	}
	i := v.snapshot.find(path)
	if i < 0 {
		return store.Location{}, store.NotFound(key)
	}
	a, err := s.array(v.snapshot, i)
	if err != nil {
		return store.Location{}, err
	}
	if a != nil {
		for k := range a.manifests {
			if !a.manifests[k].holds(coords) {
				continue
			}
			m, err := s.manifest(ctx, v, a.manifests[k].id)
			if err != nil {
				return store.Location{}, err
			}
			if c := m.of(a.id); c != nil {
				if i := c.find(coords); i >= 0 {
					return s.chunk(ctx, v, m, c, i)
				}
			}
		}
	}
	return store.Location{}, store.NotFound(key)
}

// chunk returns the location of the i-th chunk of an array in a manifest.
func (s *Store) chunk(ctx context.Context, v *view, m *manifest, c *chunks, i int) (store.Location, error) {
	object, offset, length := c.object[i], c.offsets[i], c.length[i]
	switch {
	case object == inlined:
		return store.Location{Inline: m.bytes[offset : offset+length : offset+length]}, nil
	case object&virtual != 0:
		return s.virtual(ctx, v, m, &m.places[object&^virtual], offset, length)
	}
	name := "chunks/" + m.ids[object].String()
	at, err := s.of.Locate(ctx, name)
	if err != nil {
		return store.Location{}, fail(name, err)
	}
	return at.Slice(name, offset, length)
}

// virtual returns the location of a virtual chunk.
func (s *Store) virtual(ctx context.Context, v *view, m *manifest, p *virtualObject, offset, length int64) (store.Location, error) {
	url, err := s.location(ctx, m, p)
	if err != nil {
		return store.Location{}, err
	}
	if url, err = s.expand(v, url); err != nil {
		return store.Location{}, err
	}
	what := "virtual chunk in " + weburl.Redact(url)
	if s.opt.Virtual == nil {
		return store.Location{}, &Error{What: what, Msg: "this store does not read files outside of the repository"}
	}
	at, err := s.opt.Virtual(ctx, url)
	if err != nil {
		return store.Location{}, fail(what, err)
	}
	if at, err = at.Slice(what, offset, length); err != nil || at.Source == nil {
		return at, err
	}
	if p.etagSize > 0 || p.modified > 0 {
		at.Version = store.Unknown
		at.Version.ETag = quoted(string(m.bytesAt(p.etag, p.etagSize)))
		if p.etagSize == 0 {
			at.Version.NotAfter = int64(p.modified)
		}
	}
	return at, nil
}

// quoted returns an entity tag with the quotes of HTTP. Manifests store it with or without them.
func quoted(tag string) string {
	if tag == "" || strings.HasSuffix(tag, `"`) {
		return tag
	}
	return `"` + tag + `"`
}

// expand replaces the container of virtual chunks in a URL by its prefix.
func (s *Store) expand(v *view, url string) (string, error) {
	rest, ok := strings.CutPrefix(url, "vcc://")
	if !ok {
		return url, nil
	}
	name, path, ok := strings.Cut(rest, "/")
	prefix, known := s.opt.Containers[name]
	if !known {
		prefix, known = v.repo.containers[name]
	}
	switch {
	case !ok || !known:
		return "", &Error{What: "virtual chunk in " + weburl.Redact(url), Msg: "the repository's configuration has no container of virtual chunks named " + strconv.Quote(name)}
	case slices.ContainsFunc(strings.Split(path, "/"), func(seg string) bool { return seg == "." || seg == ".." }):
		return "", &Error{What: "virtual chunk in " + weburl.Redact(url), Msg: "the path leaves the container"}
	case !strings.HasSuffix(prefix, "/"):
		prefix += "/"
	}
	return prefix + path, nil
}

// Prepare reads the manifests of these keys' chunks concurrently.
func (s *Store) Prepare(ctx context.Context, keys []string) {
	v, err := s.view(ctx)
	if err != nil {
		return
	}
	wanted := map[id]bool{}
	for _, key := range keys {
		var room [8]uint32
		path, coords, ok := chunkOf(key, room[:0])
		if !ok {
			continue
		}
		i := v.snapshot.find(path)
		if i < 0 {
			continue
		}
		a, err := s.array(v.snapshot, i)
		if err != nil || a == nil {
			continue
		}
		for k := range a.manifests {
			if m := &a.manifests[k]; !wanted[m.id] && m.holds(coords) {
				wanted[m.id] = true
			}
		}
	}
	s.load(ctx, v, wanted)
}

// parallel limits the manifests that are read at once.
const parallel = 16

// load reads manifests that are not cached. It drops errors: the reader that needs the manifest
// gets them again.
func (s *Store) load(ctx context.Context, v *view, wanted map[id]bool) {
	if len(wanted) < 2 {
		return
	}
	g, ctx := guard.NewGroup(ctx)
	slots := make(chan struct{}, parallel)
	for x := range wanted {
		if _, ok := s.manifests.Get(x); ok {
			continue
		}
		g.Go(func() error {
			slots <- struct{}{}
			defer func() { <-slots }()
			_, err := s.manifest(ctx, v, x)
			return err
		})
	}
	_ = g.Wait()
}

// List implements [store.Lister]. It lists the chunks of an array from its manifests.
func (s *Store) List(ctx context.Context, prefix string) ([]string, error) {
	if prefix != "" {
		if err := store.CheckKey(prefix); err != nil {
			return nil, &store.KeyError{Op: "list", Key: prefix, Err: err}
		}
	}
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	sn := v.snapshot
	names := sn.below(prefix)
	for i := range names {
		names[i] += "/"
	}
	if i := sn.find(prefix); i >= 0 {
		names = append(names, document.V3)
		more, err := s.listChunks(ctx, v, i, nil, true)
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	if path, coords, ok := chunkOf(prefix, nil); ok {
		if i := sn.find(path); i >= 0 {
			more, err := s.listChunks(ctx, v, i, coords, false)
			if err != nil {
				return nil, err
			}
			names = append(names, more...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// ListsAll implements [store.Lister].
func (s *Store) ListsAll() bool { return true }

// listChunks returns the names below the first coordinates of an array's chunks. With top it
// returns the folder of all chunks.
func (s *Store) listChunks(ctx context.Context, v *view, i int, first []uint32, top bool) ([]string, error) {
	a, err := s.array(v.snapshot, i)
	if err != nil || a == nil {
		return nil, err
	}
	wanted := map[id]bool{}
	for _, m := range a.manifests {
		wanted[m.id] = true
	}
	s.load(ctx, v, wanted)
	var names []string
	for k := range a.manifests {
		ref := &a.manifests[k]
		m, err := s.manifest(ctx, v, ref.id)
		if err != nil {
			return nil, err
		}
		c := m.of(a.id)
		if c == nil || len(first) > c.rank || !top && len(first) == c.rank {
			continue
		}
		for i := c.search(first); i < len(c.object); i++ {
			at := c.at(i)
			if !slices.Equal(at[:len(first)], first) {
				break
			}
			if !ref.holds(at) {
				continue
			}
			switch name := ""; {
			case top && c.rank == 0:
				names = append(names, "c")
			case top:
				return []string{"c/"}, nil
			default:
				name = strconv.FormatUint(uint64(at[len(first)]), 10)
				if len(first)+1 < c.rank {
					name += "/"
				}
				if n := len(names); n == 0 || names[n-1] != name {
					names = append(names, name)
				}
			}
		}
	}
	return names, nil
}

// nodeOf returns the path of the node for the key of a zarr.json.
func nodeOf(key string) (path string, ok bool) {
	if key == document.V3 {
		return "", true
	}
	return strings.CutSuffix(key, "/"+document.V3)
}

// chunkOf parses the key of a chunk into its array's path and its coordinates. The keys are
// "PATH/c/0/1", and "PATH/c" for an array without dimensions. The coordinates are appended to room.
func chunkOf(key string, room []uint32) (path string, coords []uint32, ok bool) {
	rest, coords := key, room
	for {
		i := strings.LastIndexByte(rest, '/')
		seg := rest[i+1:]
		if seg == "c" {
			slices.Reverse(coords)
			return rest[:max(i, 0)], coords, true
		}
		n, err := strconv.ParseUint(seg, 10, 32)
		if i < 0 || err != nil || seg[0] == '0' && seg != "0" {
			return "", nil, false
		}
		coords, rest = append(coords, uint32(n)), rest[:i]
	}
}
