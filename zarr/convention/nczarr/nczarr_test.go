package nczarr_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/conventions/golden"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/nczarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

type wanted struct {
	Groups     []string
	Dimensions map[string]int64
	Unlimited  []string
	Variables  map[string]struct {
		Dims, Names []string
		Shape       []int64
		Type        string
		Joined      []string
		Values      []any
	}
	UserAttributes map[string]map[string]any    `json:"user_attributes"`
	AttributeTypes map[string]map[string]string `json:"attribute_types"`
	Values         map[string]any
}

func TestExpected(t *testing.T) {
	e := golden.Load(t)
	for _, c := range e.Of(t, "nczarr") {
		t.Run(c.ID, func(t *testing.T) { check(t, e, c) })
	}
}

func check(t *testing.T, e *golden.Expected, c golden.Case) {
	ctx := context.Background()
	var want wanted
	golden.Decode(t, c.Expect, &want)
	g := must.Get(e.Hierarchy(t, c.Store).OpenGroup(ctx, ""))(t)
	opt := nczarr.Options{
		Files:     filestore.New(os.DirFS(filepath.Join(e.Dir, filepath.FromSlash(c.Store)))),
		Anonymous: strings.Contains(string(c.Ask), `"netcdf"`),
	}
	found, err := nczarr.Open(ctx, g, opt)
	if err != nil || len(found.Problems) > 0 {
		t.Fatal(err, found)
	}
	same := func(what string, is, want any) {
		t.Helper()
		if a, b := text(is), text(want); a != b {
			t.Errorf("%s: %s instead of %s", what, a, b)
		}
	}
	if want.Groups != nil {
		same("groups", found.Groups, want.Groups)
	}
	if want.Dimensions != nil {
		sizes := map[string]int64{}
		var unlimited []string
		for path, d := range found.Dimensions {
			sizes[path] = d.Size
			if d.Unlimited {
				unlimited = append(unlimited, path)
			}
		}
		same("dimensions", sizes, want.Dimensions)
		if want.Unlimited != nil {
			same("unlimited", append([]string{}, unlimited...), want.Unlimited)
		}
	}
	same("variables", slices.Sorted(maps.Keys(found.Variables)), slices.Sorted(maps.Keys(want.Variables)))
	for path, w := range want.Variables {
		v := found.Variables[path]
		same(path+": names", v.Names, w.Names)
		if w.Dims != nil {
			same(path+": dims", v.Dims, w.Dims)
			same(path+": shape", append([]int64{}, v.Shape...), w.Shape)
		}
		if w.Type != "" {
			same(path+": type", v.Type, w.Type)
		}
		r := must.Get(v.Array.Read(ctx, nil, zarr.ReadOptions{}))(t)
		if w.Joined != nil {
			same(path+": joined", nczarr.JoinChars(r.Data, r.Shape), w.Joined)
		}
		if w.Values != nil {
			same(path+": values", values(t, r), w.Values)
		}
		if all, ok := want.Values[path]; ok {
			if _, list := all.([]any); !list {
				all = []any{all}
			}
			same(path+": values", values(t, r), all)
		}
		if want.UserAttributes != nil {
			user := map[string]any{}
			for _, m := range v.Attributes {
				golden.Decode(t, m.Value.Raw(), new(any))
				var value any
				golden.Decode(t, m.Value.Raw(), &value)
				user[m.Name] = value
			}
			wantUser, wantTypes := want.UserAttributes[path], want.AttributeTypes[path]
			if wantUser == nil {
				wantUser, wantTypes = map[string]any{}, map[string]string{}
			}
			same(path+": attributes", user, wantUser)
			same(path+": types of attributes", v.AttributeTypes, wantTypes)
		}
	}
}

