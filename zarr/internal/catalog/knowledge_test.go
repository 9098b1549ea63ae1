package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// TestTransitions checks a path's state after each event. The rules below the table hold for any
// sensible table.
func TestTransitions(t *testing.T) {
	stored := []State{Unknown, Present, Absent, Suspect}
	want := map[State][4]State{
		//        found    missed   failed   replaced
		Unknown: {Present, Absent, Suspect, Unknown},
		Present: {Present, Suspect, Suspect, Unknown},
		Absent:  {Present, Absent, Suspect, Suspect},
		Suspect: {Present, Absent, Suspect, Suspect},
	}
	for _, s := range stored {
		if next[s] != want[s] {
			t.Errorf("state %d becomes %v, want %v", s, next[s], want[s])
		}
		if next[s][found] != Present || next[s][missed].trusted() || next[s][failed].trusted() {
			t.Errorf("state %d: an open that found a node is believed, and no other is", s)
		}
		if next[s][replaced].trusted() != s.trusted() {
			t.Errorf("state %d: a write restores or destroys trust", s)
		}
		for _, to := range next[s] {
			if !slices.Contains(stored, to) {
				t.Errorf("state %d becomes %d, which no record has", s, to)
			}
		}
	}
}

// node is a node made of documents.
type node struct {
	m    *meta.Node
	hash uint64
}

func (n *node) Metadata() *meta.Node { return n.m }
func (n *node) Hash() uint64         { return n.hash }

const array3 = `{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}},` +
	`"chunk_key_encoding":{"name":"default"},"fill_value":9,"codecs":["bytes"]}`

// consolidated returns the metadata of a group of the version, with consolidated metadata of arrays
// at these paths.
func consolidated(t *testing.T, format int, paths []string) *meta.Node {
	t.Helper()
	var docs []meta.Document
	var entries []string
	if format == 2 {
		for _, p := range paths {
			entries = append(entries, fmt.Sprintf(`%q:{"zarr_format":2,"shape":[2],"chunks":[1],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}`, p+"/.zarray"))
		}
		docs = []meta.Document{{Name: ".zgroup", Bytes: []byte(`{"zarr_format":2}`)},
			{Name: ".zmetadata", Bytes: []byte(`{"metadata":{` + strings.Join(entries, ",") + `}}`)}}
	} else {
		for _, p := range paths {
			entries = append(entries, fmt.Sprintf("%q:%s", p, array3))
		}
		docs = []meta.Document{{Name: "zarr.json", Bytes: []byte(`{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","metadata":{` + strings.Join(entries, ",") + `}}}`)}}
	}
	return must.Get(meta.Parse(docs, meta.Options{}))(t)
}

func newKnowledge() *knowledge {
	return &knowledge{nodes: NewNodes(1 << 30), paths: map[string]*record{}}
}

// entry is one line of the log on which the model is based.
type entry struct {
	what      string // "read", "opened", "failed", "missed", "replaced", "drafted"
	path      string
	n         *node
	any       bool     // an open for any version
	names     []string // of consolidated metadata
	has       bool     // there is consolidated metadata
	all       bool     // a write to all paths below; a group asked for its consolidated metadata
	same      bool     // a write that keeps the version
	overtaken bool     // an open overtaken by a write
}

// model answers from the log of all events, and stores nothing else.
type model []entry

func (l model) writes(path string, from int) bool {
	return slices.ContainsFunc(l[from:], func(e entry) bool { return e.what == "replaced" && covers(e.path, path, e.all) })
}

// outcome returns the last open of a path and its index, or -1 if there was none.
func (l model) outcome(path string) (entry, int) {
	for i, e := range slices.Backward(l) {
		if e.path == path && (e.what == "opened" && !e.overtaken || e.what == "failed" || e.what == "missed") {
			return e, i
		}
	}
	return entry{}, -1
}

// names returns the paths in a group's consolidated metadata, and whether it has any that counts.
func (l model) names(at string) ([]string, bool) {
	written := slices.ContainsFunc(l, func(e entry) bool { return e.what == "replaced" })
	for _, e := range slices.Backward(l) {
		if e.what == "read" && e.path == at {
			return e.names, e.has && !written
		}
	}
	return nil, false
}

