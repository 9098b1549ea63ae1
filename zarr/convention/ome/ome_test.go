package ome

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/spent"
	"github.com/zarr-wasm/zarr-wasm/tests/conventions/golden"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// object is a JSON object in tests.
type object = map[string]any

func list(all ...any) []any { return all }

func marshal(t testing.TB, v any) string {
	t.Helper()
	return string(must.Get(json.Marshal(v))(t))
}

// isA fails unless err has the type E.
func isA[E error](t testing.TB, err error, what string) {
	t.Helper()
	var want E
	if !errors.As(err, &want) {
		t.Errorf("%s: %v, expected a %T", what, err, want)
	}
}

func zyx() []any {
	var axes []any
	for _, name := range []string{"z", "y", "x"} {
		axes = append(axes, object{"name": name, "type": "space", "unit": "micrometer"})
	}
	return axes
}

func scaled(path string, scale []float64, more ...any) object {
	return object{"path": path, "coordinateTransformations": append(list(object{"type": "scale", "scale": scale}), more...)}
}

func image04(datasets ...any) object {
	return object{"multiscales": list(object{"version": "0.4", "name": "i", "axes": zyx(), "datasets": datasets})}
}

// numbers describes an array: its shape, and optional float64 values.
type numbers struct {
	shape  []int64
	values []float64
	kind   string
}

// build returns a group with attributes, and arrays and groups below it.
func build(t testing.TB, attributes any, arrays map[string]numbers, groups map[string]any) *zarr.Group {
	t.Helper()
	files := map[string][]byte{}
	put := func(path string, doc object) {
		doc["zarr_format"] = 3
		files[strings.TrimPrefix(path+"/zarr.json", "/")] = []byte(marshal(t, doc))
	}
	put("", object{"node_type": "group", "attributes": attributes})
	for path, a := range groups {
		put(path, object{"node_type": "group", "attributes": a})
	}
	for path, a := range arrays {
		kind := a.kind
		if kind == "" {
			kind = "uint8"
		}
		if a.values != nil {
			kind = "float64"
		}
		chunk, zeros := []int64{}, ""
		for _, n := range a.shape {
			chunk = append(chunk, max(n, 1))
			zeros += "/0"
		}
		put(path, object{
			"node_type": "array", "shape": a.shape, "data_type": kind, "fill_value": 0,
			"chunk_grid":         object{"name": "regular", "configuration": object{"chunk_shape": chunk}},
			"chunk_key_encoding": object{"name": "default"},
			"codecs":             list(object{"name": "bytes", "configuration": object{"endian": "little"}}),
		})
		if a.values != nil {
			var b bytes.Buffer
			_ = binary.Write(&b, binary.LittleEndian, a.values)
			files[path+"/c"+zeros] = b.Bytes()
		}
	}
	h := zarr.New(memstore.New(files), codecs.Default(), zarr.Options{})
	return must.Get(h.OpenGroup(context.Background(), ""))(t)
}

func open(t testing.TB, attributes any, arrays map[string]numbers) (*Image, error) {
	t.Helper()
	return OpenImage(context.Background(), build(t, attributes, arrays, nil), ImageOptions{})
}

// TestBoxes compares selections of random boxes with a search of all pixels.
func TestBoxes(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	for range 100 {
		scale, translation := make([]float64, 3), make([]float64, 3)
		for i := range scale {
			scale[i], translation[i] = 0.1+3*r.Float64(), 20*r.Float64()-10
			if r.Intn(5) == 0 {
				scale[i] = -scale[i]
			}
		}
		im := must.Get(open(t, image04(scaled("0", scale, object{"type": "translation", "translation": translation})), nil))(t)
		level := im.Levels[0]
		for range 20 {
			at := func() float64 {
				v := float64(r.Intn(39)-8) * 0.5
				if r.Intn(2) == 0 {
					v += 0.8*r.Float64() - 0.4
				}
				return v
			}
			a, b, axis := at(), at(), r.Intn(3)
			if a == b {
				continue
			}
			physical := func(v float64) float64 {
				index := make([]float64, 3)
				index[axis] = v
				return must.Get(level.ToPhysical(index))(t)[axis]
			}
			box := map[string]Interval{im.Axes[axis].Name: {physical(a), physical(b)}}
			selection := must.Get(level.Selection(box))(t)
			resolved := must.Get(grid.Resolve(selection, []int64{12, 12, 12}))(t)
			var is, want []int64
			for i := range resolved[axis].Count {
				is = append(is, resolved[axis].Start+i*resolved[axis].Step)
			}
			for i := range int64(12) {
				if float64(i)+0.5 > min(a, b)+1e-9 && float64(i)-0.5 < max(a, b)-1e-9 {
					want = append(want, i)
				}
			}
			if !slices.Equal(is, want) {
				t.Errorf("from %v to %v at a scale of %v: %v, expected %v", a, b, scale[axis], is, want)
			}
		}
	}
}

