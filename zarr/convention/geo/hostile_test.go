package geo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	ours "github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/spent"
	"github.com/zarr-wasm/zarr-wasm/tests/conventions/golden"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/geo"
)

// named reports whether an error has one of the documented types.
func named(err error) bool {
	var own *geo.Error
	var argument *geo.ArgumentError
	var limit *zarr.LimitError
	var invalid *zarr.InvalidMetadataError
	var unsupported *zarr.UnsupportedError
	var missing *zarr.NotFoundError
	return errors.As(err, &own) || errors.As(err, &argument) || errors.As(err, &limit) || errors.As(err, &invalid) ||
		errors.As(err, &unsupported) || errors.As(err, &missing)
}

// finite checks all numbers of a result.
func finite(t *testing.T, v reflect.Value, at string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*geo.CRS]() {
			finite(t, v.Elem(), at)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				finite(t, v.Field(i), at+"."+v.Type().Field(i).Name)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			finite(t, v.Index(i), fmt.Sprintf("%s[%d]", at, i))
		}
	case reflect.Float64:
		if f := v.Float(); f-f != 0 {
			t.Errorf("%s is %v", at, f)
		}
	}
}

// use calls every function on a node, and fails on an error of an undocumented type.
func use(t *testing.T, node zarr.Node) {
	t.Helper()
	ctx := context.Background()
	for _, v := range geo.Validate(node.Metadata().Attributes, node) {
		if v.Message == "" || v.Section == "" {
			t.Errorf("nothing is said: %+v", v)
		}
	}
	var grids []geo.Grid
	g, err := geo.ReadGeoreference(ctx, node)
	if err == nil {
		finite(t, reflect.ValueOf(g), "georeference")
		grids = append(grids, g.Grid)
	} else if !named(err) {
		t.Errorf("ReadGeoreference: %v", err)
	}
	if group, ok := node.(*zarr.Group); ok {
		p, err := geo.OpenPyramid(ctx, group)
		if err == nil {
			finite(t, reflect.ValueOf(p), "pyramid")
			for _, l := range p.Levels {
				grids = append(grids, l.Grid)
			}
			if _, err := p.LevelFor(1); err != nil && !named(err) {
				t.Errorf("LevelFor: %v", err)
			}
		} else if !named(err) {
			t.Errorf("OpenPyramid: %v", err)
		}
	}
	for _, g := range grids {
		_, _, err1 := g.PixelToWorld(1, 2)
		_, _, err2 := g.WorldToPixel(1, 2)
		_, _, err3 := g.Window(geo.Bounds{0, 0, 1, 1})
		for _, err := range []error{err1, err2, err3} {
			if err != nil && !named(err) {
				t.Error(err)
			}
		}
	}
}

// documents returns attributes that state a georeference.
func documents(t testing.TB) []string {
	var all []string
	for _, r := range rules(t) {
		for _, n := range r.Nodes {
			if len(n.Attributes) > 2 {
				all = append(all, string(n.Attributes))
			}
		}
	}
	return all
}

var hostile = []any{
	nil, true, "", "x", "\x00", "__proto__", -1, 0, 1.5, 1e308, -1e308, 1e-320, 9007199254740993.0, []any{}, []any{nil}, map[string]any{}, map[string]any{"": nil},
	[]any{1e308, 1e308, 1e308, 1e308, 1e308, 1e308}, []any{1e-300, 0, 0, 0, 1e-300, 0}, strings.Repeat("[", 1000), "EPSG:99999999999", "../..", "a/b", ":", "a: b:",
	[]any{1e300, 1e300}, "spatial_ref", []any{"y", "x"}, json.RawMessage("NaN"), json.RawMessage("-Infinity"), json.RawMessage("123456789012345678901234567890"),
}

// mutate replaces one or more places of a value.
func mutate(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, one := range v {
			switch r.IntN(6) {
			case 0:
				v[name] = hostile[r.IntN(len(hostile))]
			case 1:
				delete(v, name)
			default:
				v[name] = mutate(r, one)
			}
		}
	case []any:
		for i, one := range v {
			if r.IntN(6) == 0 {
				v[i] = hostile[r.IntN(len(hostile))]
			} else {
				v[i] = mutate(r, one)
			}
		}
		if r.IntN(10) == 0 && len(v) > 0 {
			return append(v, v[r.IntN(len(v))])
		}
	}
	return v
}

