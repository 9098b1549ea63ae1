package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// layout is a chunking and compression of the hosting benchmark's field.
type layout struct {
	name string
	// chunk is the unit of compression, and shard, if any, the unit of storage.
	chunk, shard [3]int
	codec        string
}

// grid is the shape of the field: days, latitudes, longitudes.
var grid = [3]int{120, 360, 720}

var layouts = []layout{
	{"maps", [3]int{1, 360, 720}, [3]int{}, "blosc-zstd"},
	{"series", [3]int{120, 20, 20}, [3]int{}, "blosc-zstd"},
	{"cubes-64k", [3]int{12, 36, 36}, [3]int{}, "blosc-zstd"},
	{"cubes-512k", [3]int{30, 60, 72}, [3]int{}, "blosc-zstd"},
	{"cubes-8m", [3]int{60, 180, 180}, [3]int{}, "blosc-zstd"},
	{"shards-8m", [3]int{12, 36, 36}, [3]int{60, 180, 180}, "blosc-zstd"},
	{"shards-60m", [3]int{12, 36, 36}, [3]int{120, 360, 360}, "blosc-zstd"},
	{"shards-60m-512k", [3]int{30, 60, 72}, [3]int{120, 360, 360}, "blosc-zstd"},
	// The same cubes by other codecs.
	{"cubes-512k-none", [3]int{30, 60, 72}, [3]int{}, "none"},
	{"cubes-512k-blosc-lz4", [3]int{30, 60, 72}, [3]int{}, "blosc-lz4"},
	{"cubes-512k-zstd", [3]int{30, 60, 72}, [3]int{}, "zstd"},
	{"cubes-512k-gzip", [3]int{30, 60, 72}, [3]int{}, "gzip"},
}

// written describes the result of a layout.
type written struct {
	Name    string `json:"name"`
	Codec   string `json:"codec"`
	Chunk   []int  `json:"chunk"`
	Shard   []int  `json:"shard,omitempty"`
	Objects int    `json:"objects"`
	Bytes   int    `json:"bytes"`
}

// writeLayouts writes the field in every layout, and layouts.json.
func writeLayouts(dir string) error {
	values := temperatures()
	var all []written
	for _, l := range layouts {
		w, err := l.write(filepath.Join(dir, l.name), values)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		all = append(all, w)
	}
	b, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "layouts.json"), b, 0o644)
}

// temperatures returns a field like a model's: smooth in space and time, rounded to a sixteenth.
func temperatures() []float32 {
	r := rand.New(rand.NewPCG(1, 7))
	values := make([]float32, 0, grid[0]*grid[1]*grid[2])
	for t := range grid[0] {
		for y := range grid[1] {
			for x := range grid[2] {
				v := 280 + 20*waves(y+t, x-3*t) + 0.2*r.NormFloat64()
				values = append(values, float32(math.Round(v*16)/16))
			}
		}
	}
	return values
}

func (l layout) write(dir string, values []float32) (written, error) {
	w := written{Name: l.name, Codec: l.codec, Chunk: l.chunk[:]}
	object, put := l.chunk, func(from [3]int) ([]byte, error) { return l.encode(cut(values, from, l.chunk)) }
	if l.shard[0] > 0 {
		w.Shard, object = l.shard[:], l.shard
		put = func(from [3]int) ([]byte, error) { return l.pack(values, from) }
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return w, err
	}
	doc, err := json.Marshal(l.document())
	if err != nil {
		return w, err
	}
	if err := os.WriteFile(filepath.Join(dir, "zarr.json"), doc, 0o644); err != nil {
		return w, err
	}
	err = each(grid, object, func(at, from [3]int) error {
		b, err := put(from)
		if err != nil {
			return err
		}
		name := filepath.Join(dir, "c", strconv.Itoa(at[0]), strconv.Itoa(at[1]), strconv.Itoa(at[2]))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		w.Objects++
		w.Bytes += len(b)
		return os.WriteFile(name, b, 0o644)
	})
	return w, err
}

// each calls f for every part of a whole, with its index and its start along each dimension.
func each(whole, part [3]int, f func(at, from [3]int) error) error {
	for t := 0; t*part[0] < whole[0]; t++ {
		for y := 0; y*part[1] < whole[1]; y++ {
			for x := 0; x*part[2] < whole[2]; x++ {
				if err := f([3]int{t, y, x}, [3]int{t * part[0], y * part[1], x * part[2]}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// cut returns the bytes of a part, with zeros outside of the field.
func cut(values []float32, from, size [3]int) []byte {
	out := make([]byte, 4*size[0]*size[1]*size[2])
	for t := range min(size[0], grid[0]-from[0]) {
		for y := range min(size[1], grid[1]-from[1]) {
			row := values[((from[0]+t)*grid[1]+from[1]+y)*grid[2]+from[2]:]
			to := out[4*(t*size[1]+y)*size[2]:]
			for x := range min(size[2], grid[2]-from[2]) {
				binary.LittleEndian.PutUint32(to[4*x:], math.Float32bits(row[x]))
			}
		}
	}
	return out
}

func (l layout) encode(raw []byte) ([]byte, error) {
	switch l.codec {
	case "blosc-zstd":
		return blosc(raw, 4, "zstd", 1, zstdFrame)
	case "blosc-lz4":
		return blosc(raw, 4, "lz4", 1, lz4Block)
	}
	for _, c := range codecs {
		if c.name == l.codec {
			return c.encode(raw, 4)
		}
	}
	return nil, fmt.Errorf("no codec %s", l.codec)
}

// pack returns a shard: its chunks, then their index with its checksum.
func (l layout) pack(values []float32, from [3]int) ([]byte, error) {
	var out, index []byte
	err := each(l.shard, l.chunk, func(_, inner [3]int) error {
		b, err := l.encode(cut(values, [3]int{from[0] + inner[0], from[1] + inner[1], from[2] + inner[2]}, l.chunk))
		index = binary.LittleEndian.AppendUint64(index, uint64(len(out)))
		index = binary.LittleEndian.AppendUint64(index, uint64(len(b)))
		out = append(out, b...)
		return err
	})
	index = binary.LittleEndian.AppendUint32(index, crc32.Checksum(index, crc32.MakeTable(crc32.Castagnoli)))
	return append(out, index...), err
}

// document returns the layout's zarr.json.
func (l layout) document() object {
	little := object{"name": "bytes", "configuration": object{"endian": "little"}}
	chain := []object{little}
	switch name, inner, _ := strings.Cut(l.codec, "-"); name {
	case "blosc":
		chain = append(chain, object{"name": "blosc", "configuration": object{"cname": inner, "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}})
	case "zstd":
		chain = append(chain, object{"name": "zstd", "configuration": object{"level": 3, "checksum": false}})
	case "gzip":
		chain = append(chain, object{"name": "gzip", "configuration": object{"level": 5}})
	}
	chunk := l.chunk
	if l.shard[0] > 0 {
		chunk = l.shard
		chain = []object{{"name": "sharding_indexed", "configuration": object{
			"chunk_shape": l.chunk, "codecs": chain, "index_location": "end",
			"index_codecs": []object{little, {"name": "crc32c"}},
		}}}
	}
	return object{
		"zarr_format": 3, "node_type": "array", "shape": grid, "data_type": "float32", "fill_value": 0, "attributes": object{},
		"chunk_grid":         object{"name": "regular", "configuration": object{"chunk_shape": chunk}},
		"chunk_key_encoding": object{"name": "default", "configuration": object{"separator": "/"}},
		"codecs":             chain, "dimension_names": []string{"time", "lat", "lon"},
	}
}