func (l model) state(path string) State {
	e, i := l.outcome(path)
	switch {
	case i < 0, e.what == "opened":
		for at := path; at != ""; {
			at = parent(at)
			names, ok := l.names(at)
			if ok && slices.ContainsFunc(names, func(n string) bool { return covers(below(path, at), n, true) }) {
				return Implied
			}
		}
		if i < 0 || l.writes(path, i) {
			return Unknown
		}
		return Present
	case e.what == "failed", l.writes(path, i):
		return Suspect
	}
	// Nothing was there. The path is suspect if it had a node that was not replaced since.
	if before, j := l[:i].outcome(path); j >= 0 && before.what == "opened" && !l[:i].writes(path, j) {
		return Suspect
	}
	return Absent
}

// current reports whether a hash matches the documents that were read last.
func (l model) current(path string, n *node) bool {
	known := false
	for i, e := range l {
		if e.path == path && (e.what == "opened" || e.what == "drafted") && variant(e.n.m) == variant(n.m) {
			if l.writes(path, i) || e.overtaken && !known {
				known = true
			} else if !e.overtaken {
				return l.last(path, n, i)
			}
		}
	}
	return !known
}

// last reports whether the last documents of a variant, read from the i-th entry on, have the hash.
func (l model) last(path string, n *node, i int) bool {
	same := false
	for _, e := range l[i:] {
		if e.path == path && (e.what == "opened" && !e.overtaken || e.what == "drafted") && variant(e.n.m) == variant(n.m) {
			same = e.n.hash == n.hash
		}
	}
	return same
}

func (l model) kept(path string, format int, bare bool) (found *node) {
	if format == 0 {
		for i, e := range slices.Backward(l) {
			if e.path == path && e.what == "opened" && !e.overtaken && e.any {
				changed := slices.ContainsFunc(l[i:], func(e entry) bool { return e.what == "replaced" && covers(e.path, path, e.all) && !e.same })
				if changed {
					return nil
				}
				format = e.n.m.Format
				break
			}
		}
	}
	for _, without := range []bool{false, true} {
		for i, e := range slices.Backward(l) {
			if e.path == path && e.what == "opened" && !e.overtaken && e.n.m.Format == format && e.n.m.Bare == without {
				if !l.writes(path, i) && (bare || !without) {
					return e.n
				}
				break
			}
		}
	}
	return nil
}

func (l model) expect(path string) (format int, may bool) {
	for _, e := range slices.Backward(l) {
		if e.what == "read" {
			format = e.n.m.Format
			break
		}
	}
	for at := path; ; at = parent(at) {
		for _, e := range slices.Backward(l) {
			if e.what == "read" && e.path == at && e.n.m.Array == nil && (e.n.m.Format == 3 || e.all) {
				_, has := l.names(at)
				return format, has
			}
		}
		if at == "" {
			return format, true
		}
	}
}

