//go:build js && wasm && crash

package main

// trap ends the instance as a fault of the machine does: at once, without a message of Go's.
func trap()

// crash returns what ends the instance: by a trap, as the end of memory does, or by a panic.
// Only tests build the wasm with it.
func crash() func(why string, memory, useTrap bool) {
	return func(why string, memory, useTrap bool) {
		for all := [][]byte{}; memory; {
			all = append(all, make([]byte, 1<<29))
		}
		if useTrap {
			trap()
		}
		panic(why)
	}
}
