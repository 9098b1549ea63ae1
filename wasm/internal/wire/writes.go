package wire

// The messages of operations that change stores, executed by package changes, and their questions
// to the page.

// AboutChange: an operation that changes a store has a number, by which the page can stop it. The
// operation is answered after its end.
const AboutChange IntName = "change"

// {op: "stop"} & AboutStore & AboutChange => null: ends an operation early.
const OpStop Op = "stop"

// {op: "create"} & AboutStore & AboutChange => WireNode: creates an array or a group.
const (
	OpCreate   Op       = "create"
	CreatePath TextName = "path"
	CreateKind TextName = "kind" // : NodeKind
	// The JSON of a NodeSpec. An existing node is an error, unless the specification overwrites it.
	CreateSpec TextName = "spec"
	// Accept an existing node that fits.
	CreateRequire FlagName = "require" // ?
)

// WireTarget: the region of an array to write: a selection, single elements, or the elements at
// which a mask of the array's shape is 1. Without any, all elements.
const (
	TargetSelection ListName = "selection" // ?: WireSelector[] | null
	// A list of coordinates for each dimension.
	TargetPoints ListName  = "points" // ?: WireIndices[]
	TargetMask   BytesName = "mask"   // ?
	// The field of a struct that is written.
	TargetField TextName = "field" // ?
)

// WireWriteOptions: the options of all operations that write elements.
const (
	WriteValues ObjectName = "values" // : WireValues
	// Delete chunks whose elements are all the fill value, if other readers read an absent chunk as
	// that value.
	WriteSkipEmpty FlagName = "skipEmpty" // ?
	WriteProgress  FlagName = "progress"  // ?
)

// WireValues: elements to write, in the form of a WireBlock. They are broadcast by numpy's rules: a
// shape without dimensions is one element. The buffers contain nothing else.
const (
	ValuesBuffer BufferName = "buffer" // : ArrayBuffer | SharedArrayBuffer
	ValuesShape  IntsName   = "shape"
	// Values of one dimension that take the shape of a selection with as many elements.
	ValuesList    FlagName   = "list"    // ?
	ValuesOffsets BufferName = "offsets" // ?
	ValuesMissing BufferName = "missing" // ?
)

// {op: "write"} & AboutNode & WireTarget & WireWriteOptions & AboutChange => null: writes elements
// of an array.
const OpWrite Op = "write"

// {op: "resize"} & AboutNode & AboutChange => WireNode: changes an array's shape.
const (
	OpResize    Op       = "resize"
	ResizeShape IntsName = "shape"
)

// {op: "append"} & AboutNode & WireWriteOptions & AboutChange => WireNode: appends elements along a
// dimension.
const (
	OpAppend        Op      = "append"
	AppendDimension IntName = "dimension"
)

// {op: "attributes"} & AboutNode & AboutChange => WireNode: changes the attributes of a node.
const (
	OpAttributes  Op       = "attributes"
	AttributesHow TextName = "how" // : "set" | "update" | "delete"
	// The JSON of an object.
	AttributesObject TextName = "attributes" // ?
	// The names to delete.
	AttributesNames ListName = "names" // ?: string[]
)

// {op: "delete"} & AboutStore & AboutChange => null: deletes a node, and all nodes below it.
const (
	OpDelete   Op       = "delete"
	DeletePath TextName = "path"
)

// {op: "move"} & AboutStore & AboutChange => null: moves a node to another path.
const (
	OpMove   Op       = "move"
	MovePath TextName = "path"
	MoveTo   TextName = "to"
)

// {op: "copy"} & AboutNode & AboutStore & AboutChange => CopyReport: copies a node to a path of a
// store.
const (
	OpCopy   Op       = "copy"
	CopyPath TextName = "path"
	// Copy a group's contents into the group there.
	CopyAll      FlagName = "all"      // ?
	CopyProgress FlagName = "progress" // ?
	// The JSON of NodeCopyOptions.
	CopyOptions TextName = "options"
)

// {op: "copyStore"} & AboutStore & AboutChange => CopyReport: copies objects of another store.
const (
	OpCopyStore       Op       = "copyStore"
	CopyStoreFrom     IntName  = "from"
	CopyStoreFromPath TextName = "fromPath"
	CopyStorePath     TextName = "path"
	CopyStoreProgress FlagName = "progress" // ?
	// The JSON of ObjectCopyOptions.
	CopyStoreOptions TextName = "options"
)

