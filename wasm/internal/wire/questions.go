package wire

// Questions to the page, and their answers.

// WireKeysAsk: objects of a host store: questions n, n+1, and so on, for the keys, one a line.
const (
	KeysAsk    IntName  = "ask"
	KeysStore  IntName  = "store"
	KeysKeys   TextName = "keys"
	KeysCount  IntName  = "count"
	KeysRanges IntsName = "ranges" // two numbers each: offset (-1: from the end) and length (-1: all)
	KeysMark   IntName  = "mark"   // the read that they serve, if marked
	KeysFresh  FlagName = "fresh"  // past all caches
)

// WireStoreAsk: other questions to a store on the page.
const (
	AskNumber  IntName    = "ask"
	AskStore   IntName    = "store"
	AskMark    IntName    = "mark"
	AskList    TextName   = "list"    // the contents of a folder
	AskHeaders FlagName   = "headers" // headers for a request
	AskFetch   ObjectName = "fetch"   // a request to send
	AskConfirm TextName   = "confirm" // whether references may be read from an origin
)

// WireFetch: a request for the page to send.
const (
	FetchMethod   TextName   = "method"
	FetchURL      TextName   = "url"
	FetchHeaders  TextsName  = "headers"
	FetchRedirect TextName   = "redirect"
	FetchLimits   IntsName   = "limits" // on a body of status 200, and of 206
	FetchCache    TextName   = "cache"
	FetchBody     BufferName = "body"
)

// WireCodecAsk: creates a codec on the page.
const (
	CodecAskNumber        IntName    = "ask"
	CodecAskCodec         TextName   = "codec"
	CodecAskConfiguration AnyName    = "configuration"
	CodecAskDType         TextName   = "dtype"
	CodecAskType          ObjectName = "type"
	CodecAskShape         IntsName   = "shape"
	CodecAskFill          BytesName  = "fill"
)

// WireDecodeAsk: makes a codec on the page decode bytes.
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
	FoundBytes     BufferName = "bytes" // absent: the key does not exist
	FoundLength    IntName    = "length"
	FoundSize      IntName    = "size"     // of the whole object
	FoundModified  IntName    = "modified" // changes with the object's content
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

// WireHostAnswers: the answers to several questions for keys. Each has a number, a length and the
// object's size, all uint32, and the 8 bytes of the number that changes with it. The bytes of all
// follow.
const (
	AnswersBytes  BufferName = "answers"
	AnswersCount  IntName    = "count"
	AnswersLength IntName    = "length"
)
