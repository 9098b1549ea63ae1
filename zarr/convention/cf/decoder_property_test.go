package cf_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/chaos/spent"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

func numberType(kind dtype.Kind, size int) *dtype.Type {
	name := map[dtype.Kind]string{dtype.Int: "int", dtype.Uint: "uint", dtype.Float: "float"}[kind] + strconv.Itoa(8*size)
	return &dtype.Type{Kind: kind, Name: name, Size: size}
}

// TestDecodeIsElementwise decodes regions of every length around a batch, and each element alone.
// Both must agree.
func TestDecodeIsElementwise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	types := []*dtype.Type{
		numberType(dtype.Int, 1), numberType(dtype.Int, 2), numberType(dtype.Int, 4), numberType(dtype.Int, 8), numberType(dtype.Uint, 1),
		numberType(dtype.Uint, 2), numberType(dtype.Uint, 4), numberType(dtype.Uint, 8), numberType(dtype.Float, 2), numberType(dtype.Float, 4), numberType(dtype.Float, 8),
	}
	for _, typ := range types {
		for _, text := range []string{
			`{"_FillValue": 3}`, `{"missing_value": [3, 5, -7]}`, `{"scale_factor": 0.5}`, `{"add_offset": -2.5, "_FillValue": 5}`,
			`{"scale_factor": 0.1, "add_offset": 7, "missing_value": 1, "valid_range": [-5, 100]}`, `{}`, `{"valid_min": 3}`,
		} {
			d := must.Get(cf.NewDecoder(attrs(t, text), typ, nil, 3, cf.Options{ValidRange: true}))(t)
			for _, n := range []int{0, 1, ndarray.Batch - 1, ndarray.Batch, 3*ndarray.Batch + 17} {
				src := make([]byte, n*typ.Size)
				for i := range n {
					v := ndarray.FloatNumber(float64(rng.IntN(16) - 8))
					if rng.IntN(20) == 0 && typ.Kind == dtype.Float {
						v = ndarray.FloatNumber(math.NaN())
					}
					ndarray.Store(src, i, typ, ndarray.Convert(v, ndarray.DomainReal, ndarray.DomainOf(typ)))
				}
				dst := make([]byte, n*d.Type.Size)
				counts := must.Get(d.Decode(dst, src))(t)
				var sum cf.Counts
				for i := range n {
					one := make([]byte, d.Type.Size)
					c, err := d.Decode(one, src[i*typ.Size:(i+1)*typ.Size])
					if err != nil || string(one) != string(dst[i*d.Type.Size:(i+1)*d.Type.Size]) {
						t.Fatalf("%s %s: element %d of %d differs, %v", typ.Name, text, i, n, err)
					}
					sum.Masked += c.Masked
					sum.Missing += c.Missing
				}
				if sum != counts {
					t.Fatalf("%s %s: %v, one by one %v", typ.Name, text, counts, sum)
				}
			}
		}
	}
}

// TestDecodeAllocatesNothing: the caller owns the memory of a large region.
func TestDecodeAllocatesNothing(t *testing.T) {
	typ := numberType(dtype.Int, 2)
	d := must.Get(cf.NewDecoder(attrs(t, `{"_FillValue": -1, "scale_factor": 0.1, "add_offset": 1}`), typ, nil, 3, cf.Options{}))(t)
	src, dst := make([]byte, 2<<16), make([]byte, 8<<16)
	if n := testing.AllocsPerRun(10, func() { _, _ = d.Decode(dst, src) }); n > 8 {
		t.Errorf("%v allocations for 65,536 elements", n)
	}
}

// TestDecodeRefusesWrongLengths: Decode never reads or writes beyond its arguments.
func TestDecodeRefusesWrongLengths(t *testing.T) {
	d := must.Get(cf.NewDecoder(attrs(t, `{"scale_factor": 2.5}`), numberType(dtype.Int, 2), nil, 3, cf.Options{}))(t)
	for _, lengths := range [][2]int{{8, 1}, {8, 3}, {8, 4}, {0, 2}, {9, 2}} {
		var e *cf.Error
		if _, err := d.Decode(make([]byte, lengths[0]), make([]byte, lengths[1])); !errors.As(err, &e) {
			t.Errorf("%v: %v", lengths, err)
		}
	}
	if _, err := d.Times(make([]byte, 4)); err == nil {
		t.Error("a variable without units has times")
	}
	if _, err := d.Texts(make([]byte, 4), []int{2}); err == nil {
		t.Error("numbers are texts")
	}
}

// TestManyMissingValues: each element is looked up once, for any number of missing values.
func TestManyMissingValues(t *testing.T) {
	list := make([]byte, 0, 1<<21)
	for i := range 200_000 {
		list = append(strconv.AppendInt(list, int64(2*i), 10), ',')
	}
	text := `{"missing_value": [` + string(list[:len(list)-1]) + `], "_FillValue": 3}`
	const n = 1 << 16
	for _, typ := range []*dtype.Type{numberType(dtype.Int, 4), numberType(dtype.Int, 8), numberType(dtype.Float, 8)} {
		d := must.Get(cf.NewDecoder(attrs(t, text), typ, nil, 3, cf.Options{}))(t)
		src := make([]byte, n*typ.Size)
		for i := range n {
			ndarray.Store(src, i, typ, ndarray.Convert(ndarray.Number(i), ndarray.DomainSigned, ndarray.DomainOf(typ)))
		}
		began := spent.Start()
		counts, err := d.Decode(make([]byte, n*d.Type.Size), src)
		if took := began.Took(); err != nil || counts.Masked != n/2+1 || took > spent.Most {
			t.Errorf("%s: %v, %v, %v", typ.Name, counts, err, took)
		}
	}
}

