package catalog

import (
	"errors"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// State is the known state of a path.
type State uint8

const (
	// Unknown paths have not been opened, or were written since.
	Unknown State = iota
	// Implied paths are Unknown or Present in their records, and named by consolidated metadata of
	// a group above. No record has this state, because such metadata may name very many paths.
	Implied
	// Present paths had a node at the last open.
	Present
	// Absent paths had no document at the last open.
	Absent
	// Suspect paths failed to open the last time, or had another node than before.
	Suspect
)

// trusted reports whether the next open may use caches and consolidated metadata. After a failed
// open it may not: an intermediate cache may hold the wrong answer.
func (s State) trusted() bool { return s < Absent }

// event is the outcome of an open or a write.
type event uint8

const (
	found    event = iota // an open found a node
	missed                // an open found none of the node's possible documents
	failed                // an open failed, and may succeed later
	replaced              // this program wrote or deleted documents of the path
)

// next is the table of transitions.
var next = [...][4]State{
	//         found    missed   failed   replaced
	Unknown: {Present, Absent, Suspect, Unknown},
	Implied: {}, // no record has this state
	Present: {Present, Suspect, Suspect, Unknown},
	Absent:  {Present, Absent, Suspect, Suspect},
	Suspect: {Present, Absent, Suspect, Suspect},
}

// record is the knowledge of one path.
type record struct {
	state   State
	noted   bool // a node was here, or the record holds other facts to keep
	format  int  // the version that an open for any version found; 0 if none did
	hashes  [4]documentsHash
	written uint64 // the number of the last write to the path

	// The consolidated metadata of a group; nil if it has none. Valid once asked is set.
	asked        bool
	consolidated *meta.Consolidated
}

// documentsHash is the hash of the documents read last. It is 0 after they were replaced.
type documentsHash struct {
	hash  uint64
	known bool
}

// variant returns the index of a node's hash: one for each version, and one for v2 arrays without
// their attributes.
func variant(m *meta.Node) int {
	if m.Bare {
		return 0
	}
	return m.Format
}

// knowledge holds the known facts of a hierarchy's paths, and of its host. It is safe for
// concurrent use.
type knowledge struct {
	nodes *Nodes

	format atomic.Int32 // the version of the node found last; 0 if none
	host   atomic.Int32 // the host's answer for missing objects

	mu         sync.Mutex
	paths      map[string]*record
	distrusted int    // records whose state is not trusted
	writes     uint64 // counts writes; after the first, consolidated metadata is ignored
	cleared    uint64 // the number of the last write to all paths below one
}

// Nodes is a cache of the nodes of one or several hierarchies.
type Nodes = share.Cache[nodeID, Node]

// NewNodes returns an empty cache with a budget in bytes.
func NewNodes(budget int64) *Nodes { return share.New[nodeID, Node](budget) }

type nodeID struct {
	of     *knowledge
	path   string
	format int
	bare   bool // without attributes
}

// maxDistrusted bounds the records of paths that may never have had a node.
const maxDistrusted = 1000

// record returns the record of a path. The lock is held.
func (k *knowledge) record(path string) *record {
	r := k.paths[path]
	if r == nil {
		r = &record{}
		k.paths[path] = r
	}
	return r
}

// note returns the record of a path and protects it from removal. The lock is held.
func (k *knowledge) note(path string) *record {
	r := k.record(path)
	r.noted = true
	return r
}

// move makes a transition. The lock is held.
func (k *knowledge) move(r *record, e event) {
	from, to := r.state, next[r.state][e]
	switch {
	case from.trusted() && !to.trusted():
		if k.distrusted == maxDistrusted {
			k.forgive()
		}
		k.distrusted++
	case !from.trusted() && to.trusted():
		k.distrusted--
	}
	r.state = to
}

// forgive makes distrusted paths unknown. The lock is held.
func (k *knowledge) forgive() {
	for path, r := range k.paths {
		if r.state.trusted() {
			continue
		}
		if r.state = Unknown; !r.noted {
			delete(k.paths, path)
		}
	}
	k.distrusted = 0
}

// view is the knowledge of a path at the start of an open.
type view struct {
	state     State
	described *meta.Node // by consolidated metadata, if the path is Implied
	err       error      // of that metadata
	since     uint64     // the number of the last write
}

// look returns the known state of a path.
func (k *knowledge) look(path string) (v view) {
	k.mu.Lock()
	v.since = k.writes
	if r := k.paths[path]; r != nil {
		v.state = r.state
	}
	k.mu.Unlock()
	if v.state.trusted() {
		if v.described, v.err = k.described(path); v.described != nil || v.err != nil {
			v.state = Implied
		}
	}
	return v
}

// described returns the node that consolidated metadata of a group above describes, nearest group
// first; nil if none does. An undescribed node may exist, because such metadata may be out of date.
func (k *knowledge) described(path string) (*meta.Node, error) {
	for at := path; at != ""; {
		at = parent(at)
		k.mu.Lock()
		var c *meta.Consolidated
		if r := k.paths[at]; r != nil {
			c = r.consolidated
		}
		k.mu.Unlock()
		if c == nil {
			continue
		}
		m, err := c.Node(below(path, at))
		if err != nil {
			return nil, reader.MetadataError(path, err)
		}
		if m != nil {
			return m, nil
		}
	}
	return nil, nil
}

// children lists the nodes directly below a path, by the nearest consolidated metadata at or above
// it.
func (k *knowledge) children(path string) ([]meta.Child, bool) {
	k.mu.Lock()
	at, r := k.nearest(path, func(r *record) bool { return r.consolidated != nil })
	k.mu.Unlock()
	if r == nil {
		return nil, false
	}
	return r.consolidated.Children(below(path, at)), true
}

// expect returns the likely version of a node at a path, or 0 without a hint. It also reports
// whether the node may have consolidated metadata. Below a group that has none, it does not.
func (k *knowledge) expect(path string) (format int, consolidated bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, r := k.nearest(path, func(r *record) bool { return r.asked })
	return int(k.format.Load()), r == nil || r.consolidated != nil
}

// nearest returns the first path, from the given one upwards, whose record picked accepts; nil if
// there is none. The lock is held.
func (k *knowledge) nearest(path string, picked func(*record) bool) (string, *record) {
	for at := path; ; at = parent(at) {
		if r := k.paths[at]; r != nil && picked(r) {
			return at, r
		}
		if at == "" {
			return "", nil
		}
	}
}

// covers reports whether at equals path or, with all set, lies below it.
func covers(path, at string, all bool) bool {
	return at == path || all && (path == "" || strings.HasPrefix(at, path+"/"))
}

// parent returns the path above one that is not the root's.
func parent(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 0)] }