func text(t testing.TB, v any) string {
	switch v := v.(type) {
	case json.RawMessage:
		return string(v)
	case map[string]any:
		var members []string
		for name, one := range v {
			key, _ := json.Marshal(name)
			members = append(members, string(key)+":"+text(t, one))
		}
		return "{" + strings.Join(members, ",") + "}"
	case []any:
		var items []string
		for _, one := range v {
			items = append(items, text(t, one))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	return string(must.Get(json.Marshal(v))(t))
}

// nodesWith returns a hierarchy of a group and an array that share the attributes, with coordinates
// and grid mappings.
func nodesWith(attributes string) stored {
	s := stored{}
	s.group("", attributes)
	s.group("0", attributes)
	s.array("t", []int{2, 3}, []string{"y", "x"}, attributes)
	s.array("0/t", []int{2, 3}, []string{"lat", "lon"}, attributes)
	for _, name := range []string{"y", "lat", "spatial_ref", "utm"} {
		s.array(name, []int{2}, []string{name}, attributes, 1, 2)
	}
	s.array("x", []int{3}, []string{"x"}, attributes, 1, 2, 3)
	return s
}

func TestMutatedAttributes(t *testing.T) {
	docs := documents(t)
	for i := range rounds.Each(3000) {
		r := rand.New(rand.NewPCG(11, uint64(i)))
		var v any
		golden.Decode(t, []byte(docs[i%len(docs)]), &v)
		attributes := text(t, mutate(r, v))
		if attributes[0] != '{' {
			continue
		}
		s := nodesWith(attributes)
		for _, path := range []string{"", "t", "0/t"} {
			use(t, s.node(t, path))
		}
		if t.Failed() {
			t.Fatalf("of %s", attributes)
		}
	}
}

func FuzzAttributes(f *testing.F) {
	for _, doc := range documents(f) {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, attributes string) {
		v, err := ours.Parse([]byte(attributes), ours.Limits{})
		if err != nil || v.Kind() != ours.Object || len(attributes) > 1<<16 {
			return
		}
		s := nodesWith(attributes)
		for _, path := range []string{"", "t"} {
			use(t, s.node(t, path))
		}
	})
}

// large returns a group with an array, both with the attributes.
func large(attributes string) stored {
	s := stored{}
	s.group("", attributes)
	s.array("t", []int{2, 3}, []string{"y", "x"}, attributes)
	return s
}

// TestLargeAttributes: the attributes' length bounds the work that they cause.
func TestLargeAttributes(t *testing.T) {
	level := func(i int) string {
		return fmt.Sprintf(`{"asset":"%d","derived_from":"%d","transform":{"scale":[1,1]}}`, i, i+1)
	}
	var chain, circle []string
	for i := range 20_000 {
		chain, circle = append(chain, level(i)), append(circle, level(i))
	}
	chain = append(chain, `{"asset":"20000","transform":{"scale":[1,1]}}`)
	circle = append(circle, `{"asset":"20000","derived_from":"0","transform":{"scale":[1,1]}}`)
	long := strings.Repeat(`A[\"`, 1_000_000)
	for name, attributes := range map[string]string{
		"a long line of levels": `{"spatial:transform":[1,0,0,0,1,0],"multiscales":{"layout":[` + strings.Join(chain, ",") + `]}}`,
		"a circle of levels":    `{"multiscales":{"layout":[` + strings.Join(circle, ",") + `]}}`,
		"long WKT":              `{"proj:wkt2":"` + long + `"}`,
		"a long grid mapping":   `{"grid_mapping":"` + strings.Repeat("a: b ", 20_000) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			start := spent.Start()
			s := large(attributes)
			use(t, s.node(t, ""))
			use(t, s.node(t, "t"))
			if d := start.Took(); d > spent.Most {
				t.Errorf("took %v", d)
			}
		})
	}
	s := large(`{"multiscales":{"layout":[` + strings.Join(chain, ",") + `]}}`)
	var limit *zarr.LimitError
	if _, err := geo.OpenPyramid(context.Background(), s.node(t, "").(*zarr.Group)); !errors.As(err, &limit) {
		t.Errorf("the error is %v", err)
	}
}

// TestAnyOrderAtOnce: results do not depend on earlier or concurrent reads.
func TestAnyOrderAtOnce(t *testing.T) {
	e := golden.Load(t)
	r := rand.New(rand.NewPCG(13, 14))
	for _, c := range e.Of(t, "geo") {
		path := c.Variable + c.Group
		want := map[string]string{}
		for _, at := range []string{path, ""} {
			want[at] = text(t, plain(t, georeferenceFacts(georeference(t, node(t, e.Hierarchy(t, c.Store), at)))))
		}
		h := e.Hierarchy(t, c.Store)
		var wait sync.WaitGroup
		for i := range 12 {
			at := []string{path, ""}[r.IntN(2)]
			wait.Go(func() {
				found, err := geo.ReadGeoreference(context.Background(), node(t, h, at))
				if err != nil {
					t.Error(err)
				} else if is := text(t, plain(t, georeferenceFacts(found))); !sameJSON(t, is, want[at]) {
					t.Errorf("%s %q, number %d: %s, not %s", c.ID, at, i, is, want[at])
				}
			})
		}
		wait.Wait()
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	var x, y any
	golden.Decode(t, []byte(a), &x)
	golden.Decode(t, []byte(b), &y)
	return reflect.DeepEqual(x, y)
}

func node(t *testing.T, h *zarr.Hierarchy, path string) zarr.Node {
	n, err := h.Open(context.Background(), path, zarr.OpenOptions{})
	if err != nil {
		t.Error(err)
	}
	return n
}

func plain(t *testing.T, v any) (as any) {
	b := must.Get(json.Marshal(v))(t)
	golden.Decode(t, b, &as)
	return as
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := rules(t)[2].stored().node(t, "t")
	cancel()
	if _, err := geo.ReadGeoreference(ctx, n); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
