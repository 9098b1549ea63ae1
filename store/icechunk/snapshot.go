package icechunk

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// snapshot is the parsed file of a snapshot. Large parts stay in the file's tables.
type snapshot struct {
	id      id
	parent  *id // of version 1 files
	message string
	time    uint64
	raw     []byte
	nodes   []node // sorted by path

	mu     sync.Mutex
	arrays map[int]*array // by node, for nodes whose chunks were read
}

// node is a node of a snapshot.
type node struct {
	path string // without the leading slash
	data []byte // its zarr.json
	at   int    // the position of its table
}

// array describes the chunks of an array.
type array struct {
	id        [8]byte
	rank      int // -1 when unknown
	manifests []manifestRef
}

// manifestRef refers to a manifest for a box of the chunk grid.
type manifestRef struct {
	id      id
	extents []uint32 // from and to of each dimension; of another length when the box is unknown
}

// holds reports whether the manifest may have a chunk.
func (m *manifestRef) holds(coords []uint32) bool {
	if len(m.extents) != 2*len(coords) {
		return true
	}
	for d, c := range coords {
		if c < m.extents[2*d] || c >= m.extents[2*d+1] {
			return false
		}
	}
	return true
}

// Fields of tables, by their numbers.
const (
	snapshotID = iota
	snapshotParent
	snapshotNodes
	snapshotTime
	snapshotMessage
)

const (
	nodeID = iota
	nodePath
	nodeDocument
	nodeType
	nodeData
)

const (
	arrayShape = iota
	_
	arrayManifests
	arrayShape2
)

const isArray, isGroup = 1, 2

// leastNode is the smallest size in bytes of a node in a file. It bounds the number of nodes.
const leastNode = 24

// snapshot reads a snapshot.
func (s *Store) snapshot(ctx context.Context, x id) (*snapshot, error) {
	what := "snapshot " + x.String()
	var sn *snapshot
	err := s.file(ctx, "snapshots/"+x.String(), snapshotFile, what, func(f *file) (err error) {
		if sn, err = readSnapshot(f, what); err == nil && sn.id != x {
			err = &Error{What: what, Msg: "its file holds another snapshot, " + sn.id.String()}
		}
		return err
	})
	return sn, err
}

func readSnapshot(f *file, what string) (*snapshot, error) {
	t := f.flat.root()
	sn := &snapshot{message: t.text(snapshotMessage), time: t.u64(snapshotTime), raw: f.flat.b, arrays: map[int]*array{}}
	own := t.inside(snapshotID, 12)
	copy(sn.id[:], own)
	if p := t.inside(snapshotParent, 12); p != nil {
		sn.parent = (*id)(p)
	}
	nodes := t.tables(snapshotNodes)
	if own == nil || nodes.n > len(f.flat.b)/leastNode || f.flat.bad {
		return nil, damaged(what)
	}
	sn.nodes = make([]node, 0, nodes.n)
	text := 0
	for i := range nodes.n {
		t := nodes.table(i)
		path, _ := t.bytes(nodePath)
		data, ok := t.bytes(nodeDocument)
		kind := t.u8(nodeType, 0)
		if text += len(path); f.flat.bad || !ok || text > len(f.flat.b) || t.inside(nodeID, 8) == nil || kind != isArray && kind != isGroup || !isPath(path) {
			return nil, damaged(what)
		}
		n := node{path: string(path[1:]), data: data}
		if kind == isArray {
			n.at = t.at
		}
		sn.nodes = append(sn.nodes, n)
	}
	byPath := func(a, b node) int { return strings.Compare(a.path, b.path) }
	if !slices.IsSortedFunc(sn.nodes, byPath) {
		slices.SortFunc(sn.nodes, byPath)
	}
	for i := 1; i < len(sn.nodes); i++ {
		if sn.nodes[i].path == sn.nodes[i-1].path {
			return nil, &Error{What: what, Msg: "it has more than one node at /" + sn.nodes[i].path}
		}
	}
	return sn, nil
}

// isPath reports whether a path is a valid node path: absolute, without "." and ".." segments, in
// UTF-8.
func isPath(path []byte) bool {
	if len(path) == 0 || path[0] != '/' || !utf8.Valid(path) {
		return false
	}
	if len(path) == 1 {
		return true
	}
	for seg := range bytes.SplitSeq(path[1:], []byte{'/'}) {
		switch string(seg) {
		case "", ".", "..":
			return false
		}
	}
	return true
}

// find returns the index of the node at a path, or -1.
func (sn *snapshot) find(path string) int {
	i := sn.search(path)
	if i < len(sn.nodes) && sn.nodes[i].path == path {
		return i
	}
	return -1
}

// search returns the index of the first node at or after a path.
func (sn *snapshot) search(path string) int {
	return sort.Search(len(sn.nodes), func(i int) bool { return sn.nodes[i].path >= path })
}

// below returns the sorted names of nodes and folders of nodes directly below a path.
func (sn *snapshot) below(path string) []string {
	prefix := path
	if prefix != "" {
		prefix += "/"
	}
	var names []string
	for i := sn.search(prefix); i < len(sn.nodes) && strings.HasPrefix(sn.nodes[i].path, prefix); {
		name, deeper, _ := strings.Cut(sn.nodes[i].path[len(prefix):], "/")
		if name == "" {
			i++ // the root
			continue
		}
		names = append(names, name)
		if deeper == "" {
			i++
		}
		// Skip deeper nodes: continue at the first path after this folder.
		if i < len(sn.nodes) && strings.HasPrefix(sn.nodes[i].path, prefix+name+"/") {
			i = sn.search(prefix + name + "0") // '0' is the character after '/'
		}
	}
	// A node and its folder may not be adjacent: "a", "a-b", "a/c".
	slices.Sort(names)
	return slices.Compact(names)
}

// array returns the description of the i-th node's chunks; nil for a group.
func (s *Store) array(sn *snapshot, i int) (*array, error) {
	if sn.nodes[i].at == 0 {
		return nil, nil
	}
	sn.mu.Lock()
	defer sn.mu.Unlock()
	if a := sn.arrays[i]; a != nil {
		return a, nil
	}
	f := &flat{b: sn.raw}
	t := f.table(sn.nodes[i].at)
	a := &array{rank: -1}
	copy(a.id[:], t.inside(nodeID, 8))
	data, _ := t.table(nodeData)
	if _, n, ok := data.vector(arrayShape2, 4); ok {
		a.rank = n
	} else if _, n, ok := data.vector(arrayShape, 16); ok {
		a.rank = n
	}
	refs := data.tables(arrayManifests)
	if f.bad || refs.n > len(sn.raw)/leastNode {
		return nil, damaged("snapshot " + sn.id.String() + ", array /" + sn.nodes[i].path)
	}
	a.manifests = make([]manifestRef, refs.n)
	words := 0
	for k := range a.manifests {
		t, m := refs.table(k), &a.manifests[k]
		own := t.inside(0, 12)
		copy(m.id[:], own)
		at, n, _ := t.vector(1, 8)
		if words += 2 * n; f.bad || own == nil || words > len(sn.raw) {
			return nil, damaged("snapshot " + sn.id.String() + ", array /" + sn.nodes[i].path)
		}
		m.extents = make([]uint32, 2*n)
		for j := range m.extents {
			m.extents[j] = f.u32(at + 4*j)
		}
	}
	sn.arrays[i] = a
	return a, nil
}
