package icechunk_test

import (
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// A writer of repositories after the specification, for features that no public repository has:
// shared manifests, compressed locations, named containers, conditions and deliberate damage. It
// shares no code with the reader.

// The fields of a table. A field is absent (nil), a number (uint8, uint32, uint64), a structure, or
// a reference.
type (
	fields  []any
	inplace []byte   // A structure.
	blob    []byte   // A vector of bytes, or a string.
	list    []fields // A vector of tables.
	names   []string // A vector of strings.
	structs struct { // A vector of structures.
		n    int
		data []byte
	}
)

// flatbuffer writes a FlatBuffer whose root table has these fields.
func flatbuffer(root fields) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 0)
	b = append(b, "Ichk"...)
	b, at := appendTable(b, root)
	binary.LittleEndian.PutUint32(b, uint32(at))
	return b
}

func appendTable(b []byte, t fields) ([]byte, int) {
	align := func(n int) {
		for len(b)%n != 0 {
			b = append(b, 0)
		}
	}
	align(8)
	vt := len(b)
	b = append(b, make([]byte, 4+2*len(t))...)
	align(8)
	at := len(b)
	b = binary.LittleEndian.AppendUint32(b, uint32(int32(at-vt)))
	places := make([]int, len(t))
	for i, v := range t {
		switch v.(type) {
		case nil:
			continue
		case uint64:
			align(8)
		case uint8, inplace:
		default:
			align(4)
		}
		places[i] = len(b)
		switch v := v.(type) {
		case uint8:
			b = append(b, v)
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, v)
		case uint64:
			b = binary.LittleEndian.AppendUint64(b, v)
		case inplace:
			b = append(b, v...)
		default:
			b = append(b, 0, 0, 0, 0)
		}
		binary.LittleEndian.PutUint16(b[vt+4+2*i:], uint16(places[i]-at))
	}
	binary.LittleEndian.PutUint16(b[vt:], uint16(4+2*len(t)))
	binary.LittleEndian.PutUint16(b[vt+2:], uint16(len(b)-at))
	refer := func(from, to int) { binary.LittleEndian.PutUint32(b[from:], uint32(to-from)) }
	vector := func(from, n int, data []byte) int {
		align(8)
		b = append(b, 0, 0, 0, 0) // aligns the data after the length
		refer(from, len(b))
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
		b = append(b, data...)
		return len(b) - len(data)
	}
	for i, v := range t {
		switch v := v.(type) {
		case blob:
			vector(places[i], len(v), v)
			b = append(b, 0)
		case structs:
			vector(places[i], v.n, v.data)
		case fields:
			var to int
			b, to = appendTable(b, v)
			refer(places[i], to)
		case list:
			first := vector(places[i], len(v), make([]byte, 4*len(v)))
			for k, t := range v {
				var to int
				b, to = appendTable(b, t)
				refer(first+4*k, to)
			}
		case names:
			first := vector(places[i], len(v), make([]byte, 4*len(v)))
			for k, s := range v {
				vector(first+4*k, len(s), []byte(s))
				b = append(b, 0)
			}
		}
	}
	return b, at
}

// The kinds of files.
const snapshotKind, manifestKind, repoKind = 1, 2, 6

// file writes a file. spec is the version of the specification, and compression is 0 or 1.
func file(spec, kind, compression byte, body []byte) []byte {
	b := append([]byte("ICE\xf0\x9f\xa7\x8aCHUNK"), fmt.Sprintf("%-24s", "zarr-wasm's tests")...)
	b = append(b, spec, kind, compression)
	if compression == 1 {
		w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			panic(err)
		}
		body = w.EncodeAll(body, nil)
	}
	return append(b, body...)
}

type id [12]byte

// number returns an id that ends with a number.
func number(n int) (x id) {
	binary.BigEndian.PutUint64(x[4:], uint64(n))
	return x
}

func (x id) String() string {
	return base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding).EncodeToString(x[:])
}

