package wire

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

func TestEncode(t *testing.T) {
	data, more := []byte{1, 2}, Buffer{3}
	for _, c := range []struct {
		msg    Object
		text   string
		values []any
	}{
		{Object{}, `[{}]`, nil},
		{
			Object{{"id", 1.0}, {"ok", true}, {"value", nil}, {"list", []any{}}, {"text", "a\"\\\n\x7fé"}},
			`[{"id":1,"ok":true,"value":null,"list":[],"text":"a\"\\\u000a` + "\x7f" + `é"}]`, nil,
		},
		{
			Object{{"n", []any{0.0, math.Copysign(0, -1), -7.0, 0.1, 1e300, float64(1 << 53), float64(1<<53 - 1)}}},
			`[{"n":[0,-0,-7,0.1,1e+300,9.007199254740992e+15,9007199254740991]}]`, nil,
		},
		{
			Object{{"value", Object{{"documents", Object{{"a\"b", data}}}, {"list", []any{1.0, more, Object{{"", math.NaN()}}}}}}, {"big", BigInt("9")}},
			`[{"value":{"documents":{"a\"b":null},"list":[1,null,{"":null}]},"big":null},` +
				`["value","documents","a\"b"],["value","list",1],["value","list",2,""],["big"]]`,
			[]any{data, more, math.NaN(), BigInt("9")},
		},
	} {
		text, values := Encode(c.msg)
		if text != c.text {
			t.Errorf("%v:\n got %s\nwant %s", c.msg, text, c.text)
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("%s is not JSON", text)
		}
		if len(values) != len(c.values) {
			t.Fatalf("%s: %d values, want %d", text, len(values), len(c.values))
		}
		for i, v := range values {
			if f, ok := c.values[i].(float64); ok && math.IsNaN(f) {
				if g, ok := v.(float64); !ok || !math.IsNaN(g) {
					t.Errorf("%s: value %d is %v", text, i, v)
				}
			} else if !reflect.DeepEqual(v, c.values[i]) {
				t.Errorf("%s: value %d is %v", text, i, v)
			}
		}
	}
}

// TestEncodePacked encodes small bytes in one buffer after the other values, in an object and in a
// List.
func TestEncodePacked(t *testing.T) {
	large := make([]byte, maxPacked+1)
	items := []any{
		Object{{"a", Packed("12")}, {"none", Packed{}}},
		[]any{Buffer{9}, Packed(large), Packed("3")},
	}
	var list List
	for _, item := range items {
		list.Add(item)
	}
	for _, value := range []any{items, &list} {
		text, values := Encode(Object{{"id", 1.0}, {"value", value}})
		want := `[{"id":1,"value":[{"a":null,"none":null},[null,null,null]]},` +
			`[0,2,"value",0,"a"],["value",0,"none"],["value",1,0],["value",1,1],[2,3,"value",1,2]]`
		if text != want || !reflect.DeepEqual(values, []any{[]byte{}, Buffer{9}, large, []byte("123")}) {
			t.Errorf("got %s and %d values\nwant %s", text, len(values), want)
		}
	}
	for _, c := range []struct {
		value any
		text  string
		bytes []any
	}{
		{new(List), `[{"value":[]}]`, nil},
		{Packed{}, `[{"value":null},["value"]]`, []any{[]byte{}}},
	} {
		if text, values := Encode(Object{{"value", c.value}}); text != c.text || !reflect.DeepEqual(values, c.bytes) {
			t.Errorf("got %s, %v\nwant %s, %v", text, values, c.text, c.bytes)
		}
	}
}

func TestDecode(t *testing.T) {
	bytes := [][]byte{{1, 0}, {2, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255}}
	got, err := Decode(`{"op":"read","id":3,"selection":[1,null,"...",{"bigint":"9223372036854775807"},{"start":0.5,"stop":null},{"bytes":0},{"indices":{"bytes":1}},{"bytes":2}],"x":true,"big":9007199254740993}`, bytes)
	want := Object{
		{"op", "read"}, {"id", 3.0},
		{"selection", []any{1.0, nil, "...", BigInt("9223372036854775807"), Object{{"start", 0.5}, {"stop", nil}}, bytes[0], Object{{"indices", bytes[1]}}, Object{{"bytes", 2.0}}}},
		{"x", true}, {"big", 9007199254740992.0},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v\nwant %v", got, err, want)
	}
	for _, text := range []string{"", "[]", "1", `{"op"`} {
		if msg, err := Decode(text, nil); err == nil {
			t.Errorf("%q: %v", text, msg)
		}
	}
}
