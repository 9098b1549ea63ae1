package codec

import (
	"slices"
	"testing"
)

func TestEntries(t *testing.T) {
	r := NewRegistry(
		Entry{Names: []string{"b", "old.b"}, IDs: []string{"b"}},
		Entry{IDs: []string{"c"}},
		Entry{Names: []string{"a"}},
		Entry{Names: []string{"gone"}},
		Entry{Names: []string{"gone", "new"}},
	)
	var got []string
	for _, e := range r.Entries() {
		got = append(got, e.first())
	}
	if want := []string{"a", "b", "c", "gone"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := len(r.Entries()[3].Names); n != 2 {
		t.Errorf("the entry that was replaced is still there")
	}
	if n := len(new(Registry).Entries()); n != 0 {
		t.Errorf("%d entries in an empty registry", n)
	}
}