func nodeID(n int) inplace { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func u32s(v ...uint32) structs {
	s := structs{n: len(v)}
	for _, x := range v {
		s.data = binary.LittleEndian.AppendUint32(s.data, x)
	}
	return s
}

// chunkRef is a chunk of a manifest.
type chunkRef struct {
	index          []uint32
	inline         []byte
	chunk          *id
	offset, length uint64
	location       string
	compressed     []byte
	etag           string
	modified       uint32
}

func (r chunkRef) fields() fields {
	t := make(fields, 10)
	t[0] = u32s(r.index...)
	if r.inline != nil {
		t[1] = blob(r.inline)
	}
	if r.offset > 0 {
		t[2] = r.offset
	}
	if r.length > 0 {
		t[3] = r.length
	}
	if r.chunk != nil {
		t[4] = inplace(r.chunk[:])
	}
	if r.location != "" {
		t[5] = blob(r.location)
	}
	if r.etag != "" {
		t[6] = blob(r.etag)
	}
	if r.modified > 0 {
		t[7] = r.modified
	}
	if r.compressed != nil {
		t[8] = blob(r.compressed)
	}
	return t
}

// manifest writes the tables of a manifest. The map holds the chunks of arrays by node number, and
// order their order in the file.
func manifest(x id, dictionary []byte, order []int, arrays map[int][]chunkRef) fields {
	var all list
	for _, n := range order {
		var refs list
		for _, r := range arrays[n] {
			refs = append(refs, r.fields())
		}
		all = append(all, fields{nodeID(n), refs})
	}
	t := fields{inplace(x[:]), all}
	if dictionary != nil {
		t = append(t, blob(dictionary), uint8(1))
	}
	return t
}

// node is a node of a snapshot. It is an array if it has manifests, even an empty list, else a
// group.
type node struct {
	path      string
	doc       string
	manifests []manifestRef
	array     bool
	rank      int
}

type manifestRef struct {
	id      id
	extents []uint32
}

func snapshot(x id, parent *id, message string, nodes ...node) fields {
	var all list
	for i, n := range nodes {
		kind, data := uint8(2), fields{}
		if n.array {
			var refs list
			for _, m := range n.manifests {
				e := u32s(m.extents...)
				e.n /= 2
				refs = append(refs, fields{inplace(m.id[:]), e})
			}
			shape := make(list, n.rank)
			for i := range shape {
				shape[i] = fields{uint64(1), uint32(1)}
			}
			kind, data = 1, fields{structs{}, nil, refs, shape}
		}
		all = append(all, fields{nodeID(i), blob(n.path), blob(n.doc), kind, data})
	}
	t := fields{inplace(x[:]), nil, all, uint64(1_700_000_000_000_000), blob(message), nil, structs{}, list{}}
	if parent != nil {
		t[1] = inplace(parent[:])
	}
	return t
}

// commit is a snapshot in the table of a repository.
type commit struct {
	id      id
	parent  int32
	message string
}

// repo writes the table of a version 2 repository with the branch main.
func repo(status uint8, reason string, config []byte, main int, commits ...commit) fields {
	var all list
	for _, c := range commits {
		all = append(all, fields{inplace(c.id[:]), uint32(c.parent), uint64(1_700_000_000_000_000), blob(c.message)})
	}
	t := fields{
		uint8(2), list{}, list{{blob("main"), uint32(main)}}, names{"gone"}, all, fields{status, uint64(1), blob(reason)}, nil, list{}, nil, nil,
	}
	if config != nil {
		t[9] = blob(config)
	}
	return t
}

// flexConfig writes a configuration as a FlexBuffer: containers of virtual chunks by name.
func flexConfig(containers map[string]string) []byte {
	var b []byte
	offset := func(to int) { b = binary.LittleEndian.AppendUint16(b, uint16(len(b)-to)) }
	size := func(n int) { b = binary.LittleEndian.AppendUint16(b, uint16(n)) }
	text := func(s string) int {
		size(len(s))
		b = append(append(b, s...), 0)
		return len(b) - len(s) - 1
	}
	type value struct {
		name string
		at   int
		kind byte
	}
	object := func(values ...value) int {
		slices.SortFunc(values, func(a, b value) int { return slices.Compare([]byte(a.name), []byte(b.name)) })
		var keys []int
		for _, v := range values {
			keys = append(keys, len(b))
			b = append(append(b, v.name...), 0)
		}
		size(len(values))
		first := len(b)
		for _, at := range keys {
			offset(at)
		}
		offset(first)
		size(2)
		size(len(values))
		at := len(b)
		for _, v := range values {
			if v.kind == 0 {
				size(0)
				continue
			}
			offset(v.at)
		}
		for _, v := range values {
			b = append(b, v.kind<<2|1)
		}
		return at
	}
	var all []value
	for name, prefix := range containers {
		members := []value{{"url_prefix", text(prefix), 5}, {"store", 0, 0}, {"name", text(name), 5}}
		all = append(all, value{name, object(members...), 9})
	}
	at := object(value{"inline_chunk_threshold_bytes", 0, 0}, value{"virtual_chunk_containers", object(all...), 9})
	offset(at)
	return append(b, 9<<2|1, 2)
}

// repository returns the files of a repository with one snapshot, number 1, and the branch main.
func repository(config []byte, manifests map[id]fields, nodes ...node) map[string][]byte {
	x := number(1)
	files := map[string][]byte{
		"repo":                    file(2, repoKind, 1, flatbuffer(repo(0, "", config, 0, commit{x, -1, "first"}))),
		"snapshots/" + x.String(): file(2, snapshotKind, 1, flatbuffer(snapshot(x, nil, "first", nodes...))),
	}
	for x, t := range manifests {
		files["manifests/"+x.String()] = file(2, manifestKind, 1, flatbuffer(t))
	}
	return files
}

const group = `{"zarr_format":3,"node_type":"group"}`

// bytesOf returns the document of a one-dimensional array of bytes, in chunks of four.
func bytesOf(n int) string {
	return fmt.Sprintf(`{"zarr_format":3,"node_type":"array","shape":[%d],"data_type":"uint8","fill_value":255,
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},"chunk_key_encoding":{"name":"default"},"codecs":[{"name":"bytes"}]}`, n)
}

func TestIDsOfTheWriter(t *testing.T) {
	x := id{0x0b, 0x1c, 0xc8, 0xd6, 0x78, 0x75, 0x80, 0xf0, 0xe3, 0x3a, 0x65, 0x34}
	if x.String() != "1CECHNKREP0F1RSTCMT0" {
		t.Error(x)
	}
}
