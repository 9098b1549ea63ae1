package pyramid_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/geo"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/ome"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/internal/killed"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/pyramid"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
)

func Example() {
	ctx := context.Background()
	h := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
	a, _ := h.Create(ctx, "elevation", zarr.ArraySpec{Shape: []int64{4, 5}, Chunks: []int64{2, 2}, DType: "int16"})
	_ = a.Set(ctx, nil, []int16{1, 2, 3, 4, 5, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8}, zarr.WriteOptions{})
	p, _ := pyramid.New(ctx, a, h, "levels", pyramid.Options{})
	_, err := p.Run(ctx)
	fmt.Println(p.Levels, p.Method, err)
	level, _ := h.OpenArray(ctx, "levels/1")
	res, _ := level.Read(ctx, nil, zarr.ReadOptions{})
	fmt.Println(res.Shape, res.Data)
	// Output:
	// [{0 [4 5]} {1 [2 3]} {2 [1 2]}] mean <nil>
	// [2 3] [2 0 4 0 6 0 0 0 0 0 4 0]
}

// random is an array with random chunks, and the options of its levels.
type random struct {
	seed    uint64
	spec    zarr.ArraySpec
	opt     pyramid.Options
	missing float64 // the value that attributes declare missing, or NaN
	values  []byte
}

func (r random) String() string {
	return fmt.Sprintf("seed %d: %s %v, chunks %v, shards %v, order %s, %s of axes %v, missing %v", r.seed, r.spec.DType, r.spec.Shape, r.spec.Chunks, r.spec.Shards, r.spec.Order, r.opt.Method, r.opt.Axes, r.missing)
}

var (
	types   = []string{"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"}
	methods = []pyramid.Method{pyramid.MethodMean, pyramid.MethodMean, pyramid.MethodMode, pyramid.MethodMax, pyramid.MethodMin, pyramid.MethodNearest}
)

func randomCase(seed uint64) random {
	rnd := rand.New(rand.NewPCG(seed, 1))
	r := random{seed: seed, missing: math.NaN()}
	rank := 1 + rnd.IntN(5)
	most := []int64{3000, 80, 22, 12, 7}[rank-1]
	r.spec = zarr.ArraySpec{Format: 2 + rnd.IntN(2), DType: types[rnd.IntN(len(types))]}
	for d := range rank {
		n := 1 + rnd.Int64N(most)
		r.spec.Shape = append(r.spec.Shape, n)
		r.spec.Chunks = append(r.spec.Chunks, 1+rnd.Int64N(n))
		if rnd.IntN(2) == 0 {
			r.opt.Axes = append(r.opt.Axes, fmt.Sprint(d))
		}
	}
	if len(r.opt.Axes) == 0 {
		r.opt.Axes = []string{"-1"}
	}
	if rnd.IntN(3) == 0 {
		r.spec.Order = "F"
	}
	if r.spec.Format == 3 && rnd.IntN(3) == 0 {
		for _, c := range r.spec.Chunks {
			r.spec.Shards = append(r.spec.Shards, c*(1+rnd.Int64N(3)))
		}
	}
	r.opt.Method = methods[rnd.IntN(len(methods))]
	if strings.HasPrefix(r.spec.DType, "complex") && r.opt.Method != pyramid.MethodNearest {
		r.opt.Method = pyramid.MethodMean
	}
	r.opt.NoShards = rnd.IntN(2) == 0
	if rnd.IntN(2) == 0 {
		r.opt.Levels = 1 + rnd.IntN(6)
	}
	if rnd.IntN(2) == 0 && !strings.HasPrefix(r.spec.DType, "complex") && r.spec.DType != "bool" {
		r.missing = 3
		r.spec.Attributes = map[string]any{"missing_value": 3}
	}
	r.opt.Memory, r.opt.Workers, r.opt.JournalInterval = 64<<20, 3, -1
	return r
}

func (r *random) make(t *testing.T, h *zarr.Hierarchy) *zarr.Array {
	t.Helper()
	rnd := rand.New(rand.NewPCG(r.seed, 2))
	a, err := h.Create(t.Context(), "from", r.spec)
	if err != nil {
		t.Fatalf("%v: %v", r, err)
	}
	shape := make([]int, len(a.Shape))
	for d, n := range a.Shape {
		shape[d] = int(n)
	}
	b := ndarray.New(shape, a.Type.Size, false)
	for i := range b.Len() {
		setRandom(rnd, b.Data, i, a.Type)
	}
	if err := a.Set(t.Context(), nil, b, zarr.WriteOptions{}); err != nil {
		t.Fatalf("%v: %v", r, err)
	}
	r.values = b.Data
	return a
}

