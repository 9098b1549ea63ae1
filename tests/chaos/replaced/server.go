package replaced

import (
	"encoding/json"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Kinds are the validators by which answers state versions.
var Kinds = []string{"strong", "weak", "modified", "size", "hidden", "none"}

// Server serves the arrays at /KIND/CACHE/ODDS/SESSION/NAME/KEY. KIND selects the validators, and
// CACHE the Cache-Control ("-" for none). One in ODDS requests replaces its object, or none when it
// is 0. Each session has its own objects. POST /-/still/SESSION stops its replacements, and DELETE
// removes it. /-/arrays lists the arrays.
type Server struct {
	seed     uint64
	arrays   map[string]*Array
	mu       sync.Mutex
	sessions map[string]*session
	builds   map[buildID][]byte
}

type session struct {
	still   bool
	objects map[string]*state
}

// state is an object's state in a session.
type state struct {
	rng     *rand.Rand
	version int
}

type buildID struct {
	array         string
	version, more int
}

// New returns a server of all arrays.
func New(seed uint64) *Server {
	s := &Server{seed: seed, arrays: map[string]*Array{}, sessions: map[string]*session{}, builds: map[buildID][]byte{}}
	for _, a := range Arrays() {
		s.arrays[a.Name] = a
	}
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 6)
	switch {
	case r.Method == http.MethodOptions:
		w.WriteHeader(http.StatusNoContent)
	case len(parts) >= 2 && parts[0] == "-":
		s.control(w, r, parts[1:])
	case len(parts) == 6:
		s.object(w, r, parts[0], parts[1], parts[2], parts[3], parts[4], parts[5])
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) control(w http.ResponseWriter, r *http.Request, parts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case parts[0] == "arrays":
		w.Header().Set("Content-Type", "application/json")
		list := slices.SortedFunc(maps.Values(s.arrays), func(a, b *Array) int { return strings.Compare(a.Name, b.Name) })
		_ = json.NewEncoder(w).Encode(list) // the client may be gone
	case len(parts) == 2 && r.Method == http.MethodDelete:
		delete(s.sessions, parts[1])
	case len(parts) == 2:
		if one := s.sessions[parts[1]]; one != nil {
			one.still = true
		}
	default:
		http.NotFound(w, r)
	}
}

// next returns the version of an object for the next answer.
func (s *Server) next(name, array, key string, odds int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.sessions[name]
	if one == nil {
		one = &session{objects: map[string]*state{}}
		s.sessions[name] = one
	}
	id := array + "/" + key
	o := one.objects[id]
	if o == nil {
		h := fnv.New64a()
		_, _ = io.WriteString(h, name+"/"+id) // a hash takes everything
		rng := rand.New(rand.NewPCG(s.seed, h.Sum64()))
		o = &state{rng, rng.IntN(versions)}
		one.objects[id] = o
	}
	if odds > 0 && !one.still && o.rng.IntN(odds) == 0 {
		o.version++
	}
	return o.version
}

func (s *Server) object(w http.ResponseWriter, r *http.Request, kind, cache, odds, session, array, key string) {
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	if cache != "-" {
		h.Set("Cache-Control", cache)
	}
	if kind != "hidden" {
		h.Set("Access-Control-Expose-Headers", "ETag, Content-Range, Content-Length, Last-Modified")
	}
	a := s.arrays[array]
	if a == nil {
		http.NotFound(w, r)
		return
	}
	if b, ok := a.documents[key]; ok {
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(b)))
		return
	}
	o := a.objects[key]
	if o == nil {
		http.NotFound(w, r)
		return
	}
	n, _ := strconv.Atoi(odds)
	version := s.next(session, array, key, n)
	more := 0
	modified := time.Time{}
	switch kind {
	case "strong":
		h.Set("ETag", strconv.Quote(strconv.Itoa(version)))
	case "weak":
		h.Set("ETag", "W/"+strconv.Quote(strconv.Itoa(version)))
	case "hidden":
		h.Set("ETag", strconv.Quote(strconv.Itoa(version)))
		fallthrough
	case "modified":
		modified = time.Date(2020, 1, 1, 0, 0, version, 0, time.UTC)
	case "size":
		more = 1 + version%200
	}
	http.ServeContent(w, r, "", modified, s.content(array, o, version%versions, more))
}

// content returns an object of a version.
func (s *Server) content(array string, o *object, version, more int) io.ReadSeeker {
	if o.build == nil {
		return io.NewSectionReader(&content{o, version, more}, 0, int64(len(o.bytes)+more))
	}
	id := buildID{array, version, more}
	s.mu.Lock()
	b := s.builds[id]
	s.mu.Unlock()
	if b == nil {
		b = o.build(version, more)
		s.mu.Lock()
		if len(s.builds) > 12 {
			clear(s.builds)
		}
		s.builds[id] = b
		s.mu.Unlock()
	}
	return strings.NewReader(string(b))
}

// content reads an object of a version.
type content struct {
	o             *object
	version, more int
}

// ReadAt implements io.ReaderAt.
func (c *content) ReadAt(p []byte, off int64) (int, error) {
	n := copy(p, c.o.read(c.version, c.more, int(off), min(int(off)+len(p), len(c.o.bytes)+c.more)))
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// read returns some bytes of a version of an object that is more bytes longer.
func (o *object) read(version, more, from, to int) []byte {
	b := make([]byte, 0, max(to-from, 0))
	if from < o.tail {
		b = append(b, o.bytes[from:min(to, o.tail)]...)
		for _, e := range o.elements {
			for at := max(e[0], from-(from-e[0])%4); at < min(e[1], to); at += 4 {
				high, low := at+3-from, at+2-from
				if o.big {
					high, low = at-from, at+1-from
				}
				if high >= 0 && high < len(b) {
					b[high] |= byte(version >> 3)
				}
				if low >= 0 && low < len(b) {
					b[low] |= byte(version << 5)
				}
			}
		}
	}
	for at := from + len(b); at < to; at++ {
		switch {
		case at < o.tail+more:
			b = append(b, 0)
		default:
			b = append(b, o.bytes[at-more])
		}
	}
	return b
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
