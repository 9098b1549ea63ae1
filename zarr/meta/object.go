package meta

import (
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// IsObjectCodec reports whether the numcodecs codec of an id turns objects into bytes. Type "|O"
// has a meaning only together with one. Categorize counts, because its labels are texts.
func IsObjectCodec(id string) bool {
	switch id {
	case "vlen-utf8", "vlen-bytes", "vlen-array", "json2", "json", "msgpack2", "msgpack", "pickle", "categorize":
		return true
	}
	return false
}

// objectChain puts the object codec first, at the place of the bytes codec in other arrays. It sets
// the data type to that of the codec's elements. Release 2 of zarr-python writes the object codec
// as the first filter. Leniency: release 3 writes it as the compressor.
func (a *Array) objectChain(filters []CodecSpec, compressor *CodecSpec, opt Options) error {
	chain := filters
	if compressor != nil {
		chain = append(chain[:len(chain):len(chain)], *compressor)
	}
	if len(chain) == 0 || !IsObjectCodec(chain[0].Name) {
		msg := `data type "|O" without an object codec`
		if len(chain) > 0 {
			ids := make([]string, len(chain))
			for i, c := range chain {
				ids[i] = c.Name
			}
			msg += " in front of its codecs (" + strings.Join(ids, ", ") + ")"
		}
		return unsupported("filters", msg)
	}
	t, err := objectType(chain[0], opt)
	if err != nil {
		return typeError("filters", err)
	}
	if t != nil {
		a.Type = t
	}
	a.Codecs = append(a.Codecs, chain...)
	return nil
}

// objectType returns the type of an object codec's elements: nil if they can be any object.
func objectType(codec CodecSpec, opt Options) (*dtype.Type, error) {
	switch codec.Name {
	case "vlen-utf8", "categorize":
		return dtype.ParseV3(json.Text("string"), opt.Type)
	case "vlen-bytes":
		return dtype.ParseV3(json.Text("bytes"), opt.Type)
	case "vlen-array":
		elem, err := dtype.ParseV2(codec.Config.Get("dtype"), opt.Type)
		if err != nil {
			return nil, err
		}
		if elem.Size == 0 {
			return nil, &dtype.Error{Unsupported: true, Name: "vlen-array", Msg: "items of " + elem.Name + " have no size"}
		}
		return &dtype.Type{Kind: dtype.Ragged, Name: "ragged<" + elem.Name + ">", Elem: elem}, nil
	}
	return nil, nil
}
