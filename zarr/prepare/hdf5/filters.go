package hdf5

import "github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"

// filter is one filter of a pipeline.
type filter struct {
	id     int
	values []uint64
}

// filters returns the pipeline, in the order of encoding.
func (f *file) filters(all []message) ([]filter, error) {
	b, err := f.find(all, msgFilters)
	if b == nil {
		return nil, err
	}
	c := f.cursor("a filter pipeline", b)
	version := c.version(1, 2)
	n := c.u8()
	if version == 1 {
		c.skip(6)
	}
	var list []filter
	for range min(n, 32) {
		one := filter{id: c.u16()}
		name := 0
		if version == 1 || one.id >= 256 {
			name = c.u16()
		}
		c.skip(2)
		values := c.u16()
		if version == 1 {
			name = (name + 7) &^ 7
		}
		c.skip(name)
		for range values {
			one.values = append(one.values, c.uint(4))
			if c.err != nil {
				return nil, c.err
			}
		}
		if version == 1 && values%2 == 1 {
			c.skip(4)
		}
		list = append(list, one)
	}
	return list, c.err
}

// filterNames are the filters that no codec of Zarr decodes, for messages.
var filterNames = map[int]string{
	4: "szip", 5: "nbit", 6: "scale-offset", 32000: "LZF", 32004: "LZ4 (HDF5's framing)", 32008: "bitshuffle",
	32013: "zfp", 32017: "SZ", 32024: "SZ3", 32018: "fcidecomp", 32019: "JPEG", 32026: "Blosc 2", 32028: "Granular BitRound",
}

// codecs returns the codecs of version 2 that decode a pipeline.
func codecs(list []filter) ([]references.Codec, error) {
	var all []references.Codec
	for _, one := range list {
		value := func(i int) int64 {
			if i < len(one.values) {
				return int64(one.values[i])
			}
			return 0
		}
		switch one.id {
		case 1:
			all = append(all, references.Codec{"id": "zlib", "level": min(value(0), 9)})
		case 2:
			if len(one.values) < 1 || value(0) < 1 || value(0) > 1<<20 {
				return nil, damaged("the shuffle filter has no size of elements")
			}
			all = append(all, references.Codec{"id": "shuffle", "elementsize": value(0)})
		case 3:
			all = append(all, references.Codec{"id": "fletcher32"})
		case 307:
			all = append(all, references.Codec{"id": "bz2", "level": max(min(value(0), 9), 1)})
		case 32001:
			// The chunk names its compressor itself: only the id matters for decoding.
			names := []string{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"}
			name := "lz4"
			if i := value(6); i < int64(len(names)) {
				name = names[i]
			}
			all = append(all, references.Codec{"id": "blosc", "cname": name, "clevel": min(value(4), 9), "shuffle": min(value(5), 2), "blocksize": int64(0)})
		case 32015:
			all = append(all, references.Codec{"id": "zstd", "level": min(value(0), 22)})
		default:
			if name, ok := filterNames[one.id]; ok {
				return nil, unsupported("the filter %s", name)
			}
			return nil, unsupported("filter %d", one.id)
		}
	}
	return all, nil
}
