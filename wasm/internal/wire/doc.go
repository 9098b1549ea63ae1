// Package wire defines the messages between JavaScript and a Go instance, without syscall/js.
//
//	var msg wire.Object
//	msg.AddInt(wire.RequestID, 1)
//	text, values := wire.Encode(msg)
//
// A message is an [Object]. Its values are nil, bool, float64, string, [BigInt], []byte (a
// Uint8Array), [Buffer], [Lent], [Memory], [Ref], []any and Object. Most messages cross as text,
// which [Encode] writes and [Decode] reads. Package wasm converts the rest to JavaScript's values
// and back. Files types.go and pipeline.go describe data types for the page, and chains of codecs
// for another instance.
//
// # Names
//
// requests.go, answers.go, questions.go, jobs.go and writes.go define each message by constants for
// its members' names. A name's type determines the member's type, and Object's methods only accept
// names of their type. The files of the same names in js/engine/protocol are the other side. The
// test tests/js/protocol.test.mjs compares all members and types, and finds members that one side
// does not use.
//
// # Protocol
//
// A request has a number and an operation. Its answer has the same number, and a value or an error.
// Requests run concurrently and are answered in any order. A running read can send its progress and
// partial results.
//
// Questions ask the page for what lives there. They have their own numbers. {op: "answer"} answers
// one question, or several for keys of a store. A question for a marked chunk names its request.
// One for several readers names the first's.
//
// When hello announces helpers, an instance lets other instances decode chunks. It describes a
// chain of codecs before the first job that names it. It receives the end of each job and the
// number of running helpers. On request it receives a tick: the news that all messages then waiting
// have been delivered.
package wire
