package wire

import (
	"errors"
	"math"
	"strconv"

	"zarr-wasm/internal/json"
)

// Encode writes a message as JSON, which JavaScript reads in less time than Go takes to make
// an object of a dozen members there. What JSON has no form for, such as bytes, is null in it and among the
// values. The text is [message, path, ...], where a path is the way to the place of the
// value that has its number: the names and indices that lead there.
func Encode(msg Object) (text string, values []any) {
	e := encoder{out: make([]byte, 0, 512)}
	e.out = append(e.out, '[')
	e.value(msg)
	e.out = append(e.out, e.paths...)
	e.out = append(e.out, ']')
	return string(e.out), e.values
}

type encoder struct {
	out    []byte
	path   []step
	paths  []byte
	values []any
}

// step is a name, or an index where there is no name.
type step struct {
	name  *string
	index int
}

func (e *encoder) value(v any) {
	switch v := v.(type) {
	case nil:
		e.put("null")
	case bool:
		e.out = strconv.AppendBool(e.out, v)
	case string:
		e.out = json.AppendString(e.out, v)
	case float64:
		if n := int64(v); n != 0 && float64(n) == v && n > -1<<53 && n < 1<<53 {
			e.out = strconv.AppendInt(e.out, n, 10)
		} else if math.IsNaN(v) || math.IsInf(v, 0) {
			e.hole(v)
		} else {
			e.out = strconv.AppendFloat(e.out, v, 'g', -1, 64)
		}
	case Object:
		e.put("{")
		for i := range v {
			if i > 0 {
				e.put(",")
			}
			e.out = json.AppendString(e.out, v[i].Name)
			e.put(":")
			e.within(step{name: &v[i].Name}, v[i].Value)
		}
		e.put("}")
	case []any:
		e.put("[")
		for i, item := range v {
			if i > 0 {
				e.put(",")
			}
			e.within(step{index: i}, item)
		}
		e.put("]")
	default:
		e.hole(v)
	}
}

// put stays out of line, as what is in value.go.
//
//go:noinline
func (e *encoder) put(text string) { e.out = append(e.out, text...) }

func (e *encoder) within(s step, v any) {
	e.path = append(e.path, s)
	e.value(v)
	e.path = e.path[:len(e.path)-1]
}

func (e *encoder) hole(v any) {
	e.out = append(e.out, "null"...)
	e.values = append(e.values, v)
	between := byte('[')
	e.paths = append(e.paths, ',')
	for _, s := range e.path {
		e.paths = append(e.paths, between)
		between = ','
		if s.name != nil {
			e.paths = json.AppendString(e.paths, *s.name)
		} else {
			e.paths = strconv.AppendInt(e.paths, int64(s.index), 10)
		}
	}
	e.paths = append(e.paths, ']')
}

// Decode reads a message that JavaScript has sent as JSON.
func Decode(text string) (Object, error) {
	v, err := json.Parse([]byte(text), json.Limits{Bytes: math.MaxInt32, Values: math.MaxInt32})
	if err != nil {
		return nil, err
	}
	msg, ok := tree(v, true).(Object)
	if !ok {
		return nil, errNoMessage
	}
	return msg, nil
}

var errNoMessage = errors.New("a message that is no object")
