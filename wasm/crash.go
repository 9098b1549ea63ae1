//go:build js && wasm && crash

package main

// trap ends the instance like a machine fault: at once, without a message from Go.
func trap()

// crash returns a function that ends the instance by a trap, by exhausted memory, or by a panic.
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
