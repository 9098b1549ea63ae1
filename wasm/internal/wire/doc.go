// Package wire defines the messages between JavaScript and a Go instance, without syscall/js.
//
//	var msg wire.Object
//	msg.AddInt(wire.RequestID, 1)
//	text, values := wire.Encode(msg)
//
// A message is an [Object]. Its values are nil, bool, float64, string, [BigInt], []byte (a
// Uint8Array), [Buffer], [Lent], [Reply], [Memory], [Ref], []any and Object. Most messages cross as
// text, which [Encode] writes and [Decode] reads. Package wasm converts the rest to JavaScript's
// values and back. Files types.go and pipeline.go describe data types for the page, and chains of
// codecs for another instance.
//
// # Names
//
// requests.go, answers.go, questions.go, jobs.go and writes.go define each message by constants for
// its members' names. A name's type determines the member's type, and Object's methods only accept
// names of their type.
//
// The TypeScript types in js/engine/protocol/wire.ts are generated from these constants. A block's
// comment begins with its type, its operation, and the types whose members it has too:
//
//	// WirePartial & WireNumbered: a box of a read's result.
//	// {op: "open"} & AboutStore => WireNode: opens a node.
//
// After the arrow follows the type of the answer's value. An operation without an answer names its
// union before {op}. An empty line in a block begins another alternative of the type. A comment
// after a constant gives the member's type in TypeScript, if the name's type does not: "?" for an
// optional member, "?: T" or ": T". Members that only the page and the worker use have the constant
// _. Indented lines of comments are types too. A block with the name Type.member describes that
// member.
//
// Tests find members that one side does not use.
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

//go:generate go run ./gen
