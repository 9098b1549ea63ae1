// Package codec defines codecs and chains of codecs. [Registry.Pipeline] builds a chain from
// metadata, and [Plan.Decode] turns stored bytes into the elements of a chunk.
//
// # The three kinds
//
// As in Zarr v3, a chain has one [ArrayToBytes] codec. Any number of [ArrayToArray] codecs precede
// it, and any number of [BytesToBytes] codecs follow. They are listed in the order of encoding, and
// decoding goes backwards. A v2 chunk has the same chain: an order of F is a transpose, and the
// filters and the compressor follow the bytes codec.
//
// # Adding a codec
//
// Write a package below zarr/codec with a function that returns an [Entry], and add one line to
// package codecs. New is called once for each array, with the configuration and the array at that
// place of the chain. It returns an implementation of one of the three kinds. The implementation is
// safe for concurrent use, and takes its working memory from the [Env].
//
// # Bounds
//
// A decoder never chooses the size of its output. It receives the expected size ([Size]) and writes
// into the given memory or into memory of [Env.Buffer]. It stops with an error at the first byte
// too many.
package codec

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Array describes an array (a chunk) at one place of a chain.
type Array struct {
	Shape []int
	Type  *dtype.Type
	// Fill is one element's bytes (Type.Size of them), or the fill's bytes for
	// types of variable length.
	Fill []byte
}

