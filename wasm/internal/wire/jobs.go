package wire

// The messages about helpers: between the lead and the pool of its helpers, and to a helper.

// WirePipeline: a chain of codecs, which jobs name by its number.
const (
	PipelineNumber IntName    = "pipeline"
	PipelineForget FlagName   = "forget" // earlier ones are no longer named
	PipelineChain  ListName   = "chain"
	PipelineFormat IntName    = "format"
	PipelineDepth  IntName    = "depth"
	PipelineShape  IntsName   = "shape"
	PipelineFill   BytesName  = "fill"
	PipelineType   ObjectName = "type" // see pipeline.go
)

// WireJob: a chunk that a helper is to decode or to encode.
const (
	JobNumber   IntName    = "job"
	JobPipeline IntName    = "pipeline"
	JobShape    IntsName   = "shape"
	JobBytes    BytesName  = "bytes"
	JobWant     IntsName   = "want" // from and to, for each dimension
	JobRegion   ObjectName = "region"
	JobPlace    ObjectName = "place"
	JobSize     IntName    = "size" // bytes of the result, or of the elements to encode
	JobEncode   FlagName   = "encode"
)

// WireRegion: a box of a chunk, in elements.
const (
	RegionOffset  IntName  = "offset"
	RegionStrides IntsName = "strides"
	RegionShape   IntsName = "shape"
)

// WirePlace: the place of a region's elements: a [Place] and its memory.
const (
	PlaceMemory  BufferName = "memory"
	PlaceOffset  IntName    = "offset"
	PlaceRun     IntName    = "run"
	PlaceCounts  IntsName   = "counts"
	PlaceStrides IntsName   = "strides"
)

// WirePoolNews: the lead's other messages to the pool. A job is no longer wanted, there is work for
// one more helper, or a tick is requested, which follows all messages waiting now.
const (
	PoolDrop IntName  = "drop"
	PoolGrow FlagName = "grow"
	PoolTick FlagName = "tick"
)

// AboutEnd: the end of a job. A failed one is left to the lead.
const (
	JobDone   IntName    = "job"
	JobResult BufferName = "bytes"
	JobFailed FlagName   = "failed"
	JobError  TextName   = "error"
)

// {op: "job"} & AboutEnd: the pool's messages to the lead: the number of running helpers; a tick;
// the end of a job to decode.
const (
	OpJob      Op       = "job"
	JobHelpers IntName  = "helpers"
	JobTick    FlagName = "tick"
)

// {op: "encoded"} & AboutEnd: the pool's message to the lead at the end of a job to encode. The
// bytes fill the buffer.
const OpEncoded Op = "encoded"

// {op: "pipeline"} & WirePipeline: describes a chain to a helper.
const OpPipeline Op = "pipeline"

// AboutChunk: a chunk for a helper.
const (
	ChunkPipeline IntName    = "pipeline"
	ChunkShape    IntsName   = "shape"
	ChunkBytes    BufferName = "bytes"
	ChunkLength   IntName    = "length"
)

// {op: "decode"} & AboutChunk: makes a helper decode a chunk, into a buffer or to a place. The
// place's memory is sent separately.
const (
	OpDecode     Op         = "decode"
	DecodeWant   IntsName   = "want"
	DecodeRegion ObjectName = "region"
	DecodeInto   BufferName = "into"
	DecodePlace  ObjectName = "place"
)

// {op: "encode"} & AboutChunk: makes a helper encode a chunk of these elements. The value is an
// ArrayBuffer.
const OpEncode Op = "encode"
