package dispatch

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

// TestUnpackIsAReadOfTheSameBytes unpacks chunks. The answer has the elements that reads have, or
// it is null where a read fails or would have to wait.
func TestUnpackIsAReadOfTheSameBytes(t *testing.T) {
	p := newPage(t)
	p.post = func(o wire.Object) {
		// The memory of a buffer is used again.
		for i, f := range o {
			if reply, ok := f.Value.(wire.Reply); ok {
				if id, _ := o.Get("id").(float64); reply.Request != int(id) {
					t.Errorf("the answer to request %v is in the memory of request %d", id, reply.Request)
				}
				o[i].Value = wire.Buffer(slices.Clone(reply.Bytes))
			}
		}
		p.receive(o)
	}
	stored := func(data ...byte) []byte {
		return binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
	}
	first, second := []byte{1, 2, 3, 4, 5, 6}, []byte{9, 8, 7, 6, 5, 4}
	one, two := stored(first...), stored(second...)
	var document string
	p.get = func(key string, _ []int) ([]byte, string) {
		switch key {
		case "zarr.json":
			return []byte(document), ""
		case "c/0":
			return one, ""
		}
		return nil, ""
	}
	number := 0.0
	open := func(dtype string) float64 {
		number++
		document = `{"zarr_format":3,"node_type":"array","shape":[12],"data_type":"` + dtype + `","fill_value":0,
			"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[6]}},
			"chunk_key_encoding":{"name":"default"},"codecs":[{"name":"bytes"},{"name":"crc32c"}]}`
		p.ask("store", host(number)...)
		return p.ask("open", at(number, "")...).(wire.Object).Get("handle").(float64)
	}
	node := open("uint8")
	unpack := func(node float64, b []byte, lengths ...float64) any {
		t.Helper()
		list := make([]any, len(lengths))
		for i, n := range lengths {
			list[i] = n
		}
		return p.ask("unpack", wire.F("node", node), wire.F("bytes", b), wire.F("lengths", list))
	}
	both := slices.Concat(one, two)
	for range 3 {
		if got, ok := unpack(node, both, 10, 10).(wire.Buffer); !ok || !bytes.Equal(got, slices.Concat(first, second)) {
			t.Errorf("two chunks are %v", got)
		}
		_, answer := p.send("chunk", wire.F("node", node), wire.F("coords", []any{0.0}))
		read := p.wait(answer).Object("value").Get("buffer").(wire.Buffer)
		if got, ok := unpack(node, one, 10).(wire.Buffer); !ok || !bytes.Equal(got, read) {
			t.Errorf("one chunk is %v, and read %v", got, read)
		}
		damaged := slices.Clone(both)
		damaged[12] ^= 1
		if got := unpack(node, damaged, 10, 10); got != nil {
			t.Errorf("a damaged chunk is %v", got)
		}
	}
	many := make([]float64, unpackedMost/6+1)
	for i := range many {
		many[i] = 10
	}
	for name, got := range map[string]any{
		"beyond the bytes":    unpack(node, both, 10, 11),
		"of negative length":  unpack(node, both, 10, -1),
		"of too few bytes":    unpack(node, both, 3),
		"beyond the limit":    unpack(node, bytes.Repeat(one, len(many)), many...),
		"of an unknown array": unpack(99, one, 10),
	} {
		if got != nil {
			t.Errorf("a chunk %s is %v", name, got)
		}
	}
	if got, ok := unpack(node, nil).(wire.Buffer); !ok || len(got) != 0 {
		t.Errorf("no chunks are %v", got)
	}

	// A codec of the page would have to be waited for.
	p.reply = func(question wire.Object) wire.Object {
		if question.Get("codec") == nil {
			t.Errorf("a question while the engine unpacks: %v", question)
		}
		return wire.Object{wire.F("codec", 1.0), wire.F("kind", "bytes_to_bytes")}
	}
	p.session.Receive(wire.Object{wire.F("op", "codecs"), wire.F("names", []any{"crc32c"})})
	if got := unpack(open("uint8"), one, 10); got != nil {
		t.Errorf("a chunk of the page's codec is %v", got)
	}
}