// FuzzDecoder reads and decodes arbitrary attributes without a panic.
func FuzzDecoder(f *testing.F) {
	f.Add(`{"units":"days since 2000-01-01","calendar":"noleap","_FillValue":1e400,"missing_value":[null,[],"x"]}`, uint8(0))
	f.Add(`{"scale_factor":1e-300,"add_offset":-1e308,"valid_range":[5,-5],"_Unsigned":"true"}`, uint8(3))
	f.Add(`{"flag_meanings":"a b c","flag_masks":[1,2,4],"flag_values":[1,2,99999999999999999999]}`, uint8(7))
	f.Add(`{"units":"hours","dtype":"timedelta64[ns]","_FillValue":"AAAAAAAA+H8="}`, uint8(10))
	f.Add(`{"_FillValue":[[1,2],[3]],"dtype":"bool","_Encoding":{"a":1}}`, uint8(12))
	types := []*dtype.Type{
		numberType(dtype.Int, 1), numberType(dtype.Int, 2), numberType(dtype.Int, 4), numberType(dtype.Int, 8), numberType(dtype.Uint, 1), numberType(dtype.Uint, 2),
		numberType(dtype.Uint, 4), numberType(dtype.Uint, 8), numberType(dtype.Float, 2), numberType(dtype.Float, 4), numberType(dtype.Float, 8),
		{Kind: dtype.Complex, Name: "complex64", Size: 8, Elem: numberType(dtype.Float, 4)}, {Kind: dtype.Char, Name: "S1", Size: 1},
		{Kind: dtype.Char, Name: "S4", Size: 4}, {Kind: dtype.Bool, Name: "bool", Size: 1}, {Kind: dtype.DateTime, Name: "numpy.datetime64", Size: 8, Unit: "s", Scale: 1},
	}
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		v, err := jsonOf(text)
		if err != nil {
			return
		}
		typ := types[int(which)%len(types)]
		src := make([]byte, 4*typ.Size)
		for i := range src {
			src[i] = byte(i * 37)
		}
		for _, format := range []int{2, 3} {
			d, err := cf.NewDecoder(v, typ, src[:typ.Size], format, cf.Options{ValidRange: true, DecodeTimedelta: which&16 != 0, Float32: which&32 != 0})
			if err != nil {
				continue
			}
			switch d.Form {
			case cf.Text:
				must.Get(d.Texts(src, []int{4}))(t)
			case cf.Time, cf.Timedelta:
				times := must.Get(d.Times(src))(t)
				for i := range times.Len() {
					_, _, _ = times.Date(i)
					_, _ = times.Microseconds(i)
				}
			default:
				must.Get(d.Decode(make([]byte, 4*d.Type.Size), src))(t)
			}
			if d.Flags != nil {
				d.Flags.Of(5)
			}
		}
	})
}

// FuzzUnits reads arbitrary units, calendars and labels without a panic, with consistent results.
func FuzzUnits(f *testing.F) {
	f.Add("days since 1582-10-15 00:00:00.9999999 +1:00", "standard", 1.5)
	f.Add("months since -0001-12", "360_day", -1e300)
	f.Add("ns since 999999999999-12-31", "365_day", 1e15)
	f.Add("seconds since 20000101T235959.9999999Z", "julian", 1e-320)
	f.Fuzz(func(t *testing.T, units, calendar string, value float64) {
		if _, _, err := cf.ParsePartial(units, cf.Standard); err != nil && err.Error() == "" {
			t.Error("an error without a message")
		}
		u, err := cf.ParseUnits(units, calendar)
		if err != nil {
			return
		}
		date, err := u.Date(value)
		if err != nil {
			return
		}
		if !date.Valid() {
			t.Fatalf("%v %v is %v", value, u, date)
		}
		must.Get(u.Value(date))(t)
		first, last, err := cf.ParsePartial(date.String(), u.Calendar)
		if err != nil || first != date || last.Compare(first) < 0 {
			t.Fatalf("%v reads as %v to %v, %v", date, first, last, err)
		}
		_, _ = date.Time()
		_, _ = date.Micros()
		_ = date.DayOfYear()
	})
}

func ExampleDecoder() {
	packed := &dtype.Type{Kind: dtype.Int, Name: "int16", Size: 2}
	attributes, _ := jsonOf(`{"scale_factor": 0.5, "add_offset": 10, "_FillValue": -1, "units": "K"}`)
	d, err := cf.NewDecoder(attributes, packed, nil, 3, cf.Options{})
	if err != nil {
		panic(err)
	}
	dst := make([]byte, 3*d.Type.Size)
	counts, err := d.Decode(dst, []byte{4, 0, 255, 255, 6, 0})
	if err != nil {
		panic(err)
	}
	for i := range 3 {
		fmt.Println(ndarray.Load(dst, i, d.Type).Float())
	}
	fmt.Println(d.Type.Name, counts.Masked, d.Applied)
	// Output:
	// 12
	// NaN
	// 13
	// float64 1 [_FillValue scale_factor add_offset]
}
