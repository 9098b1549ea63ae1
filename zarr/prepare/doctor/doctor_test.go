package doctor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/doctor"
)

func Example() {
	ctx := context.Background()
	h := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
	_, _ = h.Full(ctx, "", 1, zarr.ArraySpec{Shape: []int64{20000, 20000}, Chunks: []int64{20000, 20000}, DType: "uint8", DimensionNames: []string{"y", "x"}})
	report, err := doctor.Examine(ctx, func(ctx context.Context) (zarr.Node, error) { return h.OpenArray(ctx, "") }, doctor.Options{Address: "map.zarr"})
	fmt.Println(err)
	for _, f := range report.Findings {
		fmt.Println(f.Verdict, f.Title+":", f.Cure)
	}
	// Output:
	// <nil>
	// bad Chunks are large: zarr rechunk map.zarr TO --chunks 512,512
	// bad There are no levels: zarr pyramid map.zarr TO
}

type nodes struct {
	*testing.T
	*memstore.Store
	*zarr.Hierarchy
}

func newNodes(t *testing.T) *nodes {
	st := memstore.New(nil)
	return &nodes{t, st, zarr.New(st, writing.Codecs(), zarr.Options{})}
}

// array creates an array. Its sampled chunks have objects of that size, which are never decoded.
func (n *nodes) array(path string, size int, spec zarr.ArraySpec) {
	n.Helper()
	a, err := n.Hierarchy.Create(n.Context(), path, spec)
	if err != nil {
		n.Fatal(err)
	}
	n.chunks(a, size)
}

func (n *nodes) chunks(a *zarr.Array, size int) {
	for i := range 5 {
		coords := doctor.SampleAt(a.Grid.Counts(), i)
		if err := n.Store.Set(n.Context(), store.Join(a.Path(), a.Keys.Key(coords)), make([]byte, size)); err != nil {
			n.Fatal(err)
		}
	}
}

func (n *nodes) group(path string, attributes map[string]any) {
	n.Helper()
	if _, err := n.CreateGroup(n.Context(), path, zarr.GroupSpec{Attributes: attributes}); err != nil {
		n.Fatal(err)
	}
}

func (n *nodes) document(key, text string) {
	if err := n.Store.Set(n.Context(), key, []byte(text)); err != nil {
		n.Fatal(err)
	}
}

func (n *nodes) findings() []doctor.Finding {
	n.Helper()
	h := zarr.New(n.Store, writing.Codecs(), zarr.Options{})
	return examined(n.T, h)
}

func examined(t *testing.T, h *zarr.Hierarchy) []doctor.Finding {
	t.Helper()
	return must.Get(doctor.Examine(t.Context(), func(ctx context.Context) (zarr.Node, error) { return h.Open(ctx, "", zarr.OpenOptions{}) }, doctor.Options{}))(t).Findings
}

// spec returns an array with named dimensions.
func spec(dtype string, shape, chunks []int64) zarr.ArraySpec {
	names := []string{"time", "z", "y", "x"}[4-len(shape):]
	return zarr.ArraySpec{Format: 3, DType: dtype, Shape: shape, Chunks: chunks, DimensionNames: names}
}

func with(s zarr.ArraySpec, change func(*zarr.ArraySpec)) zarr.ArraySpec {
	change(&s)
	return s
}

func ints(n ...int64) []int64 { return n }

// layout returns attributes of the multiscales convention.
func layout(levels ...string) map[string]any {
	list := []any{}
	for i, l := range levels {
		level := map[string]any{"asset": l}
		if i > 0 {
			level["derived_from"], level["transform"] = levels[i-1], map[string]any{"scale": []float64{2, 2}, "translation": []float64{0, 0}}
		}
		list = append(list, level)
	}
	return map[string]any{
		"multiscales":      map[string]any{"layout": list},
		"zarr_conventions": []any{map[string]any{"uuid": "d35379db-88df-4056-af3a-620245f8e347", "name": "multiscales"}},
	}
}

