package icechunk

import (
	"bytes"
	"context"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
)

// manifest maps chunks to locations, by slices of numbers and bytes that they refer to.
type manifest struct {
	what   string
	arrays []chunks // sorted by the arrays' ids
	// ids are the files of native chunks, places those of virtual ones.
	ids    []id
	places []virtualObject
	// bytes holds inline chunks, locations and entity tags.
	bytes      []byte
	dictionary []byte // of compressed locations
}

// virtualObject is the object that contains a virtual chunk.
type virtualObject struct {
	location, size uint32 // in the manifest's bytes
	etag, etagSize uint32
	modified       uint32 // the latest second of its last change, 0 when unknown
	compressed     bool
}

// chunks are an array's chunks in a manifest.
type chunks struct {
	array [8]byte
	rank  int
	// The following slices have an element per chunk, and coords one per coordinate. Chunks are
	// sorted by their coordinates.
	coords          []uint32
	object          []uint32 // the index in ids, or in places with the highest bit set, or inlined
	offsets, length []int64
}

const (
	virtual = 1 << 31
	inlined = math.MaxUint32
)

// Fields of a manifest's tables.
const (
	manifestID = iota
	manifestArrays
	manifestDictionary
	manifestCompression
)

const (
	refIndex = iota
	refInline
	refOffset
	refLength
	refChunk
	refLocation
	refETag
	refModified
	refCompressed
)

// The memory of a chunk without its coordinates, in bytes.
const chunkBytes, idBytes = 4 + 8 + 8, 12

// manifest returns a manifest of a snapshot. It reads the manifest on first use and caches it
// within the budget. If the manifest is missing, it checks the snapshot, whose absence is the
// better error.
func (s *Store) manifest(ctx context.Context, v *view, x id) (*manifest, error) {
	m, err := s.manifests.Do(ctx, x, func(ctx context.Context) (*manifest, int64, error) {
		what := "manifest " + x.String()
		var m *manifest
		err := s.file(ctx, "manifests/"+x.String(), manifestFile, what, func(f *file) (err error) {
			m, err = readManifest(f, x, what, s.opt.TableBytes)
			return err
		})
		if err != nil {
			return nil, 0, err
		}
		// A manifest is cached whatever its size. Otherwise it would be read again for every chunk.
		return m, min(m.size(), s.opt.ManifestsBytes/4), nil
	})
	if e, ok := err.(*Error); ok && e.Msg == missing {
		if err := s.check(ctx, v.snapshot.id); err != nil {
			return nil, err
		}
		if gone := s.gone.Load(); gone != nil {
			return nil, gone
		}
	}
	return m, err
}

// readManifest parses the file of a manifest.
func readManifest(f *file, x id, what string, most int64) (*manifest, error) {
	t := f.flat.root()
	m := &manifest{what: what, bytes: f.flat.b}
	if own := t.inside(manifestID, 12); own == nil || id(own) != x {
		return nil, damaged(what)
	}
	if dictionary, ok := t.bytes(manifestDictionary); ok && t.u8(manifestCompression, 1) == 1 {
		m.dictionary = slices.Clone(dictionary)
	}
	arrays := t.tables(manifestArrays)
	if f.flat.bad || arrays.n > len(f.flat.b)/leastNode {
		return nil, damaged(what)
	}
	// The size of the chunks is checked before their memory is allocated.
	var all []vector
	var size int64
	for i := range arrays.n {
		t := arrays.table(i)
		c := chunks{}
		own := t.inside(0, 8)
		copy(c.array[:], own)
		refs := t.tables(1)
		if own == nil || f.flat.bad {
			return nil, damaged(what)
		}
		if refs.n > 0 {
			_, c.rank, _ = refs.table(0).vector(refIndex, 4)
			size += int64(refs.n) * int64(chunkBytes+idBytes+4*min(c.rank, 1<<20))
		}
		if err := limits.Check("TableBytes", most/5*3, size, "icechunk: the cached tables of "+what); err != nil {
			return nil, err
		}
		all, m.arrays = append(all, refs), append(m.arrays, c)
	}
	if f.flat.bad {
		return nil, damaged(what)
	}
	known := &lately{}
	for i := range m.arrays {
		if !m.read(&m.arrays[i], all[i], known) {
			return nil, damaged(what)
		}
	}
	byID := func(a, b chunks) int { return bytes.Compare(a.array[:], b.array[:]) }
	slices.SortFunc(m.arrays, byID)
	for i := 1; i < len(m.arrays); i++ {
		if m.arrays[i].array == m.arrays[i-1].array {
			return nil, damaged(what)
		}
	}
	m.ids, m.places = slices.Clip(m.ids), slices.Clip(m.places)
	m.compact()
	return m, nil
}

