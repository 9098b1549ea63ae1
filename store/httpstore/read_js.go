//go:build js && !write

package httpstore

// Writes reports whether the build includes writing: in wasm, only with the tag write.
const Writes = false