func TestSelection(t *testing.T) {
	ctx := context.Background()
	values := make([]float64, 48)
	for i := range values {
		values[i] = float64(i)
	}
	doc := object{"multiscales": list(object{"version": "0.4", "axes": zyx()[1:], "datasets": list(
		scaled("0", []float64{2, 0.5}, object{"type": "translation", "translation": []float64{1, -1}}))})}
	im := must.Get(open(t, doc, map[string]numbers{"0": {shape: []int64{6, 8}, values: values}}))(t)
	level := im.Levels[0]
	if level.Shape() != nil {
		t.Errorf("shape %v before the array is opened", level.Shape())
	}
	array := must.Get(level.Array(ctx))(t)
	if again := must.Get(level.Array(ctx))(t); again != array || !slices.Equal(level.Shape(), []int64{6, 8}) {
		t.Errorf("%v, shape %v", again, level.Shape())
	}
	for _, one := range []struct {
		box   map[string]Interval
		shape []int64
		first float64
	}{
		{map[string]Interval{"y": {3, 6}, "x": {-0.5, 100}}, []int64{2, 7}, 9},
		{map[string]Interval{"y": {5, 5}}, []int64{8}, 16},
		{map[string]Interval{"x": {-50, -40}}, []int64{6, 0}, 0},
		{nil, []int64{6, 8}, 0},
	} {
		res := must.Get(array.Read(ctx, must.Get(level.Selection(one.box))(t), zarr.ReadOptions{}))(t)
		var shape []int64
		for _, n := range res.Shape {
			shape = append(shape, int64(n))
		}
		if !slices.Equal(shape, one.shape) {
			t.Errorf("%v: shape %v, expected %v", one.box, shape, one.shape)
		} else if len(res.Data) > 0 && math.Float64frombits(binary.LittleEndian.Uint64(res.Data)) != one.first {
			t.Errorf("%v: begins otherwise", one.box)
		}
	}
	for _, box := range []map[string]Interval{{"q": {1, 2}}, {"x": {-10, -10}}, {"x": {0, math.NaN()}}, {"x": {math.Inf(-1), 0}}} {
		_, err := level.Selection(box)
		isA[*zarr.InvalidSelectionError](t, err, fmt.Sprint(box))
	}
	_, err := level.ToPhysical([]float64{1})
	isA[*zarr.InvalidSelectionError](t, err, "ToPhysical")
	_, err = level.ToIndex(nil)
	isA[*zarr.InvalidSelectionError](t, err, "ToIndex")
	for _, v := range []View{{}, {Viewport: map[string]float64{"x": 1}}, {map[string]float64{"q": 1}, map[string]float64{"q": 1}},
		{map[string]float64{"x": math.NaN()}, map[string]float64{"x": 1}}, {map[string]float64{"x": 1}, map[string]float64{"x": -1}}} {
		_, err := im.LevelFor(v)
		isA[*zarr.InvalidSelectionError](t, err, fmt.Sprint(v))
	}
}

// TestRandomLevels compares LevelFor on random pyramids with a search of all levels.
func TestRandomLevels(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	sizes := []float64{0.5, 1, 1, 2, 3, 4, 8, -2}
	for range 300 {
		var datasets []any
		for i := range 1 + r.Intn(6) {
			datasets = append(datasets, scaled(strconv.Itoa(i), []float64{sizes[r.Intn(8)], sizes[r.Intn(8)], sizes[r.Intn(8)]}))
		}
		im := must.Get(open(t, image04(datasets...), nil))(t)
		v := View{map[string]float64{"y": 100 * float64(1+r.Intn(8)), "x": 300}, map[string]float64{"y": 100, "x": 100}}
		level := must.Get(im.LevelFor(v))(t)
		size := func(l *Level) float64 { return math.Abs(l.Scale[1] * l.Scale[2]) }
		fits := func(l *Level) bool {
			return math.Abs(l.Scale[1]) <= v.Viewport["y"]/100 && math.Abs(l.Scale[2]) <= 3
		}
		best, any := math.Inf(1), slices.ContainsFunc(im.Levels, fits)
		if any {
			best = 0
		}
		for _, l := range im.Levels {
			if any && fits(l) {
				best = max(best, size(l))
			} else if !any {
				best = min(best, size(l))
			}
		}
		if size(level) != best || any && !fits(level) {
			t.Errorf("%v of %v: level %d", v, datasets, level.Index)
		}
	}
}

func systems(names ...string) []any {
	var all []any
	for _, name := range names {
		all = append(all, object{"name": name, "axes": zyx()[1:]})
	}
	return all
}

func link(t object, from, to string) object {
	all := object{"input": object{"name": from}, "output": object{"name": to}}
	for k, v := range t {
		all[k] = v
	}
	return all
}

func image06(transformations ...any) object {
	s0 := object{"type": "scale", "scale": []float64{2, 4}, "input": object{"path": "s0"}, "output": object{"name": "physical"}}
	return object{"ome": object{"version": "0.6", "multiscales": list(object{
		"coordinateSystems": systems("physical", "world", "moon"), "coordinateTransformations": transformations,
		"datasets": list(object{"path": "s0", "coordinateTransformations": list(s0)}),
	})}}
}

