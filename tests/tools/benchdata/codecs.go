package main

import (
	"bytes"
	"encoding/binary"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/zarr-wasm/zarr-wasm/tests/naive"
)

// compressor is a codec of the benchmark: its name there, its configuration
// in .zarray and its encoder.
type compressor struct {
	name   string
	config func() any
	encode func(raw []byte, size int) ([]byte, error)
}

type object = map[string]any

// codecs starts with no codec.
var codecs = []compressor{
	{"none", func() any { return nil }, func(raw []byte, _ int) ([]byte, error) { return raw, nil }},
	{"lz4", func() any { return object{"id": "lz4", "acceleration": 1} }, func(raw []byte, _ int) ([]byte, error) {
		b, err := lz4Block(raw)
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(raw))), b...), err
	}},
	bloscCodec("blosc-lz4-shuffle", "lz4", 1, lz4Block),
	bloscCodec("blosc-lz4-bitshuffle", "lz4", 2, lz4Block),
	bloscCodec("blosc-zstd-shuffle", "zstd", 1, zstdFrame),
	{"zstd", func() any { return object{"id": "zstd", "level": 3} }, func(raw []byte, _ int) ([]byte, error) { return zstdFrame(raw) }},
	{"gzip", func() any { return object{"id": "gzip", "level": 5} }, func(raw []byte, _ int) ([]byte, error) {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, 5)
		if err == nil {
			_, err = w.Write(raw)
		}
		if err == nil {
			err = w.Close()
		}
		return b.Bytes(), err
	}},
	{"zlib", func() any { return object{"id": "zlib", "level": 5} }, func(raw []byte, _ int) ([]byte, error) {
		var b bytes.Buffer
		w, err := zlib.NewWriterLevel(&b, 5)
		if err == nil {
			_, err = w.Write(raw)
		}
		if err == nil {
			err = w.Close()
		}
		return b.Bytes(), err
	}},
}

func lz4Block(raw []byte) ([]byte, error) {
	var c lz4.Compressor
	b := make([]byte, lz4.CompressBlockBound(len(raw)))
	n, err := c.CompressBlock(raw, b)
	return b[:n], err
}

// zstdWriter also compresses literals without matches, like the reference implementation.
var zstdWriter, zstdError = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithAllLitEntropyCompression(true))

func zstdFrame(raw []byte) ([]byte, error) {
	if zstdError != nil {
		return nil, zstdError
	}
	return zstdWriter.EncodeAll(raw, nil), nil
}

func bloscCodec(name, format string, shuffle int, encode func([]byte) ([]byte, error)) compressor {
	return compressor{
		name,
		func() any {
			return object{"id": "blosc", "cname": format, "clevel": 5, "shuffle": shuffle, "blocksize": 0}
		},
		func(raw []byte, size int) ([]byte, error) { return blosc(raw, size, format, shuffle, encode) },
	}
}

// blosc writes a container in the layout of c-blosc 1.21 at level 5. With lz4 each byte of the
// element has a stream, in blocks that grow with the element. With zstd each block has one stream.
func blosc(raw []byte, size int, format string, shuffle int, encode func([]byte) ([]byte, error)) ([]byte, error) {
	flags, streams, block := byte(1<<5), size, min(max(128<<10*size, 64<<10), 1<<20)
	if format == "zstd" {
		flags, streams, block = 4<<5|0x10, 1, 256<<10
	}
	block = min(block, len(raw))
	if block/size < 128 {
		streams = 1
	}
	flags |= []byte{0, 1, 4}[shuffle]
	out := []byte{2, 1, flags, byte(size)}
	out = binary.LittleEndian.AppendUint32(out, uint32(len(raw)))
	out = binary.LittleEndian.AppendUint32(out, uint32(block))
	blocks := (len(raw) + block - 1) / block
	out = append(out, make([]byte, 4+4*blocks)...)
	for i := range blocks {
		binary.LittleEndian.PutUint32(out[16+4*i:], uint32(len(out)))
		b := raw[i*block : min((i+1)*block, len(raw))]
		n := streams
		if len(b) < block {
			n = 1
		}
		if b = naive.Shuffle(b, size); shuffle == 2 {
			b = splitBits(b, len(b)/size)
		}
		for each := len(b) / n; len(b) > 0; b = b[each:] {
			c, err := encode(b[:each])
			if err != nil {
				return nil, err
			}
			if len(c) == 0 || len(c) >= each {
				c = b[:each]
			}
			out = append(binary.LittleEndian.AppendUint32(out, uint32(len(c))), c...)
		}
	}
	binary.LittleEndian.PutUint32(out[12:], uint32(len(out)))
	return out, nil
}

// splitBits puts the first bits of all bytes first, within each plane of n bytes,
// a multiple of 8.
func splitBits(b []byte, n int) []byte {
	out := make([]byte, len(b))
	for plane := 0; plane < len(b); plane += n {
		for i := range n {
			for bit := range 8 {
				out[plane+bit*(n/8)+i/8] |= b[plane+i] >> bit & 1 << (i % 8)
			}
		}
	}
	return out
}
