package n5store

import (
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/document"
	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
)

// bounds limits an attributes.json.
var bounds = json.Limits{Bytes: maxAttributes, Values: 1 << 19}

// Document converts an attributes.json into a zarr.json. It returns a text that is not a JSON
// object unchanged. The error is a *limits.Error for more than 2^19 values or 128 levels of
// nesting.
func Document(text []byte) ([]byte, error) {
	v, err := json.Parse(text, bounds)
	if limit := (*json.LimitError)(nil); errtype.As(err, &limit) {
		return nil, &limits.Error{Limit: "metadata " + limit.Limit, Max: int64(limit.Max), What: document.N5}
	}
	if err != nil || v.Kind() != json.Object {
		return text, nil
	}
	w := writer{}
	if isDataset(v) {
		w.dataset(v)
	} else {
		w.text(`{"zarr_format":3,"node_type":"group"`)
	}
	w.text(`,"attributes":{`)
	first := true
	for _, m := range v.Members() {
		if isDataset(v) && slices.Contains(layout, m.Name) {
			continue
		}
		if !first {
			w.text(",")
		}
		first = false
		w.buf = json.AppendString(w.buf, m.Name)
		w.text(":")
		w.raw(m.Value)
	}
	w.text("}}")
	return w.buf, nil
}

// layout lists the attributes that define a dataset.
var layout = []string{"dimensions", "blockSize", "dataType", "compression", "compressionType"}

// isDataset reports whether attributes are those of a dataset.
func isDataset(v json.Value) bool {
	return !v.Get("dimensions").IsNull() && !v.Get("dataType").IsNull()
}

// writer writes JSON.
type writer struct{ buf []byte }

func (w *writer) text(s string)      { w.buf = append(w.buf, s...) }
func (w *writer) raw(v json.Value)   { w.buf = append(w.buf, v.Raw()...) }
func (w *writer) quoted(text string) { w.buf = json.AppendString(w.buf, text) }

// reversed writes a list in reverse order, and other values unchanged.
func (w *writer) reversed(v json.Value) {
	if v.Kind() != json.Array {
		w.raw(v)
		return
	}
	items := v.Items()
	w.text("[")
	for i := len(items) - 1; i >= 0; i-- {
		w.raw(items[i])
		if i > 0 {
			w.text(",")
		}
	}
	w.text("]")
}

func (w *writer) dataset(v json.Value) {
	w.text(`{"zarr_format":3,"node_type":"array","shape":`)
	w.reversed(v.Get("dimensions"))
	w.text(`,"chunk_grid":{"name":"regular","configuration":{"chunk_shape":`)
	if size := v.Get("blockSize"); !size.IsNull() {
		w.reversed(size)
	} else {
		w.reversed(v.Get("dimensions"))
	}
	w.text(`}},"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},"data_type":`)
	w.raw(v.Get("dataType"))
	serializer := `{"name":"bytes","configuration":{"endian":"big"}}`
	if kind, _ := v.Get("dataType").Text(); kind == "string" {
		w.text(`,"fill_value":""`)
		serializer = `{"name":"n5_strings"}`
	} else {
		w.text(`,"fill_value":0`)
	}
	w.text(`,"codecs":[{"name":"n5_block","configuration":{"codecs":[` + serializer)
	w.compression(v)
	w.text("]}}]")
}

// compression writes a comma and the codec of a compression, if there is one.
func (w *writer) compression(v json.Value) {
	c := v.Get("compression")
	kind, ok := c.Get("type").Text()
	if c.IsNull() {
		// N5 before 2.0 uses compressionType. The default is raw.
		if kind, ok = v.Get("compressionType").Text(); !ok && v.Get("compressionType").IsNull() {
			return
		}
	}
	if !ok {
		w.text(`,null`) // the document is invalid
		return
	}
	config := "{}"
	switch kind {
	case "raw":
		return
	case "gzip":
		if zlib, _ := c.Get("useZlib").Bool(); zlib {
			kind = "zlib"
		}
	case "bzip2":
		kind = "bz2"
	case "xz":
		kind, config = "numcodecs.lzma", `{"format":1}`
	case "lz4":
		kind = "n5_lz4"
	case "blosc", "zstd":
	default:
		// Keep the name of an unknown compression for the reader's error.
		config = string(c.Raw())
		if c.IsNull() {
			config = "{}"
		}
	}
	w.text(`,{"name":`)
	w.quoted(kind)
	w.text(`,"configuration":` + config + `}`)
}