func TestTransformations(t *testing.T) {
	ctx := context.Background()
	transform := func(from, to Reference, arrays map[string]numbers, all ...any) (Transform, error) {
		t.Helper()
		im, err := open(t, image06(all...), arrays)
		if err != nil {
			return Transform{}, err
		}
		return im.Transform(ctx, from, to)
	}
	physical, world, moon := Reference{Name: "physical"}, Reference{Name: "world"}, Reference{Name: "moon"}
	apply := func(m Transform, point ...float64) []float64 { return must.Get(m.Apply(point))(t) }
	ones := []float64{1, 1, 1}
	scale := object{"type": "scale", "scale": []float64{2, 3}}
	translation := object{"type": "translation", "translation": []float64{10, 20}}
	stored := func(values ...float64) map[string]numbers {
		return map[string]numbers{"m": {shape: []int64{2, int64(len(values) / 2)}, values: values}}
	}
	by := list(object{"transformation": object{"type": "scale", "scale": []float64{7}}, "inputAxes": []int{0}, "outputAxes": []int{1}},
		object{"transformation": object{"type": "translation", "translation": []float64{1}}, "inputAxes": []int{1}, "outputAxes": []int{0}})
	for _, one := range []struct {
		t      object
		want   []float64
		arrays map[string]numbers
		back   []float64
	}{
		{object{"type": "identity"}, []float64{3, 5}, nil, nil},
		{scale, []float64{6, 15}, nil, nil},
		{translation, []float64{13, 25}, nil, nil},
		{object{"type": "affine", "affine": [][]float64{{1, 2, 3}, {4, 5, 6}}}, []float64{16, 43}, nil, nil},
		{object{"type": "rotation", "rotation": [][]float64{{0, -1}, {1, 0}}}, []float64{-5, 3}, nil, nil},
		{object{"type": "mapAxis", "mapAxis": []int{1, 0}}, []float64{5, 3}, nil, nil},
		{object{"type": "sequence", "transformations": list(scale, translation)}, []float64{16, 35}, nil, nil},
		{object{"type": "sequence", "transformations": list(translation, scale)}, []float64{26, 75}, nil, nil},
		{object{"type": "byDimension", "transformations": by}, []float64{6, 21}, nil, nil},
		{object{"type": "bijection", "forward": scale, "inverse": object{"type": "scale", "scale": []float64{0.5, 0.25}}}, []float64{6, 15}, nil, []float64{3, 3.75}},
		{object{"type": "affine", "path": "m"}, []float64{16, 43}, stored(1, 2, 3, 4, 5, 6), nil},
		{object{"type": "rotation", "path": "m"}, []float64{-5, 3}, stored(0, -1, 1, 0), nil},
		{object{"type": "scale", "path": "m"}, []float64{6, 15}, map[string]numbers{"m": {shape: []int64{2}, values: []float64{2, 3}}}, nil},
	} {
		m, err := transform(physical, world, one.arrays, link(one.t, "physical", "world"))
		if err != nil {
			t.Errorf("%v: %v", one.t, err)
			continue
		}
		near(t, fmt.Sprint(one.t), apply(m, 3, 5), one.want, ones)
		if one.back == nil {
			one.back = []float64{3, 5}
		}
		near(t, fmt.Sprint("back ", one.t), apply(must.Get(m.Inverse())(t), one.want...), one.back, ones)
	}
	project := object{"type": "projectAxis", "droppedInputs": []int{0}, "createdOutputs": []int{1}}
	m := must.Get(transform(physical, world, nil, link(project, "physical", "world")))(t)
	near(t, "projectAxis", apply(m, 3, 5), []float64{5, 0}, ones)
	_, err := m.Inverse()
	isA[*zarr.UnsupportedError](t, err, "the inverse of a projectAxis")
	_, err = m.Apply(nil)
	isA[*zarr.InvalidSelectionError](t, err, "a short point")

	affine := object{"type": "affine", "path": "m"}
	for what, arrays := range map[string]map[string]numbers{
		"one dimension": {"m": {shape: []int64{6}, values: make([]float64, 6)}},
		"too wide":      stored(1, 2, 3, 4, 5, 6, 7, 8),
		"NaN":           stored(1, 2, 3, 4, 5, math.NaN()),
		"large":         {"m": {shape: []int64{100_000, 100_000}}},
		"empty":         {"m": {shape: []int64{0, 3}}},
		"bool":          {"m": {shape: []int64{2, 3}, kind: "bool"}},
	} {
		_, err := transform(physical, world, arrays, link(affine, "physical", "world"))
		isA[*zarr.InvalidMetadataError](t, err, what)
	}
	_, err = transform(physical, world, nil, link(affine, "physical", "world"))
	isA[*zarr.NotFoundError](t, err, "no array")
	_, err = transform(physical, world, stored(1, 1, 0, 1), link(object{"type": "rotation", "path": "m"}, "physical", "world"))
	isA[*zarr.InvalidMetadataError](t, err, "no rotation")
	field := object{"type": "displacements", "path": "d"}
	_, err = transform(physical, world, nil, link(field, "physical", "world"))
	isA[*zarr.UnsupportedError](t, err, "a field")

	chain := list(link(scale, "physical", "world"), link(translation, "moon", "physical"))
	s0 := Reference{Path: "s0"}
	for _, one := range []struct {
		from, to    Reference
		point, want []float64
	}{
		{moon, world, []float64{1, 1}, []float64{22, 63}}, {world, moon, []float64{22, 63}, []float64{1, 1}},
		{s0, world, []float64{1, 1}, []float64{4, 12}}, {moon, s0, []float64{-8, -16}, []float64{1, 1}}, {world, world, []float64{1, 2}, []float64{1, 2}},
	} {
		near(t, fmt.Sprint(one), apply(must.Get(transform(one.from, one.to, nil, chain...))(t), one.point...), one.want, ones)
	}
	_, err = transform(world, Reference{Name: "sun"}, nil, chain...)
	isA[*zarr.NotFoundError](t, err, "to what is not there")
	around := list(link(field, "physical", "world"), link(scale, "physical", "world"))
	near(t, "another way", apply(must.Get(transform(physical, world, nil, around...))(t), 1, 1), []float64{2, 3}, ones)
	flat := link(object{"type": "affine", "affine": [][]float64{{1, 0, 0}, {1, 0, 0}}}, "physical", "world")
	_, err = transform(world, physical, nil, flat)
	isA[*zarr.UnsupportedError](t, err, "the way back of a flat one")
}

