// Package wire has the messages between JavaScript and a Go instance, without syscall/js.
//
// A message is an [Object]. Its values are nil, bool, float64, string, [BigInt], []byte (a Uint8Array), [Buffer],
// [Lent], [Memory], [Ref], []any and Object. [Encode] and [Decode] write and read the text that most messages cross as;
// package wasm turns the rest into JavaScript's values and back. types.go and pipeline.go say what data types and chains
// of codecs are on the wire: the first to the page, the second to another instance.
//
// # Names
//
// requests.go, answers.go, questions.go, jobs.go and writes.go describe each message by the names of its members, which are constants.
// The type of a name says what is there, and the methods of Object take names of their type only. The files of the same names in
// js/engine/protocol are the other side; tests/js/protocol.test.mjs compares each member and its type, and finds those that one
// side does not use.
//
// # Protocol
//
// A request has a number and an operation; its answer has the same number, and a value or an error. Requests run
// concurrently and are answered in any order. While a read runs it can send its progress and partial results.
//
// What lives on the page is asked for by questions, which have numbers of their own; {op: "answer"} answers one, or several
// for the keys of a store. A question for a chunk that is marked names its request; one for several readers names the
// first's.
//
// An instance that was told in hello that there are helpers has other instances decode chunks. It says what a chain of
// codecs is before the first job that names it. It is told when a job has ended, how many helpers run, and, when it has
// asked for a tick, that all messages that waited then have been delivered.
package wire
