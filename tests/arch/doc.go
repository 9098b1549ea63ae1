// Package arch keeps the shape of the project: which package may import which, what
// the wasm may link, and how large it may be. It holds tests only.
package arch
