package wire

// The messages from the page. Each const block is one of them. Its head names the type in
// js/engine/protocol or the operation, and the other blocks whose members it has.

// Op is the operation of a message.
type Op string

// WireNumbered: every request has a number, which its answer repeats.
const RequestID IntName = "id"

// AboutStore: a store, by the number that the page assigned.
const AboutStore IntName = "store"

// AboutNode: a node, by the handle that the session assigned. It is invalid in other sessions:
// there the page opens the node again, with its hash.
const AboutNode IntName = "node"

// {op: "hello"}: introduces the page. The value is null: both sides have that version.
const (
	OpHello      Op         = "hello"
	HelloVersion TextName   = "version"
	HelloHelpers IntName    = "helpers" // the most helpers
	HelloLimits  ObjectName = "limits"  // by the names of [limits.Limits.Set]
)

// {op: "store"} & AboutStore: registers a store. The value is null.
const (
	OpStore          Op         = "store"
	StoreDescription TextName   = "description" // a JSON tree, see package kinds
	StoreEvents      FlagName   = "events"      // report every request
	StoreCaches      ObjectName = "caches"
)

// {op: "close"} & AboutStore: closes a store and releases the handles of its nodes. The value is
// null.
const OpClose Op = "close"

// {op: "stats"} & AboutStore: the store's counters. The value is a RequestStats.
const OpStats Op = "stats"

// {op: "about"} & AboutStore: asks a store to describe itself. The value is an object that depends
// on the kind.
const (
	OpAbout   Op       = "about"
	AboutWhat TextName = "about"
	AboutMost IntName  = "most" // elements of a list; 0: all
)

// {op: "caches"}: sets the budgets of the caches, which all stores share. The value is a
// CacheReport.
const (
	OpCaches      Op         = "caches"
	CachesBudgets ObjectName = "caches"
)

// {op: "address"}: parses an address. The value is a WireAddress.
const (
	OpAddress        Op        = "address"
	AddressText      TextName  = "text"
	AddressKnown     TextName  = "known" // the container found there, or "folder"
	AddressEndpoints TextsName = "endpoints"
	AddressFiles     FlagName  = "files" // a text without a scheme is a file's path
)

// {op: "get"} & AboutStore: reads an object past all caches. The value is an ArrayBuffer, or null
// for a missing object.
const (
	OpGet    Op         = "get"
	GetKey   TextName   = "key"
	GetRange ObjectName = "range"
)

// {op: "open"} & AboutStore: opens a node. The value is a WireNode. With a hash, other documents
// are an error.
const (
	OpOpen           Op       = "open"
	OpenPath         TextName = "path"
	OpenKind         TextName = "kind"
	OpenFormat       IntName  = "format"
	OpenConsolidated FlagName = "consolidated"
	OpenHash         TextName = "hash"
	OpenSparing      FlagName = "sparing"
	OpenBare         FlagName = "bare"
)

// {op: "release"}: releases handles. There is no answer.
const (
	OpRelease    Op       = "release"
	ReleaseNodes IntsName = "nodes"
)

// {op: "members"} & AboutNode: lists a group. The value is a list of WireMember.
const (
	OpMembers    Op      = "members"
	MembersDepth IntName = "depth" // levels to list, if consolidated metadata cover them
)

// {op: "stored"} & AboutNode: counts the stored chunks. The value is a number.
const OpStored Op = "stored"

// {op: "project"} & AboutNode: the projections of a selection, up to a number of chunks from next
// on. The value is a WireProjections.
const (
	OpProject        Op       = "project"
	ProjectSelection ListName = "selection"
	ProjectFrom      IntsName = "from"
	ProjectMost      IntName  = "most"
)

// WireReadOptions: the options of all reading operations.
const (
	ReadShared   FlagName = "shared"   // the result in shared memory
	ReadProgress FlagName = "progress" // send a WireProgress now and then
	ReadPartial  FlagName = "partial"  // send a WirePartial now and then
	ReadPriority IntName  = "priority"
	ReadView     TextName = "view"
)

// {op: "read"} & AboutNode & WireReadOptions: reads a selection. The value is a WireBlock.
const (
	OpRead        Op       = "read"
	ReadSelection ListName = "selection"
)

// {op: "chunk"} & AboutNode & WireReadOptions: reads a chunk. The value is a WireBlock. Questions
// for a marked one carry the mark.
const (
	OpChunk     Op       = "chunk"
	ChunkCoords ListName = "coords"
	ChunkMarked FlagName = "marked"
)

// {op: "points"} & AboutNode & WireReadOptions: reads single elements: a list of coordinates for
// each dimension. The value is a WireBlock.
const (
	OpPoints     Op       = "points"
	PointsCoords ListName = "coords"
)

// WireRange: a range in a selection.
const (
	RangeStart AnyName = "start"
	RangeStop  AnyName = "stop"
	RangeStep  AnyName = "step"
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

// CacheBudgets: the budgets of the caches in bytes, shared by all stores.
const (
	BudgetMetadata IntName = "metadata"
	BudgetIndexes  IntName = "indexes"
	BudgetEncoded  IntName = "encoded"
	BudgetDecoded  IntName = "decoded"
)

// {op: "codecs"}: the names of the page's codecs. There is no answer.
const (
	OpCodecs    Op       = "codecs"
	CodecsNames ListName = "names"
)

// {op: "cancel"}: cancels requests. There is no answer. Cancelled requests get none either, unless
// it was sent already.
const (
	OpCancel      Op       = "cancel"
	CancelTargets IntsName = "targets"
)

// {op: "crash"}: ends the instance by exhausted memory, a panic or a trap. Only builds with the tag
// crash support it.
const (
	OpCrash     Op       = "crash"
	CrashWhy    TextName = "why"
	CrashMemory FlagName = "memory"
	CrashTrap   FlagName = "trap"
)

// StoreDescription.http: the settings of an HTTP store.
const (
	HTTPURL     TextName   = "url"
	HTTPOptions ObjectName = "options"
	HTTPHost    IntName    = "host" // the store's number, for questions to the page
)

// WireHttpOptions: settings of a FetchStore.
const (
	HTTPHeaders          TextsName = "headers"
	HTTPCredentials      TextName  = "credentials"
	HTTPMissingStatus    IntsName  = "missingStatus"
	HTTPUseSuffixRequest FlagName  = "useSuffixRequest"
	HTTPConcurrency      IntName   = "concurrency"
	HTTPAttempts         IntName   = "attempts"
	HTTPRetryDelay       IntName   = "retryDelay"
	HTTPTimeout          IntName   = "timeout"
	HTTPCache            TextName  = "cache"
	HTTPHostHeaders      FlagName  = "hostHeaders" // the page supplies further headers
	HTTPHostFetch        FlagName  = "hostFetch"   // the page sends the requests
	HTTPObject           FlagName  = "object"      // the URL is that of one object
)

// StoreDescription.host: the settings of a store on the page.
const (
	HostNumber  IntName  = "number"
	HostRanges  FlagName = "ranges" // it can read parts of objects
	HostMemory  FlagName = "memory" // its bytes are in memory
	HostLists   FlagName = "lists"
	HostWrites  FlagName = "writes"
	HostAddress TextName = "address"
)
