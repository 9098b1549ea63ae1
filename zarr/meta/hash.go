package meta

import (
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// Hash returns a hash of the node's version and documents, independent of the order and spacing of
// their members. A node's own document and its copy in consolidated metadata have the same hash.
// Consolidated metadata of the nodes below does not count.
func (n *Node) Hash() uint64 {
	h := offset
	h.add(string(rune('0' + n.Format)))
	for _, d := range n.Documents {
		if d.Name == DocumentConsolidated {
			continue
		}
		if d.Name == DocumentAttributes && len(d.Bytes) < 16 && isEmpty(d.Bytes) {
			continue // empty attributes equal absent ones
		}
		h.add(d.Name)
		w := textWalk{text: d.Bytes}
		w.value(&h, d.Name == DocumentV3)
	}
	return uint64(h)
}

// hash is FNV-1a of 64 bits.
type hash uint64

const (
	offset hash = 14695981039346656037
	prime  hash = 1099511628211
)

func (h *hash) add(s string) {
	x := *h
	for i := range len(s) {
		x = (x ^ hash(s[i])) * prime
	}
	*h = (x ^ 0xff) * prime // a byte that no text contains
}

// isEmpty reports whether a document is an object without members.
func isEmpty(doc []byte) bool {
	v, err := json.Parse(doc, json.Limits{})
	return err == nil && v.Len() == 0
}

// textWalk walks through the text of a parsed document without making values. A repeated member
// counts twice.
type textWalk struct {
	text []byte
	at   int
}

// next returns the byte after spaces, 0 at the end.
func (w *textWalk) next() byte {
	for ; w.at < len(w.text); w.at++ {
		if c := w.text[w.at]; c > ' ' && c < 0x80 {
			return c
		}
	}
	return 0
}

func (w *textWalk) value(h *hash, document bool) {
	switch w.next() {
	case '[':
		h.add("[")
		for w.at++; !w.ends(']'); {
			w.value(h, false)
		}
		h.add("]")
	case '{':
		// The sum of the members' hashes does not depend on their order.
		sum := hash(0)
		for w.at++; !w.ends('}'); {
			name := w.literal()
			member := offset
			member.add(name)
			if w.next(); w.at < len(w.text) {
				w.at++ // the colon
			}
			if w.value(&member, false); !document || name != "consolidated_metadata" {
				sum += member
			}
		}
		*h = (*h ^ sum) * prime
		h.add("{")
	case '"':
		h.add("\"" + w.literal())
	default:
		from := w.at
		for w.at < len(w.text) && !strings.ContainsRune(",]} \t\r\n", rune(w.text[w.at])) {
			w.at++
		}
		h.add(string(w.text[from:w.at]))
	}
}

// ends skips the end of an array or object, or a comma.
func (w *textWalk) ends(end byte) bool {
	switch w.next() {
	case end, 0:
		w.at = min(w.at+1, len(w.text))
		return true
	case ',':
		w.at++
	}
	return false
}

// literal skips a string.
func (w *textWalk) literal() string {
	w.next()
	from := w.at
	escaped := false
	for w.at++; w.at < len(w.text) && w.text[w.at] != '"'; w.at++ {
		if w.text[w.at] == '\\' {
			escaped = true
			w.at++
		}
	}
	w.at = min(w.at+1, len(w.text))
	if escaped {
		return json.NameAt(w.text, from)
	}
	return string(w.text[min(from+1, w.at):max(w.at-1, min(from+1, w.at))])
}