func image(dtype string, sides ...int64) func(n *nodes) {
	return func(n *nodes) {
		datasets := []any{}
		for k := range sides {
			scale := []float64{float64(int(1) << k), float64(int(1) << k)}
			datasets = append(datasets, map[string]any{"path": fmt.Sprint(k), "coordinateTransformations": []any{map[string]any{"type": "scale", "scale": scale}}})
		}
		axes := []any{map[string]any{"name": "y", "type": "space"}, map[string]any{"name": "x", "type": "space"}}
		n.group("", map[string]any{"ome": map[string]any{"version": "0.5", "multiscales": []any{map[string]any{"axes": axes, "datasets": datasets}}}})
		for k, side := range sides {
			n.array(fmt.Sprint(k), 60_000, spec(dtype, ints(side, side), ints(256, 256)))
		}
	}
}

// bad are layouts with the rule that finds them.
var bad = map[string]func(n *nodes){
	"chunk-large":      func(n *nodes) { n.array("", 9<<20, spec("float32", ints(3, 4000, 4000), ints(1, 4000, 4000))) },
	"chunk-small":      func(n *nodes) { n.array("", 50, spec("uint8", ints(3000, 2000), ints(10, 10))) },
	"chunk-padded":     func(n *nodes) { n.array("", 500, spec("uint8", ints(100, 100), ints(10000, 1000))) },
	"picture-requests": func(n *nodes) { n.array("", 2000, spec("uint8", ints(4, 2000, 2000), ints(1, 64, 64))) },
	"picture-bytes":    func(n *nodes) { n.array("", 300_000, spec("uint8", ints(500, 1000, 1000), ints(500, 100, 100))) },
	"series-requests":  func(n *nodes) { n.array("", 5000, spec("uint8", ints(5000, 100, 100), ints(1, 100, 100))) },
	"no-levels":        func(n *nodes) { n.array("", 100_000, spec("uint8", ints(4000, 4000), ints(512, 512))) },
	"level-step": func(n *nodes) {
		n.group("", layout("0", "1"))
		n.array("0", 100_000, spec("uint8", ints(4096, 4096), ints(512, 512)))
		n.array("1", 100_000, spec("uint8", ints(512, 512), ints(512, 512)))
	},
	"level-coarsest": func(n *nodes) {
		n.group("", layout("0", "1"))
		n.array("0", 100_000, spec("uint8", ints(16000, 16000), ints(512, 512)))
		n.array("1", 100_000, spec("uint8", ints(8000, 8000), ints(512, 512)))
	},
	"coordinate-chunks": func(n *nodes) {
		n.group("", nil)
		n.array("time", 30, zarr.ArraySpec{DType: "int64", Shape: ints(1000), Chunks: ints(10), DimensionNames: []string{"time"}})
	},
	"objects-many": func(n *nodes) { n.array("", 3000, spec("uint8", ints(200_000, 64, 64), ints(1, 64, 64))) },
	"folder-large": func(n *nodes) {
		n.array("", 3000, with(spec("|u1", ints(60_000, 64, 64), ints(1, 64, 64)), func(s *zarr.ArraySpec) { s.Format = 2 }))
	},
	"shard-index": func(n *nodes) {
		n.array("", 70_000, with(spec("uint8", ints(4096, 2048), ints(16, 16)), func(s *zarr.ArraySpec) { s.Shards = ints(4096, 2048) }))
	},
	"shard-single": func(n *nodes) {
		n.array("", 70_000, with(spec("uint8", ints(1024, 1024), ints(256, 256)), func(s *zarr.ArraySpec) { s.Shards = ints(256, 256) }))
	},
	"not-compressed": func(n *nodes) {
		n.array("", 1<<20, with(spec("uint8", ints(2048, 1024), ints(1024, 1024)), func(s *zarr.ArraySpec) { s.Codecs = []zarr.Codec{} }))
	},
	"compressed-in-vain": func(n *nodes) { n.array("", 1<<18, spec("uint8", ints(2048, 1024), ints(512, 512))) },
	"decode-slow": func(n *nodes) {
		n.document(".zarray", `{"zarr_format":2,"shape":[2000,2000],"chunks":[500,500],"dtype":"|u1","fill_value":0,"order":"C","filters":null,"compressor":{"id":"bz2","level":5}}`)
		n.document("0.0", "x")
	},
	"fortran-order": func(n *nodes) {
		n.array("", 90_000, with(spec("uint8", ints(2500, 2500), ints(500, 500)), func(s *zarr.ArraySpec) { s.Order = "F" }))
	},
	"type-object": func(n *nodes) {
		n.document(".zarray", `{"zarr_format":2,"shape":[100000],"chunks":[10000],"dtype":"|O","fill_value":null,"order":"C","filters":[{"id":"json2"}],"compressor":null}`)
		n.document("0", "x")
	},
	"type-wide": image("int64", 2000, 1000),
	"version-1": func(n *nodes) {
		n.document("meta", `{"zarr_format":1,"shape":[10,10],"chunks":[10,10],"dtype":"<i4","compression":"zlib","compression_opts":1,"fill_value":0,"order":"C"}`)
		n.document("attrs", "{}")
		n.document("0.0", "x")
	},
	"no-consolidated": func(n *nodes) {
		n.group("", nil)
		for _, name := range []string{"a", "b", "c"} {
			n.array(name, 50_000, spec("float32", ints(200, 200), ints(200, 200)))
		}
	},
	"consolidated-stale": func(n *nodes) {
		n.consolidated(3)
		n.change(zarr.UpdateAttributes[zarr.Node])
	},
	"node-broken": func(n *nodes) {
		n.group("", nil)
		n.document("a/zarr.json", `{"zarr_format":3,"node_type":"array"}`)
	},
	"convention-invalid": func(n *nodes) {
		image("uint8", 1000, 500)(n)
		if err := n.Store.DeleteAll(n.Context(), "1"); err != nil {
			n.Fatal(err)
		}
	},
	"document-large": func(n *nodes) { n.group("", map[string]any{"history": strings.Repeat("x", 2<<20)}) },
	"no-names": func(n *nodes) {
		n.array("", 90_000, with(spec("uint8", ints(10, 500, 500), ints(1, 500, 500)), func(s *zarr.ArraySpec) { s.DimensionNames = nil }))
	},
	"all-absent": func(n *nodes) {
		if _, err := n.Hierarchy.Create(n.Context(), "", spec("uint8", ints(10, 500, 500), ints(1, 500, 500))); err != nil {
			n.Fatal(err)
		}
	},
}