// TestStoredScales reads the scale of a level of 0.4 from an array.
func TestStoredScales(t *testing.T) {
	level := object{"path": "0", "coordinateTransformations": list(object{"type": "scale", "path": "s"}, object{"type": "translation", "path": "t"})}
	doc := image04(level)
	doc["multiscales"].([]any)[0].(object)["coordinateTransformations"] = list(object{"type": "scale", "scale": []float64{2, 2, 2}})
	of := func(s ...float64) map[string]numbers {
		return map[string]numbers{"s": {shape: []int64{int64(len(s))}, values: s}, "t": {shape: []int64{3}, values: []float64{4, 5, 6}}}
	}
	im := must.Get(open(t, doc, of(1, 2, 3)))(t)
	same(t, "scale", im.Levels[0].Scale, []float64{2, 4, 6})
	same(t, "translation", im.Levels[0].Translation, []float64{8, 10, 12})
	for _, s := range [][]float64{{1, 2}, {0, 1, 1}, {1, 1, math.Inf(1)}} {
		_, err := open(t, doc, of(s...))
		isA[*zarr.InvalidMetadataError](t, err, fmt.Sprint(s))
	}
	_, err := open(t, doc, nil)
	isA[*zarr.NotFoundError](t, err, "no array")
}

func publicAt(t testing.TB, path string) *zarr.Group {
	t.Helper()
	dir := filepath.Join(fixtures.Dir(t), "public", filepath.FromSlash(path))
	h := zarr.New(filestore.New(os.DirFS(dir)), codecs.Full(), zarr.Options{})
	t.Cleanup(h.Close)
	return must.Get(h.OpenGroup(context.Background(), ""))(t)
}

func TestScenes(t *testing.T) {
	ctx := context.Background()
	const java = "zarr-developers+zarr-java/testdata/ome/v0.6_scene/"
	scene := must.Get(OpenScene(ctx, publicAt(t, java+"example2_multi_instrument_chain.zarr")))(t)
	at := func(path string) Reference { return Reference{"physical", path} }
	ones := []float64{1, 1, 1}
	for _, one := range []struct {
		from, to    Reference
		point, want []float64
	}{
		{at("instrument1"), at("instrument2"), []float64{0, 0, 0}, []float64{10, 5, -2}},
		{at("instrument3"), at("instrument1"), ones, []float64{-9, -2.9, 6.2}},
		{Reference{Path: "instrument1/s0"}, at("instrument2"), []float64{1, 2, 3}, []float64{11, 7, 1}},
	} {
		m := must.Get(scene.Transform(ctx, one.from, one.to))(t)
		near(t, fmt.Sprint(one), must.Get(m.Apply(one.point))(t), one.want, ones)
	}
	scene = must.Get(OpenScene(ctx, publicAt(t, java+"example1_instrument_registration.zarr")))(t)
	m := must.Get(scene.Transform(ctx, Reference{"physical_instrument2", "sampleA_instrument2"}, Reference{"physical_instrument1", "sampleA_instrument1"}))(t)
	if len(m.Matrix) != 3 || len(m.Matrix[0]) != 4 {
		t.Errorf("a matrix in an array: %v", m.Matrix)
	}
	_, err := OpenScene(ctx, build(t, object{}, nil, nil))
	isA[*zarr.NotFoundError](t, err, "no scene")
}

// TestPublic validates every group of the public examples. Only the listed ones are invalid.
func TestPublic(t *testing.T) {
	ctx := context.Background()
	const top, java = "BioImageTools+ome-zarr-examples/data/valid/", "zarr-developers+zarr-java/testdata/ome/"
	for path, at := range map[string]string{
		top + "plate-01.zarr/A/1": "", top + "plate-01.zarr/A/1/0": "", top + "plate-01.zarr/B/2/0": "", top + "image-02.zarr/labels": "",
		java + "v0.4_hcs": "", java + "v0.4_hcs/A/1": "", java + "v0.4_hcs/A/1/0": "", java + "v0.5_hcs": "", java + "v0.5_hcs/A/1": "",
		java + "v0.4/labels": "", java + "v0.4/labels/nuclei": "", java + "v0.5/labels": "",
		java + "v0.6_scene/example1_instrument_registration.zarr":                     "",
		java + "v0.6_scene/example1_instrument_registration.zarr/sampleA_instrument1": "",
		java + "v0.6_scene/example2_multi_instrument_chain.zarr":                      "",
		// Channels without a window.
		java + "v0.4": "omero.channels[0].window", java + "v0.5": "ome.omero.channels[0].window",
	} {
		report := must.Get(ValidateImage(ctx, publicAt(t, path), ""))(t)
		has := slices.ContainsFunc(report.Problems, func(p Problem) bool { return p.Level == Must && p.Path == at })
		if report.Valid != (at == "") || has != (at != "") {
			t.Errorf("%s: %v", path, report)
		}
	}
}

