package wire

// The messages that answer requests, and the values of these answers.

// FromEngine is any message of the engine to the page.
//
//	FromEngine = WireAnswer | WireProgress | WirePartial | WireAsk | WireAborted | WireEvent

// WireAnswer & WireNumbered: the end of a request.
const (
	AnswerOK    FlagName = "ok"    // : true
	AnswerValue AnyName  = "value" // : unknown
	// Chunks of earlier answers may be outdated.
	AnswerOutdated FlagName = "outdated" // ?

	_           FlagName   = "ok"       // : false
	AnswerError ObjectName = "error"    // : WireError
	_           FlagName   = "outdated" // ?
)

// WireError: an error, for JavaScript's error classes.
const (
	ErrorName    TextName = "name"
	ErrorCode    TextName = "code" // ?
	ErrorMessage TextName = "message"
	ErrorPath    TextName = "path"  // ?
	ErrorKey     TextName = "key"   // ?
	ErrorCodec   TextName = "codec" // ?
	// Another build has it.
	ErrorRare    FlagName = "rare"    // ?
	ErrorStatus  IntName  = "status"  // ?
	ErrorURL     TextName = "url"     // ?
	ErrorHint    TextName = "hint"    // ?: string | null
	ErrorLimit   TextName = "limit"   // ?
	ErrorMax     IntName  = "max"     // ?
	ErrorFeature TextName = "feature" // ?
	// The kind of container found in place of a node.
	ErrorContainer TextName   = "container" // ?
	ErrorFound     TextName   = "found"     // ?: string | null
	ErrorTried     ListName   = "tried"     // ?: string[]
	ErrorCause     ObjectName = "cause"     // ?: WireError
	// The keys of the chunks that a failed write has written.
	ErrorWritten ListName = "written" // ?: string[]
	// The question in whose answer the page threw the cause.
	ErrorThrown IntName = "thrown" // ?
	// The thrown value, which the page adds.
	_ AnyName = "reason" // ?: unknown
)

// WireProgress & WireNumbered: the progress of a read, at most once a frame.
const ProgressDone ObjectName = "progress"

// WireProgress.progress: chunks done, and in all.
const (
	DoneChunks  IntName = "done"
	TotalChunks IntName = "total"
)

// WirePartial & WireNumbered: a box of a read's result and its start, at most once a frame.
const (
	PartialBlock ObjectName = "partial" // : WireBlock | WireColumnBlock
	PartialStart IntsName   = "start"
)

// WireEvent: a request of a store that reports them.
const (
	EventOf    ObjectName = "event" // : RequestEvent
	EventStore IntName    = "store"
)

// RequestEvent: one request of a store, or one read that needed none.
const (
	// The key.
	EventKey TextName = "key" // : `/${string}`
	// The requested part; absent for the whole object.
	EventRange ObjectName = "range" // ?: WireByteRange
	// `"cache"`: the bytes were cached. `"shared"`: another reader's request fetches them.
	EventSource TextName = "source" // : "request" | "cache" | "shared"
	// `""` if the engine sent no request.
	EventMethod TextName = "method" // : "GET" | "HEAD" | "PUT" | "DELETE" | "MKCOL" | ""
	// The HTTP status; 0 without an answer.
	EventStatus IntName = "status"
	// The number of the attempt, from 0.
	EventAttempt IntName = "attempt"
	// Bytes of the body.
	EventBytes IntName = "bytes"
	// The number of reads that the request combines.
	EventMerged IntName = "merged"
	// The start, in the milliseconds of `performance.timeOrigin + performance.now()`.
	EventStart IntName = "start"
	// Milliseconds until the last byte.
	EventMS IntName = "ms"
	// The failure. A missing key is also reported here.
	EventError TextName = "error" // ?
)

// RequestStats: the totals of a store since the engine knows it.
const (
	// Requests that were sent, including retries.
	StatsRequests IntName = "requests"
	// Bytes received.
	StatsBytes IntName = "bytes"
	// Retries.
	StatsRetries IntName = "retries"
	// Requests that failed. An absent key is not a failure.
	StatsFailed IntName = "failed"
	// Reads from the cache.
	StatsCached IntName = "cached"
	// Reads that another reader's request served.
	StatsShared IntName = "shared"
)

