// Package replaced serves and reads objects that are replaced during reads. Its arrays have all
// layouts in which several requests go to one object. Each element states the version of its
// object. No codec has a checksum except in archives, so only the versions in answers keep a reader
// from mixing two.
package replaced

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
)

// NumberBits is the number of bits of an element that hold its index in C order. The others hold
// the version of its object.
const NumberBits = 21

// versions is the number of distinguishable versions.
const versions = 1 << (32 - NumberBits)

// Array is a two-dimensional array of uint32.
type Array struct {
	Name string `json:"name"`
	// Kind is the kind of store: "" for a plain one, "zip", "reference" or "n5". Store is its
	// place, and Path the array's path in it.
	Kind  string `json:"kind,omitempty"`
	Store string `json:"store"`
	Path  string `json:"path,omitempty"`
	Shape [2]int `json:"shape"`
	// Object is the shape of the part of the array in one object.
	Object [2]int `json:"object"`
	// Sized reports whether its objects may have any size.
	Sized bool `json:"sized,omitempty"`

	documents map[string][]byte
	objects   map[string]*object
}

// object is an object of the first version, with the places of its elements.
type object struct {
	bytes    []byte
	elements [][2]int // the ranges of elements' bytes
	big      bool     // they are big-endian
	tail     int      // where further bytes are harmless
	// build, if set, makes the object of a version instead.
	build func(version, more int) []byte
}

// document is JSON, with each %v replaced.
func document(format string, values ...any) []byte {
	for i, v := range values {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // these are numbers, lists and raw text
		}
		values[i] = text
	}
	return fmt.Appendf(nil, strings.ReplaceAll(format, "%v", "%s"), values...)
}

const plainBytes = `{"name":"bytes","configuration":{"endian":"little"}}`

func v3(shape, chunk [2]int, codecs string) []byte {
	return document(`{"zarr_format":3,"node_type":"array","shape":%v,"data_type":"uint32","fill_value":7,"chunk_grid":{"name":"regular",`+
		`"configuration":{"chunk_shape":%v}},"chunk_key_encoding":{"name":"default"},"codecs":[%v]}`, shape, chunk, json.RawMessage(codecs))
}

func v2(shape, chunk [2]int, compressor string) []byte {
	return document(`{"zarr_format":2,"shape":%v,"chunks":%v,"dtype":"<u4","compressor":%v,"fill_value":7,"filters":null,"order":"C"}`,
		shape, chunk, json.RawMessage(compressor))
}

// block appends a box of an array of that width.
func (o *object) block(width int, at, shape [2]int) {
	from := len(o.bytes)
	for y := range shape[0] {
		for x := range shape[1] {
			n := uint32((at[0]+y)*width + at[1] + x)
			if o.big {
				o.bytes = binary.BigEndian.AppendUint32(o.bytes, n)
			} else {
				o.bytes = binary.LittleEndian.AppendUint32(o.bytes, n)
			}
		}
	}
	o.elements = append(o.elements, [2]int{from, len(o.bytes)})
	o.tail = len(o.bytes)
}

// shard appends a shard of the first level, whose inner chunks are of the next.
func (o *object) shard(width int, at [2]int, levels [][2]int, atStart bool) {
	if len(levels) == 1 {
		o.block(width, at, levels[0])
		return
	}
	outer, inner := levels[0], levels[1]
	begin := len(o.bytes)
	counts := [2]int{outer[0] / inner[0], outer[1] / inner[1]}
	if atStart {
		o.bytes = append(o.bytes, make([]byte, 16*counts[0]*counts[1])...)
	}
	var index []byte
	for y := range counts[0] {
		for x := range counts[1] {
			from := len(o.bytes)
			o.shard(width, [2]int{at[0] + y*inner[0], at[1] + x*inner[1]}, levels[1:], atStart)
			index = binary.LittleEndian.AppendUint64(index, uint64(from-begin))
			index = binary.LittleEndian.AppendUint64(index, uint64(len(o.bytes)-from))
		}
	}
	if o.tail = len(o.bytes); atStart {
		copy(o.bytes[begin:], index)
		return
	}
	o.bytes = append(o.bytes, index...)
}

func sharding(levels [][2]int, where string) string {
	if len(levels) == 1 {
		return plainBytes
	}
	return string(document(`{"name":"sharding_indexed","configuration":{"chunk_shape":%v,"codecs":[%v],"index_codecs":[%v],"index_location":%v}}`,
		levels[1], json.RawMessage(sharding(levels[1:], where)), json.RawMessage(plainBytes), where))
}

