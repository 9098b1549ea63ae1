package rpc

import (
	"slices"
	"testing"
)

// xorMeta is an array of four bytes in one chunk, whose chain is the codecs.
func xorMeta(format, codecs string) (string, []byte) {
	if format == "2" {
		return ".zarray", []byte(`{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"|u1","compressor":` + codecs + `,"fill_value":0,"order":"C","filters":null}`)
	}
	return "zarr.json", []byte(`{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","fill_value":0,
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},"chunk_key_encoding":{"name":"v2"},"codecs":` + codecs + `}`)
}

func TestHostCodecs(t *testing.T) {
	cases := []struct{ name, kind, format, codecs, registered string }{
		{"bytes to bytes", "", "3", `[{"name":"bytes"},{"name":"xor","configuration":{"by":5}}]`, "xor"},
		{"array to bytes", "array_to_bytes", "3", `[{"name":"xor","configuration":{"by":5}}]`, "xor"},
		{"array to array", "array_to_array", "3", `[{"name":"xor","configuration":{"by":5}},{"name":"bytes"}]`, "xor"},
		{"in place of one that is known", "", "3", `[{"name":"bytes"},{"name":"gzip","configuration":{"by":5}}]`, "gzip"},
		{"v2 by id", "array_to_bytes", "2", `{"id":"xor","by":5}`, "xor"},
		{"v2 by v3 name", "", "2", `{"id":"xor","by":5}`, "numcodecs.xor"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := newPage(t)
			document, meta := xorMeta(c.format, c.codecs)
			p.get = func(key string, _ []int) ([]byte, string) {
				switch key {
				case document:
					return meta, ""
				case "0":
					return []byte{5 ^ 1, 5 ^ 2, 5 ^ 3, 5 ^ 4}, ""
				}
				return nil, ""
			}
			p.session.Receive(Object{{"op", "codecs"}, {"names", []any{c.registered}}})
			p.codec = func(msg Object) Object {
				if name := msg.text("codec"); name != "" {
					config, _ := msg.Get("configuration").(Object)
					if name != c.registered || config.number("by") != 5 || msg.text("dtype") != "uint8" {
						t.Errorf("asked for the codec %v", msg)
					}
					return Object{{"handle", 8.0}, {"kind", c.kind}}
				}
				bytes, _ := msg.Get("bytes").(Buffer)
				out := slices.Clone([]byte(bytes))
				for i := range out {
					out[i] ^= 5
				}
				if msg.number("decode") != 8 {
					t.Errorf("asked to decode by %v", msg.Get("decode"))
				}
				return Object{{"bytes", out}}
			}
			p.ask("store", host(1.0)...)
			block := p.ask("read", at(1, "")...).(Object)
			if got := block.Get("buffer").(Buffer); !slices.Equal([]byte(got), []byte{1, 2, 3, 4}) {
				t.Errorf("got %v", got)
			}
			good := p.codec
			p.codec = func(msg Object) Object {
				if msg.text("codec") != "" {
					return good(msg)
				}
				return Object{{"error", "no luck"}}
			}
			p.ask("store", host(2.0)...) // the other has the chunk by now
			if e := p.fail("read", at(2, "")...); e.text("name") != "CodecPipelineError" || e.text("codec") == "" {
				t.Errorf("a codec that fails: %v", e)
			}
		})
	}
}

func TestStoredAndPoints(t *testing.T) {
	p := newPage(t)
	document, meta := xorMeta("3", `[{"name":"bytes"}]`)
	p.get = func(key string, _ []int) ([]byte, string) {
		switch key {
		case document:
			return meta, ""
		case "0":
			return []byte{9, 8, 7, 6}, ""
		}
		return nil, ""
	}
	p.ask("store", host(1.0)...)
	if n := p.ask("stored", at(1, "")...); n != 1.0 {
		t.Errorf("%v stored chunks", n)
	}
	block := p.ask("points", append(at(1, ""), Field{"coords", []any{[]any{3.0, 0.0, -3.0}}})...).(Object)
	if got := block.Get("buffer").(Buffer); !slices.Equal([]byte(got), []byte{6, 9, 8}) {
		t.Errorf("got %v", got)
	}
	if e := p.fail("points", append(at(1, ""), Field{"coords", []any{[]any{0.5}}})...); e.text("name") != "InvalidSelectionError" {
		t.Errorf("half an index: %v", e)
	}
}