// TestBadLayoutsAreFound examines a bad layout for each rule about data.
func TestBadLayoutsAreFound(t *testing.T) {
	for rule, prepare := range bad {
		n := newNodes(t)
		prepare(n)
		found := n.findings()
		i := slices.IndexFunc(found, func(f doctor.Finding) bool { return f.Rule == rule })
		if i < 0 {
			t.Errorf("%s is not found: %+v", rule, found)
		} else if f := found[i]; f.Text == "" || f.Cure == "" || f.Title == "" {
			t.Errorf("%s: %+v", rule, f)
		}
	}
	// A store without lists.
	n := newNodes(t)
	n.group("", nil)
	if found := examined(t, zarr.New(struct{ store.Source }{n.Store}, writing.Codecs(), zarr.Options{})); len(found) != 1 || found[0].Rule != "members-unknown" {
		t.Errorf("%+v", found)
	}
	// A shard of 3 GiB is stated, not made.
	huge := doctor.Data{Arrays: []doctor.Array{{Shape: ints(1<<20, 1<<12), Chunk: ints(512, 512), Shard: ints(1<<18, 1<<10), Item: 1, Stored: 3 << 20, InShard: 1024, Sampled: 1, Names: []string{"y", "x"}}}}
	if !slices.ContainsFunc(doctor.Judge(&huge), func(f doctor.Finding) bool { return f.Rule == "shard-huge" }) {
		t.Error("shard-huge is not found")
	}
}