// TestFixtures reads the images of other sets through their levels, and compares their values.
func TestFixtures(t *testing.T) {
	ctx := context.Background()
	var manifest struct {
		Cases []struct {
			ID, Store, Array string
			Expected         struct{ SHA256 string }
		}
	}
	dir := fixtures.Dir(t)
	b := must.Get(os.ReadFile(filepath.Join(dir, "manifest.json")))(t)
	golden.Decode(t, b, &manifest)
	want := map[string]string{}
	for _, c := range manifest.Cases {
		if strings.HasPrefix(c.Store, "ome/") && c.Expected.SHA256 != "" {
			want[c.Store+"/"+c.Array] = c.Expected.SHA256
		}
	}
	if len(want) < 8 {
		t.Fatalf("only %d arrays", len(want))
	}
	read := func(store string, im *Image) {
		for _, l := range im.Levels {
			key := store + "/" + resolve(im.Group, l.Path)
			if want[key] == "" {
				continue
			}
			res := must.Get(must.Get(l.Array(ctx))(t).Read(ctx, nil, zarr.ReadOptions{}))(t)
			if sum := sha256.Sum256(res.Data); hex.EncodeToString(sum[:]) != want[key] {
				t.Errorf("%s: other values", key)
			}
			delete(want, key)
		}
	}
	at := func(store string) *zarr.Group {
		h := zarr.New(filestore.New(os.DirFS(filepath.Join(dir, filepath.FromSlash(store)))), codecs.Full(), zarr.Options{})
		t.Cleanup(h.Close)
		return must.Get(h.OpenGroup(ctx, ""))(t)
	}
	for _, store := range []string{"ome/image_v04.zarr", "ome/image_v05.zarr"} {
		g := at(store)
		read(store, must.Get(OpenImage(ctx, g, ImageOptions{}))(t))
		labels := must.Get(OpenLabels(ctx, g))(t)
		for _, path := range labels.Paths {
			read(store, must.Get(labels.Open(ctx, path))(t))
		}
	}
	const store = "ome/plate_v04.zarr"
	plate := must.Get(OpenPlate(at(store)))(t)
	for _, w := range plate.Wells {
		well := must.Get(plate.OpenWell(ctx, w.Path))(t)
		for _, f := range well.Images {
			read(store, must.Get(well.OpenImage(ctx, f.Path))(t))
		}
	}
	if len(want) > 0 {
		t.Errorf("arrays that no image led to: %v", want)
	}
}

// TestHierarchies validates documents that contradict their arrays, and expects TypeScript's
// problems.
func TestHierarchies(t *testing.T) {
	two := image04(scaled("0", []float64{1, 1, 1}), scaled("1", []float64{1, 2, 2}))
	first := numbers{shape: []int64{4, 8, 8}}
	half := numbers{shape: []int64{4, 4, 4}}
	const at1 = "multiscales[0].datasets[1].path: "
	channel := object{"color": "FFFFFF", "window": object{"min": 0, "max": 1, "start": 0, "end": 1}}
	with := func(doc object, name string, v any) object {
		all := object{name: v}
		for k, v := range doc {
			all[k] = v
		}
		return all
	}
	for what, one := range map[string]struct {
		doc    object
		arrays map[string]numbers
		want   []string
	}{
		"right":   {two, map[string]numbers{"0": first, "1": half}, nil},
		"missing": {two, map[string]numbers{"0": first}, []string{"MUST " + at1 + `there is no array "1"`}},
		"rank":    {two, map[string]numbers{"0": first, "1": {shape: []int64{4, 4}}}, []string{"MUST " + at1 + "the array has 2 dimensions for 3 axes"}},
		"order": {two, map[string]numbers{"0": half, "1": first}, []string{
			"MUST " + at1 + "the datasets MUST be ordered from the largest to the smallest",
			"warning " + at1 + "the extent along y differs from that of the first level",
		}},
		"types": {two, map[string]numbers{"0": first, "1": {shape: []int64{4, 4, 4}, kind: "float32"}}, []string{
			"warning " + at1 + "the data type is float32, but another level has uint8",
		}},
		"channels": {with(two, "omero", object{"channels": list(channel, channel)}), map[string]numbers{"0": first, "1": half}, []string{
			"warning omero.channels: there are 2 channels, but the channel axis has length 1",
		}},
		"dimension_names": {object{"ome": with(image04(scaled("0", []float64{1, 1, 1})), "version", "0.5")}, map[string]numbers{"0": first}, []string{
			"MUST ome.multiscales[0].datasets[0].path: `dimension_names` MUST be z, y, x, like the axes",
		}},
	} {
		report := must.Get(ValidateImage(context.Background(), build(t, one.doc, one.arrays, nil), ""))(t)
		var is []string
		for _, p := range report.Problems {
			if p.Level != Should {
				is = append(is, string(p.Level)+" "+p.Path+": "+p.Message)
			}
		}
		if !slices.Equal(is, one.want) {
			t.Errorf("%s: %q, expected %q", what, is, one.want)
		}
	}
	label := with(image04(scaled("0", []float64{1, 1, 1})), "image-label", object{"version": "0.4", "colors": list(object{"label-value": 1})})
	g := build(t, two, map[string]numbers{"labels/a/0": {shape: []int64{4, 8, 8}, kind: "float32"}}, map[string]any{"labels": object{"labels": list("a")}, "labels/a": label})
	report := must.Get(ValidateImage(context.Background(), must.Get(openGroup(context.Background(), g, "labels/a"))(t), ""))(t)
	said := fmt.Sprint(report.Problems)
	for _, message := range []string{"labels MUST be integers, not float32", "a label image MUST have as many levels as its source: 2, not 1"} {
		if !strings.Contains(said, message) {
			t.Errorf("%v, expected %s", report, message)
		}
	}
}

