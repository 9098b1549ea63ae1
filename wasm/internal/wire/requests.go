package wire

// The messages from the page. Each const block is one of them: see the package's documentation.

// Op is the operation of a message.
type Op string

// WireRequest is an operation with a number, which its answer repeats.
//
//	WireRequest = WireOperation & WireNumbered
//
// ToEngine is any message to the engine. A notice has no answer.
//
//	ToEngine = WireRequest | WireNotice

// WireNumbered: the number of a request.
const RequestID IntName = "id"

// AboutStore: a store, by the number that the page assigned.
const AboutStore IntName = "store"

// AboutNode: a node, by the handle that the session assigned. It is invalid in other sessions:
// there the page opens the node again, with its hash.
const AboutNode IntName = "node"

// {op: "hello"} => null: introduces the page. An answer that is not an error confirms the version.
const (
	OpHello      Op       = "hello"
	HelloVersion TextName = "version"
	// The most helpers.
	HelloHelpers IntName = "helpers"
	// By their names in Limits.
	HelloLimits ObjectName = "limits" // ?: Limits
)

// {op: "store"} & AboutStore => null: registers a store.
const (
	OpStore Op = "store"
	// The JSON of a StoreDescription.
	StoreDescription TextName = "description"
	// Report every request.
	StoreEvents FlagName   = "events"
	StoreCaches ObjectName = "caches" // ?: CacheBudgets
)

// {op: "close"} & AboutStore => null: closes a store and releases the handles of its nodes.
const OpClose Op = "close"

// {op: "stats"} & AboutStore => RequestStats: the store's counters.
const OpStats Op = "stats"

// {op: "about"} & AboutStore => unknown: asks a store to describe itself. The value is an object
// that depends on the kind.
const (
	OpAbout   Op       = "about"
	AboutWhat TextName = "about"
	// The largest number of elements of a list; 0 for all.
	AboutMost IntName = "most" // ?
)

// {op: "caches"} & AboutStore => CacheReport: sets the budgets of the caches, which all stores
// share.
const (
	OpCaches      Op         = "caches"
	CachesBudgets ObjectName = "caches" // ?: CacheBudgets
)

// {op: "address"} & AboutStore => WireAddress: parses an address.
const (
	OpAddress   Op       = "address"
	AddressText TextName = "text"
	// The kind of the container found there, or "folder" for none.
	AddressKnown     TextName  = "known"     // ?: string | undefined
	AddressEndpoints TextsName = "endpoints" // ?: Record<string, string> | undefined
	// A text without a scheme is a file's path.
	AddressFiles FlagName = "files"
)

// {op: "get"} & AboutStore => ArrayBuffer | null: reads an object past all caches. A missing object
// is null.
const (
	OpGet    Op         = "get"
	GetKey   TextName   = "key"
	GetRange ObjectName = "range" // ?: WireByteRange
)

// {op: "open"} & AboutStore => WireNode: opens a node. With a hash, other documents are an error.
const (
	OpOpen           Op       = "open"
	OpenPath         TextName = "path"
	OpenKind         TextName = "kind"         // ?: NodeKind
	OpenFormat       IntName  = "format"       // ?: 1 | 2 | 3
	OpenConsolidated FlagName = "consolidated" // ?
	OpenHash         TextName = "hash"         // ?
	OpenSparing      FlagName = "sparing"      // ?
	// Without the attributes of an array of version 2.
	OpenBare FlagName = "bare" // ?
)

// {op: "known"} & AboutStore => (WireNode | null)[]: opens nodes that are cached or described by
// consolidated metadata, without requests. The others are null.
const (
	OpKnown    Op       = "known"
	KnownPaths ListName = "paths" // : readonly string[]
)

// WireNotice {op: "release"}: releases handles.
const (
	OpRelease    Op       = "release"
	ReleaseNodes IntsName = "nodes"
)

