package object

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

var (
	objects = &dtype.Type{Kind: dtype.Object, Name: "O"}
	texts   = &dtype.Type{Kind: dtype.String, Name: "string"}
)

// newCodec makes the codec that has the id.
func newCodec(t testing.TB, id, config string, b codec.Build) any {
	t.Helper()
	v := codectest.JSON(t, config)
	for _, e := range Codecs() {
		for _, have := range e.IDs {
			if have != id {
				continue
			}
			return must.Get(e.New(v, b))(t)
		}
	}
	t.Fatalf("no codec %s", id)
	return nil
}

func run(t testing.TB, id string, typ *dtype.Type, lim codec.Limits, src string, shape ...int) ([]string, error) {
	t.Helper()
	a := codec.Array{Shape: shape, Type: typ}
	c := newCodec(t, id, "{}", codec.Build{Format: 2, Array: a, Limits: lim}).(codec.ArrayToBytes)
	must.Do(t, c.Check(a))
	dst := ndarray.New(shape, typ.Size, true)
	for i := range dst.Items {
		dst.Items[i] = []byte("untouched")
	}
	err := c.Decode(codec.NewEnv(context.Background(), lim), a, dst, []byte(src))
	return show(dst.Items), err
}

// show makes elements comparable; a missing one is "<nil>".
func show(items [][]byte) []string {
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = string(item)
		if item == nil {
			out[i] = "<nil>"
		}
	}
	return out
}

func same(a, b []string) bool { return strings.Join(a, "\x00") == strings.Join(b, "\x00") }