// TestGoodLayoutsGetNoFindings examines layouts that need no advice.
func TestGoodLayoutsGetNoFindings(t *testing.T) {
	for i, prepare := range []func(n *nodes){
		func(n *nodes) { n.array("", 100_000, spec("uint8", ints(2000, 2000), ints(512, 512))) },
		func(n *nodes) { n.array("", 300_000, spec("float32", ints(365, 360, 720), ints(1, 360, 720))) },
		func(n *nodes) {
			n.array("", 4<<20, with(spec("float32", ints(8760, 721, 1440), ints(24, 103, 144)), func(s *zarr.ArraySpec) { s.Shards = ints(240, 721, 1440) }))
		},
		func(n *nodes) { n.array("", 30, zarr.ArraySpec{DType: "float64", Shape: ints(10)}) },
		image("uint16", 4000, 2000, 1000, 500),
		func(n *nodes) {
			n.group("", layout("0", "1", "2"))
			for k, side := range ints(4096, 2048, 1024) {
				n.array(fmt.Sprint(k), 100_000, spec("uint8", ints(side, side), ints(512, 512)))
			}
		},
		func(n *nodes) {
			n.group("", nil)
			for name, shape := range map[string][]int64{"t": ints(100, 200, 200), "u": ints(100, 200, 200), "v": ints(100, 200, 200)} {
				n.array(name, 50_000, spec("float32", shape, ints(1, 200, 200)))
			}
			if _, err := n.ConsolidateMetadata(n.Context(), ""); err != nil {
				n.Fatal(err)
			}
		},
		func(n *nodes) {
			n.array("", 90_000, with(spec("<i2", ints(40, 500, 500), ints(1, 500, 500)), func(s *zarr.ArraySpec) { s.Format = 2 }))
		},
		func(n *nodes) { n.array("", 60_000, spec("bool", ints(2, 3, 300, 300), ints(1, 1, 300, 300))) },
		func(n *nodes) {
			n.array("", 4000, zarr.ArraySpec{DType: "string", Shape: ints(2000), Chunks: ints(2000)})
		},
		func(n *nodes) { n.group("", map[string]any{"title": "empty"}) },
		func(n *nodes) { n.array("", 8, zarr.ArraySpec{DType: "float64"}) },
	} {
		n := newNodes(t)
		prepare(n)
		if found := n.findings(); len(found) > 0 {
			t.Errorf("layout %d: %+v", i, found)
		}
	}
}

// TestRulesHaveNamesOfTheirOwn checks the table.
func TestRulesHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range doctor.Rules() {
		if seen[r.Name] || r.Name == "" || r.Title == "" || r.Verdict == "" {
			t.Errorf("%+v", r)
		}
		seen[r.Name] = true
		if _, tested := bad[r.Name]; !tested && !strings.HasPrefix(r.Name, "host-") && r.Name != "members-unknown" && r.Name != "shard-huge" {
			t.Errorf("no layout shows the rule %s", r.Name)
		}
	}
	text, err := os.ReadFile("hostrules.json")
	table := map[string]struct{ Subject string }{}
	if err == nil {
		err = json.Unmarshal(text, &table)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name := range table {
		if !seen[name] {
			t.Errorf("the table has %s, which is no rule", name)
		}
	}
	if len(seen) < 40 {
		t.Errorf("%d rules", len(seen))
	}
}

// counting serves objects, and counts the requests and bytes that it answers.
type counting struct {
	objects http.Handler
	mu      sync.Mutex
	counts  doctor.Cost
}

func (c *counting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.counts.Requests++
	c.mu.Unlock()
	c.objects.ServeHTTP(&countedWriter{w, c}, r)
}

type countedWriter struct {
	http.ResponseWriter
	c *counting
}

func (w *countedWriter) Write(b []byte) (int, error) {
	w.c.mu.Lock()
	w.c.counts.Bytes += int64(len(b))
	w.c.mu.Unlock()
	return w.ResponseWriter.Write(b)
}

