package wire

// Questions to the page, and their answers.

// WireAsk is one or several questions of the engine to the page.
//
//	WireAsk = WireKeysAsk | WireStoreAsk | WireWriteAsk | WireCodecAsk | WireDecodeAsk

// WireKeysAsk: objects of a host store: questions n, n+1, and so on, for the keys, one a line.
const (
	KeysAsk   IntName  = "ask"
	KeysStore IntName  = "store"
	KeysKeys  TextName = "keys"
	KeysCount IntName  = "count"
	// Two numbers each: the offset, -1 for the object's end; and the length, -1 for all.
	KeysRanges IntsName = "ranges" // ?
	// The read that they serve, if it is marked.
	KeysMark IntName = "mark" // ?
	// Earlier answers must not be reused.
	KeysFresh FlagName = "fresh" // ?
)

// WireStoreAsk & WireStoreQuestion: another question to a store on the page.
const (
	AskNumber IntName = "ask"
	AskStore  IntName = "store"
	AskMark   IntName = "mark" // ?
)

// WireStoreQuestion: asks for the names in a folder or the headers of a request. Others have a
// request sent, or ask whether an origin may be read.
const (
	AskList TextName = "list"

	AskHeaders FlagName = "headers" // : true

	AskFetch ObjectName = "fetch" // : WireFetch

	AskConfirm TextName = "confirm"
)

// WireFetch: a request for the page to send.
const (
	FetchMethod   TextName  = "method" // : "GET" | "HEAD" | "PUT" | "DELETE" | "MKCOL"
	FetchURL      TextName  = "url"
	FetchHeaders  TextsName = "headers"
	FetchRedirect TextName  = "redirect" // : "follow" | "manual"
	// The largest bodies of status 200 and of 206, in bytes. Other bodies are not read.
	FetchLimits IntsName = "limits" // : [number, number]
	FetchCache  TextName = "cache"  // ?: WireCacheMode
	// The body of a PUT.
	FetchBody BufferName = "body" // ?
)

// WireCodecAsk: creates a codec on the page, for arrays of one kind.
const (
	CodecAskNumber        IntName    = "ask"
	CodecAskCodec         TextName   = "codec"
	CodecAskConfiguration AnyName    = "configuration" // : Record<string, unknown> | null
	CodecAskDType         TextName   = "dtype"
	CodecAskType          ObjectName = "type" // : TypeDescription
	CodecAskShape         IntsName   = "shape"
	CodecAskFill          BytesName  = "fill"
)

// WireDecodeAsk: makes a codec on the page decode bytes.
const (
	DecodeAskNumber IntName = "ask"
	// The codec, by the handle in its answer.
	DecodeAskHandle IntName    = "decode"
	DecodeAskBytes  BufferName = "bytes"
)

// WireAborted: the answer to a question is no longer wanted.
const AbortedAsk IntName = "aborted"

// WireFound: the answer of a store, without its bytes.
const (
	// The size of the whole object, if it is known.
	FoundSize IntName = "size" // ?
	// A number that changes with the object's content.
	FoundModified  IntName   = "modified"  // ?
	FoundNames     ListName  = "names"     // ?: readonly string[]
	FoundConfirmed FlagName  = "confirmed" // ?
	FoundHeaders   TextsName = "headers"   // ?
	FoundStatus    IntName   = "status"    // ?
	// The type of a Response.
	FoundType TextName = "type" // ?
	// The final URL of the response, after redirects that the page's fetch has followed.
	FoundURL TextName = "url" // ?
	// The page's rule that does not allow the request.
	FoundRefused TextName = "refused" // ?
	// The size of a body that exceeds its limit and was not read; -1 if it is unknown.
	FoundLarge IntName = "large" // ?
)

// WireCodecFound: the answer of a codec, without its bytes.
const (
	FoundCodec     IntName  = "handle" // ?
	FoundCodecKind TextName = "kind"   // ?: "array_to_array" | "array_to_bytes" | "bytes_to_bytes"
)

// WireNotice {op: "answer"} & WireHostAnswer: answers questions.
const OpAnswer Op = "answer"

// WireHostAnswer is the answer to one question or to several.
//
//	WireHostAnswer = (WireOneAnswer & WireFound & WireCodecFound) | WireKeysAnswer

// WireOneAnswer: the answer to one question.
const (
	FoundAsk   IntName  = "ask"
	FoundError TextName = "error" // ?
	// Absent if the key does not exist.
	FoundBytes BufferName = "bytes" // ?
	// The number of valid bytes.
	FoundLength IntName = "length" // ?
)

// WireKeysAnswer: the answers to several questions for keys. Each has a head of three uint32: the
// question's number, the length (2^32-1 for a missing key) and the object's size (2^32-1 for
// unknown). The 8 bytes of the number that changes with the object end the head; 0 is unknown. The
// bytes of all answers follow the heads.
const (
	AnswersBytes  BufferName = "answers"
	AnswersCount  IntName    = "count"
	AnswersLength IntName    = "length"
)