// setRandom sets an element: a small number, or now and then one of the type's extremes or NaN.
func setRandom(rnd *rand.Rand, data []byte, i int, typ *dtype.Type) {
	if typ.Kind == dtype.Complex {
		setRandom(rnd, data, 2*i, typ.Elem)
		setRandom(rnd, data, 2*i+1, typ.Elem)
		return
	}
	n := ndarray.Number(rnd.IntN(6))
	switch domain := ndarray.DomainOf(typ); {
	case domain == ndarray.DomainReal:
		n = ndarray.FloatNumber(float64(rnd.IntN(6)) + float64(rnd.IntN(4))/8)
		switch rnd.IntN(10) {
		case 0:
			n = ndarray.FloatNumber(math.NaN())
		case 1:
			n = ndarray.FloatNumber(3)
		}
	case typ.Kind == dtype.Bool:
		n &= 1
	case rnd.IntN(8) == 0:
		n = ndarray.Number(rnd.Uint64())
	case domain == ndarray.DomainSigned && rnd.IntN(2) == 0:
		n = -n
	}
	ndarray.Store(data, i, typ, n)
}

// reference computes a level from the one before, element by element.
func reference(r *random, typ *dtype.Type, data []byte, shape []int64, halved []bool) ([]byte, []int64) {
	out := slices.Clone(shape)
	for d, half := range halved {
		if half {
			out[d] = (out[d] + 1) / 2
		}
	}
	total := 1
	for _, n := range out {
		total *= int(n)
	}
	result := make([]byte, total*typ.Size)
	at := make([]int64, len(out))
	for n := range total {
		rest := int64(n)
		for d := len(out) - 1; d >= 0; d-- {
			at[d], rest = rest%out[d], rest/out[d]
		}
		var from []int
		var walk func(d int, offset int64)
		walk = func(d int, offset int64) {
			if d == len(shape) {
				from = append(from, int(offset))
				return
			}
			first, last := at[d], at[d]
			if halved[d] {
				first, last = 2*at[d], min(2*at[d]+1, shape[d]-1)
			}
			for i := first; i <= last; i++ {
				walk(d+1, offset*shape[d]+i)
			}
		}
		walk(0, 0)
		copy(result[n*typ.Size:(n+1)*typ.Size], r.one(typ, data, from))
	}
	return result, out
}

// one returns the bytes of an element that is made of others.
func (r *random) one(typ *dtype.Type, data []byte, from []int) []byte {
	element := func(i int) []byte { return data[i*typ.Size : (i+1)*typ.Size] }
	if r.opt.Method == pyramid.MethodNearest {
		return element(from[0])
	}
	if typ.Kind == dtype.Complex {
		var re, im, n float64
		for _, i := range from {
			a, b := ndarray.Load(data, 2*i, typ.Elem).Float(), ndarray.Load(data, 2*i+1, typ.Elem).Float()
			if !math.IsNaN(a) && !math.IsNaN(b) {
				re, im, n = re+a, im+b, n+1
			}
		}
		if n == 0 {
			return element(from[0])
		}
		out := make([]byte, typ.Size)
		ndarray.Store(out, 0, typ.Elem, ndarray.FloatNumber(re/n))
		ndarray.Store(out, 1, typ.Elem, ndarray.FloatNumber(im/n))
		return out
	}
	domain := ndarray.DomainOf(typ)
	exact := func(i int) *big.Rat {
		n := ndarray.Load(data, i, typ)
		switch domain {
		case ndarray.DomainSigned:
			return new(big.Rat).SetInt64(int64(n))
		case ndarray.DomainUnsigned:
			return new(big.Rat).SetUint64(uint64(n))
		}
		return new(big.Rat).SetFloat64(n.Float())
	}
	var valid []int
	for _, i := range from {
		if x := exact(i); x != nil && (math.IsNaN(r.missing) || x.Cmp(new(big.Rat).SetFloat64(r.missing)) != 0) {
			valid = append(valid, i)
		}
	}
	if len(valid) == 0 {
		return element(from[0])
	}
	switch r.opt.Method {
	case pyramid.MethodMax:
		return element(slices.MaxFunc(valid, func(a, b int) int { return exact(a).Cmp(exact(b)) }))
	case pyramid.MethodMin:
		return element(slices.MinFunc(valid, func(a, b int) int { return exact(a).Cmp(exact(b)) }))
	case pyramid.MethodMode:
		best, most := 0, 0
		for _, i := range valid {
			times := 0
			for _, k := range valid {
				if bytes.Equal(element(i), element(k)) {
					times++
				}
			}
			if times > most {
				best, most = i, times
			}
		}
		return element(best)
	}
	out := make([]byte, typ.Size)
	if domain == ndarray.DomainReal {
		sum := 0.0
		for _, i := range valid {
			sum += ndarray.Load(data, i, typ).Float()
		}
		ndarray.Store(out, 0, typ, ndarray.FloatNumber(sum/float64(len(valid))))
		return out
	}
	sum := new(big.Rat)
	for _, i := range valid {
		sum.Add(sum, exact(i))
	}
	sum.Quo(sum, new(big.Rat).SetInt64(int64(len(valid))))
	// Half to even: the floor of the double decides.
	low := new(big.Int).Div(sum.Num(), sum.Denom())
	switch rest := new(big.Rat).Sub(sum, new(big.Rat).SetInt(low)); rest.Cmp(big.NewRat(1, 2)) {
	case 1:
		low.Add(low, big.NewInt(1))
	case 0:
		low.Add(low, new(big.Int).Abs(new(big.Int).Rem(low, big.NewInt(2))))
	}
	bits := low.Uint64()
	if low.Sign() < 0 {
		bits = uint64(low.Int64())
	}
	ndarray.Store(out, 0, typ, ndarray.Number(bits))
	return out
}

