package wire

// The messages of operations that change stores, executed by package changes, and their questions
// to the page.

// AboutChange: an operation that changes a store has a number, by which the page can stop it.
const AboutChange IntName = "change"

// {op: "stop"} & AboutStore & AboutChange: ends an operation early, which is then answered. The
// value is null.
const OpStop Op = "stop"

// {op: "create"} & AboutStore & AboutChange: creates an array or a group. The value is a WireNode.
const (
	OpCreate      Op       = "create"
	CreatePath    TextName = "path"
	CreateKind    TextName = "kind"
	CreateSpec    TextName = "spec" // JSON, see package changes
	CreateRequire FlagName = "require"
)

// WireTarget: the region of an array to write.
const (
	TargetSelection ListName  = "selection"
	TargetPoints    ListName  = "points"
	TargetMask      BytesName = "mask"
	TargetField     TextName  = "field"
)

// WireWriteOptions: the options of all operations that write elements.
const (
	WriteValues    ObjectName = "values"
	WriteSkipEmpty FlagName   = "skipEmpty"
	WriteProgress  FlagName   = "progress"
)

// WireValues: elements to write.
const (
	ValuesBuffer  BufferName = "buffer"
	ValuesShape   IntsName   = "shape"
	ValuesOffsets BufferName = "offsets"
	ValuesMissing BufferName = "missing"
)

// {op: "write"} & AboutNode & WireTarget & WireWriteOptions & AboutChange: writes elements of an
// array. The value is null.
const OpWrite Op = "write"

// {op: "resize"} & AboutNode & AboutChange: changes an array's shape. The value is a WireNode.
const (
	OpResize    Op       = "resize"
	ResizeShape IntsName = "shape"
)

// {op: "append"} & AboutNode & WireWriteOptions & AboutChange: appends elements along a dimension.
// The value is a WireNode.
const (
	OpAppend        Op      = "append"
	AppendDimension IntName = "dimension"
)

// {op: "attributes"} & AboutNode & AboutChange: changes the attributes of a node. The value is a
// WireNode.
const (
	OpAttributes     Op       = "attributes"
	AttributesHow    TextName = "how"
	AttributesObject TextName = "attributes" // JSON
	AttributesNames  ListName = "names"
)

// {op: "delete"} & AboutStore & AboutChange: deletes a node, and all nodes below it. The value is
// null.
const (
	OpDelete   Op       = "delete"
	DeletePath TextName = "path"
)

// {op: "move"} & AboutStore & AboutChange: moves a node to another path. The value is null.
const (
	OpMove   Op       = "move"
	MovePath TextName = "path"
	MoveTo   TextName = "to"
)

// {op: "copy"} & AboutNode & AboutStore & AboutChange: copies a node, or the contents of a group,
// to a path of a store. The value is a CopyReport.
const (
	OpCopy       Op       = "copy"
	CopyPath     TextName = "path"
	CopyAll      FlagName = "all"
	CopyProgress FlagName = "progress"
	CopyOptions  TextName = "options" // JSON
)

// {op: "copyStore"} & AboutStore & AboutChange: copies objects of another store. The value is a
// CopyReport.
const (
	OpCopyStore       Op       = "copyStore"
	CopyStoreFrom     IntName  = "from"
	CopyStoreFromPath TextName = "fromPath"
	CopyStorePath     TextName = "path"
	CopyStoreProgress FlagName = "progress"
	CopyStoreOptions  TextName = "options" // JSON
)

// {op: "consolidate"} & AboutStore & AboutChange: writes a group's consolidated metadata. The value
// is a WireNode.
const (
	OpConsolidate   Op       = "consolidate"
	ConsolidatePath TextName = "path"
)

// {op: "migrate"} & AboutStore & AboutChange: rewrites the metadata of a node, and of all nodes
// below it, in another version. The value is a WireNode.
const (
	OpMigrate     Op       = "migrate"
	MigratePath   TextName = "path"
	MigrateFormat IntName  = "format"
)

// CopyReport: the result of a copy.
const (
	ReportCopied  IntName = "copied"
	ReportSkipped IntName = "skipped"
	ReportBytes   IntName = "bytes"
)

// WireWriteAsk: questions to a writable store on the page. They set or delete a key, delete a
// folder, take a lock, or release the lock that an earlier question took.
const (
	WriteAskNumber IntName    = "ask"
	WriteAskStore  IntName    = "store"
	AskPut         TextName   = "put"
	AskBytes       BufferName = "bytes"
	AskDelete      TextName   = "delete"
	AskFolder      TextName   = "deleteFolder"
	AskLock        TextName   = "lock"
	AskUnlock      IntName    = "unlock"
)
