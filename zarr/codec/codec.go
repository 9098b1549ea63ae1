// Package codec defines what a codec is, how a chain of them is built from
// metadata ([Registry.Pipeline]) and how it turns stored bytes into the elements
// of a chunk ([Pipeline.Decode]).
//
// # The three kinds
//
// As in Zarr v3, a chain is any number of [ArrayToArray] codecs, one
// [ArrayToBytes] codec and any number of [BytesToBytes] codecs, listed in the
// order in which a writer applies them. Decoding goes backwards. A v2 chunk is
// the same: an order of F is a transpose, the filters and the compressor follow
// the bytes codec.
//
// # Adding a codec
//
// Write a package below zarr/codec with a function that returns an [Entry], and
// add one line to package codecs. The entry's New is called once an array, with
// the configuration and with what is known of the array at that place of the
// chain; what it returns implements one of the three kinds and is safe for
// concurrent use: what one decode needs for itself it takes from the [Env].
//
// # Bounds
//
// A decoder is never trusted with the size of its output. It is told what the
// output must be ([Size]) and writes into memory that it is given or that
// [Env.Buffer] gives; it stops with an error at the first byte too many.
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

// Array is what is known of an array (a chunk) at one place of a chain.
type Array struct {
	Shape []int
	Type  *dtype.Type
	// Fill is one element's bytes (Type.Size of them), or the fill's bytes for
	// types of variable length.
	Fill []byte
}