func TestJSON(t *testing.T) {
	for _, c := range []struct {
		name, src string
		shape     []int
		want      []string
	}{
		{"values", `[{"a": [1, null]},"x",1.50,null,true,"|O",[5]]`, []int{5}, []string{`{"a": [1, null]}`, `"x"`, "1.50", "<nil>", "true"}},
		{"white space", " [ 1 ,\n\t{ } , \"|O\" , [ 2 ] ] ", []int{2}, []string{"1", "{ }"}},
		{"bare literals", `[NaN,-Infinity,[Infinity],"|O",[3]]`, []int{3}, []string{"NaN", "-Infinity", "[Infinity]"}},
		{"brackets and quotes in texts", `["]\"[","\\","|O",[2]]`, []int{2}, []string{`"]\"["`, `"\\"`}},
		{"two dimensions", `[[1,2,3],[4,[5],null],"|O",[2,3]]`, []int{2, 3}, []string{"1", "2", "3", "4", "[5]", "<nil>"}},
		{"the shape of its own", `[[1,2,3],[4,5,6],"|O",[2,3]]`, []int{3, 2}, []string{"1", "2", "3", "4", "5", "6"}},
		{"no dimension", `[{"a":1},"|O",[]]`, []int{}, []string{`{"a":1}`}},
		{"no elements", `["|O",[0]]`, []int{0}, nil},
		{"elements like a shape", `["|O",[2],"|O",[2]]`, []int{2}, []string{`"|O"`, "[2]"}},
		{"without a shape", `[1,[2],"|O"]`, []int{2}, []string{"1", "[2]"}},
		{"nested without a shape", `[[1,2],[3,4],"|O"]`, []int{2, 2}, []string{"1", "2", "3", "4"}},
		{"byte order mark", "\xef\xbb\xbf[1,\"|O\",[1]]", []int{1}, []string{"1"}},
	} {
		got, err := run(t, "json2", objects, codec.Limits{}, c.src, c.shape...)
		if err != nil || !same(got, c.want) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

// TestManyElements has very many elements, which cost no memory each beyond the list of them.
func TestManyElements(t *testing.T) {
	const n = 100_000
	src := "[" + strings.Repeat(`"",`, n-2) + "\xef\xbb\xbf" + `null,null,"|O",[` + strconv.Itoa(n) + "]]"
	a := codec.Array{Shape: []int{n}, Type: objects}
	c := newCodec(t, "json2", "{}", codec.Build{Format: 2, Array: a}).(codec.ArrayToBytes)
	dst := ndarray.New(a.Shape, 0, true)
	allocs := testing.AllocsPerRun(1, func() {
		if err := c.Decode(codec.NewEnv(t.Context(), codec.Limits{}), a, dst, []byte(src)); err != nil {
			t.Error(err)
		}
	})
	if allocs > 200 {
		t.Errorf("%v allocations", allocs)
	}
	if string(dst.Items[0]) != `""` || string(dst.Items[n-3]) != `""` || dst.Items[n-2] != nil || dst.Items[n-1] != nil {
		t.Errorf("%s %s %s", dst.Items[0], dst.Items[n-2], dst.Items[n-1])
	}
}

func TestMsgpack(t *testing.T) {
	const tail = "\xa2|O"
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		name, src string
		shape     []int
		want      []string
	}{
		{"integers", "\x9b\x00\x7f\xff\xe0\xcc\xff\xcd\x01\x00\xd0\x80\xd1\x80\x00\xcf\xff\xff\xff\xff\xff\xff\xff\xff" + tail + "\x91\x09", []int{9},
			[]string{"0", "127", "-1", "-32", "255", "256", "-128", "-32768", "18446744073709551615"}},
		{"more integers", "\x95\xce\xff\xff\xff\xff\xd2\x80\x00\x00\x00\xd3\x80\x00\x00\x00\x00\x00\x00\x00" + tail + "\x91\x03", []int{3},
			[]string{"4294967295", "-2147483648", "-9223372036854775808"}},
		{"floats", "\x97\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00\xca\x3f\x80\x00\x00\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00\xca\xff\x80\x00\x00\xcb\x44\xb5\x2d\x02\xc7\xe1\x4a\xf6" + tail + "\x91\x05", []int{5},
			[]string{"1.5", "1.0", "NaN", "-Infinity", "1e+23"}},
		{"words", "\x95\xc0\xc2\xc3" + tail + "\x91\x03", []int{3}, []string{"<nil>", "false", "true"}},
		{"texts", "\x95\xa0\xa3a\"\n\xd9\x02\xc3\xa9" + tail + "\x91\x03", []int{3}, []string{`""`, `"a\"\u000a"`, `"é"`}},
		{"a long text", "\x93\xda\x01\x2c" + long + tail + "\x91\x01", []int{1}, []string{`"` + long + `"`}},
		{"bytes", "\x94\xc4\x00\xc5\x00\x02\xde\x0a" + tail + "\x91\x02", []int{2}, []string{`{"hex":""}`, `{"hex":"de0a"}`}},
		{"lists and maps", "\x95\x92\x01\x90\x82\xa1a\x91\xc0\xa1b\x80\xdc\x00\x01\xc0" + tail + "\x91\x03", []int{3}, []string{"[1,[]]", `{"a":[null],"b":{}}`, "[null]"}},
		{"keys that are not texts", "\x93\x84\x01\xa1a\xc3\xa1b\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00\xa1c\xc4\x01k\xa1d" + tail + "\x91\x01", []int{1}, []string{`{"1":"a","true":"b","1.5":"c","k":"d"}`}},
		{"two dimensions", "\x94\x92\x01\x02\x92\x03\xc0" + tail + "\x92\x02\x02", []int{2, 2}, []string{"1", "2", "3", "<nil>"}},
		{"no dimension", "\x93\x05" + tail + "\x90", []int{}, []string{"5"}},
		{"no elements", "\x92" + tail + "\x91\x00", []int{0}, nil},
		{"without a shape", "\x93\x01\x91\x02" + tail, []int{2}, []string{"1", "[2]"}},
		{"the type as bytes", "\x93\x01\xc4\x02|O\x91\x01", []int{1}, []string{"1"}},
	} {
		got, err := run(t, "msgpack2", objects, codec.Limits{}, c.src, c.shape...)
		if err != nil || !same(got, c.want) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

// TestMsgpackRaw decodes texts with raw: true, for which Python returns bytes.
func TestMsgpackRaw(t *testing.T) {
	a := codec.Array{Shape: []int{1}, Type: objects}
	c := newCodec(t, "msgpack2", `{"raw":true}`, codec.Build{Format: 2, Array: a}).(codec.ArrayToBytes)
	dst := ndarray.New(a.Shape, 0, true)
	err := c.Decode(nil, a, dst, []byte("\x93\x81\xa1k\xa1\xff\xa2|O\x91\x01"))
	if err != nil || string(dst.Items[0]) != `{"k":{"hex":"ff"}}` {
		t.Errorf("%q, %v", dst.Items, err)
	}
}

func TestTexts(t *testing.T) {
	for id, src := range map[string]string{"json2": `["a\u00e9","","|O",[2]]`, "msgpack2": "\x94\xa3a\xc3\xa9\xa0\xa2|O\x91\x02"} {
		got, err := run(t, id, texts, codec.Limits{}, src, 2)
		if err != nil || !same(got, []string{"aé", ""}) {
			t.Errorf("%s: %q, %v", id, got, err)
		}
	}
	for _, src := range []string{`[1,"|O",[1]]`, `[null,"|O",[1]]`} {
		if _, err := run(t, "json2", texts, codec.Limits{}, src, 1); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("%s: %v", src, err)
		}
	}
}

func TestFixedSize(t *testing.T) {
	big := &dtype.Type{Kind: dtype.Int, Name: "int16", Size: 2, Order: dtype.Big}
	want := []byte{0, 1, 0xff, 0xfe}
	for id, src := range map[string]string{"json2": `[1,-2,">i2",[2]]`, "msgpack2": "\x94\x01\xfe\xa3>i2\x91\x02"} {
		a := codec.Array{Shape: []int{2}, Type: big}
		v2 := newCodec(t, id, "{}", codec.Build{Format: 2, Array: a}).(codec.BytesToBytes)
		env := codec.NewEnv(context.Background(), codec.Limits{})
		got, err := v2.Decode(env, codec.Output{Size: codec.Size{N: 4, Exact: true}}, []byte(src))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %x, %v", id, got, err)
		}
		v3 := newCodec(t, id, "{}", codec.Build{Format: 3, Array: a}).(codec.ArrayToBytes)
		dst := ndarray.New(a.Shape, 2, false)
		if err := v3.Decode(env, a, dst, []byte(src)); err != nil || !bytes.Equal(dst.Data, []byte{1, 0, 0xfe, 0xff}) {
			t.Errorf("%s in v3: %x, %v", id, dst.Data, err)
		}
		if _, err := v2.Decode(env, codec.Output{Size: codec.Size{N: 3, Exact: true}}, []byte(src)); err == nil {
			t.Errorf("%s: no error for a chunk of 3 bytes", id)
		}
	}
	for _, src := range []string{`[1,null,"i",[2]]`, `[1,70000,"i",[2]]`, `[1,"x","i",[2]]`} {
		a := codec.Array{Shape: []int{2}, Type: big}
		c := newCodec(t, "json2", "{}", codec.Build{Format: 3, Array: a}).(codec.ArrayToBytes)
		if err := c.Decode(nil, a, ndarray.New(a.Shape, 2, false), []byte(src)); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("%s: %v", src, err)
		}
	}
}

