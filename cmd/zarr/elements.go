package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// value returns element i of a block for JSON: numbers, strings, lists for complex numbers and
// ragged rows, objects for structs. Integers keep all their digits. NaN and the infinities are
// strings, as in Zarr's fill values; bytes are base64.
func value(t *dtype.Type, b ndarray.Block, i int) any {
	if t.Variable() {
		return variable(t, b.Items[i])
	}
	return fixed(t, b.Data[i*b.Size:(i+1)*b.Size])
}

func variable(t *dtype.Type, item []byte) any {
	switch t.Kind {
	case dtype.Optional:
		if item == nil {
			return nil
		}
		return variable(t.Elem, item)
	case dtype.String:
		return string(item)
	case dtype.Object:
		if json.Valid(item) {
			return json.RawMessage(item)
		}
		return string(item)
	case dtype.Ragged:
		list := []any{}
		for n := t.Elem.Size; n > 0 && len(item) >= n; item = item[n:] {
			list = append(list, fixed(t.Elem, item[:n]))
		}
		return list
	}
	return base64.StdEncoding.EncodeToString(item)
}

func fixed(t *dtype.Type, b []byte) any {
	switch t.Kind {
	case dtype.Bool:
		return b[0] != 0
	case dtype.Int:
		return json.Number(strconv.FormatInt(signed(b), 10))
	case dtype.Uint:
		return json.Number(strconv.FormatUint(bits(b), 10))
	case dtype.Float, dtype.MiniFloat:
		return float(t, b)
	case dtype.Complex:
		half := t.Elem.Size
		return []any{fixed(t.Elem, b[:half]), fixed(t.Elem, b[half:])}
	case dtype.Char:
		return strings.TrimRight(strings.ToValidUTF8(string(b), "�"), "\x00")
	case dtype.Unicode:
		var text []byte
		for ; len(b) >= 4; b = b[4:] {
			text = utf8.AppendRune(text, rune(binary.LittleEndian.Uint32(b)))
		}
		return strings.TrimRight(string(text), "\x00")
	case dtype.DateTime:
		return moment(t, signed(b))
	case dtype.TimeDelta:
		if n := signed(b); n != math.MinInt64 {
			return json.Number(strconv.FormatInt(n, 10))
		}
		return "NaT"
	case dtype.Struct:
		fields := make(map[string]any, len(t.Fields))
		for _, f := range t.Fields {
			fields[f.Name] = fixed(f.Type, b[f.Offset:f.Offset+f.Type.Size])
		}
		return fields
	case dtype.Sub:
		list := []any{}
		for n := t.Elem.Size; n > 0 && len(b) >= n; b = b[n:] {
			list = append(list, fixed(t.Elem, b[:n]))
		}
		return list
	case dtype.Optional:
		if b[0] == 0 {
			return nil
		}
		return fixed(t.Elem, b[1:])
	}
	return base64.StdEncoding.EncodeToString(b)
}

func bits(b []byte) uint64 {
	var all [8]byte
	copy(all[:], b)
	return binary.LittleEndian.Uint64(all[:])
}

func signed(b []byte) int64 {
	shift := 64 - 8*min(len(b), 8)
	return int64(bits(b)<<shift) >> shift
}

func float(t *dtype.Type, b []byte) any {
	x, size := t.Float64(bits(b)), 64
	if t.Size <= 4 {
		size = 32
	}
	if text, ok := references.Fill(x).(string); ok {
		return text
	}
	return json.Number(strconv.FormatFloat(x, 'g', -1, size))
}

// moment formats a datetime in ISO 8601, or as the plain count for other units.
func moment(t *dtype.Type, n int64) any {
	if text, err := cf.Datetime64Text(n, t.Unit, t.Scale); err == nil {
		return text
	}
	return json.Number(strconv.FormatInt(n, 10))
}

// text formats a value on one line.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return string(v)
	case bool:
		return strconv.FormatBool(v)
	case nil:
		return "null"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// nested returns a result as nested lists.
func nested(res *zarr.Result) any {
	at := 0
	var level func(shape []int) any
	level = func(shape []int) any {
		if len(shape) == 0 {
			at++
			return value(res.Type, res.Block, at-1)
		}
		list := make([]any, shape[0])
		for i := range list {
			list[i] = level(shape[1:])
		}
		return list
	}
	return level(res.Shape)
}
