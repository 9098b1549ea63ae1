package json

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func parse(t testing.TB, doc string) Value {
	t.Helper()
	v, err := Parse([]byte(doc), Limits{})
	if err != nil {
		t.Fatalf("Parse(%q): %v", doc, err)
	}
	return v
}

func TestLeniencyByteOrderMark(t *testing.T) {
	v := parse(t, "\xef\xbb\xbf{\"a\": 1}")
	if n, ok := v.Get("a").Int64(); !ok || n != 1 {
		t.Errorf("got %s", v.Raw())
	}
	if string(v.Raw()) != `{"a": 1}` {
		t.Errorf("the mark is part of the value: %q", v.Raw())
	}
	for _, doc := range []string{"\xef\xbb\xbf", "\xef\xbb\xbf\xef\xbb\xbf1", "1\xef\xbb\xbf", "\xff\xfe1\x00"} {
		if _, err := Parse([]byte(doc), Limits{}); err == nil {
			t.Errorf("no error for %q", doc)
		}
	}
}

func TestLeniencyBareNaNAndInfinity(t *testing.T) {
	v := parse(t, `[NaN, Infinity, -Infinity, +Infinity, {"x":NaN}]`)
	want := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Inf(1)}
	for i, w := range want {
		item := v.Items()[i]
		f, ok := item.Float64()
		if !ok || math.Float64bits(f) != math.Float64bits(w) {
			t.Errorf("%s: %g, %v", item.Raw(), f, ok)
		}
		if _, ok := item.Int64(); ok {
			t.Errorf("%s is an integer", item.Raw())
		}
		if _, ok := item.Uint64(); ok {
			t.Errorf("%s is an unsigned integer", item.Raw())
		}
		if item.Kind() != Number {
			t.Errorf("%s is a %s", item.Raw(), item.Kind())
		}
	}
	if s, ok := v.Get("x").Number(); ok {
		t.Errorf("an array has members: %s", s)
	}
	if s, _ := v.Items()[4].Get("x").Number(); s != "NaN" {
		t.Errorf("literal %q", s)
	}
	for _, doc := range []string{"nan", "-NaN", "+NaN", "inf", "Inf", "infinity", "Infinit", "NaNs", "+1", "- Infinity", "--Infinity"} {
		if _, err := Parse([]byte(doc), Limits{}); err == nil {
			t.Errorf("no error for %s", doc)
		}
	}
}

func TestLeniencyFinalDecimalPoint(t *testing.T) {
	v := parse(t, `[0.,1.,-3.]`)
	for i, want := range []float64{0, 1, -3} {
		if f, ok := v.Items()[i].Float64(); !ok || f != want {
			t.Errorf("%s: %g, %v", v.Items()[i].Raw(), f, ok)
		}
		if n, ok := v.Items()[i].Int64(); !ok || n != int64(want) {
			t.Errorf("%s: %d, %v", v.Items()[i].Raw(), n, ok)
		}
	}
	for _, doc := range []string{".5", ".", "-.", "1..", "1.2.3"} {
		if _, err := Parse([]byte(doc), Limits{}); err == nil {
			t.Errorf("no error for %s", doc)
		}
	}
}