func TestWrong(t *testing.T) {
	for _, c := range []struct {
		id, src string
		want    error
	}{
		{"json2", ``, codec.ErrTruncated},
		{"json2", `[1,2,"|O",[2]`, codec.ErrTruncated},
		{"json2", `[1,2,"|O`, codec.ErrTruncated},
		{"json2", `[1,2,"|O\`, codec.ErrTruncated},
		{"json2", `[1,"|O",[1]]`, codec.ErrTruncated},
		{"json2", `[1,2,3,"|O",[3]]`, codec.ErrCorrupt},
		{"json2", `[1,2,3,4,5,6,"|O",[6]]`, codec.ErrCorrupt},
		{"json2", `[1,2,3,"|O",[2]]`, codec.ErrCorrupt},
		{"json2", `[[1,2],"|O",[2]]`, codec.ErrCorrupt},
		{"json2", `[[1,2,3],"|O",[1,2]]`, codec.ErrCorrupt},
		{"json2", `[[1],"|O",[1,2]]`, codec.ErrCorrupt},
		{"json2", `[1,2,"|O",[-2]]`, codec.ErrCorrupt},
		{"json2", `[1,2,"|O",["2"]]`, codec.ErrCorrupt},
		{"json2", `[1,2,8,[2]]`, codec.ErrCorrupt},
		{"json2", `[1,2,"|O",{}]`, codec.ErrCorrupt},
		{"json2", `[1,2,"|O",[4294967296,4294967296]]`, codec.ErrCorrupt},
		{"json2", `[1,2,"|O",[2]]]`, codec.ErrCorrupt},
		{"json2", `[1,,"|O",[2]]`, codec.ErrCorrupt},
		{"json2", `[1,{"a":},"|O",[2]]`, codec.ErrCorrupt},
		{"json2", `[1,[2},"|O",[2]]`, codec.ErrCorrupt},
		{"json2", `[1,tru,"|O",[2]]`, codec.ErrCorrupt},
		{"json2", "[1,\"\xff\",\"|O\",[2]]", codec.ErrCorrupt},
		{"json2", `{"a":1}`, codec.ErrCorrupt},
		{"json2", `[]`, codec.ErrCorrupt},
		{"msgpack2", "", codec.ErrTruncated},
		{"msgpack2", "\x94\x01\x02\xa2|O", codec.ErrTruncated},
		{"msgpack2", "\x94\x01\x02\xa2|O\x91", codec.ErrTruncated},
		{"msgpack2", "\x93\x01\xa2|O\x91\x01", codec.ErrTruncated},
		{"msgpack2", "\xdd\xff\xff\xff\xff\x01\x02", codec.ErrTruncated},
		{"msgpack2", "\x94\x01\xdf\xff\xff\xff\xff\xa2|O\x91\x02", codec.ErrTruncated},
		{"msgpack2", "\x94\x01\xc6\xff\xff\xff\xff\xa2|O\x91\x02", codec.ErrTruncated},
		{"msgpack2", "\x95\x01\x02\x03\xa2|O\x91\x03", codec.ErrCorrupt},
		{"msgpack2", "\x94\x01\x02\xa2|O\x91\x02\x00", codec.ErrCorrupt},
		{"msgpack2", "\x94\x01\x02\x05\x91\x02", codec.ErrCorrupt},
		{"msgpack2", "\x94\x01\x02\xa2|O\xc0", codec.ErrCorrupt},
		{"msgpack2", "\x94\x01\x02\xa2|O\x91\xff", codec.ErrCorrupt},
		{"msgpack2", "\x94\x01\xc1\xa2|O\x91\x02", codec.ErrCorrupt},
		{"msgpack2", "\x94\x01\xa1\xff\xa2|O\x91\x02", codec.ErrCorrupt},
		{"msgpack2", "\x93\x91\x01\xa2|O\x92\x01\x02", codec.ErrCorrupt},
		{"msgpack2", "\x90", codec.ErrCorrupt},
		{"msgpack2", "\x81\x01\x02", codec.ErrCorrupt},
	} {
		if got, err := run(t, c.id, objects, codec.Limits{}, c.src, 2); !errors.Is(err, c.want) {
			t.Errorf("%s %q: %q, %v, want %v", c.id, c.src, got, err, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	for _, c := range []struct {
		id, src, limit string
		lim            codec.Limits
	}{
		{"json2", "[" + deep + `,"|O",[1]]`, "MetadataDepth", codec.Limits{}},
		{"json2", "[[" + strings.Repeat("1,", 5000) + `1],"|O",[1]]`, "DecoderBytes", codec.Limits{DecoderBytes: 1 << 20}},
		{"msgpack2", "\x93" + strings.Repeat("\x91", 200) + "\x01\xa2|O\x91\x01", "MetadataDepth", codec.Limits{}},
		{"msgpack2", "\x93\xdc\x10\x00" + strings.Repeat("\xc0", 4096) + "\xa2|O\x91\x01", "ChunkBytes", codec.Limits{ChunkBytes: 10000}},
	} {
		var limit *codec.LimitError
		if _, err := run(t, c.id, objects, c.lim, c.src, 1); !errors.As(err, &limit) || limit.Limit != c.limit {
			t.Errorf("%s: %v, want the limit %s", c.id, err, c.limit)
		}
	}
}

func TestRefused(t *testing.T) {
	var feature *codec.UnsupportedError
	for _, e := range Codecs() {
		if e.IDs[0] != "pickle" {
			continue
		}
		if _, err := e.New(json.EmptyObject(), codec.Build{Format: 2}); !errors.As(err, &feature) {
			t.Errorf("pickle: %v", err)
		}
	}
	v := json.Make(json.Member{Name: "encoding", Value: json.Text("utf-16")})
	if _, err := newJSON(v, codec.Build{}); !errors.As(err, &feature) {
		t.Errorf("UTF-16: %v", err)
	}
	for _, src := range []string{"\x93\xd6\xff\x00\x00\x00\x00\xa2|O\x91\x01", "\x93\x81\x90\x01\xa2|O\x91\x01"} {
		if _, err := run(t, "msgpack2", objects, codec.Limits{}, src, 1); !errors.As(err, &feature) {
			t.Errorf("%q: %v", src, err)
		}
	}
	ragged := codec.Array{Shape: []int{1}, Type: &dtype.Type{Kind: dtype.Ragged, Name: "ragged"}}
	if newCodec(t, "json2", "{}", codec.Build{Format: 2, Array: ragged}).(codec.ArrayToBytes).Check(ragged) == nil {
		t.Error("lists of numbers: no error")
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`[1,"x","|O",[2]]`, `[[1,null],"|O",[1,2]]`, `[1,[2],"|O"]`, `["\\\"","|O`, "[" + strings.Repeat("[", 200),
		"\x94\x01\xa1x\xa2|O\x91\x02", "\x93\x92\x01\xc0\xa2|O\x92\x01\x02", "\xdd\xff\xff\xff\xff", "\x94\x80\xc4\x01a\xa2|O\x91\x02",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		lim := codec.Limits{ChunkBytes: 1 << 20, DecoderBytes: 1 << 20}
		for _, id := range []string{"json2", "msgpack2"} {
			got, err := run(t, id, objects, lim, string(src), 2)
			if err != nil {
				continue
			}
			for _, item := range got {
				if item == "<nil>" {
					continue
				}
				if v, err := json.Parse([]byte(item), json.Limits{}); err != nil || v.IsNull() {
					t.Errorf("%s %q: element %q: %v", id, src, item, err)
				}
			}
		}
	})
}