// {op: "members"} & AboutNode => WireMember[]: lists a group. Its members follow each other, each
// followed by its own.
const (
	OpMembers Op = "members"
	// The levels to list, if consolidated metadata cover them.
	MembersDepth IntName = "depth"
)

// {op: "stored"} & AboutNode => number: counts the stored chunks, or shards.
const OpStored Op = "stored"

// {op: "project"} & AboutNode => WireProjections: the projections of a selection, up to a number of
// chunks from next on.
const (
	OpProject        Op       = "project"
	ProjectSelection ListName = "selection" // : WireSelector[] | null
	ProjectFrom      IntsName = "from"
	ProjectMost      IntName  = "most"
)

// WireReadOptions: the options of all reading operations.
const (
	// The result is in shared memory.
	ReadShared FlagName = "shared" // ?
	// Send a WireProgress now and then.
	ReadProgress FlagName = "progress" // ?
	// Send a WirePartial now and then.
	ReadPartial  FlagName = "partial"  // ?
	ReadPriority IntName  = "priority" // ?: number | undefined
	ReadView     TextName = "view"     // ?: string | undefined
)

// WireColumnOptions: the options of reading operations that the worker handles.
const (
	// Return columns of this type, also in partial results.
	_ ObjectName = "columns" // ?: TypeDescription | undefined
	// Write the elements into this shared memory, if it has their size.
	_ BytesName = "into" // ?: Uint8Array | undefined
)

// {op: "read"} & AboutNode & WireReadOptions & WireColumnOptions => WireBlock | WireColumnBlock:
// reads a selection.
const (
	OpRead        Op       = "read"
	ReadSelection ListName = "selection" // : WireSelector[] | null
	// The most bytes of the answer's chunks.
	ReadChunks IntName = "chunks" // ?
)

// {op: "chunk"} & AboutNode & WireReadOptions & WireColumnOptions => WireBlock | WireColumnBlock:
// reads a chunk. Questions for a marked one carry the mark.
const (
	OpChunk     Op       = "chunk"
	ChunkCoords ListName = "coords" // : WireInteger[]
	ChunkMarked FlagName = "marked" // ?
)

// {op: "points"} & AboutNode & WireReadOptions & WireColumnOptions => WireBlock | WireColumnBlock:
// reads single elements: a list of coordinates for each dimension.
const (
	OpPoints     Op       = "points"
	PointsCoords ListName = "coords" // : WireIndices[]
)

// {op: "unpack"} & AboutNode => ArrayBuffer | null: decodes stored chunks that the page has. The
// chunks of the array have one shape. Null leaves them to a read, which has the errors.
const (
	OpUnpack Op = "unpack"
	// The chunks, which follow each other. The answer may be in their buffer.
	UnpackBytes   BytesName = "bytes"
	UnpackLengths IntsName  = "lengths"
)

// WireSelector is an integer index, a range, a list of indices, or a mask of 0 and 1. All of a
// dimension is null, and all remaining dimensions are "...".
//
//	WireSelector = WireInteger | null | "..." | WireRange | WireIndices | Uint8Array
//
// WireInteger is an integer. The engine cannot receive a BigInt: integers beyond a number's range
// are sent as digits.
//
//	WireInteger = number | { bigint: string }

// WireRange: a Python-like range in a selection; null stands for the default.
const (
	RangeStart AnyName = "start" // : WireInteger | null
	RangeStop  AnyName = "stop"  // : WireInteger | null
	RangeStep  AnyName = "step"  // : WireInteger | null
)

// WireIndices: a list of indices in a selection, or in points: consecutive little-endian integers
// of 64 bits.
const Indices BytesName = "indices"

// WireByteRange: bytes of an object, from an offset or from its end.
const (
	ByteRangeOffset IntName = "offset"
	ByteRangeLength IntName = "length"

	ByteRangeSuffix IntName = "suffixLength"
)