// {op: "consolidate"} & AboutStore & AboutChange => WireNode: writes a group's consolidated
// metadata.
const (
	OpConsolidate   Op       = "consolidate"
	ConsolidatePath TextName = "path"
)

// {op: "migrate"} & AboutStore & AboutChange => WireNode: rewrites the metadata of a node, and of
// all nodes below it, in another version.
const (
	OpMigrate     Op       = "migrate"
	MigratePath   TextName = "path"
	MigrateFormat IntName  = "format" // : 2 | 3
)

// NodeSpec & StorageSpec: the specification of a new array or group, as JSON. Absent members take
// zarr-python's defaults.
const (
	// The version; by default that of the parent group, otherwise 3.
	SpecFormat IntName  = "format" // ?: 2 | 3
	SpecShape  IntsName = "shape"  // ?
	// The type's name in metadata of either version, or the metadata's object for a type with
	// parameters.
	SpecDType AnyName = "dtype" // ?: unknown
	// The fill value, in the form of version 3's documents.
	SpecFill AnyName = "fill" // ?: unknown
	// The fill value is undefined.
	SpecNoFill         FlagName   = "noFill"         // ?
	SpecDimensionNames ListName   = "dimensionNames" // ?: (string | null)[]
	SpecAttributes     ObjectName = "attributes"     // ?: Record<string, unknown>
	// Delete the existing node.
	SpecOverwrite FlagName = "overwrite" // ?
)

// StorageSpec: the settings of an array's chunks and codecs.
const (
	// The chunk shape. In a sharded array that of the inner chunks.
	SpecChunks ListName = "chunks" // ?: (number | (number | number[])[])[]
	SpecShards ListName = "shards" // ?: (number | (number | number[])[])[]
	// A chain of codecs, in the form of version 3's documents.
	SpecCodecs ListName = "codecs" // ?: CodecDescription[]
	// The compressor and filters in the form of version 2's documents, in place of `codecs`.
	SpecCompressor ObjectName = "compressor" // ?: Record<string, unknown> | null
	SpecFilters    ListName   = "filters"    // ?: Record<string, unknown>[] | null
	SpecOrder      TextName   = "order"      // ?: "C" | "F"
	SpecSeparator  TextName   = "separator"  // ?: "/" | "."
)

// IfExists is the handling of existing nodes or objects in a copy: raise an ExistsError, replace,
// or skip and count.
//
//	IfExists = "raise" | "replace" | "skip"

// NodeCopyOptions: settings of a copy of nodes, as JSON.
const (
	CopyIfExists TextName = "ifExists" // ?: IfExists
	// Copy only the direct members of a group.
	CopyShallow           FlagName = "shallow"           // ?
	CopyWithoutAttributes FlagName = "withoutAttributes" // ?
	// Decode and encode chunks even if their bytes could be copied.
	CopyRecode FlagName = "recode" // ?
	// The version of the copies; by default that of the group they are copied into, otherwise their
	// own.
	CopyFormat IntName = "format" // ?: 2 | 3
	// The storage settings that change in all arrays.
	CopyArray ObjectName = "array" // ?: StorageSpec
)

// ObjectCopyOptions: settings of a copy of objects, as JSON.
const (
	CopyStoreIfExists TextName = "ifExists" // ?: IfExists
	// Copy nothing, and count what would be copied.
	CopyStoreDryRun FlagName = "dryRun" // ?
)

// CopyReport: the result of a copy.
const (
	// Nodes, or objects.
	ReportCopied IntName = "copied"
	// Nodes or objects that existed already.
	ReportSkipped IntName = "skipped"
	// Bytes of elements in memory, or of stored objects.
	ReportBytes IntName = "bytes"
)

// WireWriteAsk & WireWriteQuestion: a question to a writable store on the page.
const (
	WriteAskNumber IntName = "ask"
	WriteAskStore  IntName = "store"
)

// WireWriteQuestion: sets or deletes a key, deletes a folder, takes a lock, or releases the lock
// that an earlier question took.
const (
	AskPut   TextName   = "put"
	AskBytes BufferName = "bytes"

	AskDelete TextName = "delete"

	AskFolder TextName = "deleteFolder"

	AskLock TextName = "lock"

	AskUnlock IntName = "unlock"
)