func TestLeniencyDuplicateNames(t *testing.T) {
	v := parse(t, `{"a": 1, "b": 2, "a": 3, "\u0061": 4}`)
	if v.Len() != 2 || v.Members()[0].Name != "a" || v.Members()[1].Name != "b" {
		t.Fatalf("members %v", v.Members())
	}
	if n, _ := v.Get("a").Int64(); n != 4 {
		t.Errorf("a is %d, want the last one", n)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		doc       string
		line, col int
		part      string
	}{
		{"", 1, 1, "end of document"},
		{"  \n ", 2, 2, "end of document"},
		{"[1, 2,]", 1, 7, "unexpected ']'"},
		{`{"a": 1,}`, 1, 9, "expected a member name"},
		{"{\n  \"a\": 1,\n  // no\n}", 3, 3, "unexpected '/'"},
		{"/* no */ 1", 1, 1, "unexpected '/'"},
		{"{'a': 1}", 1, 2, `unexpected '\''`},
		{"['a']", 1, 2, `unexpected '\''`},
		{"{a: 1}", 1, 2, "expected a member name"},
		{`{"a" 1}`, 1, 6, "expected ':'"},
		{`{"a": }`, 1, 7, "expected a value"},
		{`{"a": 1 "b": 2}`, 1, 9, "expected ',' or '}'"},
		{"[1 2]", 1, 4, "expected ',' or ']'"},
		{"[1", 1, 3, "end of document"},
		{"{", 1, 2, "end of document"},
		{`{"a"`, 1, 5, "end of document"},
		{"1 2", 1, 3, "after the document"},
		{"{}\n]", 2, 1, "after the document"},
		{"01", 1, 2, "leading zero"},
		{"-", 1, 2, "in a number"},
		{"-x", 1, 2, "in a number"},
		{"1e", 1, 3, "in an exponent"},
		{"1e+", 1, 4, "in an exponent"},
		{"0x10", 1, 2, "after the document"},
		{"truE", 1, 1, "expected a value"},
		{"nul", 1, 1, "expected a value"},
		{"undefined", 1, 1, "expected a value"},
		{`"abc`, 1, 5, "closing quote"},
		{"\"a\nb\"", 1, 3, "control character"},
		{"\"\\t\x01\"", 1, 4, "control character"},
		{`"\x41"`, 1, 3, "unknown escape"},
		{`"\`, 1, 3, "unknown escape"},
		{`"\u12`, 1, 4, `bad \u escape`},
		{`"\u12g4"`, 1, 8, `bad \u escape`},
		{`"\ud83d\u12g4"`, 1, 14, `bad \u escape`},
		{"\"a\xff\"", 1, 2, "not UTF-8"},
		{"\"\\n\xc0\x80\"", 1, 2, "not UTF-8"},
		{"[\x00]", 1, 2, "unexpected"},
		{"[\xff]", 1, 2, "byte 0xff"},
		{"[é]", 1, 2, "'é'"},
	} {
		_, err := Parse([]byte(c.doc), Limits{})
		var e *SyntaxError
		if !errors.As(err, &e) {
			t.Errorf("%q: error %v", c.doc, err)
			continue
		}
		if e.Line != c.line || e.Column != c.col || !strings.Contains(e.Msg, c.part) {
			t.Errorf("%q: %v, want line %d, column %d, %s", c.doc, err, c.line, c.col, c.part)
		}
		if !strings.HasPrefix(err.Error(), "line "+strconv.Itoa(c.line)+", column ") {
			t.Errorf("%q: message %q", c.doc, err.Error())
		}
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		doc   string
		lim   Limits
		limit string
	}{
		{"[1, 2]", Limits{Bytes: 5}, "bytes"},
		{"[1, 2]", Limits{Bytes: 6}, ""},
		{"[[[1]]]", Limits{Depth: 2}, "depth"},
		{`{"a":{"b":{}}}`, Limits{Depth: 2}, "depth"},
		{"[[[1]]]", Limits{Depth: 3}, ""},
		{"[1, 2]", Limits{Values: 2}, "values"},
		{"[1, 2]", Limits{Values: 3}, ""},
		{strings.Repeat("[", 128) + strings.Repeat("]", 128), Limits{}, ""},
		{strings.Repeat("[", 129) + strings.Repeat("]", 129), Limits{}, "depth"},
		{strings.Repeat("[", 1<<20), Limits{}, "depth"},
		{strings.Repeat(`{"a":`, 1<<18), Limits{}, "depth"},
	} {
		_, err := Parse([]byte(c.doc), c.lim)
		var e *LimitError
		switch {
		case c.limit == "" && err != nil:
			t.Errorf("%.40q: %v", c.doc, err)
		case c.limit != "" && (!errors.As(err, &e) || e.Limit != c.limit):
			t.Errorf("%.40q: %v, want the limit %s", c.doc, err, c.limit)
		case c.limit != "" && !strings.Contains(err.Error(), c.limit):
			t.Errorf("message %q", err.Error())
		}
	}
	if _, err := Parse(make([]byte, 16<<20+1), Limits{}); err == nil {
		t.Error("no limit to a document's size by default")
	}
}

func TestStrings(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{`""`, ""},
		{`"a b"`, "a b"},
		{`"é😀"`, "é😀"},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"x\u0041\u00e9\u20AC"`, "xAé€"},
		{`"\u0000"`, "\x00"},
		{`"\ud83d\ude00"`, "😀"},
		{`"\uD83D\uDE00!"`, "😀!"},
		{`"\ud83d"`, "\ufffd"},
		{`"\ude00"`, "\ufffd"},
		{`"\ude00\ud83d"`, "\ufffd\ufffd"},
		{`"\ud83dx"`, "\ufffdx"},
		{`"\ud83d\n"`, "\ufffd\n"},
		{`"\ud83d\u0041"`, "\ufffdA"},
		{`"\ud83d\ud83d\ude00"`, "\ufffd😀"},
		{"\"\x7f\"", "\x7f"},
	} {
		v := parse(t, c.doc)
		if s, ok := v.Text(); !ok || s != c.want {
			t.Errorf("%s: %q, %v", c.doc, s, ok)
		}
		if string(v.Raw()) != c.doc {
			t.Errorf("%s: raw %s", c.doc, v.Raw())
		}
	}
}

func TestIntegersKeepAllDigits(t *testing.T) {
	for _, c := range []struct {
		doc    string
		signed string // "" if no int64
		uns    string // "" if no uint64
	}{
		{"0", "0", "0"},
		{"-0", "0", "0"},
		{"9007199254740993", "9007199254740993", "9007199254740993"},
		{"-9007199254740993", "-9007199254740993", ""},
		{"9223372036854775807", "9223372036854775807", "9223372036854775807"},
		{"9223372036854775808", "", "9223372036854775808"},
		{"-9223372036854775808", "-9223372036854775808", ""},
		{"-9223372036854775809", "", ""},
		{"18446744073709551615", "", "18446744073709551615"},
		{"18446744073709551616", "", ""},
		{"1e3", "1000", "1000"},
		{"3.0", "3", "3"},
		{"3.", "3", "3"},
		{"-3.0e0", "-3", ""},
		{"1.5", "", ""},
		{"9007199254740991.0", "9007199254740991", "9007199254740991"},
		{"9007199254740993.0", "", ""}, // it may have been rounded
		{"1e300", "", ""},
		{"1e999", "", ""},
		{`"1"`, "", ""},
		{"true", "", ""},
	} {
		v := parse(t, c.doc)
		got := ""
		if n, ok := v.Int64(); ok {
			got = strconv.FormatInt(n, 10)
		}
		if got != c.signed {
			t.Errorf("%s: Int64 %q, want %q", c.doc, got, c.signed)
		}
		got = ""
		if n, ok := v.Uint64(); ok {
			got = strconv.FormatUint(n, 10)
		}
		if got != c.uns {
			t.Errorf("%s: Uint64 %q, want %q", c.doc, got, c.uns)
		}
	}
}

func TestFloats(t *testing.T) {
	for _, c := range []struct {
		doc  string
		want float64
	}{
		{"0.1", 0.1},
		{"-0.0", math.Copysign(0, -1)},
		{"5e-324", 5e-324},
		{"1.7976931348623157e+308", math.MaxFloat64},
		{"1e999", math.Inf(1)},
		{"-1E999", math.Inf(-1)},
		{"1e-999", 0},
		{"9007199254740993", 9007199254740992},
	} {
		v := parse(t, c.doc)
		f, ok := v.Float64()
		if !ok || math.Float64bits(f) != math.Float64bits(c.want) {
			t.Errorf("%s: %g, %v", c.doc, f, ok)
		}
		if s, ok := v.Number(); !ok || s != c.doc {
			t.Errorf("%s: literal %s, %v", c.doc, s, ok)
		}
	}
}

func TestValues(t *testing.T) {
	doc := `{ "z": [1, "x", null, true, false], "a": { } , "n": null }`
	v := parse(t, " "+doc+"\n")
	if string(v.Raw()) != doc || v.Len() != 3 {
		t.Errorf("raw %s, %d members", v.Raw(), v.Len())
	}
	var names []string
	for _, m := range v.Members() {
		names = append(names, m.Name)
	}
	if strings.Join(names, "") != "zan" {
		t.Errorf("order of members %v", names)
	}
	z := v.Get("z")
	if string(z.Raw()) != `[1, "x", null, true, false]` || z.Len() != 5 || len(z.Items()) != 5 {
		t.Errorf("z is %s", z.Raw())
	}
	if b, ok := z.Items()[3].Bool(); !ok || !b {
		t.Error("true is not true")
	}
	if b, ok := z.Items()[4].Bool(); !ok || b {
		t.Error("false is not false")
	}
	if a := v.Get("a"); string(a.Raw()) != "{ }" || a.Len() != 0 || a.Members() == nil {
		t.Errorf("a is %s", a.Raw())
	}
	if n := v.Get("n"); !n.IsNull() || !n.Exists() || n.Kind() != Null {
		t.Error("n is not null")
	}
	if none := v.Get("none"); !none.IsNull() || none.Exists() || none.Kind() != Invalid || none.Raw() != nil || none.Len() != 0 {
		t.Error("an absent member is there")
	}
	// An accessor of another kind returns false.
	if _, ok := z.Text(); ok {
		t.Error("an array is text")
	}
	if _, ok := z.Bool(); ok {
		t.Error("an array is a boolean")
	}
	if _, ok := z.Float64(); ok {
		t.Error("an array is a number")
	}
	if z.Get("x").Exists() || z.Members() != nil || v.Items() != nil {
		t.Error("an array has members or an object items")
	}
	for k, want := range map[Kind]string{
		Invalid: "nothing", Null: "null", Bool: "boolean", Number: "number", String: "string", Array: "array", Object: "object",
	} {
		if k.String() != want {
			t.Errorf("kind %d is %s", k, k)
		}
	}
}

func TestRawDoesNotReachBeyondTheValue(t *testing.T) {
	v := parse(t, `[1,2]`)
	if raw := v.Items()[0].Raw(); cap(raw) != 1 {
		t.Errorf("capacity %d", cap(raw))
	}
}

func TestMadeValues(t *testing.T) {
	v := Make(Member{"a\n", Text("x\"\\\x01é")}, Member{"b", EmptyObject()}, Member{"c", parse(t, "[1]")})
	if string(v.Raw()) != `{"a\u000a":"x\"\\\u0001é","b":{},"c":[1]}` {
		t.Errorf("raw %s", v.Raw())
	}
	again := parse(t, string(v.Raw()))
	if s, _ := again.Get("a\n").Text(); s != "x\"\\\x01é" {
		t.Errorf("text %q", s)
	}
	if s, ok := v.Get("a\n").Text(); !ok || s != "x\"\\\x01é" {
		t.Errorf("made text %q", s)
	}
	if v.Kind() != Object || v.Len() != 3 || EmptyObject().Len() != 0 || string(Make().Raw()) != "{}" {
		t.Error("made values are not what they should be")
	}
}

// TestOtherKindsStayText asks large arrays for members and large objects for items: neither builds
// values. FuzzParse compares with encoding/json. Texts that only this package accepts use one of
// the leniencies.
func TestOtherKindsStayText(t *testing.T) {
	for _, doc := range []string{"[" + strings.Repeat("[],", 10_000) + "1]", `{"a":[` + strings.Repeat("1,", 10_000) + "1]}"} {
		v := must.Get(Parse([]byte(doc), Limits{}))(t)
		list := v.Kind() == Array
		if n := testing.AllocsPerRun(1, func() {
			if list && (v.Get("a").Exists() || v.Members() != nil || v.Peek("a").Exists()) || !list && v.Items() != nil {
				t.Error("there is what cannot be")
			}
		}); n > 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

// TestCheckerTakesNoMemory checks valid and invalid texts in turn.
func TestCheckerTakesNoMemory(t *testing.T) {
	var c Checker
	texts := [][]byte{[]byte(`""`), []byte(`[1,NaN,null,"text"]`), []byte(` {} `)}
	if n := testing.AllocsPerRun(10, func() {
		for _, text := range texts {
			if err := c.Check(text, Limits{}); err != nil {
				t.Error(err)
			}
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
	for _, text := range []string{``, `[1,]`, `"`, `1 2`} {
		_, parsed := Parse([]byte(text), Limits{})
		if err := c.Check([]byte(text), Limits{}); err == nil || err.Error() != parsed.Error() {
			t.Errorf("%q: %v, %v", text, err, parsed)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"zarr_format": 2, "shape": [10, 20], "fill_value": NaN, "dtype": "<f8", "a": {"b": [true, null]}}`,
		"\xef\xbb\xbf[0., -1.5e+3, 18446744073709551615]", `"\ud83d\ude00\ud83d"`, `{"a":1,"a":2}`, `[+Infinity,-Infinity,Infinity]`,
		`"\u12`, `[1,]`, "\"a\xff\"", `{"a":`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		lim := Limits{Bytes: 1 << 16, Depth: 64, Values: 1 << 12}
		v, err := Parse(doc, lim)
		var c Checker
		for range 2 {
			if checked := c.Check(doc, lim); !reflect.DeepEqual(checked, err) {
				t.Fatalf("checked: %v, parsed: %v", checked, err)
			}
		}
		if err != nil {
			var se *SyntaxError
			var le *LimitError
			switch {
			case errors.As(err, &se):
				if se.Offset < 0 || se.Offset > len(doc) || se.Line < 1 || se.Column < 1 {
					t.Fatalf("error at %d (line %d, column %d) of %d bytes", se.Offset, se.Line, se.Column, len(doc))
				}
				if stdjson.Valid(doc) && utf8.Valid(doc) {
					t.Fatalf("refused valid JSON: %v", err)
				}
			case !errors.As(err, &le):
				t.Fatalf("error of another type: %v", err)
			}
			return
		}
		if !bytes.Contains(doc, v.Raw()) {
			t.Fatal("raw text is not from the document")
		}
		if _, err := Parse(v.Raw(), Limits{}); err != nil {
			t.Fatalf("raw text does not parse: %v", err)
		}
		d := stdjson.NewDecoder(bytes.NewReader(doc))
		d.UseNumber()
		var std any
		if stdjson.Valid(doc) && d.Decode(&std) == nil {
			same(t, v, std)
		}
	})
}

// same compares a value with what encoding/json made of it.
func same(t *testing.T, v Value, std any) {
	t.Helper()
	switch want := std.(type) {
	case nil:
		if v.Kind() != Null {
			t.Fatalf("%s is not null", v.Raw())
		}
	case bool:
		if b, ok := v.Bool(); !ok || b != want {
			t.Fatalf("%s is not %v", v.Raw(), want)
		}
	case string:
		if s, ok := v.Text(); !ok || s != want {
			t.Fatalf("%s is %q, not %q", v.Raw(), s, want)
		}
	case stdjson.Number:
		if s, ok := v.Number(); !ok || s != want.String() {
			t.Fatalf("%s is not %s", v.Raw(), want)
		}
	case []any:
		if v.Kind() != Array || v.Len() != len(want) {
			t.Fatalf("%s has not %d items", v.Raw(), len(want))
		}
		for i := range want {
			same(t, v.Items()[i], want[i])
		}
	case map[string]any:
		if v.Kind() != Object || v.Len() != len(want) {
			t.Fatalf("%s has not %d members", v.Raw(), len(want))
		}
		for name := range want {
			same(t, v.Get(name), want[name])
		}
	}
}

func TestLenOfWhatIsNotLookedAt(t *testing.T) {
	for text, want := range map[string]int{`[]`: 0, `[ ]`: 0, `[[]]`: 1, `[[1,2,3],[[],[4,5]]]`: 2, `[1,{"a":[1,2,3]},"x"]`: 3, `{"a":[1,2,3],"b":0}`: 2, `"[1,2]"`: 0} {
		v := must.Get(Parse([]byte(text), Limits{}))(t)
		for _, v := range []Value{v, v.Forgetful()} {
			if v.Len() != want || len(v.Items())+len(v.Members()) != want || v.Len() != want {
				t.Errorf("%s has the length %d", text, v.Len())
			}
		}
	}
	v := must.Get(Parse([]byte("["+strings.Repeat("[],", 1<<16)+"[]]"), Limits{}))(t)
	v = v.Forgetful()
	if made := testing.AllocsPerRun(1, func() { v.Len() }); made > 2 {
		t.Errorf("%v values were made to count", made)
	}
}

// TestListsOfNumbers joins random tokens to lists. A list parses if each of its tokens does. It has
// one item for each token, within the limit of values.
func TestListsOfNumbers(t *testing.T) {
	tokens := []string{
		"0", "1", "-1", "12345678901234567890", "1.5", "-0.25", "1.", " 7", "  -8 ", "\n9", "1e5", "1.5E-3", "NaN", "-Infinity", "null", "[]", `"1"`,
		"01", "-01", "-", "", " ", ".5", "+1", "--1", "1-", "1.2.3", "1 2", "0x1", "1e",
	}
	right := 0
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 1))
		known := len(tokens)
		if r.IntN(4) > 0 {
			known = 17 // right ones only
		}
		list := make([]string, 1+r.IntN(60))
		good := true
		for i := range list {
			list[i] = tokens[r.IntN(known)]
			_, err := Parse([]byte(list[i]), Limits{})
			good = good && err == nil
		}
		text := []byte("[" + strings.Join(list, ",") + "]")
		v, err := Parse(text, Limits{})
		if (err == nil) != good {
			t.Fatalf("seed %d: %s: %v", seed, text, err)
		}
		if !good {
			continue
		}
		right++
		if n := v.Len(); n != len(list) || len(v.Items()) != n {
			t.Fatalf("seed %d: %s: %d items, and %d are made", seed, text, n, len(v.Items()))
		}
		for i, item := range v.Items() {
			if got := string(item.Raw()); got != strings.TrimSpace(list[i]) {
				t.Fatalf("seed %d: %s: item %d is %q", seed, text, i, got)
			}
		}
		for _, most := range []int{len(list), len(list) + 1} {
			_, err := Parse(text, Limits{Values: most})
			if limit := new(LimitError); errors.As(err, &limit) != (most == len(list)) {
				t.Fatalf("seed %d: %s: at most %d values: %v", seed, text, most, err)
			}
		}
	}
	if right < 1000 {
		t.Errorf("%d lists are right", right)
	}
}
