package meta

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// Codecs reads a list of v3 codecs, for codecs with inner chains (sharding_indexed). rank is that
// of the array that the chain encodes. Codecs does not check whether the codecs exist and fit
// together. Errors are *Error.
func Codecs(v json.Value, rank int) ([]CodecSpec, error) {
	specs, err := parseCodecs(v, rank)
	return specs, named(err, "codec configuration")
}

func parseCodecs(v json.Value, rank int) ([]CodecSpec, error) {
	items, err := itemsOf(v, "codecs", "")
	if err != nil {
		return nil, err
	}
	specs := make([]CodecSpec, 0, len(items))
	for _, item := range items {
		e, err := parseExtension(item, "codecs")
		if err != nil {
			return nil, err
		}
		specs = append(specs, oldCodec(e, rank))
	}
	return specs, nil
}

// oldCodec converts names and configurations from before the release of v3. Leniencies: "endian"
// was the name of "bytes"; transpose had "C" and "F" for the order of its axes.
func oldCodec(e extension, rank int) CodecSpec {
	spec := CodecSpec{Name: e.name, Config: numericStrings(e.config), Optional: e.optional}
	switch e.name {
	case "endian":
		spec.Name = "bytes"
	case "transpose":
		if order, ok := e.config.Get("order").Text(); ok && (order == "C" || order == "F") {
			spec.Config = transpose(rank, order == "F").Config
		}
	}
	return spec
}
