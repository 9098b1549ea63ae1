package httpstore_test

import (
	"context"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func TestSiblings(t *testing.T) {
	base := must.Get(httpstore.New("https://H:443/a/b?q", httpstore.Options{Headers: map[string]string{"X": "1"}}))(t)
	other := must.Get(base.Sibling("", "?r=1/2", nil))(t)
	if got := other.(*httpstore.Store).URL("c%2Fd/e"); got != "https://h/c%2Fd/e?r=1/2" {
		t.Error(got)
	}
	if got := base.URL(""); got != "https://h/a/b/?q" {
		t.Error(got)
	}
	object := must.Get(httpstore.New("https://h/a.json?q", httpstore.Options{Object: true}))(t)
	if other, err := object.Sibling("", "", nil); err != nil || other.(*httpstore.Store).URL("x") != "https://h/x" || object.URL("") != "https://h/a.json?q" {
		t.Error(err, object.URL(""))
	}
	if one, err := base.Sibling("/a//b/", "?r", nil); err != nil || one.(*httpstore.Store).URL("x") != "https://h/a//b/?r" {
		t.Error(err)
	}
	if _, err := base.Sibling("", "?\n", nil); err == nil {
		t.Error("a control character in a query")
	}
	for _, c := range []struct {
		opt   httpstore.Options
		alike bool
	}{
		{httpstore.Options{}, false},
		{httpstore.Options{Headers: map[string]string{"X": "1"}}, true},
		{httpstore.Options{Headers: map[string]string{"X": "2"}}, false},
		{httpstore.Options{Headers: map[string]string{"X": "1"}, Credentials: "include"}, false},
		{httpstore.Options{Headers: map[string]string{"X": "1"}, MissingStatus: []int{403}}, false},
		{httpstore.Options{Headers: map[string]string{"X": "1"}, Retries: -1}, false},
		{httpstore.Options{Headers: map[string]string{"X": "1"}, Retries: 3}, true},
		{httpstore.Options{Headers: map[string]string{"X": "1"}, HeaderFunc: func(context.Context) (map[string]string, error) { return nil, nil }}, false},
	} {
		s := must.Get(httpstore.New("https://h/elsewhere", c.opt))(t)
		if s.Alike(base) != c.alike || base.Alike(s) != c.alike || other.(*httpstore.Store).Alike(s) != c.alike {
			t.Errorf("%+v: alike %v", c.opt, !c.alike)
		}
		if twin, err := s.Sibling("", "", nil); err != nil || !s.Alike(twin) {
			t.Errorf("%+v: a sibling is not alike, %v", c.opt, err)
		}
	}
}
