package zstdk

import "testing"

// FuzzTables reads descriptions of tables, and checks the invariants that the loops rely on.
func FuzzTables(f *testing.F) {
	f.Add([]byte{128, 1 << 4})                    // two weights of 1
	f.Add([]byte{3, 0x10, 0x3f, 0x81, 0, 0, 0x5}) // weights in an FSE code
	f.Add([]byte{0x20, 0xf5, 0x28, 0x85, 0x12, 0x34, 0x56, 0x78})
	f.Add([]byte{0xf0, 0xff, 0x0f, 0, 0, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		src := append(make([]byte, before), data...)
		var s Sequences
		for k := range kinds {
			at, status := s.Describe(Kind(k), src, before, len(src))
			if status != OK {
				continue
			}
			if at < before || at > len(src) {
				t.Fatalf("ends at %d of %d", at, len(src))
			}
			for i, e := range s.tables[k].entries[:1<<s.tables[k].log] {
				if e>>stateAt&0xffff+1<<(e&63)-1 >= 1<<s.tables[k].log {
					t.Fatalf("entry %d leads out of the table", i)
				}
			}
		}
		var h Huffman
		at, status := h.Read(src, before, len(src))
		if status != OK {
			return
		}
		if at < before || at > len(src) {
			t.Fatalf("ends at %d of %d", at, len(src))
		}
		for i, e := range h.entries[:1<<h.log] {
			if n := uint(e & 255); n < 1 || n > h.log {
				t.Fatalf("entry %d has %d bits of %d", i, n, h.log)
			}
		}
		// Decode the rest of the input by the code, as one stream and as four.
		dst := make([]byte, len(src))
		for _, n := range []int{1, len(src) - at, len(src)} {
			if n <= len(src) && n > 0 {
				h.One(dst[:n:n], src, at, len(src))
				h.Four(dst[:n:n], src, at, len(src))
			}
		}
	})
}
