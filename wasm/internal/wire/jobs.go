package wire

// The messages about helpers: between the lead and the pool of its helpers, and to a helper.

// FromPoolUser is any message of the lead to the pool.
//
//	FromPoolUser = WirePipeline | WireJob | WirePoolNews

// WirePipeline: a chain of codecs, which jobs name by its number. See pipeline.go.
const (
	PipelineNumber IntName = "pipeline"
	// No job refers to earlier chains any more.
	PipelineForget FlagName   = "forget"
	PipelineChain  ListName   = "chain" // : unknown[]
	PipelineFormat IntName    = "format"
	PipelineDepth  IntName    = "depth"
	PipelineShape  IntsName   = "shape"
	PipelineFill   BytesName  = "fill"
	PipelineType   ObjectName = "type" // : object
)

// WireJob: a chunk that a helper is to decode or to encode.
const (
	JobNumber   IntName   = "job"
	JobPipeline IntName   = "pipeline"
	JobShape    IntsName  = "shape"
	JobBytes    BytesName = "bytes" // : Uint8Array<ArrayBuffer>
	// From and to, for each dimension.
	JobWant   IntsName   = "want"   // ?
	JobRegion ObjectName = "region" // ?: WireRegion
	// The place of the result. Without it, the lead takes the bytes itself.
	JobPlace ObjectName = "place" // ?: WirePlace
	// Bytes of the result, or of the elements to encode.
	JobSize IntName = "size"
	// The bytes are the elements of a chunk to encode.
	JobEncode FlagName = "encode" // ?
)

// WireRegion: a box of a chunk, in elements.
const (
	RegionOffset  IntName  = "offset"
	RegionStrides IntsName = "strides"
	RegionShape   IntsName = "shape"
)

// WirePlace: the place of a region's elements: runs of contiguous bytes in a memory. The innermost
// dimension comes first.
const (
	PlaceMemory  BufferName = "memory" // : ArrayBuffer | SharedArrayBuffer
	PlaceOffset  IntName    = "offset"
	PlaceRun     IntName    = "run"
	PlaceCounts  IntsName   = "counts"
	PlaceStrides IntsName   = "strides"
)

// WirePoolNews: the lead's other messages to the pool. A job is no longer wanted; there is work for
// one more helper; or a tick is requested, which follows all messages waiting now.
const (
	PoolDrop IntName = "drop"

	PoolGrow FlagName = "grow" // : true

	PoolTick FlagName = "tick" // : true
)

// WireJobEnd: the end of a job. A failed one is left to the lead. Without bytes, the decoded
// elements are in their place. The bytes of an encoded chunk fill the buffer.
const (
	JobDone   IntName    = "job"
	JobResult BufferName = "bytes"  // ?
	JobFailed FlagName   = "failed" // ?
	JobError  TextName   = "error"  // ?
)

// WirePoolState: the number of running helpers, or a tick.
const (
	JobHelpers IntName = "helpers"

	JobTick FlagName = "tick" // : true
)

// ToPoolUser {op: "job"} & WireJobNews: a message of the pool to the lead.
const OpJob Op = "job"

// WireJobNews is the state of the pool, or the end of a job to decode.
//
//	WireJobNews = WirePoolState | WireJobEnd

// ToPoolUser {op: "encoded"} & WireJobEnd: the end of a job to encode.
const OpEncoded Op = "encoded"

// WireHelperOrder {op: "pipeline"} & WirePipeline: describes a chain to a helper.
const OpPipeline Op = "pipeline"

// WireHelperChunk & WireNumbered: a chunk for a helper. Its stored bytes, or the elements to
// encode, begin a buffer.
const (
	ChunkPipeline IntName    = "pipeline"
	ChunkShape    IntsName   = "shape"
	ChunkBytes    BufferName = "bytes"
	ChunkLength   IntName    = "length"
)

// WireHelperOrder {op: "decode"} & WireHelperChunk: makes a helper decode a chunk, into a buffer or
// to a place. Its worker keeps the place's memory to itself.
const (
	OpDecode     Op         = "decode"
	DecodeWant   IntsName   = "want"   // ?
	DecodeRegion ObjectName = "region" // ?: WireRegion
	DecodeInto   BufferName = "into"   // ?
	DecodePlace  ObjectName = "place"  // ?: WirePlace
)

// WireHelperOrder {op: "encode"} & WireHelperChunk: makes a helper encode a chunk of these
// elements. The answer is an ArrayBuffer.
const OpEncode Op = "encode"
