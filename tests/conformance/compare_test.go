package conformance

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"unicode/utf8"

	own "github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// compareValues compares elements of variable length with the manifest's JSON.
func compareValues(c *testCase, res *zarr.Result, want []any) error {
	if len(res.Items) != len(want) {
		return fmt.Errorf("%d items, want %d", len(res.Items), len(want))
	}
	for i, item := range res.Items {
		if item == nil && want[i] == nil || c.NullOrDefault && len(item) == 0 && want[i] == nil {
			continue
		}
		got, err := itemValue(c, res.Type, item)
		if err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
		if !equal(got, want[i]) {
			return fmt.Errorf("item %d is %v, want %v", i, got, want[i])
		}
	}
	return nil
}

// itemValue formats one element as the manifest does.
func itemValue(c *testCase, typ *dtype.Type, item []byte) (any, error) {
	if item == nil {
		return nil, nil
	}
	switch typ.Kind {
	case dtype.String:
		if !utf8.Valid(item) {
			return nil, fmt.Errorf("%q is not UTF-8", item)
		}
		return string(item), nil
	case dtype.Bytes:
		return map[string]any{"hex": hex.EncodeToString(item)}, nil
	case dtype.Ragged:
		return numbers(c.ItemDtype, item)
	case dtype.Object:
		v, err := own.Parse(item, own.Limits{})
		if err != nil {
			return nil, err
		}
		return plain(v), nil
	}
	return nil, fmt.Errorf("elements of the type %s, and not of variable length", typ.Name)
}

func numbers(typestr string, b []byte) (any, error) {
	list := []any{}
	for len(b) > 0 {
		switch {
		case typestr == "|u1":
			list, b = append(list, json.Number(fmt.Sprint(b[0]))), b[1:]
		case typestr == "<i4" && len(b) >= 4:
			list, b = append(list, json.Number(fmt.Sprint(int32(binary.LittleEndian.Uint32(b))))), b[4:]
		case typestr == "<f8" && len(b) >= 8:
			f := math.Float64frombits(binary.LittleEndian.Uint64(b))
			list, b = append(list, json.Number(fmt.Sprint(f))), b[8:]
		default:
			return nil, errors.New("no items of " + typestr)
		}
	}
	return list, nil
}

// plain converts a value of the library's reader to encoding/json's types, with bare NaN and
// Infinity as strings.
func plain(v own.Value) any {
	switch v.Kind() {
	case own.Bool:
		b, _ := v.Bool()
		return b
	case own.String:
		s, _ := v.Text()
		return s
	case own.Number:
		n, _ := v.Number()
		if n == "NaN" || n == "Infinity" || n == "-Infinity" {
			return n
		}
		return json.Number(n)
	case own.Array:
		list := []any{}
		for _, item := range v.Items() {
			list = append(list, plain(item))
		}
		return list
	case own.Object:
		object := map[string]any{}
		for _, m := range v.Members() {
			object[m.Name] = plain(m.Value)
		}
		return object
	}
	return nil
}

// equal compares JSON values. Numbers compare by value, not by notation.
func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return false
		}
		x, okx := new(big.Rat).SetString(a.String())
		y, oky := new(big.Rat).SetString(b.String())
		return okx && oky && x.Cmp(y) == 0
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			w, ok := b[k]
			if !ok || !equal(v, w) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

// compareAttributes compares a node's attributes with those of the manifest.
func compareAttributes(got own.Value, want any) error {
	if want == nil {
		return nil
	}
	if g := plain(got); !equal(g, want) {
		g, _ := json.Marshal(g)
		w, _ := json.Marshal(want)
		return fmt.Errorf("attributes %s, want %s", bytes.TrimSpace(g), w)
	}
	return nil
}
