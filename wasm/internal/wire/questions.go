package wire

// Questions to the page, and what it answers.

// WireKeysAsk: bytes of a host store: questions n, n+1, and so on, for the keys, one a line.
const (
	KeysAsk    IntName  = "ask"
	KeysStore  IntName  = "store"
	KeysKeys   TextName = "keys"
	KeysCount  IntName  = "count"
	KeysRanges IntsName = "ranges" // two numbers each: offset (-1: from the end) and length (-1: all)
	KeysMark   IntName  = "mark"   // the read that they are for, where that is marked
	KeysFresh  FlagName = "fresh"  // past all caches
)

// WireStoreAsk: what else is asked of a store of the page's.
const (
	AskNumber  IntName    = "ask"
	AskStore   IntName    = "store"
	AskMark    IntName    = "mark"
	AskList    TextName   = "list"    // what is in a folder
	AskHeaders FlagName   = "headers" // headers for a request
	AskFetch   ObjectName = "fetch"   // a request to send
	AskConfirm TextName   = "confirm" // whether what the store refers to may be read from an origin
)

// WireFetch: a request that the page sends.
const (
	FetchMethod   TextName   = "method"
	FetchURL      TextName   = "url"
	FetchHeaders  TextsName  = "headers"
	FetchRedirect TextName   = "redirect"
	FetchLimits   IntsName   = "limits" // of a body of status 200, and of 206
	FetchCache    TextName   = "cache"
	FetchBody     BufferName = "body"
)

// WireCodecAsk: makes a codec of the page's.
const (
	CodecAskNumber        IntName    = "ask"
	CodecAskCodec         TextName   = "codec"
	CodecAskConfiguration AnyName    = "configuration"
	CodecAskDType         TextName   = "dtype"
	CodecAskType          ObjectName = "type"
	CodecAskShape         IntsName   = "shape"
	CodecAskFill          BytesName  = "fill"
)

// WireDecodeAsk: has a codec of the page's decode bytes.
const (
	DecodeAskNumber IntName    = "ask"
	DecodeAskHandle IntName    = "decode"
	DecodeAskBytes  BufferName = "bytes"
)

// WireAborted: the answer to a question is no longer wanted.
const AbortedAsk IntName = "aborted"

// {op: "answer"} & WireHostAnswers: the answer to one question.
const (
	OpAnswer       Op         = "answer"
	FoundAsk       IntName    = "ask"
	FoundError     TextName   = "error"
	FoundBytes     BufferName = "bytes" // none: there is no such key
	FoundLength    IntName    = "length"
	FoundSize      IntName    = "size"     // of all of an object, of which the bytes are a part
	FoundModified  IntName    = "modified" // changes with the object
	FoundNames     ListName   = "names"
	FoundConfirmed FlagName   = "confirmed"
	FoundHeaders   TextsName  = "headers"
	FoundStatus    IntName    = "status"
	FoundType      TextName   = "type"
	FoundURL       TextName   = "url"
	FoundRefused   TextName   = "refused"
	FoundLarge     IntName    = "large"
	FoundCodec     IntName    = "handle"
	FoundCodecKind TextName   = "kind"
)

// WireHostAnswers: the answers to several questions for keys: for each a number, a length and the size of the object, uint32 all,
// and the 8 bytes of the number that changes with it; then the bytes of all.
const (
	AnswersBytes  BufferName = "answers"
	AnswersCount  IntName    = "count"
	AnswersLength IntName    = "length"
)
