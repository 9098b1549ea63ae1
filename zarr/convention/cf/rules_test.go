package cf_test

import (
	stdjson "encoding/json"
	"errors"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/conventions/golden"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// TestRules reads the table of rules that tests/conventions/cf.mjs also reads. Both languages give
// the same values and report the same problems.
func TestRules(t *testing.T) {
	text := must.Get(os.ReadFile("../../../tests/conventions/cfrules.json"))(t)
	var rules []rule
	golden.Decode(t, text, &rules)
	if len(rules) < 80 {
		t.Fatalf("only %d rules", len(rules))
	}
	for _, r := range rules {
		t.Run(r.Type+" "+r.Attributes, func(t *testing.T) { r.test(t) })
	}
}

type rule struct {
	Type, Attributes string
	Raw              []stdjson.RawMessage
	Format           *int
	Fill             *float64
	Options          struct {
		MaskAndScale, DecodeTimes, UseZarrFillValueAsMask *bool
		ValidRange, DecodeTimedelta                       bool
		DType                                             string
	}
	Error, DType            string
	Values                  []any
	Masked, Missing         int64
	Applied, Problems, Left []string
	Flags                   [][]string
}

func (r rule) test(t *testing.T) {
	kind := map[string]dtype.Kind{"i": dtype.Int, "u": dtype.Uint, "f": dtype.Float}[r.Type[:1]]
	bits, _ := strconv.Atoi(strings.TrimLeft(r.Type, "uintfloa"))
	typ := numberType(kind, bits/8)
	number := func(n string) ndarray.Number {
		text := strings.Trim(n, `"`)
		switch f, _ := strconv.ParseFloat(text, 64); kind {
		case dtype.Float:
			return ndarray.FloatNumber(f)
		case dtype.Uint:
			u, _ := strconv.ParseUint(text, 10, 64)
			return ndarray.Number(u)
		}
		i, _ := strconv.ParseInt(text, 10, 64)
		return ndarray.Number(i)
	}
	src := make([]byte, len(r.Raw)*typ.Size)
	for i, n := range r.Raw {
		ndarray.Store(src, i, typ, number(string(n)))
	}
	var fill []byte
	if r.Fill != nil {
		fill = make([]byte, typ.Size)
		ndarray.Store(fill, 0, typ, number(strconv.FormatFloat(*r.Fill, 'g', -1, 64)))
	}
	format := 3
	if r.Format != nil {
		format = *r.Format
	}
	no := func(b *bool) bool { return b != nil && !*b }
	opt := cf.Options{
		NoMaskAndScale: no(r.Options.MaskAndScale), NoDecodeTimes: no(r.Options.DecodeTimes), DecodeTimedelta: r.Options.DecodeTimedelta,
		ValidRange: r.Options.ValidRange, Float32: r.Options.DType == "float32",
	}
	if use := r.Options.UseZarrFillValueAsMask; use != nil {
		opt.ZarrFillValueAsMask = cf.FillMaskNever
		if *use {
			opt.ZarrFillValueAsMask = cf.FillMaskAlways
		}
	}
	d, err := cf.NewDecoder(attrs(t, r.Attributes), typ, fill, format, opt)
	if r.Error != "" {
		var e *cf.Error
		if !errors.As(err, &e) || err.Error() != r.Error {
			t.Errorf("%v, expected %s", err, r.Error)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, m := range d.Attributes {
		left = append(left, m.Name)
	}
	same(t, "applied", d.Applied, r.Applied)
	same(t, "problems", d.Problems, r.Problems)
	same(t, "attributes", left, r.Left)
	name, values, counts := decoded(t, d, src, len(r.Raw))
	if name != r.DType || !reflect.DeepEqual(values, r.Values) || counts != (cf.Counts{Masked: r.Masked, Missing: r.Missing}) {
		t.Errorf("%s %v %+v, expected %s %v, %d masked, %d missing", name, values, counts, r.DType, r.Values, r.Masked, r.Missing)
	}
	for i, meanings := range r.Flags {
		same(t, "flags", d.Flags.OfElement(src, i, typ), meanings)
	}
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %q, expected %q", what, got, want)
	}
}

// decoded returns values in the table's form.
func decoded(t *testing.T, d *cf.Decoder, src []byte, n int) (string, []any, cf.Counts) {
	if d.Form == cf.Time || d.Form == cf.Timedelta {
		times := must.Get(d.Times(src))(t)
		values := make([]any, times.Len())
		for i := range values {
			if micros, ok := times.Microseconds(i); ok {
				values[i] = strconv.FormatInt(micros, 10)
			} else if date, ok, _ := times.Date(i); ok {
				values[i] = date.String()
			}
		}
		return map[cf.Form]string{cf.Time: "time", cf.Timedelta: "timedelta"}[d.Form], values, times.Counts
	}
	dst := make([]byte, n*d.Type.Size)
	counts := must.Get(d.Decode(dst, src))(t)
	values := numbers(dst, d.Type)
	return d.Type.Name, values, counts
}
