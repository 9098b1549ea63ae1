// Package buckets implements a server of objects for tests. It lists them as object stores do.
package buckets

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Server serves the objects of one bucket. The bucket is the first segment of the path, or the
// host.
type Server struct {
	// Bucket is the name of the bucket, or "" if the host is the bucket.
	Bucket  string
	Objects map[string][]byte
	// PageSize is the number of names in a page of a list; 0 stands for 1000.
	PageSize int
	// Azure selects Azure's lists instead of S3's.
	Azure bool
	// Refuse, if not 0, is the status of every list.
	Refuse int
	// Marker selects S3's first version of lists: with markers, and without a last one if there is
	// no delimiter.
	Marker bool

	mu    sync.Mutex
	asked []string
}

// Asked returns the requests so far, each its method, path and query.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.RequestURI())
	s.mu.Unlock()
	w.Header().Set("Access-Control-Allow-Origin", "*")
	key := strings.TrimPrefix(r.URL.Path, "/")
	if s.Bucket != "" {
		bucket, rest, _ := strings.Cut(key, "/")
		if key = rest; bucket != s.Bucket {
			s.fail(w, http.StatusNotFound, "NoSuchBucket")
			return
		}
	}
	if key == "" {
		s.list(w, r)
		return
	}
	data, ok := s.Objects[key]
	if !ok {
		s.fail(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

func (s *Server) fail(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(xml.Header + "<Error><Code>" + code + "</Code><Message>no</Message></Error>"))
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	switch {
	case s.Refuse != 0:
		s.fail(w, s.Refuse, "AccessDenied")
		return
	case s.Azure && (q.Get("restype") != "container" || q.Get("comp") != "list"), !s.Azure && q.Get("list-type") != "2":
		s.fail(w, http.StatusBadRequest, "InvalidArgument")
		return
	}
	prefix, delimiter := q.Get("prefix"), q.Get("delimiter")
	var names []string
	for key := range s.Objects {
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok {
			continue
		}
		if i := strings.Index(rest, delimiter); delimiter != "" && i >= 0 {
			key = prefix + rest[:i+1]
		}
		names = append(names, key)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	after := q.Get("continuation-token")
	if s.Azure || s.Marker {
		after = q.Get("marker")
	}
	if after != "" {
		i, _ := slices.BinarySearch(names, after+"\x00")
		names = names[i:]
	}
	size := s.PageSize
	if size == 0 {
		size = 1000
	}
	next := ""
	if len(names) > size {
		names = names[:size]
		next = names[size-1]
	}
	w.Header().Set("Content-Type", "application/xml")
	_, _ = w.Write(s.page(prefix, delimiter, names, next))
}

// page writes a page of a list.
func (s *Server) page(prefix, delimiter string, names []string, next string) []byte {
	var b bytes.Buffer
	element := func(name, text string) {
		b.WriteString("<" + name + ">")
		_ = xml.EscapeText(&b, []byte(text))
		b.WriteString("</" + name + ">")
	}
	b.WriteString(xml.Header)
	if s.Azure {
		b.WriteString("<EnumerationResults>")
		element("Prefix", prefix)
		b.WriteString("<Blobs>")
		for _, name := range names {
			kind := "Blob"
			if strings.HasSuffix(name, delimiter) {
				kind = "BlobPrefix"
			}
			b.WriteString("<" + kind + ">")
			element("Name", name)
			b.WriteString("</" + kind + ">")
		}
		b.WriteString("</Blobs>")
		element("NextMarker", next)
		b.WriteString("</EnumerationResults>")
		return b.Bytes()
	}
	b.WriteString(`<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`)
	element("Prefix", prefix)
	element("IsTruncated", strconv.FormatBool(next != ""))
	for _, name := range names {
		if strings.HasSuffix(name, delimiter) {
			b.WriteString("<CommonPrefixes>")
			element("Prefix", name)
			b.WriteString("</CommonPrefixes>")
			continue
		}
		b.WriteString("<Contents>")
		element("Key", name)
		element("Size", strconv.Itoa(len(s.Objects[name])))
		b.WriteString("</Contents>")
	}
	switch {
	case next == "":
	case !s.Marker:
		element("NextContinuationToken", next)
	case delimiter != "":
		element("NextMarker", next)
	}
	b.WriteString("</ListBucketResult>")
	return b.Bytes()
}
