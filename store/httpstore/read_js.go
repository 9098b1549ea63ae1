//go:build js && !write

package httpstore

// Writes tells whether the build has what writes: in wasm, only that with the tag write.
const Writes = false