// below returns a path relative to one at or above it.
func below(path, at string) string { return strings.TrimPrefix(path[len(at):], "/") }

// kept returns a cached node of one version, or of any. With bare set the node may lack its
// attributes.
func (k *knowledge) kept(path string, format int, bare bool) (Node, bool) {
	if format == 0 {
		k.mu.Lock()
		if r := k.paths[path]; r != nil {
			format = r.format
		}
		k.mu.Unlock()
	}
	n, ok := k.nodes.Get(nodeID{k, path, format, false})
	if !ok && bare {
		n, ok = k.nodes.Get(nodeID{k, path, format, true})
	}
	return n, ok
}

// read notes the contents of documents. consolidated reports whether the request included documents
// that may hold consolidated metadata.
func (k *knowledge) read(path string, m *meta.Node, consolidated bool) {
	k.format.Store(int32(m.Format))
	if m.Array != nil || !consolidated {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.note(path)
	r.asked = true
	if k.writes == 0 {
		r.consolidated = m.Consolidated
	}
}

// opened notes and caches the node that an open found. If the path was written meanwhile, the open
// may have read the old documents. Such a node is not cached, and becomes current only when its
// documents are read again. It reports whether the node has replaced another one.
func (k *knowledge) opened(path string, n Node, anyVersion bool, since uint64) (other bool) {
	m := n.Metadata()
	size := int64(2000)
	for _, d := range m.Documents {
		size += 2 * int64(len(d.Bytes))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.note(path)
	last := &r.hashes[variant(m)]
	if r.written > since || k.cleared > since {
		last.known = true
		return false
	}
	k.move(r, found)
	if anyVersion {
		r.format = m.Format
	}
	other = last.known && last.hash != n.Hash()
	*last = documentsHash{n.Hash(), true}
	// Every node is cached, however large its documents: otherwise each use would read them again.
	k.nodes.Put(nodeID{k, path, m.Format, m.Bare}, n, min(size, k.nodes.Budget()/4))
	return other
}

// failed notes that an open found no node: it missed all documents, or failed.
func (k *knowledge) failed(path string, e event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.move(k.record(path), e)
}

// replaced notes that the documents of a path were written or deleted. With all set this includes
// the paths below. sameVersion states that the path keeps a node of the same version.
func (k *knowledge) replaced(path string, all, sameVersion bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.writes++
	if all {
		k.cleared = k.writes
	}
	if k.writes == 1 {
		for _, r := range k.paths {
			r.consolidated = nil
		}
	}
	k.rewritten(k.note(path), sameVersion)
	if all {
		for at, r := range k.paths {
			if covers(path, at, true) {
				k.rewritten(r, sameVersion)
			}
		}
	}
	k.nodes.DropFunc(func(key any) bool {
		id := key.(nodeID)
		return id.of == k && covers(path, id.path, all)
	})
}

// rewritten is replaced for one path. The lock is held.
func (k *knowledge) rewritten(r *record, sameVersion bool) {
	k.move(r, replaced)
	r.written = k.writes
	if !sameVersion {
		r.format = 0
	}
	for i := range r.hashes {
		r.hashes[i].hash = 0
	}
}

// drafted notes the node of documents that are about to be written.
func (k *knowledge) drafted(path string, m *meta.Node, hash uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.note(path).hashes[variant(m)] = documentsHash{hash, true}
}

// current reports whether a node's documents match those that were read last.
func (k *knowledge) current(path string, m *meta.Node, hash uint64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.paths[path]
	if r == nil {
		return true
	}
	last := r.hashes[variant(m)]
	return !last.known || last.hash == hash
}

// drop drops the nodes from the cache.
func (k *knowledge) drop() {
	k.nodes.DropFunc(func(key any) bool { return key.(nodeID).of == k })
}

// nodeFound reports whether any node was found.
func (k *knowledge) nodeFound() bool { return k.format.Load() != 0 }

// A host's answer for a missing object.
const (
	hostReports = 1 // absent: then a response that a browser blocks does not mean absence
	hostRefuses = 2 // a refusal that may have other causes
)

// answered notes the host's answer for a document that may be missing: an error of absence, or a
// lasting refusal.
func (k *knowledge) answered(err error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		k.host.Store(hostReports)
	case err != nil && !store.Blocked(err):
		k.host.CompareAndSwap(0, hostRefuses)
	}
}

// hostIs reports whether the host gives that answer.
func (k *knowledge) hostIs(says int32) bool { return k.host.Load() == says }
