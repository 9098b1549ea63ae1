package kernel

import (
	"bytes"
	"math/rand"
	"testing"
)

// guarded is memory between borders that must not be written. Its end is the slice's end, so that
// portable code cannot even read further.
type guarded struct {
	all    []byte
	at     int
	Bytes  []byte
	before []byte // a copy of all
}

const border = 96

// guard allocates n bytes that start align bytes after a multiple of 16, filled by fill. The
// borders differ from the content.
func guard(n, align int, fill func([]byte)) guarded {
	g := guarded{all: make([]byte, border+16+n+border)}
	for i := range g.all {
		g.all[i] = byte(0xa5 ^ i)
	}
	g.at = border + align
	g.Bytes = g.all[g.at : g.at+n : g.at+n]
	if fill != nil {
		fill(g.Bytes)
	}
	g.before = bytes.Clone(g.all)
	return g
}

// check fails the test if a border was written, or the content although read-only.
func (g guarded) check(t *testing.T, writable bool, what string) {
	t.Helper()
	end := g.at + len(g.Bytes)
	if !bytes.Equal(g.all[:g.at], g.before[:g.at]) || !bytes.Equal(g.all[end:], g.before[end:]) {
		t.Fatalf("%s: written outside", what)
	}
	if !writable && !bytes.Equal(g.Bytes, g.before[g.at:end]) {
		t.Fatalf("%s: the source was written to", what)
	}
}

// random fills with bytes of a seed.
func random(seed int64) func([]byte) {
	return func(b []byte) { rand.New(rand.NewSource(seed)).Read(b) }
}