// TestLevelsEqualAPlainReference makes levels of random arrays, within the bound of memory.
func TestLevelsEqualAPlainReference(t *testing.T) {
	levels, deep := 0, 0
	for i := range rounds.Each(250) {
		r := randomCase(uint64(i))
		st := memstore.New(nil)
		h := zarr.New(st, writing.Codecs(), zarr.Options{})
		a := r.make(t, h)
		p, err := pyramid.New(t.Context(), a, h, "to", r.opt)
		if err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		stats, err := p.Run(t.Context())
		if err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		if stats.Peak > r.opt.Memory {
			t.Errorf("%v: %d bytes were held", r, stats.Peak)
		}
		halved := make([]bool, len(a.Shape))
		for _, d := range p.Axes {
			halved[d] = true
		}
		want, shape := r.values, a.Shape
		again := zarr.New(st, writing.Codecs(), zarr.Options{})
		for k, l := range p.Levels {
			if k > 0 {
				want, shape = reference(&r, a.Type, want, shape, halved)
			}
			level, err := again.OpenArray(t.Context(), store.Join("to", l.Path))
			if err != nil {
				t.Fatalf("%v: level %d: %v", r, k, err)
			}
			got, err := level.Read(t.Context(), nil, zarr.ReadOptions{})
			if err != nil {
				t.Fatalf("%v: level %d: %v", r, k, err)
			}
			if !slices.Equal(level.Shape, shape) || !bytes.Equal(got.Data, want) {
				for i := 0; i < len(want); i += a.Type.Size {
					if !bytes.Equal(got.Data[i:i+a.Type.Size], want[i:i+a.Type.Size]) {
						t.Fatalf("%v: level %d of %v: element %d is %x, want %x", r, k, p.Levels, i/a.Type.Size, got.Data[i:i+a.Type.Size], want[i:i+a.Type.Size])
					}
				}
				t.Fatalf("%v: level %d: shape %v, want %v", r, k, level.Shape, shape)
			}
			levels++
		}
		deep = max(deep, len(p.Levels))
	}
	t.Logf("%d levels, at most %d of one array", levels, deep)
}

