// Package arch keeps the structure of the project: which package may import which, and what the
// wasm may link. It holds tests only.
package arch
