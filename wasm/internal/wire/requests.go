package wire

// The messages that the page sends. Each const block is one of them: its head says which type of js/engine/protocol it is,
// or which operation, and what other blocks it has the members of.

// Op is what a message asks for.
type Op string

// WireNumbered: every request has a number, which its answer has too.
const RequestID IntName = "id"

// AboutStore: a store is named by the number that the page has given it.
const AboutStore IntName = "store"

// AboutNode: a node is named by its handle, a number that the session has given it and that means nothing to another session:
// there the page opens the node again, with its hash.
const AboutNode IntName = "node"

// {op: "hello"}: says what the other side is. The value is null: both sides are of that version.
const (
	OpHello      Op         = "hello"
	HelloVersion TextName   = "version"
	HelloHelpers IntName    = "helpers" // how many there may be
	HelloLimits  ObjectName = "limits"  // by the names of [limits.Limits.Set]
)

// {op: "store"} & AboutStore: makes a store known. The value is null.
const (
	OpStore          Op         = "store"
	StoreDescription TextName   = "description" // a JSON tree, see package kinds
	StoreEvents      FlagName   = "events"      // tell of every request
	StoreCaches      ObjectName = "caches"
)

// {op: "close"} & AboutStore: lets go of a store and of the handles of its nodes. The value is null.
const OpClose Op = "close"

// {op: "stats"} & AboutStore: what the store was asked. The value is a RequestStats.
const OpStats Op = "stats"

// {op: "about"} & AboutStore: what a store tells of itself. The value is an object of its own.
const (
	OpAbout   Op       = "about"
	AboutWhat TextName = "about"
	AboutMost IntName  = "most" // of the elements of a list in it; 0: all
)

// {op: "caches"}: sets the budgets of the caches, which all stores share. The value is a CacheReport.
const (
	OpCaches      Op         = "caches"
	CachesBudgets ObjectName = "caches"
)

// {op: "address"}: reads an address. The value is a WireAddress.
const (
	OpAddress        Op        = "address"
	AddressText      TextName  = "text"
	AddressKnown     TextName  = "known" // the container that is there, or "folder"
	AddressEndpoints TextsName = "endpoints"
	AddressFiles     FlagName  = "files" // a text without a scheme is the path of a file
)

// {op: "get"} & AboutStore: reads an object past all caches. The value is an ArrayBuffer, or null where there is none.
const (
	OpGet    Op         = "get"
	GetKey   TextName   = "key"
	GetRange ObjectName = "range"
)

// {op: "open"} & AboutStore: opens a node. The value is a WireNode. With a hash, it is an error where that of the documents is
// another.
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

// {op: "release"}: these handles are no longer used. There is no answer.
const (
	OpRelease    Op       = "release"
	ReleaseNodes IntsName = "nodes"
)

// {op: "members"} & AboutNode: lists a group. The value is a list of WireMember.
const (
	OpMembers    Op      = "members"
	MembersDepth IntName = "depth" // how many levels, where consolidated metadata tell of them
)

// {op: "stored"} & AboutNode: counts the chunks that the store has. The value is a number.
const OpStored Op = "stored"

// {op: "project"} & AboutNode: what a selection takes of at most so many chunks, from where next was. The value is a
// WireProjections.
const (
	OpProject        Op       = "project"
	ProjectSelection ListName = "selection"
	ProjectFrom      IntsName = "from"
	ProjectMost      IntName  = "most"
)

// WireReadOptions: what all operations that read may ask for.
const (
	ReadShared   FlagName = "shared"   // the result in shared memory
	ReadProgress FlagName = "progress" // a WireProgress now and then
	ReadPartial  FlagName = "partial"  // a WirePartial now and then
	ReadPriority IntName  = "priority"
	ReadView     TextName = "view"
)

// {op: "read"} & AboutNode & WireReadOptions: reads a selection. The value is a WireBlock.
const (
	OpRead        Op       = "read"
	ReadSelection ListName = "selection"
)

// {op: "chunk"} & AboutNode & WireReadOptions: reads a chunk. The value is a WireBlock. Questions that are asked for a marked
// one say so.
const (
	OpChunk     Op       = "chunk"
	ChunkCoords ListName = "coords"
	ChunkMarked FlagName = "marked"
)

// {op: "points"} & AboutNode & WireReadOptions: reads single elements: a list of coordinates for each dimension. The value is a
// WireBlock.
const (
	OpPoints     Op       = "points"
	PointsCoords ListName = "coords"
)

// WireRange: the item of a selection that is a range.
const (
	RangeStart AnyName = "start"
	RangeStop  AnyName = "stop"
	RangeStep  AnyName = "step"
)

// WireIndices: the item of a selection, or of points, that is a list of indices: integers of 64 bits in a row, the lowest byte first.
const Indices BytesName = "indices"

// WireByteRange: bytes of an object, from an offset or from its end.
const (
	ByteRangeOffset IntName = "offset"
	ByteRangeLength IntName = "length"
	ByteRangeSuffix IntName = "suffixLength"
)

// CacheBudgets: how many bytes the caches keep, for all stores together.
const (
	BudgetMetadata IntName = "metadata"
	BudgetIndexes  IntName = "indexes"
	BudgetEncoded  IntName = "encoded"
	BudgetDecoded  IntName = "decoded"
)

// {op: "codecs"}: the names of the codecs that the page has. There is no answer.
const (
	OpCodecs    Op       = "codecs"
	CodecsNames ListName = "names"
)

// {op: "cancel"}: ends requests. There is no answer, nor have these any, if theirs have not been sent.
const (
	OpCancel      Op       = "cancel"
	CancelTargets IntsName = "targets"
)

// {op: "crash"}: ends the instance by a panic that is not recovered, as the end of memory does, or by a trap. Only builds with
// the tag crash know it.
const (
	OpCrash     Op       = "crash"
	CrashWhy    TextName = "why"
	CrashMemory FlagName = "memory"
	CrashTrap   FlagName = "trap"
)

// StoreDescription.http: the settings of a store that is reached by HTTP.
const (
	HTTPURL     TextName   = "url"
	HTTPOptions ObjectName = "options"
	HTTPHost    IntName    = "host" // the store's number, for what is asked of the page
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
	HTTPHostHeaders      FlagName  = "hostHeaders" // the page gives further headers
	HTTPHostFetch        FlagName  = "hostFetch"   // the page sends the requests
	HTTPObject           FlagName  = "object"      // the URL is that of one object
)

// StoreDescription.host: the settings of a store that lives on the page.
const (
	HostNumber  IntName  = "number"
	HostRanges  FlagName = "ranges" // it can be asked for parts of an object
	HostMemory  FlagName = "memory" // its bytes are in memory
	HostLists   FlagName = "lists"
	HostWrites  FlagName = "writes"
	HostAddress TextName = "address"
)
