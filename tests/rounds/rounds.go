// Package rounds returns the rounds that a run of a random test takes.
//
// With FULL=1 in the environment, as each night, a run takes all rounds. Any other run takes a
// quarter of them, and a sixteenth in wasm, which runs the same code slowly. Each chooses
// them by the date. tests/lib/rounds.mjs returns counts for JavaScript.
package rounds

import (
	"iter"
	"os"
	"runtime"
	"time"
)

// share returns the reciprocal of the share of rounds that a run takes.
func share() int {
	switch {
	case os.Getenv("FULL") != "":
		return 1
	case runtime.GOOS == "js":
		return 16
	}
	return 4
}

// Of returns the number of rounds of a test that has n of them, at least 1.
func Of(n int) int { return (n + share() - 1) / share() }

// Each returns the rounds of a test that has n of them, by their numbers. They are consecutive: a
// test may treat odd rounds differently.
func Each(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		some := Of(n)
		windows := (n + some - 1) / max(some, 1)
		first := int(time.Now().Unix()/86400) % max(windows, 1) * some
		for i := min(first, n-some); i < n && i < first+some; i++ {
			if !yield(i) {
				return
			}
		}
	}
}
