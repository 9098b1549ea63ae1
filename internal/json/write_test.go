package json

import "testing"

func TestLaidOut(t *testing.T) {
	for _, c := range []struct {
		doc  string
		l    Layout
		want string
	}{
		{`{"b":[1,2],"a":{}}`, Layout{Indent: 2}, "{\n  \"b\": [\n    1,\n    2\n  ],\n  \"a\": {}\n}"},
		{`{"b":[1,2],"a":{}}`, Layout{Indent: 4, Sorted: true}, "{\n    \"a\": {},\n    \"b\": [\n        1,\n        2\n    ]\n}"},
		{"\ufeff[ ]", Layout{Indent: 2}, "[]"},
		{`{"b" : [1 ,2 ] , "a":{ } }`, Layout{}, `{"b": [1, 2], "a": {}}`},
		{`{"a":1,"b":2,"a":[3]}`, Layout{}, `{"a": [3], "b": 2}`},
		{`[12345678901234567890123, 1E5, -0.0, NaN, +Infinity, -Infinity, 0., 1e400, true, null]`, Layout{},
			`[12345678901234567890123, 1E5, -0.0, NaN, Infinity, -Infinity, 0.0, 1e400, true, null]`},
		{`["é東🧊\u00e9\uD83E\udDCA\ud800\udc00\ud800x\/\"\\\b\f\n\r\t\u0000\u007f\u0041", "\ud83e"]`, Layout{},
			`["\u00e9\u6771\ud83e\uddca\u00e9\ud83e\uddca\ud800\udc00\ud800x/\"\\\b\f\n\r\t\u0000\u007fA", "\ud83e"]`},
		{`{"\ud800":1,"\ud801":2,"z\u0041":"}]\"","ZA":[[],[{}]]}`, Layout{Sorted: true}, `{"ZA": [[], [{}]], "zA": "}]\"", "\ud800": 1, "\ud801": 2}`},
		{`"x"`, Layout{Indent: 2}, `"x"`},
		{"{\n}", Layout{Indent: 2}, "{}"},
		{"[{\"a\":[\n1\t]}\r\n]", Layout{Indent: 1}, "[\n {\n  \"a\": [\n   1\n  ]\n }\n]"},
	} {
		v, err := Parse([]byte(c.doc), Limits{})
		if err != nil {
			t.Fatal(c.doc, err)
		}
		got := string(AppendLaidOut(nil, v.Raw(), c.l))
		if got != c.want {
			t.Errorf("%s\ngives %s\nwant  %s", c.doc, got, c.want)
		}
		again, err := Parse([]byte(got), Limits{})
		if err != nil {
			t.Errorf("%s: %v", got, err)
		} else if twice := string(AppendLaidOut(nil, again.Raw(), c.l)); twice != got {
			t.Errorf("%s is not stable: %s", got, twice)
		}
	}
}

func FuzzLaidOut(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"\ud800é"},[]],"a":NaN}`), 2, true)
	f.Fuzz(func(t *testing.T, doc []byte, indent int, sorted bool) {
		v, err := Parse(doc, Limits{})
		if err != nil {
			return
		}
		l := Layout{Indent: indent & 7, Sorted: sorted}
		out := AppendLaidOut(nil, v.Raw(), l)
		for _, c := range out {
			if c >= 0x7f {
				t.Fatalf("%q is not ASCII", out)
			}
		}
		again, err := Parse(out, Limits{Bytes: 1 << 30})
		if err != nil {
			t.Fatalf("%q of %q: %v", out, doc, err)
		}
		if twice := AppendLaidOut(nil, again.Raw(), l); string(twice) != string(out) {
			t.Fatalf("%q becomes %q", out, twice)
		}
		if !sorted {
			alike(t, v, again)
		}
	})
}

// alike compares two values.
func alike(t *testing.T, a, b Value) {
	x, _ := a.Text()
	y, _ := b.Text()
	if a.Kind() != b.Kind() || a.Len() != b.Len() || x != y {
		t.Fatalf("%s is not %s", a.Raw(), b.Raw())
	}
	for i, item := range a.Items() {
		alike(t, item, b.Items()[i])
	}
	for i, m := range a.Members() {
		if m.Name != b.Members()[i].Name {
			t.Fatalf("%s is not %s", a.Raw(), b.Raw())
		}
		alike(t, m.Value, b.Members()[i].Value)
	}
}
