package store_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
)

func TestPartsOfLocations(t *testing.T) {
	inline := store.Location{Inline: []byte("0123456789")}
	s := memstore.New(map[string][]byte{"a": []byte("0123456789")})
	decoded := store.At(s, "a")
	decoded.Packed = &store.Packed{Decode: func(_ context.Context, b []byte, _ int64) ([]byte, error) { return append([]byte("x"), b[1:]...), nil }}
	ranged := store.Location{Object: store.Object{Source: s, Name: "a", Offset: 2, Length: 6}}
	none := store.At(s, "none")
	none.Else = &inline
	read := func(l store.Location) (string, error) {
		e, err := l.Read(t.Context(), "key", store.Ask{}, func(ctx context.Context, s store.Source, name string, ask store.Ask) (store.Extent, error) {
			return s.Read(ctx, name, ask)
		})
		return string(e.Bytes), err
	}
	for name, c := range map[string]struct {
		l              store.Location
		offset, length int64
		want           string
	}{
		"inline": {inline, 1, 3, "123"}, "inline, all": {inline, 0, 10, "0123456789"}, "inline, beyond": {inline, 8, 3, ""},
		"whole": {store.At(s, "a"), 1, 3, "123"}, "whole, beyond": {store.At(s, "a"), 8, 3, ""},
		"decoded": {decoded, 0, 3, "x12"}, "decoded, beyond": {decoded, 8, 3, ""},
		"ranged": {ranged, 1, 3, "345"}, "ranged, all": {ranged, 0, 6, "234567"}, "ranged, beyond": {ranged, 1, 6, ""},
		"elsewhere": {none, 1, 3, "123"}, "elsewhere, beyond": {none, 8, 3, ""},
		"negative": {ranged, -1, 3, ""}, "of negative length": {ranged, 1, -3, ""}, "huge": {store.At(s, "a"), math.MaxInt64, 1, ""},
	} {
		l, err := c.l.Slice("key", c.offset, c.length)
		got := ""
		if err == nil {
			got, err = read(l)
		}
		if got != c.want || (c.want == "") != errors.Is(err, store.ErrRange) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
	if got, err := read(decoded); got != "x123456789" {
		t.Error("the location itself was changed", got, err)
	}
}