// TestPredictionsAreWithinTwoTimesOfMeasuredCosts reads pictures and series from a server, and
// compares its counts of requests and bytes with the predictions.
func TestPredictionsAreWithinTwoTimesOfMeasuredCosts(t *testing.T) {
	for i, s := range []zarr.ArraySpec{
		spec("uint16", ints(20, 600, 700), ints(1, 128, 128)),
		spec("uint16", ints(40, 400, 400), ints(10, 200, 200)),
		spec("float32", ints(1500, 1600), ints(256, 256)),
		with(spec("uint16", ints(64, 512, 512), ints(1, 128, 128)), func(s *zarr.ArraySpec) { s.Shards = ints(16, 512, 512) }),
		with(spec("uint8", ints(32, 512, 512), ints(4, 512, 512)), func(s *zarr.ArraySpec) { s.Codecs = []zarr.Codec{} }),
		with(spec("<f8", ints(30, 300, 300), ints(5, 100, 300)), func(s *zarr.ArraySpec) { s.Format = 2 }),
		with(spec("uint16", ints(2000, 2000), ints(100, 100)), func(s *zarr.ArraySpec) { s.Shards = ints(1000, 1000) }),
	} {
		st := memstore.New(nil)
		h := zarr.New(st, writing.Codecs(), zarr.Options{})
		a := must.Get(h.Create(t.Context(), "g/a", s))(t)
		rnd := rand.New(rand.NewPCG(uint64(i), 5))
		// Planes of noise, which compresses to about half.
		plane := make([]byte, a.Shape[len(a.Shape)-1]*a.Shape[len(a.Shape)-2]*int64(a.Type.Size))
		for k := range plane {
			plane[k] = byte(rnd.IntN(16))
		}
		shape := []int{int(a.Shape[len(a.Shape)-2]), int(a.Shape[len(a.Shape)-1])}
		block := &zarr.Result{Type: a.Type}
		block.Shape, block.Size, block.Data = shape, a.Type.Size, plane
		must.Do(t, a.Set(t.Context(), nil, block, zarr.WriteOptions{}))
		server := &counting{objects: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, err := store.Get(r.Context(), st, strings.TrimPrefix(r.URL.Path, "/"))
			if err != nil {
				http.NotFound(w, r)
				return
			}
			http.ServeContent(w, r, "", time.Unix(0, 0), bytes.NewReader(b))
		})}
		on := httptest.NewServer(server)
		open := func() *zarr.Hierarchy {
			return zarr.New(must.Get(httpstore.New(on.URL, httpstore.Options{}))(t), writing.Codecs(), zarr.Options{})
		}
		examined := open()
		report := must.Get(doctor.Examine(t.Context(), func(ctx context.Context) (zarr.Node, error) { return examined.Open(ctx, "g/a", zarr.OpenOptions{}) }, doctor.Options{}))(t)
		shown := report.Arrays[0]
		measure := func(what string, s doctor.Selection, predicted doctor.Cost) {
			server.counts = doctor.Cost{}
			node := must.Get(open().Open(t.Context(), "g/a", zarr.OpenOptions{}))(t)
			sel := make([]grid.Item, len(s.First))
			for d := range sel {
				sel[d] = grid.Range(&s.First[d], &s.Last[d], nil)
			}
			must.Get(node.(*zarr.Array).Read(t.Context(), sel, zarr.ReadOptions{}))(t)
			within := func(predicted, measured int64) bool { return predicted <= 2*measured && measured <= 2*predicted }
			t.Logf("case %d, %s: predicted %+v, measured %+v", i, what, predicted, server.counts)
			if !within(predicted.Requests, server.counts.Requests) || !within(predicted.Bytes, server.counts.Bytes) {
				t.Errorf("case %d, %s: predicted %+v, measured %+v", i, what, predicted, server.counts)
			}
		}
		measure("picture", shown.PictureOf(), *report.Picture)
		if s, ok := shown.SeriesOf(); ok {
			measure("series", s, *report.Series)
		}
		on.Close()
	}
}
