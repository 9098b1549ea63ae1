//go:build js && wasm && !crash

package main

// crash returns nil: no message can end the instance.
func crash() func(why string, memory, useTrap bool) { return nil }