// CacheReport: the result of {@link caches}.
const (
	// Opened arrays and groups.
	ReportMetadata ObjectName = "metadata" // : CacheUse
	// Indexes of shards.
	ReportIndexes ObjectName = "indexes" // : CacheUse
	// Encoded bytes as the stores sent them.
	ReportEncoded ObjectName = "encoded" // : CacheUse
	// Decoded chunks.
	ReportDecoded ObjectName = "decoded" // : CacheUse
)

// CacheUse: one of the engine's caches.
const (
	// Bytes in the cache.
	CacheBytes IntName = "bytes"
	// The maximum of bytes in the cache.
	CacheBudget IntName = "budget"
	// Entries in the cache.
	CacheEntries IntName = "entries"
	// Answers from the cache.
	CacheHits IntName = "hits"
	// Answers that another caller had already requested.
	CacheShared IntName = "shared"
	// Answers that were fetched or computed. For `decoded`, chunks that were decoded to be cached.
	CacheMisses IntName = "misses"
	// Entries that were evicted.
	CacheEvicted IntName = "evicted"
)

// WireAddress: a node in a store.
const (
	// A URL, or a composition of stores as plain data.
	AddressStore AnyName  = "store" // : string | { readonly [kind: string]: unknown }
	AddressPath  TextName = "path"
	// The version of Zarr of the node; 0 for any.
	AddressFormat IntName = "format" // : 0 | 2 | 3
	// Only the name's ending suggests a container. It may be a folder.
	AddressGuessed FlagName = "guessed"
)

// NodeKind is array or group.
//
//	NodeKind = "array" | "group"

// WireNode: an array or a group.
const (
	NodePath   TextName = "path"
	NodeKind   TextName = "kind"   // : NodeKind
	NodeFormat IntName  = "format" // : 1 | 2 | 3
	// The node's handle in the engine that opened it. Absent if the node is opened at its first use.
	NodeHandle IntName = "handle" // ?
	// A hash of its documents.
	NodeHash TextName = "hash"
	// The text of its attributes, if they are not a document of their own.
	NodeAttributes   BytesName = "attributes" // ?
	NodeDocuments    AnyName   = "documents"  // : Record<string, Uint8Array>
	NodeConsolidated FlagName  = "consolidated"
	// An array of version 2 without its attributes.
	NodeBare  FlagName   = "bare"  // ?
	NodeArray ObjectName = "array" // ?: WireArray
	// The node's reference, which is valid for any engine. The page adds it.
	_ ObjectName = "ref" // : NodeRef
)

// NodeRef: a node of the page. An engine without a handle for it opens it again by this reference.
const (
	_ TextName = "path"
	_ TextName = "kind"   // : NodeKind
	_ IntName  = "format" // : 1 | 2 | 3
	_ TextName = "hash"
	_ FlagName = "bare" // ?: boolean | undefined
	// The name of the type of an array's elements.
	_ TextName = "type" // : string | undefined
)

// WireArray: the description of an array.
const (
	ArrayShape IntsName   = "shape"
	ArrayDType TextName   = "dtype"
	ArrayType  ObjectName = "type" // : TypeDescription
	// The chunk shape. In a sharded array that of the inner chunks, as for `counts`.
	ArrayChunks IntsName = "chunks"
	// The number of chunks along each dimension.
	ArrayCounts IntsName = "counts"
	ArrayShards IntsName = "shards" // : number[] | null
	ArrayGrid   TextName = "grid"
	// A rectilinear grid's runs of [length, count] for each dimension. In a sharded array, the runs
	// of shards.
	ArrayEdges          ListName   = "edges"          // : [number, number][][] | null
	ArrayFill           BytesName  = "fill"           // : Uint8Array | null
	ArrayDimensionNames ListName   = "dimensionNames" // : (string | null)[] | null
	ArrayCodecs         ListName   = "codecs"         // : CodecDescription[]
	ArrayOrder          TextName   = "order"          // : "C" | "F" | null
	ArrayKeyEncoding    ObjectName = "keyEncoding"
	// `fill` as a column, which the worker adds, or the error of its conversion.
	_ ObjectName = "fillColumn" // ?: WireColumn | { error: WireError } | undefined
)

// WireArray.keyEncoding: the encoding of chunk keys.
const (
	KeyEncodingName      TextName = "name"
	KeyEncodingSeparator TextName = "separator"
)