func text(v any) string {
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice && r.Len() == 0 {
		return "[]"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// values decodes elements of the types that the cases use.
func values(t *testing.T, r *zarr.Result) []any {
	var list []any
	size := r.Type.Size
	for i := 0; i < len(r.Data); i += size {
		var bits uint64
		b := r.Data[i : i+size]
		if r.Type.Kind == dtype.Char {
			list = append(list, strings.TrimRight(string(b), "\x00"))
			continue
		}
		for j := range b {
			bits |= uint64(b[j]) << (8 * j)
		}
		switch r.Type.Name {
		case "float32":
			list = append(list, float64(math.Float32frombits(uint32(bits))))
		case "float64":
			list = append(list, math.Float64frombits(bits))
		case "int16":
			list = append(list, int16(bits))
		case "int32":
			list = append(list, int32(bits))
		case "uint8":
			list = append(list, uint8(bits))
		default:
			t.Fatal("no values of", r.Type.Name)
		}
	}
	return list
}

const hostileArray = `{"zarr_format":2,"shape":[2,3],"chunks":[2,3],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}`

func open(t *testing.T, group, array string) *nczarr.Hierarchy {
	t.Helper()
	objects := map[string][]byte{".zgroup": []byte(`{"zarr_format":2}`), ".zattrs": []byte(group), "a/.zarray": []byte(hostileArray), "a/.zattrs": []byte(array)}
	h := zarr.New(memstore.New(objects), codecs.Default(), zarr.Options{})
	g := must.Get(h.OpenGroup(context.Background(), ""))(t)
	return must.Get(nczarr.Open(context.Background(), g, nczarr.Options{}))(t)
}

func TestWhatDoesNotFitIsReportedAndNotGuessed(t *testing.T) {
	const groups = `{"_nczarr_group":{"dimensions":{"x":2,"y":3},"arrays":["a"],"groups":[]}}`
	for _, c := range []struct{ name, group, array, problem string }{
		{"fewer references", groups, `{"_nczarr_array":{"dimension_references":["/x"]}}`, "2 dimensions, but 1 references"},
		{"none though it is not a scalar", groups, `{"_nczarr_array":{"dimension_references":[]}}`, "but 0 references"},
		{"another length", groups, `{"_nczarr_array":{"dimension_references":["/y","/x"]}}`, "/y, which is of length 3"},
		{"not declared", groups, `{"_nczarr_array":{"dimension_references":["/x","/z"]}}`, "/z, which is not declared"},
		{"no path", groups, `{"_nczarr_array":{"dimension_references":["/x","y"]}}`, `"y" is not a path`},
		{"no list", groups, `{"_nczarr_array":{"dimension_references":"/x"}}`, "not a list of strings"},
		{"no texts", groups, `{"_nczarr_array":{"dimension_references":[1,2]}}`, "not a list of strings"},
		{"a negative size", `{"_nczarr_group":{"dimensions":{"x":-2},"arrays":["a"]}}`, `{}`, `no valid name or size: "x"`},
		{"dimensions of a wrong type", `{"_nczarr_group":{"dimensions":3,"arrays":["a"]}}`, `{}`, "neither a list nor an object"},
		{"a member that is not there", `{"_nczarr_group":{"arrays":["a","b"]}}`, `{}`, `names the array "b", which does not exist`},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := open(t, c.group, c.array)
			if len(found.Problems) != 1 || !strings.Contains(found.Problems[0], c.problem) {
				t.Errorf("problems %q", found.Problems)
			}
			if v := found.Variables["a"]; v == nil || strings.Join(v.Names, "") != "" {
				t.Errorf("%+v", v)
			}
		})
	}
}