// Len is the number of elements.
func (a Array) Len() int {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Bytes is the size of the packed elements; 0 for types of variable length.
func (a Array) Bytes() int { return a.Len() * a.Type.Size }

// Memory is how many bytes a block of the array takes, as [Bytes] counts them.
func (a Array) Memory() int64 { return Bytes(a.Shape, ElementBytes(a.Type)) }

// ElementBytes is how many bytes of memory an element takes: one of variable length those of its slice, besides what
// the slice refers to, and one without any bytes counts as one byte, because it still takes time.
func ElementBytes(t *dtype.Type) int64 {
	const slice = 24
	if t.Variable() {
		return slice
	}
	return int64(max(t.Size, 1))
}

// Bytes is the size of a block of elements of size bytes, math.MaxInt64 where it is larger than that.
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

// Size is what is known of the length of a byte sequence before it is decoded.
type Size struct {
	// N is the length when Exact, else the most it may be.
	N int64
	// Exact is true when any other length is an error.
	Exact bool
}

// ArrayToArray changes an array's shape, order or type.
type ArrayToArray interface {
	// Encoded returns what the writer's next codec sees of an array a. It is
	// called once when the chain is built and refuses what cannot be.
	Encoded(a Array) (Array, error)
	// Decode writes the decoded array into dst, which has the decoded side's shape
	// and is C-contiguous. src has the encoded side's and may be changed.
	Decode(env *Env, dst, src ndarray.Block) error
}

// ArrayToBytes turns an array into bytes.
type ArrayToBytes interface {
	// Check refuses arrays that the codec cannot hold. It is called once, when the chain is built.
	Check(a Array) error
	// EncodedSize is the length of the encoded bytes of an array a.
	EncodedSize(a Array) Size
	// Decode writes the elements into dst, a C-contiguous block of a's shape.
	// src must not be changed or kept (elements of variable length may refer to it).
	Decode(env *Env, a Array, dst ndarray.Block, src []byte) error
}

// RawSerializer is an optional interface of [ArrayToBytes] codecs that may store an array as its
// packed elements in C order. Package bytes implements it. [Pipeline.Plan] asks, so that such
// chunks are copied, byte-swapped or read in part without a decode; see [Plan.Raw].
type RawSerializer interface {
	// Raw reports whether the encoded bytes of a are its packed elements. swap is the width in bytes
	// (2, 4 or 8) of scalars that are stored in big-endian order, and 0 for little-endian elements.
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
// a chunk. Package shard implements it: it skips the other inner chunks. [Plan.Decode] calls it when
// its caller needs a region only. Damage outside of the region goes unnoticed.
type ArrayPartialDecoder interface {
	// DecodePartial decodes the elements of a region; the rest of dst is arbitrary.
	DecodePartial(env *Env, a Array, dst ndarray.Block, src []byte, want []Range) error
}

// Range is the positions From <= i < To of one dimension.
type Range struct{ From, To int }

// BytesToBytes compresses, checks or filters bytes.
type BytesToBytes interface {
	// EncodedSize is what is known of the length of the encoded form of n bytes.
	EncodedSize(decoded Size) Size
	// Decode decodes src. The result is written into out.Buf when it fits there,
	// else into memory from the Env; it has out.Size's length if that is exact,
	// and never more than out.Size.N bytes. It may also be a part of src (a
	// checksum that is cut off). src must not be changed.
	Decode(env *Env, out Output, src []byte) ([]byte, error)
}

// BytesPartialDecoder is an optional interface of [BytesToBytes] codecs that can decode a region of
// a chunk. Package blosc implements it: it skips the other compressed blocks. [Plan.Decode] calls it
// for the last codec of a chain of raw elements. Damage outside of the region goes unnoticed.
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

// Grow returns a buffer of length 0 with room for n bytes, Buf where it is
// large enough. Decoders of an exact size start with Grow(Size.N).
func (o Output) Grow(env *Env, n int64) []byte {
	if int64(cap(o.Buf)) >= n {
		return o.Buf[:0]
	}
	if !o.Size.Exact {
		env.begin(n)
	}
	return env.Buffer(int(n))[:0]
}

// Check returns b if its length is what the size says, else an error that matches
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

// Env is what one decode or encode has for itself: its context, the limits, and memory
// that is used again by the next decode. It is not safe for concurrent use; get
// one from [NewEnv], one a goroutine.
type Env struct {
	Ctx    context.Context
	Limits Limits
	// OmitFill makes encoders leave out of a shard the inner chunks whose elements are all the fill value.
	OmitFill bool
	// Large is what decodes wait for that do not know how much memory they will need; nil where they need not wait.
	Large *Large
	taken int64
	free  [][]byte
	lent  [][]byte
	// keep is set where elements of variable length refer to what was lent:
	// then nothing is used again.
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

// forget lets go of what Buffer lent.
func (e *Env) forget(lent []byte) {
	for i, b := range e.lent {
		if len(b) > 0 && len(lent) > 0 && &b[0] == &lent[0] {
			e.lent[i] = nil
		}
	}
}

// Release takes back all that Buffer lent since the mark that Mark returned.
func (e *Env) Release(mark int) {
	for _, b := range e.lent[mark:] {
		if b != nil && len(e.free) < 4 && !e.keep {
			e.free = append(e.free, b)
		}
	}
	clear(e.lent[mark:])
	e.lent = e.lent[:mark]
}

// Mark notes how much is lent.
func (e *Env) Mark() int { return len(e.lent) }

// Build is what a codec's New may look at.
type Build struct {
	// Format is the metadata's version: 2 (also for version 1) or 3. In format 2
	// a codec of kind BytesToBytes is wanted of filters and compressors.
	Format int
	// Array is what the chunk looks like on the decoded side of this codec.
	Array Array
	// Registry and Limits are for codecs that hold chains of their own.
	Registry *Registry
	Limits   Limits
	// Depth counts the chains that this one is inside of.
	Depth int
}

// Entry describes one codec to a [Registry]. Its package returns it.
type Entry struct {
	// Names are the names in v3, the canonical one first. IDs are the numcodecs ids of v2 and v1.
	Names, IDs []string
	// Doc describes the codec in a few words, for lists of codecs. It is empty in the browser; see [Doc].
	Doc string
	// Kind is the kind of the codecs that New returns for format 3.
	Kind Kind
	// Sharding reports that New returns a [ShardCodec] whose configuration has the members chunk_shape,
	// codecs, index_codecs and index_location.
	Sharding bool
	// Rare reports that only the full build links the codec.
	Rare bool
	// Cost is the processor time that the codec needs. CostOf replaces it for codecs whose cost depends
	// on their configuration.
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

// Cost is the processor time of a codec in picoseconds for each byte of the decoded chunk. Executors
// compare costs to decide which thread works on a chunk, so only the magnitude matters. Costs of
// decoding were measured in Chromium over chunks of 1 MiB, those of encoding in Node over whole writes
// at the level that writers use by default.
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