// CodecDescription: a codec of the metadata.
const (
	// The name in v3 metadata, or the id in v2 metadata.
	CodecName TextName = "name"
	// Its settings, if it has any.
	CodecConfiguration AnyName = "configuration" // ?: Record<string, unknown>
)

// TypeKind is the family of a data type.
//
//	TypeKind =
//	  | "bool"
//	  | "int"
//	  | "uint"
//	  | "float"
//	  | "minifloat"
//	  | "complex"
//	  | "char"
//	  | "unicode"
//	  | "raw"
//	  | "datetime"
//	  | "timedelta"
//	  | "struct"
//	  | "optional"
//	  | "sub"
//	  | "string"
//	  | "bytes"
//	  | "ragged"
//	  | "object"

// TypeDescription: a data type in full.
const (
	// The family of the type.
	TypeKind TextName = "kind" // : TypeKind
	// The canonical name: `"int32"`, `"numpy.datetime64"`, `"U5"`.
	TypeName TextName = "name"
	// Bytes of one element; 0 for types of variable length.
	TypeSize IntName = "size"
	// Meaningful bits, if they are not `8 * size` (`int4`, `float6_e2m3fn`).
	TypeBits IntName = "bits" // ?
	// Datetimes: the unit, `"s"`, `"D"`, `"generic"`.
	TypeUnit TextName = "unit" // ?
	// Datetimes: the number of units in one count.
	TypeScale IntName = "scale" // ?
	// A struct's fields in order, with their offset in bytes.
	TypeFields ListName = "fields" // ?
	// The type of the parts of a complex, optional, sub-array or ragged type.
	TypeElem ObjectName = "elem" // ?: TypeDescription
	// A sub-array's shape.
	TypeShape IntsName = "shape" // ?
)

// TypeDescription.fields: a field of a struct.
const (
	FieldName   TextName   = "name"
	FieldOffset IntName    = "offset"
	FieldType   ObjectName = "type" // : TypeDescription
)

// MemberSource is the source of a group's member: `"consolidated"` metadata; the store's list
// (`"listed"`); the group's attributes (`"named"`); or a usual name in such a group at which a node
// exists (`"probed"`).
//
//	MemberSource = "consolidated" | "listed" | "named" | "probed"

// WireMember: a member of a group.
const (
	MemberName TextName = "name"
	MemberKind TextName = "kind" // : NodeKind | "implicit"
	MemberHow  TextName = "how"  // : MemberSource
	// The number of preceding members that contain it; absent for the group's own members.
	MemberDepth IntName    = "depth" // ?
	MemberNode  ObjectName = "node"  // ?: WireNode
	// The error of a listed array or group that cannot be opened.
	MemberError ObjectName = "error" // ?: WireError
)

// WireProjections: a selection's parts of some chunks, and their places in the result.
const (
	// The number of touched chunks. Only the first answer has it, and the shape of the result.
	ProjectionsCount IntName  = "count" // ?
	ProjectionsShape IntsName = "shape" // ?
	// The number of chunks in this answer.
	ProjectionsHere IntName = "projections"
	// For each chunk and dimension: the coordinate, the chunk's start, and the line of the array. If
	// the dimension is kept, the line of the result follows. A line is the length of a list and its
	// positions. Otherwise it is 0, the first position, the last position and the step, which is 0
	// for a dropped dimension.
	ProjectionsNumbers IntsName = "numbers"
	// The position of the next answer; absent at the end.
	ProjectionsNext IntsName = "next" // ?
)

// WireBlock: packed little-endian elements in C order. Elements of variable length are
// concatenated, with a Uint32 offset for each and one for the end. For missing objects, a byte 0 or
// 1 for each. The buffer is shared if the request asked for that.
const (
	BlockBuffer BufferName = "buffer"
	BlockShape  IntsName   = "shape"
	// The name of the elements' type.
	BlockType    TextName   = "type"
	BlockOffsets BufferName = "offsets" // ?
	BlockMissing BufferName = "missing" // ?
	// Decoded chunks that the selection touches, for later reads.
	BlockChunks ListName = "chunks" // ?: WireChunk[]
)

// WireChunk: a decoded chunk, with its coordinates among the array's smallest chunks.
const (
	WholeCoords IntsName   = "coords"
	WholeBuffer BufferName = "buffer"
)
