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

// State is what is known of a path.
type State uint8

const (
	// Unknown paths have not been opened, or were written since.
	Unknown State = iota
	// Implied paths are Unknown or Present by their records, and consolidated metadata of a group above
	// names them. No record says so: such metadata may name very many.
	Implied
	// Present paths had a node when they were opened last.
	Present
	// Absent paths had no document when they were opened last.
	Absent
	// Suspect paths could not be opened the last time, or had another node than before.
	Suspect
)

// trusted reports whether the next open may believe caches and consolidated metadata. After an open
// that failed it may not: a cache on the way may keep the answer that was wrong.
func (s State) trusted() bool { return s < Absent }

// event is what an open found, or what a write did.
type event uint8

const (
	found    event = iota // an open found a node
	missed                // an open found none of the documents that a node may have
	failed                // an open failed, and need not fail again
	replaced              // this program wrote or deleted documents of the path
)

// next is the table of transitions.
var next = [...][4]State{
	//         found    missed   failed   replaced
	Unknown: {Present, Absent, Suspect, Unknown},
	Implied: {}, // is in no record
	Present: {Present, Suspect, Suspect, Unknown},
	Absent:  {Present, Absent, Suspect, Suspect},
	Suspect: {Present, Absent, Suspect, Suspect},
}

// record is what is known of one path.
type record struct {
	state   State
	noted   bool // a node was here, or something else that must not be forgotten
	format  int  // the version that an open for any version found; 0 while none did
	hashes  [4]documentsHash
	written uint64 // the number of the last write to the path

	// A group that was asked for its consolidated metadata has it, or nil.
	asked        bool
	consolidated *meta.Consolidated
}

// documentsHash is the hash of the documents that were read last. It is 0 after they were replaced.
type documentsHash struct {
	hash  uint64
	known bool
}

// variant is the index of a node's hash: one for each version, and one for arrays of v2 whose attributes
// were not asked for.
func variant(m *meta.Node) int {
	if m.Bare {
		return 0
	}
	return m.Format
}

// knowledge is what a hierarchy knows of its paths, and of the host that it lies on. It is safe for
// concurrent use.
type knowledge struct {
	nodes *Nodes

	format atomic.Int32 // the version of the node that was found last; 0 while none was
	host   atomic.Int32 // what the host says of objects that it does not have

	mu         sync.Mutex
	paths      map[string]*record
	distrusted int    // records whose state is not trusted
	writes     uint64 // counts writes; from the first on, consolidated metadata is not believed
	cleared    uint64 // the number of the last write to all paths below one
}

// Nodes is a cache of the nodes of one or several hierarchies.
type Nodes = share.Cache[nodeID, Node]

// NewNodes returns an empty cache that keeps nodes of so many bytes.
func NewNodes(budget int64) *Nodes { return share.New[nodeID, Node](budget) }

type nodeID struct {
	of     *knowledge
	path   string
	format int
	bare   bool // without attributes
}

// maxDistrusted bounds the records of paths that no node may ever have been at.
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

// note returns the record of a path, to which something is added that must not be forgotten. The lock is held.
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

// view is what is known of a path when an open begins.
type view struct {
	state     State
	described *meta.Node // by consolidated metadata, of a path that is Implied
	err       error      // of that metadata
	since     uint64     // the number of the last write
}

// look returns what is known of a path.
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

// described returns the node that consolidated metadata of a group above describes, the nearest first; nil
// where none does. A node that is not described may exist: such metadata may be out of date.
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

// children returns what the nearest consolidated metadata at or above a path lists directly below it.
func (k *knowledge) children(path string) ([]meta.Child, bool) {
	k.mu.Lock()
	at, r := k.nearest(path, func(r *record) bool { return r.consolidated != nil })
	k.mu.Unlock()
	if r == nil {
		return nil, false
	}
	return r.consolidated.Children(below(path, at)), true
}

// expect returns the version that a node at a path likely has, 0 where nothing tells, and whether it may have
// consolidated metadata: not below a group that was asked for it and has none.
func (k *knowledge) expect(path string) (format int, consolidated bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, r := k.nearest(path, func(r *record) bool { return r.asked })
	return int(k.format.Load()), r == nil || r.consolidated != nil
}

// nearest returns the first path, of one and those above it, whose record is picked, and nil where none is.
// The lock is held.
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

// covers reports whether a path is another one or, with all set, lies below it.
func covers(path, at string, all bool) bool {
	return at == path || all && (path == "" || strings.HasPrefix(at, path+"/"))
}

// parent returns the path above one that is not the root's.
func parent(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 0)] }

// below returns a path relative to one at or above it.
func below(path, at string) string { return strings.TrimPrefix(path[len(at):], "/") }

// kept returns a node that was opened and is still in the cache, of a version or of any, with its attributes
// or, where bare, perhaps without.
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

// read notes what documents say. consolidated says whether those were asked for that may hold the metadata
// of other nodes.
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

// opened notes the node that an open found, and keeps it. An open that a write to the path overtook may have
// read what was there before: its node is not kept, and is current only if its documents are read once more.
func (k *knowledge) opened(path string, n Node, anyVersion bool, since uint64) {
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
		return
	}
	k.move(r, found)
	if anyVersion {
		r.format = m.Format
	}
	*last = documentsHash{n.Hash(), true}
	// A node is kept however large its documents are: without, it would be read again and again.
	k.nodes.Put(nodeID{k, path, m.Format, m.Bare}, n, min(size, k.nodes.Budget()/4))
}

// failed notes that an open found no node: one that missed all documents, or any that failed.
func (k *knowledge) failed(path string, e event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.move(k.record(path), e)
}

// replaced notes that the documents of a path were written or deleted, and with all set those of the paths
// below it, too. sameVersion says that the path has a node of the same version as before.
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

// rewritten is replaced of one path. The lock is held.
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

// drafted notes the node that documents will make when they are written.
func (k *knowledge) drafted(path string, m *meta.Node, hash uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.note(path).hashes[variant(m)] = documentsHash{hash, true}
}

// current reports whether a node's documents are those that were read last, as far as is known.
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

// What a host says of an object that it does not have.
const (
	hostReports = 1 // that it is absent: an answer that a browser blocks is no absence
	hostRefuses = 2 // something that may mean other things, too
)

// answered notes how the host answered for a document that it may not have: by the error of absence, or by a
// refusal that did not pass.
func (k *knowledge) answered(err error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		k.host.Store(hostReports)
	case err != nil && !store.Blocked(err):
		k.host.CompareAndSwap(0, hostRefuses)
	}
}

// hostIs reports whether that is what the host says.
func (k *knowledge) hostIs(says int32) bool { return k.host.Load() == says }
