package print_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/print"
)

// FuzzText prints arbitrary documents. Each property takes one short line of valid text.
func FuzzText(f *testing.F) {
	f.Add("zarr.json", `{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"string","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},`+
		`"chunk_key_encoding":"default","fill_value":"a\nb\u0000","codecs":["vlen-utf8"],"dimension_names":["x\ny"]}`)
	f.Add("zarr.json", `{"zarr_format":3,"node_type":"array","shape":[4,9],"data_type":"float32","chunk_grid":{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[[2,2]],9]}},`+
		`"chunk_key_encoding":{"name":"v2"},"fill_value":"NaN","codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[1,3],"codecs":["bytes","gzip"],"index_codecs":["bytes","crc32c"]}}]}`)
	f.Add(".zarray", `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":[["a","<i4"],["b","<M8[ns]",[2]]],"compressor":{"id":"blosc","cname":"lz4"},"fill_value":"AAAA","order":"F","filters":[{"id":"delta","dtype":"<i4"}]}`)
	f.Add("meta", `{"shape":[1],"chunks":[1],"dtype":"<i4","compression":"zlib","compression_opts":1,"fill_value":null,"order":"C"}`)
	f.Fuzz(func(t *testing.T, name, document string) {
		if name != "meta" && name != ".zarray" {
			name = "zarr.json"
		}
		h := zarr.New(memstore.New(map[string][]byte{name: []byte(document), "attrs": []byte("{}")}), codecs.Full(), zarr.Options{})
		defer h.Close()
		node, err := h.Open(t.Context(), "", zarr.OpenOptions{})
		if err != nil {
			return
		}
		for _, line := range strings.Split(print.Text(node), "\n") {
			if !utf8.ValidString(line) || !strings.Contains(line, " : ") || strings.ContainsAny(line, "\x00\r\x1b") {
				t.Errorf("%q", line)
			}
		}
	})
}
