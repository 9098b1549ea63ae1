//go:build !js

package zarr_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"zarr-wasm/store/filestore"
	"zarr-wasm/store/memstore"
	"zarr-wasm/zarr"
	"zarr-wasm/zarr/codec"
)

func TestAPartOfAChunkOfAnotherSizeIsAnError(t *testing.T) {
	const declared = 4 << 20
	bytes := `[{"name":"bytes"}]`
	index := `[{"name":"bytes","configuration":{"endian":"little"}}]`
	plain := v3Doc(declared, regular(declared), `"uint8"`, "0", bytes)
	shard := v3Doc(declared, regular(declared), `"uint8"`, "0", fmt.Sprintf(
		`[{"name":"sharding_indexed","configuration":{"chunk_shape":[%d],"codecs":%s,"index_codecs":%s}}]`, declared, bytes, index))
	for _, stored := range []int{0, 1, 3, 1000, declared - 1, declared, declared + 1, declared + 1000} {
		chunk := make([]byte, stored)
		inShard := binary.LittleEndian.AppendUint64(slices.Clone(chunk), 0)
		inShard = binary.LittleEndian.AppendUint64(inShard, uint64(stored))
		for name, objects := range map[string]map[string][]byte{
			"plain": {"zarr.json": plain, "c/0": chunk},
			"shard": {"zarr.json": shard, "c/0": inShard},
		} {
			dir := fstest.MapFS{}
			for key, data := range objects {
				dir[key] = &fstest.MapFile{Data: data}
			}
			overHTTP, _ := overHTTP(t, objects, zarr.Options{})
			for where, h := range map[string]*zarr.Hierarchy{
				"memory": hierarchy(memstore.New(objects), zarr.Options{}), "files": hierarchy(filestore.New(dir), zarr.Options{}), "HTTP": overHTTP,
				"whole objects": hierarchy(&watched{Source: memstore.New(objects)}, zarr.Options{}),
			} {
				a, err := h.OpenArray(t.Context(), "")
				if err != nil {
					t.Fatal(err)
				}
				for entry, read := range entries {
					if entry == "Read" || entry == "ReadInnerChunk" && name != "shard" {
						continue
					}
					for range 2 {
						err := read(t, a)
						var failed *zarr.CodecPipelineError
						switch {
						case stored == declared && err == nil:
						case stored < declared && errors.As(err, &failed) && errors.Is(err, codec.ErrTruncated):
						case stored > declared && errors.As(err, &failed) && errors.Is(err, codec.ErrCorrupt):
						default:
							t.Errorf("%s, %s, %s of %d bytes: %v", name, where, entry, stored, err)
						}
					}
				}
			}
		}
	}
}