// TestNamedGroups validates documents that name missing groups, and acquisitions that the plate
// does not have.
func TestNamedGroups(t *testing.T) {
	ctx := context.Background()
	plate := object{"plate": object{"version": "0.4", "rows": list(object{"name": "A"}), "columns": list(object{"name": "1"}, object{"name": "2"}),
		"acquisitions": list(object{"id": 1}, object{"id": 2}),
		"wells":        list(object{"path": "A/1", "rowIndex": 0, "columnIndex": 0}, object{"path": "A/2", "rowIndex": 0, "columnIndex": 1})}}
	well := object{"well": object{"images": list(object{"path": "0", "acquisition": 1}, object{"path": "1", "acquisition": 3}, object{"path": "2"})}}
	g := build(t, plate, nil, map[string]any{"A": object{}, "A/1": well, "A/1/0": object{}, "A/1/1": object{},
		"labels": object{"labels": list("a", "b/c")}, "labels/a": object{}, "OME": object{"series": list("labels", "1")}})
	for path, want := range map[string][]string{
		"": {`plate.wells[1].path: there is no group "A/2"`},
		"A/1": {`well.images[2].path: there is no group "2"`, "well.images[1].acquisition: `acquisition` MUST be one of the plate's acquisitions",
			"well.images[2].acquisition: an image MUST have an `acquisition` if the plate has several"},
		"labels": {`labels[1]: there is no group "b/c"`},
		"OME":    {`series[1]: there is no group "1"`},
	} {
		report := must.Get(ValidateImage(ctx, must.Get(openGroup(ctx, g, path))(t), ""))(t)
		var is []string
		for _, p := range report.Problems {
			if p.Level == Must {
				is = append(is, p.Path+": "+p.Message)
			}
		}
		if !slices.Equal(is, want) {
			t.Errorf("%s: %q, expected %q", path, is, want)
		}
	}
}