// lately caches objects of preceding chunks, because neighbours often share one. An element is 1
// plus the index of an object among those of its kind.
type lately [4096]uint32

// slot returns the slot of an object. Another object may occupy it.
func (l *lately) slot(parts ...[]byte) *uint32 {
	h := uint32(2166136261) // FNV-1a
	for _, b := range parts {
		for _, c := range b {
			h = (h ^ uint32(c)) * 16777619
		}
	}
	return &l[(h^h>>16)%uint32(len(l))]
}

// read reads the chunks of an array. It returns false when they are invalid.
func (m *manifest) read(c *chunks, refs vector, known *lately) bool {
	f, n := refs.f, refs.n
	c.coords = make([]uint32, n*c.rank)
	c.object, c.offsets, c.length = make([]uint32, n), make([]int64, n), make([]int64, n)
	sorted := true
	for i := range n {
		t := refs.table(i)
		at, rank, ok := t.vector(refIndex, 4)
		if f.bad || !ok || rank != c.rank {
			return false
		}
		coords := c.at(i)
		for d := range coords {
			coords[d] = f.u32(at + 4*d)
		}
		sorted = sorted && (i == 0 || slices.Compare(c.at(i-1), coords) < 0)
		if c.object[i], c.offsets[i], c.length[i], ok = m.ref(t, known); !ok || f.bad {
			return false
		}
	}
	return sorted || c.sort()
}

// ref returns the object, the offset and the length of a chunk. If a chunk has several forms, the
// first one counts: an object of the repository, an object elsewhere, inline bytes.
func (m *manifest) ref(t table, known *lately) (object uint32, offset, length int64, ok bool) {
	from, size := t.u64(refOffset), t.u64(refLength)
	if from > math.MaxInt64 || size > math.MaxInt64-from {
		return 0, 0, 0, false
	}
	offset, length = int64(from), int64(size)
	if own := t.inside(refChunk, 12); own != nil {
		slot := known.slot(own)
		if n := *slot; n == 0 || n > uint32(len(m.ids)) || m.ids[n-1] != id(own) {
			m.ids = append(m.ids, id(own))
			*slot = uint32(len(m.ids))
		}
		return *slot - 1, offset, length, true
	}
	p := virtualObject{modified: t.u32(refModified)}
	at, n, ok := t.vector(refLocation, 1)
	if !ok {
		at, n, ok = t.vector(refCompressed, 1)
		p.compressed = ok
	}
	if !ok {
		at, n, ok = t.vector(refInline, 1)
		return inlined, int64(at), int64(n), ok
	}
	p.location, p.size = uint32(at), uint32(n)
	if at, n, ok := t.vector(refETag, 1); ok {
		p.etag, p.etagSize = uint32(at), uint32(n)
	}
	slot := known.slot(m.bytesAt(p.location, p.size), m.bytesAt(p.etag, p.etagSize))
	if n := *slot &^ virtual; *slot&virtual == 0 || n == 0 || n > uint32(len(m.places)) || !m.same(&m.places[n-1], &p) {
		m.places = append(m.places, p)
		*slot = uint32(len(m.places)) | virtual
	}
	return *slot - 1, offset, length, true
}

func (m *manifest) bytesAt(at, n uint32) []byte { return m.bytes[at : at+n] }

func (m *manifest) same(a, b *virtualObject) bool {
	return a.compressed == b.compressed && a.modified == b.modified &&
		bytes.Equal(m.bytesAt(a.location, a.size), m.bytesAt(b.location, b.size)) && bytes.Equal(m.bytesAt(a.etag, a.etagSize), m.bytesAt(b.etag, b.etagSize))
}

