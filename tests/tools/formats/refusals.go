package main

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// refusals holds an example of each error that a user sees for unsupported data.
var refusals = []struct {
	what string
	node node
}{
	{"A codec that is not known is refused with the names of those that are", v3("codecs", `["bytes","x.unknown"]`)},
	{"A chain of codecs that cannot be is refused when the array is opened", v3("codecs", `["gzip","bytes"]`)},
	{"A data type that is not known", v3("data_type", `"int128"`)},
	{"A chunk grid that is not known", grid("x.unknown", `"chunk_shape":[4,4]`)},
	{"A key encoding that is not known", keys(`"x.unknown"`)},
	{"A storage transformer", v3("storage_transformers", `[{"name":"x.unknown"}]`)},
	{"A member of the metadata that must be understood", v3("x_extension", `{"must_understand":true}`)},
	{"A document that is wrong, with the place", v3("shape", "[4,-4]")},
	{"A limit, with its name", v3("shape", "[4000000000]", "chunk_grid", `{"name":"regular","configuration":{"chunk_shape":[4000000000]}}`)},
	{"Nothing there", node{}},
}

func refusalSection(w io.Writer, _ string) error {
	title(w, "## What a refusal looks like", "It is an error of a class of its own that names what was refused, before a chunk is fetched where the metadata can tell.")
	line(w, []string{"what", "class", "message"})
	line(w, []string{"---", "---", "---"})
	for _, r := range refusals {
		_, err := r.node.open(0)
		if err == nil {
			return fmt.Errorf("%s: was not refused", r.what)
		}
		class := reflect.TypeOf(err).String()
		class = class[strings.LastIndexByte(class, '.')+1:]
		if _, ok := errors.AsType[*codec.LimitError](err); ok {
			class = "LimitError" // an alias: the type is of another package, by another name
		}
		line(w, []string{r.what, code(name(class)), strings.ReplaceAll(clip(err.Error()), "|", `\|`)})
	}
	return nil
}

// clip shortens the lists at the ends of messages.
func clip(msg string) string {
	const most = 110
	if len(msg) <= most {
		return msg
	}
	return strings.ToValidUTF8(msg[:most], "") + " …"
}