// sharded returns an array of shards.
func sharded(name, where string, levels ...[2]int) *Array {
	shape := [2]int{2 * levels[0][0], levels[0][1]}
	a := &Array{Name: name, Store: name, Shape: shape, Object: levels[0], Sized: true, objects: map[string]*object{}}
	a.documents = map[string][]byte{"zarr.json": v3(shape, levels[0], sharding(levels, where))}
	for i := range 2 {
		o := &object{}
		o.shard(shape[1], [2]int{i * levels[0][0], 0}, levels, where == "start")
		a.objects[fmt.Sprintf("c/%d/0", i)] = o
	}
	return a
}

// chunked returns an array whose chunks are objects that begin with head.
func chunked(name, documentName string, meta []byte, shape, chunk [2]int, head []byte, key func(y, x int) string) *Array {
	a := &Array{Name: name, Store: name, Shape: shape, Object: chunk, documents: map[string][]byte{documentName: meta}, objects: map[string]*object{}}
	for y := range shape[0] / chunk[0] {
		for x := range shape[1] / chunk[1] {
			o := &object{bytes: bytes.Clone(head)}
			o.block(shape[1], [2]int{y * chunk[0], x * chunk[1]}, chunk)
			a.objects[key(y, x)] = o
		}
	}
	return a
}

func dots(y, x int) string { return fmt.Sprintf("%d.%d", y, x) }
func c(y, x int) string    { return fmt.Sprintf("c/%d/%d", y, x) }

// blocks returns an array of one Blosc chunk with uncompressed blocks.
func blocks() *Array {
	shape := [2]int{2048, 1024}
	const block = 256 << 10
	n := shape[0] * shape[1] * 4
	o := &object{bytes: make([]byte, 16+4*(n/block))}
	for i := range n / block {
		binary.LittleEndian.PutUint32(o.bytes[16+4*i:], uint32(len(o.bytes)))
		o.bytes = binary.LittleEndian.AppendUint32(o.bytes, block)
		rows := block / 4 / shape[1]
		o.block(shape[1], [2]int{i * rows, 0}, [2]int{rows, shape[1]})
	}
	copy(o.bytes, []byte{2, 1, 1<<5 | 1<<4, 4}) // LZ4, one stream a block, elements of 4 bytes
	for i, size := range []int{n, block, len(o.bytes)} {
		binary.LittleEndian.PutUint32(o.bytes[4+4*i:], uint32(size))
	}
	return &Array{
		Name: "blosc", Store: "blosc", Shape: shape, Object: shape,
		documents: map[string][]byte{".zarray": v2(shape, shape, `{"id":"blosc","cname":"lz4","clevel":1,"shuffle":0,"blocksize":0}`)},
		objects:   map[string]*object{"0.0": o},
	}
}

// referred returns an array whose chunks are adjacent in one file.
func referred() *Array {
	shape, chunk := [2]int{1024, 1024}, [2]int{64, 64}
	o := &object{}
	refs := map[string]any{".zarray": string(v2(shape, chunk, "null"))}
	for y := range shape[0] / chunk[0] {
		for x := range shape[1] / chunk[1] {
			from := len(o.bytes)
			o.block(shape[1], [2]int{y * chunk[0], x * chunk[1]}, chunk)
			refs[dots(y, x)] = []any{"data.bin", from, len(o.bytes) - from}
		}
	}
	return &Array{
		Name: "references", Kind: "reference", Store: "references/refs.json", Shape: shape, Object: shape, Sized: true,
		documents: map[string][]byte{"refs.json": document(`{"version":1,"refs":%v}`, refs)}, objects: map[string]*object{"data.bin": o},
	}
}

