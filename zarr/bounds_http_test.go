//go:build !js

package zarr_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
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
				a := must.Get(h.OpenArray(t.Context(), ""))(t)
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

// endlessServer answers one key without an end, and counts the bytes that it could send. It serves
// the objects under the other keys.
type endlessServer struct {
	objects map[string][]byte
	key     string
	packed  bool // declares the body as compressed, at a ratio of a thousand
	sent    atomic.Int64
}

func (e *endlessServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := strings.TrimPrefix(r.URL.Path, "/")
	if key != e.key {
		if b, ok := e.objects[key]; ok {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
			return
		}
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	piece := bytes.Repeat([]byte(" "), 64<<10)
	if !e.packed {
		for {
			n, err := w.Write(piece)
			e.sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	for {
		n, err := z.Write(piece)
		if err == nil {
			err = z.Flush()
		}
		e.sent.Add(int64(n))
		if err != nil {
			return
		}
	}
}

// TestWhatIsAskedForBoundsABody limits a response body by the request. The limit applies while the
// body arrives and after decompression, whatever size is announced.
func TestWhatIsAskedForBoundsABody(t *testing.T) {
	group2, array2 := []byte(`{"zarr_format":2}`), func(compressor string) []byte {
		return fmt.Appendf(nil, `{"zarr_format":2,"shape":[10],"chunks":[10],"dtype":"|u1","compressor":%s,"fill_value":0,"filters":null,"order":"C"}`, compressor)
	}
	ten := func(codecs string) []byte { return v3Doc(10, regular(10), `"uint8"`, "0", codecs) }
	type reading struct {
		objects map[string][]byte
		key     string
		most    int64
	}
	cases := map[string]reading{
		".zattrs of a group": {map[string][]byte{".zgroup": group2}, ".zattrs", 16 << 20},
		".zattrs":            {map[string][]byte{".zarray": array2("null")}, ".zattrs", 16 << 20},
		".zarray":            {map[string][]byte{".zattrs": []byte("{}")}, ".zarray", 16 << 20},
		"zarr.json":          {nil, "zarr.json", 32 << 20},
		".zmetadata":         {map[string][]byte{".zgroup": group2}, ".zmetadata", 32 << 20},
		"an inner chunk":     {map[string][]byte{"zarr.json": ten(`[{"name":"sharding_indexed","configuration":{"chunk_shape":[5],"codecs":[{"name":"bytes"}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]`)}, "c/0", 17 << 20},
	}
	for _, codecs := range []string{
		`[{"name":"bytes"}]`, `[{"name":"bytes"},{"name":"crc32c"}]`, `[{"name":"bytes"},{"name":"gzip","configuration":{"level":1}}]`,
		`[{"name":"bytes"},{"name":"zstd","configuration":{"level":1,"checksum":false}}]`,
		`[{"name":"bytes"},{"name":"blosc","configuration":{"cname":"lz4","clevel":1,"shuffle":"noshuffle","typesize":1,"blocksize":0}}]`,
	} {
		cases["a chunk of 10 bytes, "+codecs] = reading{map[string][]byte{"zarr.json": ten(codecs)}, "c/0", 1 << 20}
	}
	for _, compressor := range []string{"null", `{"id":"zlib","level":1}`, `{"id":"gzip","level":1}`, `{"id":"lz4"}`, `{"id":"bz2","level":1}`, `{"id":"zstd","level":1}`} {
		cases["a chunk of 10 bytes of v2, "+compressor] = reading{map[string][]byte{".zarray": array2(compressor)}, "0", 1 << 20}
	}
	for name, c := range cases {
		for _, packed := range []bool{false, true} {
			e := &endlessServer{objects: c.objects, key: c.key, packed: packed}
			server := httptest.NewServer(e)
			st := must.Get(httpstore.New(server.URL, httpstore.Options{Retries: -1}))(t)
			h := zarr.New(st, codecs.Full(), zarr.Options{Limits: codec.Limits{ConsolidatedBytes: 32 << 20}})
			n, err := h.Open(t.Context(), "", zarr.OpenOptions{})
			if a, ok := n.(*zarr.Array); ok && err == nil {
				_, err = a.Read(t.Context(), nil, zarr.ReadOptions{})
			}
			var limit *codec.LimitError
			if !errors.As(err, &limit) {
				t.Errorf("%s, packed %v: %v", name, packed, err)
			}
			server.CloseClientConnections()
			server.Close()
			// Buffers of the connection add to this, more so for a compressed body. Bytes
			// sent before the server notices the end also count.
			slack := int64(64 << 20)
			if packed {
				slack = 512 << 20
			}
			if sent := e.sent.Load(); sent > c.most+slack {
				t.Errorf("%s, packed %v: %d MiB were sent, %d are allowed", name, packed, sent>>20, c.most>>20)
			}
		}
	}
}