// compact copies the referenced bytes, so that the file's buffer can be freed, unless that would
// save little.
func (m *manifest) compact() {
	var n int64
	for _, p := range m.places {
		n += int64(p.size) + int64(p.etagSize)
	}
	for _, c := range m.arrays {
		for i, object := range c.object {
			if object == inlined {
				n += c.length[i]
			}
		}
	}
	if n > int64(len(m.bytes))/2 {
		return
	}
	kept := make([]byte, 0, n)
	keep := func(b []byte) int {
		kept = append(kept, b...)
		return len(kept) - len(b)
	}
	for i := range m.places {
		p := &m.places[i]
		p.location, p.etag = uint32(keep(m.bytesAt(p.location, p.size))), uint32(keep(m.bytesAt(p.etag, p.etagSize)))
	}
	for _, c := range m.arrays {
		for i, object := range c.object {
			if object == inlined {
				c.offsets[i] = int64(keep(m.bytes[c.offsets[i] : c.offsets[i]+c.length[i]]))
			}
		}
	}
	m.bytes = kept
}

// size returns the approximate memory of the manifest in bytes.
func (m *manifest) size() int64 {
	n := int64(cap(m.bytes)) + int64(len(m.dictionary)) + idBytes*int64(len(m.ids)) + 24*int64(len(m.places))
	for _, c := range m.arrays {
		n += 100 + int64(len(c.object))*int64(chunkBytes+4*c.rank)
	}
	return n
}

// of returns the chunks of an array, nil when the manifest has none.
func (m *manifest) of(array [8]byte) *chunks {
	i := sort.Search(len(m.arrays), func(i int) bool { return bytes.Compare(m.arrays[i].array[:], array[:]) >= 0 })
	if i < len(m.arrays) && m.arrays[i].array == array {
		return &m.arrays[i]
	}
	return nil
}

// at returns the coordinates of the i-th chunk.
func (c *chunks) at(i int) []uint32 { return c.coords[i*c.rank : (i+1)*c.rank] }

// search returns the index of the first chunk at or after the coordinates, which may be a prefix.
func (c *chunks) search(coords []uint32) int {
	return sort.Search(len(c.object), func(i int) bool { return slices.Compare(c.at(i)[:len(coords)], coords) >= 0 })
}

// find returns the index of the chunk at these coordinates, or -1.
func (c *chunks) find(coords []uint32) int {
	if c.rank != len(coords) {
		return -1
	}
	if i := c.search(coords); i < len(c.object) && slices.Equal(c.at(i), coords) {
		return i
	}
	return -1
}

// sort sorts the chunks. It returns false when two have the same coordinates.
func (c *chunks) sort() bool {
	n := len(c.object)
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return slices.Compare(c.at(int(a)), c.at(int(b))) })
	coords, object := make([]uint32, 0, len(c.coords)), make([]uint32, n)
	offsets, length := make([]int64, n), make([]int64, n)
	for i, k := range order {
		at := c.at(int(k))
		if i > 0 && slices.Equal(coords[len(coords)-c.rank:], at) {
			return false
		}
		coords = append(coords, at...)
		object[i], offsets[i], length[i] = c.object[k], c.offsets[k], c.length[k]
	}
	c.coords, c.object, c.offsets, c.length = coords, object, offsets, length
	return true
}

// maxLocation limits the location of a virtual chunk, in bytes.
const maxLocation = 8 << 10

// location returns the URL of a virtual chunk's object.
func (s *Store) location(ctx context.Context, m *manifest, p *virtualObject) (string, error) {
	text := m.bytesAt(p.location, p.size)
	if p.compressed {
		// Without a dictionary the frame stands alone.
		var err error
		if text, err = s.decompress(ctx, text, m.dictionary, maxLocation, m.what+", a location"); err != nil {
			return "", err
		}
	}
	if len(text) == 0 || len(text) > maxLocation {
		return "", &Error{What: m.what, Msg: "a location of " + strconv.Itoa(len(text)) + " bytes"}
	}
	return string(text), nil
}
