package wire

// The messages about helpers: of the lead to the pool of its helpers, of the pool to the lead, and to a helper.

// WirePipeline: what a chain of codecs is that jobs name by its number.
const (
	PipelineNumber IntName    = "pipeline"
	PipelineForget FlagName   = "forget" // those that came before are no longer named
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
	JobSize     IntName    = "size" // of what is decoded, or of the elements to encode, in bytes
	JobEncode   FlagName   = "encode"
)

// WireRegion: a box of a chunk, in elements.
const (
	RegionOffset  IntName  = "offset"
	RegionStrides IntsName = "strides"
	RegionShape   IntsName = "shape"
)

// WirePlace: where a region's elements belong: a [Place] and its memory.
const (
	PlaceMemory  BufferName = "memory"
	PlaceOffset  IntName    = "offset"
	PlaceRun     IntName    = "run"
	PlaceCounts  IntsName   = "counts"
	PlaceStrides IntsName   = "strides"
)

// WirePoolNews: what the lead tells the pool besides: that a job is no longer wanted; that it has work for one helper more;
// that it wants to be told when all messages that wait now have been delivered.
const (
	PoolDrop IntName  = "drop"
	PoolGrow FlagName = "grow"
	PoolTick FlagName = "tick"
)

// AboutEnd: the end of a job, which failed where the lead has to do it itself.
const (
	JobDone   IntName    = "job"
	JobResult BufferName = "bytes"
	JobFailed FlagName   = "failed"
	JobError  TextName   = "error"
)

// {op: "job"} & AboutEnd: what the pool tells the lead: how many helpers run; that all messages have been delivered; the end of a job
// to decode.
const (
	OpJob      Op       = "job"
	JobHelpers IntName  = "helpers"
	JobTick    FlagName = "tick"
)

// {op: "encoded"} & AboutEnd: what the pool tells the lead: the end of a job to encode. The bytes are all of the buffer.
const OpEncoded Op = "encoded"

// {op: "pipeline"} & WirePipeline: what a helper is told of a chain.
const OpPipeline Op = "pipeline"

// AboutChunk: a chunk that a helper is sent.
const (
	ChunkPipeline IntName    = "pipeline"
	ChunkShape    IntsName   = "shape"
	ChunkBytes    BufferName = "bytes"
	ChunkLength   IntName    = "length"
)

// {op: "decode"} & AboutChunk: has a helper decode a chunk, into a buffer or to a place. The memory of the place it is given otherwise.
const (
	OpDecode     Op         = "decode"
	DecodeWant   IntsName   = "want"
	DecodeRegion ObjectName = "region"
	DecodeInto   BufferName = "into"
	DecodePlace  ObjectName = "place"
)

// {op: "encode"} & AboutChunk: has a helper encode a chunk, whose elements are the bytes. The value is an ArrayBuffer.
const OpEncode Op = "encode"