// TestOpening opens partly valid documents, one of several images, and missing nodes.
func TestOpening(t *testing.T) {
	ctx := context.Background()
	one := func(name, path string) object {
		return object{"version": "0.4", "name": name, "axes": zyx(), "datasets": list(scaled(path, []float64{1, 1, 1}))}
	}
	bad := one("a", "a")
	bad["datasets"] = []any{}
	g := build(t, object{"multiscales": list(bad, one("b", "b"))}, nil, nil)
	_, err := OpenImage(ctx, g, ImageOptions{})
	isA[*zarr.InvalidMetadataError](t, err, "the first")
	if err == nil || !strings.Contains(err.Error(), "multiscales[0].datasets: `datasets` is empty") {
		t.Error(err)
	}
	for _, opt := range []ImageOptions{{Index: 1}, {Name: "b"}} {
		if im := must.Get(OpenImage(ctx, g, opt))(t); im.Levels[0].Path != "b" {
			t.Errorf("%v: %v", opt, im)
		}
	}
	for _, opt := range []ImageOptions{{Index: 2}, {Index: -1}, {Name: "c"}} {
		_, err := OpenImage(ctx, g, opt)
		isA[*zarr.NotFoundError](t, err, fmt.Sprint(opt))
	}
	empty := build(t, object{}, nil, nil)
	_, err = OpenImage(ctx, empty, ImageOptions{})
	isA[*zarr.NotFoundError](t, err, "no image")
	_, err = OpenPlate(empty)
	isA[*zarr.NotFoundError](t, err, "no plate")
	_, err = OpenWell(empty)
	isA[*zarr.NotFoundError](t, err, "no well")
	_, err = OpenSeries(ctx, empty)
	isA[*zarr.NotFoundError](t, err, "no series")
	labels := must.Get(OpenLabels(ctx, empty))(t)
	_, err = labels.Open(ctx, "a")
	isA[*zarr.NotFoundError](t, err, "no label")

	// A level of another rank, or a missing level, is an error. The other levels remain readable.
	doc := image04(scaled("0", []float64{1, 1, 1}), scaled("1", []float64{1, 1, 1}), scaled("2", []float64{1, 1, 1}))
	im := must.Get(open(t, doc, map[string]numbers{"0": {shape: []int64{2, 2}}, "1": {shape: []int64{2, 2, 2}}}))(t)
	for range 2 {
		_, err = im.Levels[0].Array(ctx)
		isA[*zarr.InvalidMetadataError](t, err, "another rank")
		_, err = im.Levels[2].Array(ctx)
		isA[*zarr.NotFoundError](t, err, "not there")
		must.Get(im.Levels[1].Array(ctx))(t)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := must.Get(open(t, doc, nil))(t).Levels[0].Array(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	// Label values beyond 2^53 are exact.
	label := object{"colors": list(object{"label-value": json.Number("18446744073709551615"), "rgba": []int{1, 2, 3, 4}},
		object{"label-value": 1, "rgba": []int{0, 0, 0, 0}}, object{"label-value": 1, "rgba": []int{9, 9, 9, 9}})}
	im = must.Get(open(t, object{"multiscales": list(one("a", "a")), "image-label": label}, nil))(t)
	if c := im.Label.Colors; *c["18446744073709551615"] != (RGBA{1, 2, 3, 4}) || *c["1"] != (RGBA{9, 9, 9, 9}) {
		t.Errorf("colours %v", c)
	}
}

// TestAbsurd opens and validates documents that are far too large or impossible.
func TestAbsurd(t *testing.T) {
	quick := func(what string, run func()) {
		began := spent.Start()
		run()
		if took := began.Took(); took > spent.Most {
			t.Errorf("%s took %v", what, took)
		}
	}
	repeat := func(n int, of func(i int) any) []any {
		all := make([]any, n)
		for i := range all {
			all[i] = of(i)
		}
		return all
	}
	judge := func(what string, doc any) (r Report) {
		v := attributes(t, []byte(marshal(t, doc)))
		quick(what, func() { r = Validate(v, "") })
		return r
	}
	wells := repeat(100_000, func(int) any { return object{"path": "A/1", "rowIndex": 1, "columnIndex": 1} })
	plate := object{"version": "0.4", "rows": list(object{"name": "A"}), "columns": list(object{"name": "1"}), "wells": wells}
	if r := judge("wells", object{"plate": plate}); len(r.Problems) != maxProblems+1 || r.Valid {
		t.Errorf("%d problems", len(r.Problems))
	}
	levels := repeat(20_000, func(i int) any { return scaled(strconv.Itoa(i), []float64{1, 1, 1}) })
	quick("levels", func() {
		im := must.Get(open(t, image04(levels...), nil))(t)
		must.Get(im.LevelFor(View{map[string]float64{"x": 1}, map[string]float64{"x": 1}}))(t)
		if len(im.Levels) != 20_000 || strings.Count(im.String(), "\n") > 40 {
			t.Errorf("%d levels: %s", len(im.Levels), im)
		}
	})
	before04 := repeat(20_000, func(i int) any { return object{"path": strconv.Itoa(i)} })
	_, err := open(t, object{"multiscales": list(object{"version": "0.1", "datasets": before04})}, nil)
	isA[*limits.Error](t, err, "levels before 0.4")
	names := make([]string, 5000)
	for i := range names {
		names[i] = "s" + strconv.Itoa(i)
	}
	chain := repeat(4999, func(i int) any { return link(object{"type": "identity"}, names[4999-i], names[4998-i]) })
	a := object{"type": "identity", "input": object{"path": "a"}, "output": object{"name": "s0"}}
	long := object{"ome": object{"version": "0.6", "multiscales": list(object{"coordinateSystems": systems(names...),
		"datasets": list(object{"path": "a", "coordinateTransformations": list(a)}), "coordinateTransformations": chain})}}
	if r := judge("systems", long); strings.Contains(fmt.Sprint(r.Problems), "MUST link") {
		t.Error("all systems are linked")
	}
	quick("route", func() {
		m := must.Get(must.Get(open(t, long, nil))(t).Transform(context.Background(), Reference{Name: "s0"}, Reference{Name: "s4999"}))(t)
		same(t, "a long way", must.Get(m.Apply([]float64{1, 2}))(t), []float64{1, 2})
	})
	deep := object{"type": "identity"}
	for range 30 {
		deep = object{"type": "sequence", "transformations": list(deep)}
	}
	judge("depth", image06(link(deep, "physical", "world")))
	wide := make([][]float64, 1500)
	for i := range wide {
		wide[i] = make([]float64, 1500)
	}
	judge("a matrix", image06(link(object{"type": "rotation", "rotation": wide}, "physical", "world")))
	for what, doc := range map[string]string{
		"NaN": `[NaN,1,1]`, "infinity": `[1,Infinity,1]`, "zero": `[1,0,1]`, "a string": `[1,"1",1]`, "too short": `[1,1]`, "none": `[]`, "null": `null`,
	} {
		raw := strings.Replace(marshal(t, image04(scaled("0", []float64{4711}))), "[4711]", doc, 1)
		files := map[string][]byte{"zarr.json": []byte(`{"zarr_format":3,"node_type":"group","attributes":` + raw + `}`)}
		h := zarr.New(memstore.New(files), codecs.Default(), zarr.Options{})
		_, err := OpenImage(context.Background(), must.Get(h.OpenGroup(context.Background(), ""))(t), ImageOptions{})
		isA[*zarr.InvalidMetadataError](t, err, what)
		if err == nil || !strings.Contains(err.Error(), "multiscales[0].datasets[0].coordinateTransformations[0].scale") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestString(t *testing.T) {
	e := golden.Load(t)
	im := must.Get(OpenImage(context.Background(), groupAt(t, e, "ome/img_v04_czyx.zarr", ""), ImageOptions{}))(t)
	must.Get(im.Levels[0].Array(context.Background()))(t)
	want := []string{
		`<Image / of OME-Zarr 0.4 "v04_czyx">`,
		"  axes      c, z (micrometer), y (micrometer), x (micrometer)",
		`  level 0   "0" shape=(2, 4, 96, 120) scale=(1, 2, 0.36, 0.36)`,
		`  level 1   "1" scale=(1, 2, 0.72, 0.72)`,
		`  level 2   "2" scale=(1, 2, 1.44, 1.44)`,
		"  channels  DAPI #FF0000, bright #0000FF (off)",
	}
	if is := strings.Split(im.String(), "\n"); !reflect.DeepEqual(is, want) {
		t.Errorf("%q", is)
	}
}

// FuzzDocuments opens and validates arbitrary attributes. Only documented errors occur, and pixels
// have finite positions.
func FuzzDocuments(f *testing.F) {
	for _, d := range loadCases(f).Documents {
		f.Add([]byte(d.Attributes))
	}
	e := golden.Load(f)
	for _, r := range golden.Table[struct{ Attributes json.RawMessage }](f, e, "ome_validity") {
		f.Add([]byte(r.Attributes))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		files := map[string][]byte{"zarr.json": []byte(`{"zarr_format":3,"node_type":"group","attributes":` + string(doc) + `}`)}
		levels(files, doc)
		h := zarr.New(memstore.New(files), codecs.Default(), zarr.Options{})
		ctx := context.Background()
		g, err := h.OpenGroup(ctx, "")
		if err != nil {
			return // no JSON, or no group
		}
		KindOf(g.Metadata().Attributes)
		for _, v := range []Version{"", "0.1", "0.3", "0.4", "0.5", "0.6"} {
			r := Validate(g.Metadata().Attributes, v)
			if r.Valid == slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Level == Must }) {
				t.Errorf("valid is %v with %v", r.Valid, r.Problems)
			}
		}
		if _, err := ValidateImage(ctx, g, ""); err != nil {
			t.Error(err)
		}
		if im, err := OpenImage(ctx, g, ImageOptions{}); err == nil {
			for _, l := range im.Levels {
				if len(l.Scale) != len(im.Axes) || len(l.Translation) != len(im.Axes) || slices.Contains(l.Scale, 0) || !finite(l.Scale...) || !finite(l.Translation...) {
					t.Errorf("scale %v, translation %v", l.Scale, l.Translation)
				}
			}
			_ = im.String()
			lookAt(t, im)
		}
		_, _ = OpenPlate(g)
		_, _ = OpenWell(g)
		_, _ = OpenLabels(ctx, g)
		_, _ = OpenSeries(ctx, g)
		if scene, err := OpenScene(ctx, g); err == nil {
			for _, from := range scene.CoordinateSystems {
				for _, to := range scene.Transformations {
					if to.Input == nil {
						continue
					}
					if m, err := scene.Transform(ctx, Reference{Name: from.Name}, *to.Input); err == nil {
						there(t, m)
					}
				}
			}
		}
	})
}

// levels adds arrays of the rank that a document's first image has.
func levels(files map[string][]byte, doc []byte) {
	var said struct {
		Multiscales, Ome struct{ Multiscales []struct{ Axes []any } }
	}
	_ = json.Unmarshal(doc, &said.Ome)
	_ = json.Unmarshal(doc, &said)
	rank := 5
	if len(said.Ome.Multiscales) > 0 && len(said.Ome.Multiscales[0].Axes) > 0 {
		rank = min(5, len(said.Ome.Multiscales[0].Axes))
	}
	shape := "[" + strings.TrimSuffix(strings.Repeat("4,", rank), ",") + "]"
	for _, name := range []string{"0", "1", "s0", "s1", "scale0/image"} {
		files[name+"/zarr.json"] = []byte(`{"zarr_format":3,"node_type":"array","shape":` + shape + `,"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":` + shape +
			`}},"chunk_key_encoding":"default","fill_value":0,"codecs":["bytes"]}`)
	}
}

// there applies a map and its inverse.
func there(t *testing.T, m Transform) {
	t.Helper()
	point := make([]float64, m.inputs())
	for i := range point {
		point[i] = float64(i) - 1.5
	}
	to, err := m.Apply(point)
	if err != nil || len(to) != len(m.Matrix) {
		t.Fatalf("%v: %v, %v", m.Matrix, to, err)
	}
	if back, err := m.Inverse(); err == nil {
		if again, err := back.Apply(to); err != nil || len(again) != len(point) {
			t.Errorf("%v of %v: %v, %v", back.Matrix, to, again, err)
		}
	}
}

// lookAt calls every function of an image that reads no pixels.
func lookAt(t *testing.T, im *Image) {
	t.Helper()
	ctx := context.Background()
	view, box := View{map[string]float64{}, map[string]float64{}}, map[string]Interval{}
	for i, a := range im.Axes {
		view.Viewport[a.Name], view.Pixels[a.Name] = 100, 10
		box[a.Name] = Interval{float64(i), float64(2 * i)}
	}
	if l, err := im.LevelFor(view); err == nil && !slices.Contains(im.Levels, l) {
		t.Error("a level of another image")
	}
	for _, l := range im.Levels {
		_, _ = l.Array(ctx)
		_, _ = l.Selection(box)
		if p, err := l.ToPhysical(make([]float64, len(im.Axes))); err != nil || !slices.Equal(p, l.Translation) {
			t.Errorf("index 0 is at %v, %v; not at %v", p, err, l.Translation)
		}
		for _, system := range im.CoordinateSystems {
			if m, err := im.Transform(ctx, Reference{Path: l.Path}, Reference{Name: system.Name}); err == nil {
				there(t, m)
			}
		}
	}
	for _, to := range im.Transformations {
		if to.Input != nil && to.Output != nil {
			if m, err := im.Transform(ctx, *to.Output, *to.Input); err == nil {
				there(t, m)
			}
		}
	}
}
