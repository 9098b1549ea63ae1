package edgecases

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
	"math"

	"github.com/klauspost/compress/zstd"
)

// Small writers for the cases' data.

func gzipped(data string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must(w.Write([]byte(data)))
	check(w.Close())
	return b.String()
}

func deflated(data string) string {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, 6)
	check(err)
	must(w.Write([]byte(data)))
	check(w.Close())
	return b.String()
}

// zstdFrame returns a frame with its content's size, and zstdStream one without.
func zstdFrame(data string) string {
	w, err := zstd.NewWriter(nil)
	check(err)
	return string(w.EncodeAll([]byte(data), nil))
}

func zstdStream(data string) string {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	check(err)
	// Two writes with a flush between them: the writer cannot know the size.
	must(w.Write([]byte(data[:len(data)/2])))
	check(w.Flush())
	must(w.Write([]byte(data[len(data)/2:])))
	check(w.Close())
	return b.String()
}

// lz4Sized returns numcodecs' format: the size, then the block.
func lz4Sized(data string) string { return le(int32(len(data))) + lz4Block(data) }

// lz4Block returns an LZ4 block of literals only.
func lz4Block(data string) string {
	n := len(data)
	if n < 15 {
		return string([]byte{byte(n << 4)}) + data
	}
	head := []byte{0xf0}
	for n -= 15; n >= 255; n -= 255 {
		head = append(head, 255)
	}
	return string(append(head, byte(n))) + data
}

// The flags of a Blosc container.
const (
	bloscShuffle    = 0x01
	bloscStored     = 0x02
	bloscBitShuffle = 0x04
	bloscNoSplit    = 0x10
	bloscLZ4        = 1 << 5
)

// blosc returns a Blosc 1 container with these flags. blocks are the decoder's view, already
// shuffled. Streams are stored uncompressed, as writers do with incompressible data.
func blosc(flags byte, typesize int, blocksize int, blocks ...[]string) string {
	var body []byte
	var starts []int32
	nbytes := 0
	at := 16 + 4*len(blocks)
	for _, streams := range blocks {
		starts = append(starts, int32(at+len(body)))
		for _, s := range streams {
			body = binary.LittleEndian.AppendUint32(body, uint32(len(s)))
			body = append(body, s...)
			nbytes += len(s)
		}
	}
	head := []byte{2, 1, flags, byte(typesize)}
	rest := le(int32(nbytes), int32(blocksize), int32(at+len(body)))
	return string(head) + rest + le(starts...) + string(body)
}

// bloscMemcpy returns a Blosc container of uncompressed bytes.
func bloscMemcpy(flags byte, typesize int, data string) string {
	return string([]byte{2, 1, flags | bloscStored, byte(typesize)}) + le(int32(len(data)), int32(len(data)), int32(len(data)+16)) + data
}

// fletcher returns HDF5's checksum, computed as in its source.
func fletcher(data string) uint32 {
	var sum1, sum2 uint32
	at, words := 0, len(data)/2
	for words > 0 {
		block := min(words, 360)
		words -= block
		for range block {
			sum1 += uint32(data[at])<<8 | uint32(data[at+1])
			at += 2
			sum2 += sum1
		}
		sum1 = sum1&0xffff + sum1>>16
		sum2 = sum2&0xffff + sum2>>16
	}
	if len(data)%2 == 1 {
		sum1 += uint32(data[at]) << 8
		sum2 += sum1
		sum1 = sum1&0xffff + sum1>>16
		sum2 = sum2&0xffff + sum2>>16
	}
	sum1 = sum1&0xffff + sum1>>16
	sum2 = sum2&0xffff + sum2>>16
	return sum2<<16 | sum1
}

func crc32c(data string) string {
	return le(crc32.Checksum([]byte(data), crc32.MakeTable(crc32.Castagnoli)))
}

// entry is the place of an inner chunk in its shard.
type entry struct{ offset, length uint64 }

// absent is the entry of a missing inner chunk.
var absent = entry{math.MaxUint64, math.MaxUint64}

func index(entries ...entry) string {
	var s string
	for _, e := range entries {
		s += le(e.offset, e.length)
	}
	return s
}

// shard concatenates inner chunks, with an index and its checksum at the end.
func shard(inner ...string) string {
	var body string
	var entries []entry
	for _, c := range inner {
		if c == "" {
			entries = append(entries, absent)
			continue
		}
		entries = append(entries, entry{uint64(len(body)), uint64(len(c))})
		body += c
	}
	idx := index(entries...)
	return body + idx + crc32c(idx)
}

// shardAtStart does the same with the index at the start.
func shardAtStart(inner ...string) string {
	at := 16*len(inner) + 4
	var body string
	var entries []entry
	for _, c := range inner {
		if c == "" {
			entries = append(entries, absent)
			continue
		}
		entries = append(entries, entry{uint64(at + len(body)), uint64(len(c))})
		body += c
	}
	idx := index(entries...)
	return idx + crc32c(idx) + body
}

// vlen returns the format of the vlen codecs.
func vlen(items ...string) string {
	s := le(uint32(len(items)))
	for _, item := range items {
		s += le(uint32(len(item))) + item
	}
	return s
}

func must(_ int, err error) { check(err) }

func check(err error) {
	if err != nil {
		panic(err) // the test is wrong
	}
}
