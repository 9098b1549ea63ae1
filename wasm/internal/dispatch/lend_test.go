package dispatch

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

// TestLentChunks reads with room for decoded chunks. The next answer after the caches drop them
// says once that they are outdated.
func TestLentChunks(t *testing.T) {
	p := newPage(t)
	p.ask("store", host(1.0)...)
	data := []byte{1, 2, 3, 4, 5, 6}
	p.get = func(key string, _ []int) ([]byte, string) {
		switch key {
		case "zarr.json":
			return []byte(`{"zarr_format":3,"node_type":"array","shape":[12],"data_type":"uint8","fill_value":0,
				"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[6]}},
				"chunk_key_encoding":{"name":"default"},"codecs":[{"name":"bytes"},{"name":"crc32c"}]}`), ""
		case "c/1":
			return binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))), ""
		}
		return nil, ""
	}
	read := func(more ...wire.Field) wire.Object {
		one := wire.Object{wire.F("start", 7.0), wire.F("stop", 9.0), wire.F("step", nil)}
		_, answer := p.begin("read", append(append(at(1, ""), wire.F("selection", []any{one})), more...))
		return p.wait(answer)
	}
	chunks := func(answer wire.Object) []any { return answer.Object("value").List(wire.BlockChunks) }
	if got := read(); chunks(got) != nil {
		t.Errorf("without room: %v", got)
	}
	if got := read(wire.F("chunks", 5.0)); chunks(got) != nil {
		t.Errorf("with too little room: %v", got)
	}
	list := chunks(read(wire.F("chunks", 6.0)))
	if len(list) != 1 {
		t.Fatalf("%v", list)
	}
	chunk := list[0].(wire.Object)
	if at := chunk.Ints(wire.WholeCoords); len(at) != 1 || at[0] != 1 || string(chunk.Get("buffer").(wire.Buffer)) != string(data) {
		t.Errorf("%v", chunk)
	}
	if got := read(); got.Flag(wire.AnswerOutdated) {
		t.Error("outdated too early")
	}
	_, answer := p.send("caches", wire.F("store", 1.0), wire.F("caches", wire.Object{wire.F("decoded", 0.0)}))
	if got := p.wait(answer); !got.Flag(wire.AnswerOutdated) {
		t.Errorf("%v", got)
	}
	if got := read(wire.F("chunks", 6.0)); got.Flag(wire.AnswerOutdated) || chunks(got) != nil {
		t.Errorf("outdated again: %v", got)
	}
}