// TestKilledPyramidsContinueToEqualObjects kills random pyramids after random numbers of writes.
// The last run's objects are those of a pyramid that was never killed.
func TestKilledPyramidsContinueToEqualObjects(t *testing.T) {
	resumed := int64(0)
	for i := range rounds.Each(60) {
		seed := uint64(i)
		r := randomCase(seed)
		if seed%2 == 0 {
			r.opt.OME = len(r.spec.Shape) > 1
		}
		a := r.make(t, zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{}))
		run := func(st *killed.Store) (units.Stats, error) {
			p, err := pyramid.New(t.Context(), a, zarr.New(st, writing.Codecs(), zarr.Options{}), "to", r.opt)
			if err != nil {
				return units.Stats{}, err
			}
			return p.Run(t.Context())
		}
		whole := killed.New(nil, 1<<30)
		if _, err := run(whole); err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		rnd := rand.New(rand.NewPCG(seed, 3))
		objects := map[string][]byte{}
		for kills := 0; ; kills++ {
			st := killed.New(objects, 1+rnd.IntN(20+2*kills))
			stats, err := run(st)
			resumed += stats.Resumed
			if objects = st.Objects(); err == nil {
				break
			}
			if !errors.Is(err, killed.ErrKilled) {
				t.Fatalf("%v: %v", r, err)
			}
		}
		want := whole.Objects()
		for name, b := range want {
			if !bytes.Equal(b, objects[name]) {
				t.Fatalf("%v: %s is %.100q, want %.100q", r, name, objects[name], b)
			}
		}
		if len(objects) != len(want) {
			t.Fatalf("%v: %d objects, want %d", r, len(objects), len(want))
		}
	}
	if resumed == 0 {
		t.Error("no unit was skipped")
	}
}

// counted counts the reads of objects.
type counted struct {
	*memstore.Store
	mu    sync.Mutex
	reads map[string]int
}

func (c *counted) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	c.mu.Lock()
	c.reads[name]++
	c.mu.Unlock()
	return c.Store.Read(ctx, name, ask)
}

// TestEachSourceChunkIsReadOnceForAllLevels counts the reads of an image's chunks, without caches.
func TestEachSourceChunkIsReadOnceForAllLevels(t *testing.T) {
	for _, chunks := range [][]int64{{1, 32, 32}, {1, 25, 31}, {2, 64, 16}} {
		st := &counted{Store: memstore.New(nil), reads: map[string]int{}}
		h := zarr.New(st, writing.Codecs(), zarr.Options{Cache: zarr.CacheOptions{Encoded: -1, Decoded: -1}})
		r := random{spec: zarr.ArraySpec{Format: 3, Shape: []int64{3, 500, 410}, Chunks: chunks, DType: "uint16"}}
		a := r.make(t, h)
		clear(st.reads)
		other := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
		p := must.Get(pyramid.New(t.Context(), a, other, "", pyramid.Options{OME: true}))(t)
		must.Get(p.Run(t.Context()))(t)
		seen := 0
		for name, n := range st.reads {
			if strings.HasPrefix(name, "from/c/") {
				if seen++; n != 1 {
					t.Errorf("chunks %v: %s was read %d times", chunks, name, n)
				}
			}
		}
		if total, _ := a.Grid.Total(); int64(seen) != total || len(p.Levels) < 4 {
			t.Errorf("chunks %v: %d of %d chunks were read for %d levels", chunks, seen, total, len(p.Levels))
		}
	}
}

// TestImagesAreValid makes images of both versions, in place and of arrays, and opens them.
func TestImagesAreValid(t *testing.T) {
	for _, format := range []int{2, 3} {
		for _, inPlace := range []bool{false, true} {
			st := memstore.New(nil)
			h := zarr.New(st, writing.Codecs(), zarr.Options{})
			r := random{spec: zarr.ArraySpec{Format: format, Shape: []int64{2, 5, 100, 91}, Chunks: []int64{1, 1, 20, 20}, DType: "uint8"}}
			a := r.make(t, h)
			p, err := pyramid.New(t.Context(), a, h, "image", pyramid.Options{OME: true, Levels: map[bool]int{true: 1, false: 0}[inPlace]})
			if err != nil {
				t.Fatal(err)
			}
			must.Get(p.Run(t.Context()))(t)
			g := must.Get(h.OpenGroup(t.Context(), "image"))(t)
			if inPlace {
				if p, err = pyramid.New(t.Context(), g, nil, "", pyramid.Options{}); err == nil {
					_, err = p.Run(t.Context())
				}
				if err != nil {
					t.Fatal(err)
				}
				if g, err = h.OpenGroup(t.Context(), "image"); err != nil {
					t.Fatal(err)
				}
			}
			report, err := ome.ValidateImage(t.Context(), g, "")
			if err != nil || !report.Valid {
				t.Fatalf("version %d: %v, %+v", format, err, report)
			}
			image, err := ome.OpenImage(t.Context(), g, ome.ImageOptions{})
			if err != nil || len(image.Levels) != 4 || image.Version != map[int]ome.Version{2: "0.4", 3: "0.5"}[format] {
				t.Fatalf("version %d: %d levels of version %s: %v", format, len(image.Levels), image.Version, err)
			}
			last := image.Levels[3]
			if !slices.Equal(last.Scale, []float64{1, 1, 8, 8}) || !slices.Equal(last.Translation, []float64{0, 0, 3.5, 3.5}) {
				t.Errorf("%v, %v", last.Scale, last.Translation)
			}
			if level, err := last.Array(t.Context()); err != nil || !slices.Equal(level.Shape, []int64{2, 5, 13, 12}) {
				t.Errorf("%v", err)
			}
		}
	}
}