// archived returns arrays in one archive: uncompressed shards, and compressed chunks. The archive
// is one object.
func archived() []*Array {
	all := []*Array{sharded("s", "end", [2]int{256, 1024}, [2]int{64, 64}), chunked("c", ".zarray", v2([2]int{128, 128}, [2]int{32, 32}, "null"),
		[2]int{128, 128}, [2]int{32, 32}, nil, dots)}
	archive := &object{build: func(version, more int) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i, a := range all {
			for _, key := range sortedKeys(a.documents) {
				write(z, a.Store+"/"+key, zip.Store, a.documents[key])
			}
			for _, key := range sortedKeys(a.objects) {
				o := a.objects[key]
				write(z, a.Store+"/"+key, []uint16{zip.Store, zip.Deflate}[i], o.read(version, 0, 0, len(o.bytes)))
			}
		}
		if err := z.SetComment(strings.Repeat(" ", more)); err != nil {
			panic(err) // it is short
		}
		if err := z.Close(); err != nil {
			panic(err) // a buffer takes everything
		}
		return b.Bytes()
	}}
	var list []*Array
	for _, a := range all {
		list = append(list, &Array{
			Name: "zip-" + a.Name, Kind: "zip", Store: "zip-" + a.Name + "/a.zip", Path: a.Name, Shape: a.Shape, Object: a.Shape, Sized: true,
			objects: map[string]*object{"a.zip": archive},
		})
	}
	return list
}

func write(z *zip.Writer, name string, method uint16, b []byte) {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
	if err == nil {
		_, err = w.Write(b)
	}
	if err != nil {
		panic(err) // a buffer takes everything
	}
}

// below puts an array into a group with consolidated metadata.
func below(a *Array, name string, consolidated func(document []byte) []byte) *Array {
	documents, objects := map[string][]byte{}, map[string]*object{}
	for key, b := range a.documents {
		documents["a/"+key] = b
		documents[name] = consolidated(b)
	}
	for key, o := range a.objects {
		objects["a/"+key] = o
	}
	a.Path, a.documents, a.objects = "a", documents, objects
	return a
}

// n5 returns an N5 array, whose dimensions are reversed.
func n5() *Array {
	shape, chunk := [2]int{64, 48}, [2]int{16, 12}
	meta := document(`{"dimensions":[%v,%v],"blockSize":[%v,%v],"dataType":"uint32","compression":{"type":"raw"}}`, shape[1], shape[0], chunk[1], chunk[0])
	a := &Array{Name: "n5", Kind: "n5", Store: "n5", Shape: shape, Object: chunk, documents: map[string][]byte{"attributes.json": meta}, objects: map[string]*object{}}
	for y := range shape[0] / chunk[0] {
		for x := range shape[1] / chunk[1] {
			o := &object{big: true, bytes: []byte{0, 0, 0, 2, 0, 0, 0, byte(chunk[1]), 0, 0, 0, byte(chunk[0])}}
			o.block(shape[1], [2]int{y * chunk[0], x * chunk[1]}, chunk)
			a.objects[fmt.Sprintf("%d/%d", x, y)] = o
		}
	}
	return a
}

// Arrays returns all arrays.
func Arrays() []*Array {
	small, chunk := [2]int{64, 64}, [2]int{16, 16}
	large, row := [2]int{1024, 1024}, [2]int{512, 1024}
	outer, inner := [2]int{512, 1024}, [2]int{64, 64}
	v1 := document(`{"zarr_format":1,"shape":%v,"chunks":%v,"dtype":"<u4","compression":"none","compression_opts":null,"fill_value":7,"order":"C"}`, small, chunk)
	return append([]*Array{
		chunked("v1", "meta", v1, small, chunk, nil, dots),
		chunked("v2", ".zarray", v2(small, chunk, "null"), small, chunk, nil, dots),
		chunked("v3", "zarr.json", v3(small, chunk, plainBytes), small, chunk, nil, c),
		chunked("rows", "zarr.json", v3(large, row, plainBytes), large, row, nil, c),
		blocks(),
		sharded("shards", "end", outer, inner),
		sharded("shards-start", "start", outer, inner),
		sharded("nested", "end", outer, [2]int{128, 256}, [2]int{32, 64}),
		sharded("nested-start", "start", outer, [2]int{128, 256}, [2]int{32, 64}),
		below(sharded("consolidated", "end", outer, inner), "zarr.json", func(b []byte) []byte {
			return document(`{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"a":%v}}}`, json.RawMessage(b))
		}),
		below(chunked("consolidated2", ".zarray", v2(small, chunk, "null"), small, chunk, nil, dots), ".zmetadata", func(b []byte) []byte {
			return document(`{"zarr_consolidated_format":1,"metadata":{".zgroup":{"zarr_format":2},"a/.zarray":%v}}`, json.RawMessage(b))
		}),
		referred(),
		n5(),
	}, archived()...)
}
