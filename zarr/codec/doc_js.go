//go:build js && wasm

package codec

// Doc returns "": see doc.go.
func Doc(string) string { return "" }
