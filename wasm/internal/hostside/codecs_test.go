package hostside

import (
	"errors"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// fourBytes returns the documents of an array of four bytes in one chunk with these codecs.
func fourBytes(format, codecs string) (string, []byte) {
	if format == "2" {
		return ".zarray", []byte(`{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"|u1","compressor":` + codecs + `,"fill_value":0,"order":"C","filters":null}`)
	}
	return "zarr.json", []byte(`{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","fill_value":0,
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},"chunk_key_encoding":{"name":"v2"},"codecs":` + codecs + `}`)
}

func TestCodecsOfThePage(t *testing.T) {
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
			p := newPage()
			document, meta := fourBytes(c.format, c.codecs)
			p.get = func(key string) ([]byte, string) {
				switch key {
				case document:
					return meta, ""
				case "0":
					return []byte{5 ^ 1, 5 ^ 2, 5 ^ 3, 5 ^ 4}, ""
				}
				return nil, ""
			}
			p.SetCodecs(wire.Object{wire.F("names", []any{c.registered})})
			p.codec = func(msg wire.Object) wire.Object {
				if name := msg.Text("codec"); name != "" {
					if name != c.registered || msg.Object("configuration").Int("by") != 5 || msg.Text("dtype") != "uint8" {
						t.Errorf("asked for the codec %v", msg)
					}
					return wire.Object{wire.F("handle", 8.0), wire.F("kind", c.kind)}
				}
				bytes, _ := msg.Get("bytes").(wire.Buffer)
				out := slices.Clone([]byte(bytes))
				for i := range out {
					out[i] ^= 5
				}
				if msg.Int("decode") != 8 {
					t.Errorf("asked to decode by %v", msg.Get("decode"))
				}
				return wire.Object{wire.F("bytes", out)}
			}
			if got, err := read(t.Context(), p.hierarchy(1, false, nil)); err != nil || !slices.Equal(got, []byte{1, 2, 3, 4}) {
				t.Errorf("got %v, %v", got, err)
			}
			good := p.codec
			p.codec = func(msg wire.Object) wire.Object {
				if msg.Text("codec") != "" {
					return good(msg)
				}
				return wire.Object{wire.F("error", "no luck")}
			}
			_, err := read(t.Context(), p.hierarchy(2, false, nil))
			var failed *zarr.CodecPipelineError
			if !errors.As(err, &failed) || failed.Codec == "" {
				t.Errorf("a codec that fails: %v", err)
			}
		})
	}
}
