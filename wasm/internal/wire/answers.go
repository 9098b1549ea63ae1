package wire

// The messages that answer requests, and the values of these answers.

// WireAnswer: the end of a request, with a value, or a WireError where it is not ok.
const (
	AnswerID    IntName    = "id"
	AnswerOK    FlagName   = "ok"
	AnswerValue AnyName    = "value"
	AnswerError ObjectName = "error"
)

// WireError: an error, for JavaScript's error classes.
const (
	ErrorName      TextName   = "name"
	ErrorCode      TextName   = "code"
	ErrorMessage   TextName   = "message"
	ErrorPath      TextName   = "path"
	ErrorKey       TextName   = "key"
	ErrorCodec     TextName   = "codec"
	ErrorRare      FlagName   = "rare" // another build has it
	ErrorStatus    IntName    = "status"
	ErrorURL       TextName   = "url"
	ErrorHint      TextName   = "hint"
	ErrorLimit     TextName   = "limit"
	ErrorMax       IntName    = "max"
	ErrorFeature   TextName   = "feature"
	ErrorContainer TextName   = "container" // the kind of container found in place of a node
	ErrorFound     TextName   = "found"
	ErrorTried     ListName   = "tried"
	ErrorCause     ObjectName = "cause"
	ErrorWritten   ListName   = "written" // the keys of chunks that a failed write has written
	ErrorThrown    IntName    = "thrown"  // the question in whose answer the page threw the cause
)

// WireProgress: the progress of a read, at most once a frame.
const (
	ProgressID   IntName    = "id"
	ProgressDone ObjectName = "progress"
)

// WireProgress.progress: chunks done, and in all.
const (
	DoneChunks  IntName = "done"
	TotalChunks IntName = "total"
)

// WirePartial: a box of a read's result and its start, at most once a frame.
const (
	PartialID    IntName    = "id"
	PartialBlock ObjectName = "partial"
	PartialStart IntsName   = "start"
)

// WireEvent: a request of a store that reports them.
const (
	EventOf    ObjectName = "event"
	EventStore IntName    = "store"
)

// RequestEvent: a request of a store.
const (
	EventKey     TextName   = "key"
	EventRange   ObjectName = "range"
	EventSource  TextName   = "source"
	EventMethod  TextName   = "method"
	EventStatus  IntName    = "status"
	EventAttempt IntName    = "attempt"
	EventBytes   IntName    = "bytes"
	EventMerged  IntName    = "merged"
	EventStart   IntName    = "start"
	EventMS      IntName    = "ms"
	EventError   TextName   = "error"
)

// RequestStats: the totals of a store's requests.
const (
	StatsRequests IntName = "requests"
	StatsBytes    IntName = "bytes"
	StatsRetries  IntName = "retries"
	StatsFailed   IntName = "failed"
	StatsCached   IntName = "cached"
	StatsShared   IntName = "shared"
)

// CacheReport: the contents of the caches, each a CacheUse.
const (
	ReportMetadata ObjectName = "metadata"
	ReportIndexes  ObjectName = "indexes"
	ReportEncoded  ObjectName = "encoded"
	ReportDecoded  ObjectName = "decoded"
)

// CacheUse: the contents of one cache.
const (
	CacheBytes   IntName = "bytes"
	CacheBudget  IntName = "budget"
	CacheEntries IntName = "entries"
	CacheHits    IntName = "hits"
	CacheShared  IntName = "shared"
	CacheMisses  IntName = "misses"
	CacheEvicted IntName = "evicted"
)

// WireAddress: a node in a store.
const (
	AddressStore   AnyName  = "store" // a place as text, or a composition of stores
	AddressPath    TextName = "path"
	AddressFormat  IntName  = "format" // 0: any
	AddressGuessed FlagName = "guessed"
)

// WireNode: an array or a group.
const (
	NodePath         TextName   = "path"
	NodeKind         TextName   = "kind"
	NodeFormat       IntName    = "format"
	NodeHandle       IntName    = "handle" // absent if the engine does not hold the node
	NodeHash         TextName   = "hash"
	NodeAttributes   BytesName  = "attributes" // absent if they are a document
	NodeDocuments    AnyName    = "documents"  // an object of bytes
	NodeConsolidated FlagName   = "consolidated"
	NodeBare         FlagName   = "bare"
	NodeArray        ObjectName = "array"
)

// WireArray: the description of an array.
const (
	ArrayShape          IntsName   = "shape"
	ArrayDType          TextName   = "dtype"
	ArrayType           ObjectName = "type"
	ArrayChunks         IntsName   = "chunks"
	ArrayCounts         IntsName   = "counts"
	ArrayShards         IntsName   = "shards"
	ArrayGrid           TextName   = "grid"
	ArrayEdges          ListName   = "edges" // [[[size, count], ...], ...] of a rectilinear grid
	ArrayFill           BytesName  = "fill"
	ArrayDimensionNames ListName   = "dimensionNames"
	ArrayCodecs         ListName   = "codecs"
	ArrayOrder          TextName   = "order"
	ArrayKeyEncoding    ObjectName = "keyEncoding"
)

// WireArray.keyEncoding: the encoding of chunk keys.
const (
	KeyEncodingName      TextName = "name"
	KeyEncodingSeparator TextName = "separator"
)

// CodecDescription: a codec, as in the metadata.
const (
	CodecName          TextName = "name"
	CodecConfiguration AnyName  = "configuration"
)

// TypeDescription: a data type, for the page.
const (
	TypeKind   TextName   = "kind"
	TypeName   TextName   = "name"
	TypeSize   IntName    = "size"
	TypeBits   IntName    = "bits"
	TypeUnit   TextName   = "unit"
	TypeScale  IntName    = "scale"
	TypeFields ListName   = "fields"
	TypeElem   ObjectName = "elem"
	TypeShape  IntsName   = "shape"
)

// TypeDescription.fields: a field of a struct.
const (
	FieldName   TextName   = "name"
	FieldOffset IntName    = "offset"
	FieldType   ObjectName = "type"
)

// WireMember: a member of a group.
const (
	MemberName  TextName   = "name"
	MemberKind  TextName   = "kind"
	MemberHow   TextName   = "how"
	MemberDepth IntName    = "depth" // the number of preceding members that are above it
	MemberNode  ObjectName = "node"
	MemberError ObjectName = "error"
)

// WireProjections: a selection's parts of some chunks, and their places in the result.
const (
	ProjectionsCount   IntName  = "count" // of all chunks; only in the first answer, like the shape
	ProjectionsShape   IntsName = "shape"
	ProjectionsHere    IntName  = "projections"
	ProjectionsNumbers IntsName = "numbers"
	ProjectionsNext    IntsName = "next" // absent at the end
)

// WireBlock: elements, packed and little-endian. Variable-length elements are concatenated, with
// offsets.
const (
	BlockBuffer  BufferName = "buffer"
	BlockShape   IntsName   = "shape"
	BlockType    TextName   = "type"
	BlockOffsets BufferName = "offsets"
	BlockMissing BufferName = "missing"
)