// Len returns the number of elements.
func (a Array) Len() int {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Bytes returns the size of the packed elements; 0 for types of variable length.
func (a Array) Bytes() int { return a.Len() * a.Type.Size }

// Memory returns the bytes that a block of the array takes, as [Bytes] counts them.
func (a Array) Memory() int64 { return Bytes(a.Shape, ElementBytes(a.Type)) }

// ElementBytes returns the bytes of memory that an element takes. An element of variable length
// counts as its slice, without the bytes that the slice refers to. One without any bytes counts as
// one byte, because it still takes time.
func ElementBytes(t *dtype.Type) int64 {
	const slice = 24
	if t.Variable() {
		return slice
	}
	return int64(max(t.Size, 1))
}

// Bytes returns the size of a block of elements of size bytes. On overflow it returns
// math.MaxInt64.
func Bytes(shape []int, size int64) int64 {
	n := uint64(size)
	for _, d := range shape {
		hi, lo := bits.Mul64(n, uint64(d))
		if n = lo; hi != 0 || lo > math.MaxInt64 {
			n = math.MaxInt64
		}
	}
	if slices.Contains(shape, 0) {
		return 0
	}
	return int64(n)
}

// Size is the length of a byte sequence, or its bound, before the sequence is decoded.
type Size struct {
	// N is the length if Exact, or else its maximum.
	N int64
	// Exact means that any other length is an error.
	Exact bool
}

// ArrayToArray changes an array's shape, order or type.
type ArrayToArray interface {
	// Encoded returns the array that the next codec receives when a is encoded. It is called once
	// when the chain is built, and rejects unsupported arrays.
	Encoded(a Array) (Array, error)
	// Decode writes the decoded array into dst, which has the decoded shape and is C-contiguous.
	// src has the encoded shape and may be changed.
	Decode(env *Env, dst, src ndarray.Block) error
}

// ArrayToBytes turns an array into bytes.
type ArrayToBytes interface {
	// Check rejects arrays that the codec cannot hold. It is called once, when the chain is built.
	Check(a Array) error
	// EncodedSize returns the length of the encoded bytes of an array a.
	EncodedSize(a Array) Size
	// Decode writes the elements into dst, a C-contiguous block of a's shape. It must not change or
	// keep src, though elements of variable length may refer to it.
	Decode(env *Env, a Array, dst ndarray.Block, src []byte) error
}

// RawSerializer is an optional interface of [ArrayToBytes] codecs that may store an array as its
// packed elements in C order. Package bytes implements it. [Pipeline.Plan] asks, so that such
// chunks are copied, byte-swapped or read in part without a decode; see [Plan.Raw].
type RawSerializer interface {
	// Raw reports whether the encoded bytes of a are its packed elements. It also returns the width
	// in bytes (2, 4 or 8) of big-endian scalars, or 0 for little-endian elements.
	Raw(a Array) (swap int, ok bool)
}

// Permutation is an optional interface of [ArrayToArray] codecs that only permute the dimensions.
// Package transpose implements it. [Pipeline.Plan] asks, so that a raw chunk in another order is
// read by strides rather than copied twice.
type Permutation interface {
	// Permutation returns the decoded dimension of each encoded dimension.
	Permutation() []int
}

// ArrayPartialDecoder is an optional interface of [ArrayToBytes] codecs that can decode a region of
// a chunk. Package shard implements it: it skips the other inner chunks. [Plan.Decode] calls it
// when its caller needs a region only. Damage outside of the region goes unnoticed.
type ArrayPartialDecoder interface {
	// DecodePartial decodes the elements of a region; the rest of dst is arbitrary.
	DecodePartial(env *Env, a Array, dst ndarray.Block, src []byte, want []Range) error
}

// Range is the positions From <= i < To of one dimension.
type Range struct{ From, To int }

// BytesToBytes compresses, checks or filters bytes.
type BytesToBytes interface {
	// EncodedSize returns the length of the encoded form of decoded bytes, or its bound.
	EncodedSize(decoded Size) Size
	// Decode decodes src. It writes the result into out.Buf if it fits there, or else into memory
	// of the Env. The result has out.Size's length if that is exact, and never more than out.Size.N
	// bytes. It may also be a part of src (without a checksum). src must not be changed.
	Decode(env *Env, out Output, src []byte) ([]byte, error)
}

// BytesPartialDecoder is an optional interface of [BytesToBytes] codecs that can decode a region of
// a chunk. Package blosc implements it: it skips the other compressed blocks. [Plan.Decode] calls
// it for the last codec of a chain of raw elements. Damage outside of the region goes unnoticed.
type BytesPartialDecoder interface {
	// DecodePartial decodes the bytes of a region; the others are arbitrary.
	DecodePartial(env *Env, out Output, src []byte, want ByteRegion) ([]byte, error)
}

// BytesPartialReader is an optional interface of codecs that locate the bytes of a region from the
// first bytes of the encoded form. Package blosc implements it. [Plan.PartiallyReadable] and
// [Plan.EncodedRanges] ask on behalf of the read engine, which then fetches those bytes alone.
type BytesPartialReader interface {
	BytesPartialDecoder
	// EncodedRanges returns the ranges of the encoded form that DecodePartial reads, in addition to
	// head, its first bytes, and the length of the encoded form. All other bytes may have any value.
	// ok is false when head is too short or not valid.
	EncodedRanges(head []byte, decoded Size, want ByteRegion) (ranges []Range, length int, ok bool)
}

// Output is where a BytesToBytes codec writes.
type Output struct {
	// Buf has length 0 and a capacity that may be 0.
	Buf  []byte
	Size Size
}

// Grow returns a buffer of length 0 with room for n bytes: Buf if it is large enough. Decoders of
// an exact size start with Grow(Size.N).
func (o Output) Grow(env *Env, n int64) []byte {
	if int64(cap(o.Buf)) >= n {
		return o.Buf[:0]
	}
	if !o.Size.Exact {
		env.begin(n)
	}
	return env.Buffer(int(n))[:0]
}

// Check returns b if its length matches the size. Otherwise it returns an error that matches
// [ErrTruncated] or [ErrCorrupt].
func (o Output) Check(b []byte) ([]byte, error) {
	switch n := int64(len(b)); {
	case n > o.Size.N:
		return nil, Corrupt("decodes to more bytes than the chunk has")
	case o.Size.Exact && n < o.Size.N:
		return nil, Truncated("decodes to fewer bytes than the chunk has")
	}
	return b, nil
}

// Env is the private state of one decode or encode: its context, the limits, and reusable memory.
// It is not safe for concurrent use; each goroutine gets its own from [NewEnv].
type Env struct {
	Ctx    context.Context
	Limits Limits
	// OmitFill makes encoders omit inner chunks from a shard if all their elements are the fill
	// value.
	OmitFill bool
	// Large orders decodes that need an unknown amount of memory; nil means that they need not
	// wait.
	Large *Large
	taken int64
	free  [][]byte
	lent  [][]byte
	// keep is set if elements of variable length refer to lent memory, which is then not reused.
	keep bool
}

// NewEnv returns an Env.
func NewEnv(ctx context.Context, lim Limits) *Env {
	return &Env{Ctx: ctx, Limits: lim}
}

// Buffer lends n bytes with any content until the decode of the chunk ends.
func (e *Env) Buffer(n int) []byte {
	for i, b := range e.free {
		if cap(b) >= n {
			last := len(e.free) - 1
			e.free[i] = e.free[last]
			e.free = e.free[:last]
			e.lent = append(e.lent, b)
			return b[:n]
		}
	}
	b := make([]byte, n)
	e.lent = append(e.lent, b)
	return b
}

// forget stops tracking memory that Buffer lent.
func (e *Env) forget(lent []byte) {
	for i, b := range e.lent {
		if len(b) > 0 && len(lent) > 0 && &b[0] == &lent[0] {
			e.lent[i] = nil
		}
	}
}

// Release takes back all memory that Buffer lent since Mark returned mark.
func (e *Env) Release(mark int) {
	for _, b := range e.lent[mark:] {
		if b != nil && len(e.free) < 4 && !e.keep {
			e.free = append(e.free, b)
		}
	}
	clear(e.lent[mark:])
	e.lent = e.lent[:mark]
}

// Mark returns the current position for Release.
func (e *Env) Mark() int { return len(e.lent) }

// Build holds the parameters of a codec's New.
type Build struct {
	// Format is the metadata's version: 2 (also for version 1) or 3. In format 2, filters and
	// compressors must be of kind BytesToBytes.
	Format int
	// Array describes the chunk on the decoded side of this codec.
	Array Array
	// Registry and Limits are for codecs that hold chains of their own.
	Registry *Registry
	Limits   Limits
	// Depth counts the chains that enclose this one.
	Depth int
}

// Entry describes one codec to a [Registry]. Its package returns it.
type Entry struct {
	// Names are the names in v3, the canonical one first. IDs are the numcodecs ids of v2 and v1.
	Names, IDs []string
	// Doc describes the codec in a few words, for lists of codecs. It is empty in the browser; see
	// [Doc].
	Doc string
	// Kind is the kind of the codecs that New returns for format 3.
	Kind Kind
	// Sharding reports that New returns a [ShardCodec] whose configuration has the members
	// chunk_shape, codecs, index_codecs and index_location.
	Sharding bool
	// Rare reports that only the full build links the codec.
	Rare bool
	// Cost is the processor time that the codec needs. CostOf replaces it for codecs whose cost
	// depends on their configuration.
	Cost   Cost
	CostOf func(config json.Value) Cost
	// New returns a codec of one of the three kinds, made from its configuration.
	New func(config json.Value, b Build) (any, error)
}

// Kind is one of the three kinds of codecs.
type Kind uint8

// The kinds, in the order of a chain.
const (
	KindArrayToArray Kind = iota + 1
	KindArrayToBytes
	KindBytesToBytes
)

// String returns the kind as the specification of Zarr v3 writes it.
func (k Kind) String() string {
	switch k {
	case KindArrayToArray:
		return "array-to-array"
	case KindArrayToBytes:
		return "array-to-bytes"
	case KindBytesToBytes:
		return "bytes-to-bytes"
	}
	return ""
}

// Cost is the processor time of a codec in picoseconds for each byte of the decoded chunk.
// Executors compare costs to choose the thread for a chunk, so only the magnitude matters. Costs of
// decoding were measured in Chromium over chunks of 1 MiB. Costs of encoding were measured in Node
// over whole writes, at the default level of writers.
type Cost struct {
	// Decode is 1000 for codecs that were not measured.
	Decode int
	// Encode is the same as Decode for codecs that were not measured.
	Encode int
}

func (e Entry) cost(config json.Value) Cost {
	const unmeasured = 1000
	c := e.Cost
	if e.CostOf != nil {
		c = e.CostOf(config)
	}
	if c.Decode == 0 {
		c.Decode = unmeasured
	}
	if c.Encode == 0 {
		c.Encode = c.Decode
	}
	return c
}
