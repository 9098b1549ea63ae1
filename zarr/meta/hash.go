package meta

import "zarr-wasm/internal/json"

// Hash is a number of the node's version and of what its documents say, whatever the order and the spacing of
// their members: a document of its own and the copy in consolidated metadata have the same. Consolidated
// metadata of the nodes below it does not count.
func (n *Node) Hash() uint64 {
	h := offset
	h.add(string(rune('0' + n.Format)))
	for _, d := range n.Documents {
		if d.Name == DocumentConsolidated {
			continue
		}
		v, err := json.Parse(d.Bytes, json.Limits{Bytes: len(d.Bytes), Depth: 1 << 20})
		if err != nil || d.Name == DocumentAttributes && v.Len() == 0 {
			continue // no attributes are the same as none
		}
		h.add(d.Name)
		h.value(v, d.Name == DocumentV3)
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
	*h = (x ^ 0xff) * prime // a byte that no text has
}

func (h *hash) value(v json.Value, document bool) {
	switch v.Kind() {
	case json.Array:
		h.add("[")
		for _, item := range v.Items() {
			h.value(item, false)
		}
		h.add("]")
	case json.Object:
		// The sum of the members' hashes does not depend on their order.
		sum := hash(0)
		for _, m := range v.Members() {
			if document && m.Name == "consolidated_metadata" {
				continue
			}
			member := offset
			member.add(m.Name)
			member.value(m.Value, false)
			sum += member
		}
		*h = (*h ^ sum) * prime
		h.add("{")
	default:
		if text, ok := v.Text(); ok {
			h.add("\"" + text)
		} else {
			h.add(string(v.Raw()))
		}
	}
}