// TestGridsFollowTheMultiscalesConvention reads a pyramid of a grid with a transform.
func TestGridsFollowTheMultiscalesConvention(t *testing.T) {
	h := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
	r := random{spec: zarr.ArraySpec{
		Format: 3, Shape: []int64{90, 180}, Chunks: []int64{20, 20}, DType: "int16", DimensionNames: []string{"y", "x"},
		Attributes: map[string]any{"spatial:transform": []any{2.0, 0.0, -180.0, 0.0, -2.0, 90.0}, "spatial:dimensions": []string{"y", "x"}, "zarr_conventions": []any{map[string]any{"uuid": geo.SpatialUUID, "name": "spatial:"}}, "scale_factor": -0.5, "_FillValue": -9},
	}}
	a := r.make(t, h)
	p, err := pyramid.New(t.Context(), a, h, "to", pyramid.Options{})
	if err == nil {
		_, err = p.Run(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	g := must.Get(h.OpenGroup(t.Context(), "to"))(t)
	found, err := geo.OpenPyramid(t.Context(), g)
	if err != nil || len(found.Problems) > 0 || len(found.Levels) != len(p.Levels) {
		t.Fatalf("%v, %+v", err, found)
	}
	for k, l := range found.Levels {
		size := 2 * math.Pow(2, float64(k))
		if l.PixelSize == nil || l.PixelSize[0] != size || l.Transform[2] != -180 || l.Transform[5] != 90 || !slices.Equal(l.Shape[:], p.Levels[k].Shape) {
			t.Errorf("level %d: %+v", k, l)
		}
	}
	if violations := geo.Validate(g.Metadata().Attributes, g); len(violations) > 0 {
		t.Errorf("%+v", violations)
	}
}

// TestMeansWeighByArea compares a weighted mean with the sum over cells.
func TestMeansWeighByArea(t *testing.T) {
	h := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
	lat := []float64{80, 60, 40, 20, 0}
	spec := zarr.ArraySpec{Shape: []int64{5}, DType: "float64", DimensionNames: []string{"lat"}}
	c, err := h.Create(t.Context(), "g/lat", spec)
	if err == nil {
		err = c.Set(t.Context(), nil, lat, zarr.WriteOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	a, err := h.Create(t.Context(), "g/v", zarr.ArraySpec{Shape: []int64{5, 2}, Chunks: []int64{1, 1}, DType: "float64", DimensionNames: []string{"lat", "lon"}})
	values := []float64{1, 2, 3, 4, 5, math.NaN(), 7, 8, 9, 10}
	if err == nil {
		err = a.Set(t.Context(), nil, values, zarr.WriteOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := pyramid.New(t.Context(), a, h, "to", pyramid.Options{Area: true, Levels: 3})
	if err == nil {
		_, err = p.Run(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	level := must.Get(h.OpenArray(t.Context(), "to/1"))(t)
	res := must.Get(level.Read(t.Context(), nil, zarr.ReadOptions{}))(t)
	cos := func(i int) float64 { return math.Cos(lat[i] * math.Pi / 180) }
	want := []float64{
		(cos(0)*3 + cos(1)*7) / (2*cos(0) + 2*cos(1)),
		(cos(2)*5 + cos(3)*15) / (cos(2) + 2*cos(3)),
		9.5,
	}
	for i, w := range want {
		if got := ndarray.Load(res.Data, i, level.Type).Float(); math.Abs(got-w) > 1e-12 {
			t.Errorf("row %d: %v, want %v", i, got, w)
		}
	}
}

// TestExtremesAreThoseOfUnpackedValues packs with a negative scale.
func TestExtremesAreThoseOfUnpackedValues(t *testing.T) {
	h := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
	a, err := h.Create(t.Context(), "a", zarr.ArraySpec{Shape: []int64{2, 2}, DType: "int8", Attributes: map[string]any{"scale_factor": -2.0, "valid_min": -5}})
	if err == nil {
		err = a.Set(t.Context(), nil, []int8{-9, 7, -4, 2}, zarr.WriteOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	for method, want := range map[pyramid.Method]int8{pyramid.MethodMax: -4, pyramid.MethodMin: 7, pyramid.MethodMean: 2} {
		p, err := pyramid.New(t.Context(), a, h, "to", pyramid.Options{Method: method, Levels: 2, IfExists: zarr.IfExistsReplace})
		if err == nil {
			_, err = p.Run(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		level := must.Get(h.OpenArray(t.Context(), "to/1"))(t)
		res, err := level.Read(t.Context(), nil, zarr.ReadOptions{})
		if err != nil || int8(res.Data[0]) != want {
			t.Errorf("%s: %v, want %d: %v", method, res.Data, want, err)
		}
	}
}

// TestDatasetsHaveGroupsOfAllVariables makes levels of a dataset. They equal the levels of each
// array alone; coordinates are means, and arrays without a halved dimension are copies.
func TestDatasetsHaveGroupsOfAllVariables(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := memstore.New(nil)
		h := zarr.New(st, writing.Codecs(), zarr.Options{})
		g := must.Get(h.CreateGroup(t.Context(), "in", zarr.GroupSpec{Format: format, Attributes: map[string]any{"title": "a dataset"}}))(t)
		variable := func(name, dtype string, values any, dims []string, shape ...int64) {
			chunks := slices.Clone(shape)
			for d := range chunks {
				chunks[d] = min(chunks[d], 10)
			}
			a, err := h.Create(t.Context(), "in/"+name, zarr.ArraySpec{Shape: shape, Chunks: chunks, DType: dtype, DimensionNames: dims, Fill: zarr.NoFill})
			if err == nil {
				err = a.Set(t.Context(), nil, values, zarr.WriteOptions{})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		lat, lon, v := make([]float64, 30), make([]float64, 41), make([]float32, 3*30*41)
		for i := range lat {
			lat[i] = 87 - 6*float64(i)
		}
		for i := range lon {
			lon[i] = 8 * float64(i)
		}
		rnd := rand.New(rand.NewPCG(uint64(format), 9))
		for i := range v {
			if v[i] = float32(rnd.IntN(100)); rnd.IntN(9) == 0 {
				v[i] = float32(math.NaN())
			}
		}
		variable("lat", "float64", lat, []string{"lat"}, 30)
		variable("lon", "float64", lon, []string{"lon"}, 41)
		variable("time", "int64", []int64{5, 6, 7}, []string{"time"}, 3)
		variable("v", "float32", v, []string{"time", "lat", "lon"}, 3, 30, 41)
		p, err := pyramid.New(t.Context(), g, h, "out", pyramid.Options{})
		if err == nil {
			_, err = p.Run(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Levels) != 4 {
			t.Errorf("%v", p.Levels)
		}
		one := must.Get(h.OpenArray(t.Context(), "in/v"))(t)
		alone, err := pyramid.New(t.Context(), one, h, "alone", pyramid.Options{})
		if err == nil {
			_, err = alone.Run(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		elements := func(path string) []byte {
			a := must.Get(h.OpenArray(t.Context(), path))(t)
			return must.Get(a.Read(t.Context(), nil, zarr.ReadOptions{}))(t).Data
		}
		for k := range p.Levels {
			if !bytes.Equal(elements(fmt.Sprintf("out/%d/v", k)), elements(fmt.Sprintf("alone/%d", k))) {
				t.Errorf("level %d has other elements than that of the array alone", k)
			}
			if !bytes.Equal(elements(fmt.Sprintf("out/%d/time", k)), elements("in/time")) {
				t.Errorf("level %d has other times", k)
			}
		}
		level := must.Get(h.OpenArray(t.Context(), "out/1/lat"))(t)
		if got := ndarray.Load(elements("out/1/lat"), 0, level.Type).Float(); got != 84 {
			t.Errorf("the first latitude is %v", got)
		}
		out := must.Get(h.OpenGroup(t.Context(), "out"))(t)
		found, err := geo.OpenPyramid(t.Context(), out)
		if err != nil || len(found.Problems) > 0 || len(found.Levels) != 4 {
			t.Errorf("%v, %d levels, %+v", err, len(found.Levels), found.Problems)
		}
		if violations := geo.Validate(out.Metadata().Attributes, out); len(violations) > 0 {
			t.Errorf("%+v", violations)
		}
		if title, _ := out.Metadata().Attributes.Get("title").Text(); title != "a dataset" {
			t.Errorf("the title is %q", title)
		}
	}
}
