// Package wire has the messages between JavaScript and a Go instance, without syscall/js.
//
// A message is an [Object]. Its values are nil, bool, float64, string, [BigInt], []byte (a Uint8Array), [Buffer],
// [Lent], [Memory], [Ref], []any and Object. [Encode] and [Decode] write and read the text that most messages cross as;
// package wasm turns the rest into JavaScript's values and back. types.go and pipeline.go say what data types and chains
// of codecs are on the wire: the first to the page, the second to another instance.
//
// # Protocol
//
// A request is {id, op, ...}. Its answer is {id, ok: true, value} or {id, ok: false,
// error}. Requests run concurrently and are answered in any order.
//
//	hello    {version, helpers?, limits?}         null: both sides are of that version
//	store    {store, description, events?,
//	         caches?}                             null: the store has that number from now on. The description is
//	                                              the text of a JSON tree, see package kinds
//	stats    {store}                              what the store was asked, in numbers
//	caches   {caches?}                            what the caches of all stores hold, with new budgets
//	get      {store, key, range?}                 the bytes, past all caches, or null where there are none
//	close    {store}                              null; the handles of its nodes are no longer known
//	open     {store, path, kind?, format?,
//	         consolidated?, hash?}                a node: its description, its handle, and a hash of its documents.
//	                                              With a hash, an error where that of the documents is another
//	release  {nodes}                              no answer; these handles are no longer used
//	members  {node}                               [{name, path, kind, how, node?, error?}]
//	stored   {node}                               how many chunks the store has
//	project  {node, selection, from, most}        {count?, shape?, projections, numbers, next?}: what the selection
//	                                              takes of at most so many chunks, from where next was
//	read     {node, selection, ...}               {buffer, shape, type, offsets?, missing?}
//	chunk    {node, coords, marked?, ...}         the same
//	points   {node, coords: [[...], ...], ...}    the same
//	codecs   {names}                              no answer; the page has codecs of these names
//	crash    {why, memory?, trap?}                ends the instance by a panic that is not recovered, as the end of
//	                                              memory does or by a trap; known only to builds with the tag crash
//	cancel   {targets}                            no answer; nor have the targets, if theirs have not been sent
//
// A node is named by its handle, a number that the session gives it and that means nothing to
// another session: there the page opens it again, with its hash. The operations that
// read take the same options: {shared?, progress?, parts?, priority?, view?}.
//
// # Questions
//
// What lives on the page is asked for by {ask: n, ...}, and answered by {op: "answer", ask, error?, ...}:
//
//	{store, keys, count, ranges?}                 of a host store: questions n, n+1, and so on, for the keys,
//	                                              one a line, and their ranges, two numbers each: offset (-1: from
//	                                              the end) and length (-1: all). An answer has {bytes?, length?,
//	                                              size?, modified?}; {answers, count, length} are several
//	{store, list}                                 of a host store that lists, what is directly below a path: {names}
//	{store, headers: true}                        of an http store that was made with functions of the page's: {headers}
//	{store, fetch: {method, url, headers,
//	redirect, cache?, limits}}                    likewise: {status, type, headers, large?, refused?, bytes?,
//	                                              length?}
//	{codec, ...}, {decode, bytes}                 of codecs: see package hostside
//
// A question for a chunk that is marked has its request's id as mark; one for several readers has the first's.
// {aborted: n} says that an answer is no longer wanted.
//
// # News
//
// Of a store that was made with events: true, {event, store} tells of every request. A read
// with progress sends {id, progress: {done, total}}, one with parts {id, part: {buffer, shape,
// ...}, start}, both no more often than a frame.
//
// # Helpers
//
// An instance that was told in hello that there are helpers has other instances decode
// chunks. It says {pipeline, forget, ...} what a chain of codecs is, {job, pipeline, shape,
// bytes, size, want?, region?, place?} what is to be decoded, {drop: job} what is no
// longer wanted, {grow: true} that it has work for one helper more, {tick: true} that it wants to be
// told when all messages that wait now have been delivered. It is told
//
//	job      {helpers}                            how many helpers run
//	job      {tick}                               now
//	job      {job, bytes?, failed?, error?}       the end of a job; failed: decode it yourself
//
// and a helper is told
//
//	pipeline {pipeline, format, depth, chain, type, shape, fill}
//	decode   {pipeline, shape, bytes, length, want?, region?, into | place}, the place without its memory
//
// js/engine/protocol.ts is the other side of this page.
package wire