// TestAnythingCanBeAnAttribute mutates valid attributes at random. The hierarchy always opens, and
// a variable has names for all of its dimensions or for none.
func TestAnythingCanBeAnAttribute(t *testing.T) {
	group := `{"_nczarr_superblock":{"version":"2.0.0"},"_nczarr_group":{"dimensions":{"x":2,"y":{"size":3,"unlimited":1}},"arrays":["a"],"groups":[]}}`
	array := `{"units":"K","_nczarr_array":{"dimension_references":["/x","/y"],"storage":"chunked"},"_nczarr_attr":{"types":{"units":">S1"}}}`
	values := []string{`null`, `0`, `-1`, `1e300`, `""`, `"/"`, `"x"`, `[]`, `{}`, `[[]]`, `{"size":{}}`, `true`, `["a","a",".."]`, `9223372036854775807`}
	random := rand.New(rand.NewPCG(1, 2))
	mutate := func(doc string) string {
		var v any
		golden.Decode(t, []byte(doc), &v)
		var walk func(v any) any
		walk = func(v any) any {
			if random.IntN(8) == 0 {
				var other any
				golden.Decode(t, []byte(values[random.IntN(len(values))]), &other)
				return other
			}
			switch v := v.(type) {
			case map[string]any:
				for k := range v {
					v[k] = walk(v[k])
				}
			case []any:
				for i := range v {
					v[i] = walk(v[i])
				}
			}
			return v
		}
		if object, ok := v.(map[string]any); ok {
			for k := range object {
				object[k] = walk(object[k])
			}
		}
		b, _ := json.Marshal(v)
		return string(b)
	}
	fit := 0
	for range 3000 {
		found := open(t, mutate(group), mutate(array))
		if v := found.Variables["a"]; v != nil && v.Dims[0] != "" {
			fit++
			if len(v.Names) != 2 || v.Names[1] == "" {
				t.Fatalf("%+v", v)
			}
		}
	}
	if fit == 0 || fit == 3000 {
		t.Errorf("%d of 3000 fit", fit)
	}
}

// endless is a source in which every folder is a group that names others.
type endless struct{ store.Source }

func (endless) Read(_ context.Context, name string, ask store.Ask) (store.Extent, error) {
	switch {
	case strings.HasSuffix(name, ".zgroup"):
		return store.Select(name, []byte(`{"zarr_format":2}`), ask)
	case strings.HasSuffix(name, ".zattrs"):
		return store.Select(name, []byte(`{"_nczarr_group":{"arrays":[],"groups":["a","..","a/b"]}}`), ask)
	}
	return store.Extent{}, store.NotFound(name)
}

func TestAbsurdSizesEndSoon(t *testing.T) {
	ctx := context.Background()
	g, err := zarr.New(endless{}, codecs.Default(), zarr.Options{}).OpenGroup(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = nczarr.Open(ctx, g, nczarr.Options{})
	if limit := new(zarr.LimitError); !errors.As(err, &limit) || limit.Limit != "depth" {
		t.Error(err)
	}
	var many strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&many, `"d%d":%d,`, i, i)
	}
	found := open(t, `{"_nczarr_group":{"dimensions":{`+many.String()+`"x":2,"y":3},"arrays":["a","../a","..","","a"],"groups":[]}}`, `{}`)
	if len(found.Dimensions) != 200_002 || len(found.Variables) != 1 || len(found.Problems) != 0 {
		t.Error(len(found.Dimensions), len(found.Variables), found.Problems)
	}
}

func ExampleOpen() {
	ctx := context.Background()
	h := zarr.New(memstore.New(map[string][]byte{
		".zgroup":   []byte(`{"zarr_format":2}`),
		".zattrs":   []byte(`{"_nczarr_group":{"dimensions":{"x":2,"y":3},"arrays":["a"],"groups":[]}}`),
		"a/.zarray": []byte(hostileArray),
		"a/.zattrs": []byte(`{"units":"K","_nczarr_array":{"dimension_references":["/x","/y"]}}`),
	}), codecs.Default(), zarr.Options{})
	g, err := h.OpenGroup(ctx, "")
	if err != nil {
		panic(err)
	}
	n, err := nczarr.Open(ctx, g, nczarr.Options{})
	if err != nil {
		panic(err)
	}
	a := n.Variables["a"]
	fmt.Println(a.Names, a.Type, n.Dimensions["/y"].Size)
	// Output: [x y] ubyte 3
}