// CacheBudgets: the maximum bytes in the engine's caches, for all stores together; 0 disables a
// cache.
const (
	// Opened arrays and groups; 64 MiB by default.
	BudgetMetadata IntName = "metadata" // ?: number | undefined
	// Indexes of shards; 32 MiB by default.
	BudgetIndexes IntName = "indexes" // ?: number | undefined
	// Encoded bytes as the stores sent them; 64 MiB by default.
	BudgetEncoded IntName = "encoded" // ?: number | undefined
	// Decoded chunks; 128 MiB by default.
	BudgetDecoded IntName = "decoded" // ?: number | undefined
)

// WireNotice {op: "codecs"}: the names of the page's codecs.
const (
	OpCodecs    Op       = "codecs"
	CodecsNames ListName = "names" // : string[]
)

// WireNotice {op: "cancel"}: cancels requests. Cancelled requests get no answer, unless it was sent
// already.
const (
	OpCancel      Op       = "cancel"
	CancelTargets IntsName = "targets"
)

// {op: "crash"} => null: ends the instance by exhausted memory, a panic or a trap. Only builds with
// the tag crash support it.
const (
	OpCrash     Op       = "crash"
	CrashWhy    TextName = "why"
	CrashMemory FlagName = "memory" // ?
	CrashTrap   FlagName = "trap"   // ?
	// The worker ends its helpers instead.
	_ FlagName = "helpers" // ?
)

// StoreDescription is the description of a store: a tree of stores that are built on each other.
// Stores with the same description are one store to the engine. An overlay reads a key from the
// first store that has it. An archive and a document of references are objects of another store.
// Without a key, references are a directory of Parquet files.
//
//	StoreDescription =
//	  | { http: WireHttpStore }
//	  | { host: WireHostStore }
//	  | { overlay: StoreDescription[] }
//	  | { prefix: { path: string; of: StoreDescription } }
//	  | { zip: { of: StoreDescription; key: string; path?: string } }
//	  | { reference: { of: StoreDescription; key?: string } }
//	  | { icechunk: { of: StoreDescription; own: number } }
//	  | { n5: { of: StoreDescription } }

// WireCacheMode is the cache mode of a request.
//
//	WireCacheMode = "default" | "no-store" | "reload" | "no-cache" | "force-cache"

// WireHttpStore: the settings of an HTTP store.
const (
	HTTPURL     TextName   = "url"
	HTTPOptions ObjectName = "options" // : WireHttpOptions
	// The store's number, for questions to the page.
	HTTPHost IntName = "host"
)

// WireHttpOptions: settings of a FetchStore.
const (
	HTTPHeaders          TextsName = "headers"          // ?
	HTTPCredentials      TextName  = "credentials"      // ?: "omit" | "same-origin" | "include"
	HTTPMissingStatus    IntsName  = "missingStatus"    // ?
	HTTPUseSuffixRequest FlagName  = "useSuffixRequest" // ?
	HTTPConcurrency      IntName   = "concurrency"      // ?
	// The maximum number of attempts of a request.
	HTTPAttempts IntName = "attempts" // ?
	// Milliseconds.
	HTTPRetryDelay IntName = "retryDelay" // ?
	// Milliseconds; -1 for no timeout.
	HTTPTimeout IntName  = "timeout" // ?
	HTTPCache   TextName = "cache"   // ?: WireCacheMode
	// The page supplies further headers.
	HTTPHostHeaders FlagName = "hostHeaders" // ?
	// The page sends the requests.
	HTTPHostFetch FlagName = "hostFetch" // ?
	// The URL is that of one object, which is read whatever its name.
	HTTPObject FlagName = "object" // ?
)

// WireHostStore: the settings of a store on the page.
const (
	HostNumber IntName = "number"
	// It can read parts of objects.
	HostRanges FlagName = "ranges"
	// Its bytes are in memory.
	HostMemory  FlagName = "memory"
	HostLists   FlagName = "lists"
	HostWrites  FlagName = "writes"
	HostAddress TextName = "address"
)