// TestWhatIsKnownFollowsFromWhatHappened runs random opens, failures and writes, including opens
// that writes overtake. It compares the knowledge of each path with the log.
func TestWhatIsKnownFollowsFromWhatHappened(t *testing.T) {
	paths := []string{"", "a", "a/b", "a/b/c", "ab", "d"}
	rng := rand.New(rand.NewPCG(27, 1))
	seen := map[State]int{}
	for round := range rounds.Of(400) {
		k := newKnowledge()
		var log model
		type start struct {
			path  string
			since uint64
			at    int
		}
		var starts []start
		writes := rng.IntN(3) > 0
		hash := uint64(0)
		for step := range 40 {
			path := paths[rng.IntN(len(paths))]
			hash++
			n := &node{&meta.Node{Format: 1 + rng.IntN(3), Array: &meta.Array{}}, hash}
			switch op := rng.IntN(11); {
			case op < 2: // an open begins
				starts = append(starts, start{path, k.look("").since, len(log)})
			case op < 4 && len(starts) > 0: // an open ends in a node
				i := rng.IntN(len(starts))
				s := starts[i]
				starts = slices.Delete(starts, i, i+1)
				n.m.Bare = n.m.Format == 2 && rng.IntN(2) == 0
				e := entry{what: "opened", path: s.path, n: n, any: rng.IntN(2) == 0, overtaken: log.overtaken(s.path, s.at)}
				k.opened(s.path, n, e.any, s.since)
				log = append(log, e)
			case op < 6: // documents of a group arrive
				var names []string
				for _, name := range []string{"b", "b/c", "x/y"} {
					if rng.IntN(2) == 0 {
						names = append(names, name)
					}
				}
				format := 2 + rng.IntN(2)
				e := entry{what: "read", path: path, names: names, has: true, all: true}
				m := consolidated(t, format, names)
				switch rng.IntN(4) {
				case 0:
					m.Consolidated, e.has = nil, false
				case 1: // documents of an array
					m, e.has, e.all = &meta.Node{Format: format, Array: &meta.Array{}}, false, false
				}
				e.n = &node{m: m}
				k.read(path, m, e.all)
				if e.all {
					log = append(log, e)
				} else {
					log = append(log, entry{what: "read", path: "-", n: e.n})
				}
			case op < 7:
				k.failed(path, failed)
				log = append(log, entry{what: "failed", path: path})
			case op < 9:
				k.failed(path, missed)
				log = append(log, entry{what: "missed", path: path})
			case writes && step > 10 && op < 10:
				e := entry{what: "replaced", path: path, all: rng.IntN(3) == 0, same: rng.IntN(2) == 0}
				k.replaced(path, e.all, e.same)
				log = append(log, e)
			case writes && step > 10:
				k.drafted(path, n.m, n.hash)
				log = append(log, entry{what: "drafted", path: path, n: n})
			}
			for _, path := range paths {
				fail := func(what string, got, want any) {
					t.Helper()
					t.Fatalf("round %d, step %d, %q: %s is %v, want %v; after %+v", round, step, path, what, got, want, log)
				}
				state, want := k.look(path).state, log.state(path)
				if seen[state]++; state != want {
					fail("the state", state, want)
				}
				if m, err := k.described(path); err != nil || state == Implied != (m != nil && state.trusted()) {
					fail("what is described", m, state)
				}
				for _, n := range log.nodes() {
					if got, want := k.current(path, n.m, n.hash), log.current(path, n); got != want {
						fail(fmt.Sprintf("that %d of version %d is current", n.hash, n.m.Format), got, want)
					}
				}
				for format := range 4 {
					for _, bare := range []bool{false, true} {
						got, ok := k.kept(path, format, bare)
						if want := log.kept(path, format, bare); ok != (want != nil) || ok && got != want {
							fail(fmt.Sprintf("what is kept of version %d, bare %v,", format, bare), got, want)
						}
					}
				}
				format, may := k.expect(path)
				if f, m := log.expect(path); f != format || m != may {
					fail("what is expected", fmt.Sprint(format, may), fmt.Sprint(f, m))
				}
			}
		}
	}
	for s := range Suspect + 1 {
		if seen[s] < rounds.Of(1000) {
			t.Errorf("state %d was met %d times", s, seen[s])
		}
	}
}

// overtaken reports whether a write since the i-th entry may concern the path. Every write to all
// paths below counts.
func (l model) overtaken(path string, i int) bool {
	return l.writes(path, i) || slices.ContainsFunc(l[i:], func(e entry) bool { return e.what == "replaced" && e.all })
}

// nodes returns all nodes that were opened or drafted.
func (l model) nodes() (all []*node) {
	for _, e := range l {
		if e.n != nil && e.what != "read" {
			all = append(all, e.n)
		}
	}
	return all
}

// TestRecordsOfFailuresAreBounded fails at many paths without a node. Few records stay, including
// that of the last failure.
func TestRecordsOfFailuresAreBounded(t *testing.T) {
	k := newKnowledge()
	k.opened("there", &node{&meta.Node{Format: 3}, 1}, true, 0)
	k.failed("there", missed)
	for i := range 5 * maxDistrusted {
		path := fmt.Sprint("none/", i)
		k.failed(path, event(int(missed)+i%2))
		if k.look(path).state.trusted() {
			t.Fatalf("%s is trusted", path)
		}
		if len(k.paths) > maxDistrusted+1 || k.distrusted > maxDistrusted {
			t.Fatalf("%d records, %d distrusted", len(k.paths), k.distrusted)
		}
	}
	if _, ok := k.kept("there", 0, false); !ok || k.look("there").state != Unknown {
		t.Error("a record of a node was dropped with those of failures")
	}
}

func TestHostsThatRefuseAndHostsThatReport(t *testing.T) {
	refused := errors.New("403")
	for i, c := range []struct {
		answers []error
		want    int32
	}{
		{nil, 0},
		{[]error{nil}, 0},
		{[]error{blocked{}}, 0},
		{[]error{refused}, hostRefuses},
		{[]error{fs.ErrNotExist, refused}, hostReports},
		{[]error{refused, fs.ErrNotExist}, hostReports},
	} {
		k := newKnowledge()
		for _, err := range c.answers {
			k.answered(err)
		}
		if !k.hostIs(c.want) {
			t.Errorf("%d: %d", i, k.host.Load())
		}
	}
}

type blocked struct{}

func (blocked) Error() string { return "blocked" }
func (blocked) Blocked() bool { return true }
