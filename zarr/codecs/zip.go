package codecs

import (
	"context"

	"zarr-wasm/internal/json"
	"zarr-wasm/zarr/codec"
)

// ZipMethods returns what decompresses the members of zip archives with the codecs of a registry: the decoders
// of package zipstore, by method. Those whose codec the registry does not have return a *codec.UnknownError.
func ZipMethods(r *codec.Registry) map[uint16]func(ctx context.Context, stored []byte, size int64) ([]byte, error) {
	methods := map[uint16]func(context.Context, []byte, int64) ([]byte, error){}
	for _, m := range []struct {
		method     uint16
		id, config string
	}{
		{8, "deflate", "{}"}, {12, "bz2", "{}"}, {14, "lzma", `{"format":2}`}, {93, "zstd", "{}"}, {95, "lzma", `{"format":1}`},
	} {
		config, err := json.Parse([]byte(m.config), json.Limits{})
		if err != nil {
			continue
		}
		decompress, err := r.Decompressor(m.id, config)
		if err != nil {
			decompress = func(context.Context, []byte, int64) ([]byte, error) { return nil, err }
		}
		if methods[m.method] = decompress; m.method == 14 {
			methods[m.method] = func(ctx context.Context, stored []byte, size int64) ([]byte, error) {
				return lzmaMember(ctx, stored, size, decompress)
			}
		}
	}
	return methods
}

// lzmaMember decodes a member of method LZMA (APPNOTE 5.8.8): a version, the length of the properties, the properties
// and a stream. Before the same stream, an .lzma file has the properties and the size.
func lzmaMember(ctx context.Context, stored []byte, size int64, decompress func(context.Context, []byte, int64) ([]byte, error)) ([]byte, error) {
	if len(stored) < 9 || stored[2] != 5 || stored[3] != 0 {
		return nil, codec.Corrupt("a member of method LZMA without the properties of LZMA")
	}
	file := make([]byte, 0, len(stored)+4)
	file = append(file, stored[4:9]...)
	for i := range 8 {
		file = append(file, byte(size>>(8*i)))
	}
	return decompress(ctx, append(file, stored[9:]...), size)
}
