package dispatch

import (
	"encoding/binary"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

// TestLongListsTakeFewAnswers projects lists of indices on few and on many chunks. Each answer
// takes time for the whole list, so the number of answers must not grow with the list.
func TestLongListsTakeFewAnswers(t *testing.T) {
	const length, n = 1 << 19, 1 << 20
	p := newPage(t)
	p.get = func(key string, _ []int) ([]byte, string) {
		if key == "zarr.json" {
			return []byte(`{"zarr_format":3,"node_type":"array","shape":[524288],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1024]}},
				"chunk_key_encoding":{"name":"default"},"codecs":[{"name":"bytes"}],"fill_value":0}`), ""
		}
		return nil, ""
	}
	p.ask("store", host(1)...)
	for _, step := range []int{1, 40503} {
		list := make([]byte, 8*n)
		for i := range n {
			binary.LittleEndian.PutUint64(list[8*i:], uint64(i*step%length))
		}
		answers, taken := 0, make([]bool, n)
		var from any
		for ; answers == 0 || from != nil; answers++ {
			got := p.ask("project", append(at(1, ""), wire.F("selection", []any{wire.Object{wire.F("indices", list)}}), wire.F("most", 16.0), wire.F("from", from))...).(wire.Object)
			numbers := got.Ints("numbers")
			for len(numbers) > 0 {
				in := numbers[3 : 3+numbers[2]]
				out := numbers[4+len(in) : 4+2*len(in)]
				for k, place := range out {
					if taken[place] || in[k] != place*step%length {
						t.Fatalf("step %d: %d is at %d, which was taken: %v", step, in[k], place, taken[place])
					}
					taken[place] = true
				}
				numbers = numbers[4+2*len(in):]
			}
			from = got.Get("next")
		}
		for place, was := range taken {
			if !was {
				t.Fatalf("step %d: %d is missing", step, place)
			}
		}
		if answers > 20 {
			t.Errorf("step %d: %d answers", step, answers)
		}
	}
}
