package wire

import (
	"errors"
	"math"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// Encode writes a message as JSON, which JavaScript parses faster than Go can build an object of a
// dozen members there. Values without a JSON form, such as bytes, are null in the text and follow
// in values. The text is [message, path, ...]. The n-th path leads to the place of the n-th value
// by names and indices. All packed bytes share the last value. Their paths begin with the start and
// the end in it, and have no number.
func Encode(msg Object) (text string, values []any) {
	e := encoder{out: make([]byte, 0, 512)}
	e.out = append(e.out, '[')
	e.value(msg)
	e.out = append(e.out, e.paths...)
	e.out = append(e.out, ']')
	if e.packed != nil {
		e.values = append(e.values, e.packed)
	}
	return string(e.out), e.values
}

// Packed becomes a Uint8Array. A small one shares its buffer with others of the message, because
// thousands of separate buffers cost more than their content.
type Packed []byte

// maxPacked is the size in bytes of the largest packed value.
const maxPacked = 64 << 10

// List is an answer that is a list. Add writes each item immediately, which saves the memory
// of all values.
type List struct {
	e encoder
	n int
}

// Add appends an item.
func (l *List) Add(item any) {
	e := &l.e
	if l.n == 0 {
		name := string(AnswerValue)
		e.path = []step{{name: &name}, {}}
	} else {
		e.put(",")
	}
	e.path[1].index = l.n
	l.n++
	e.value(item)
}

type encoder struct {
	out    []byte
	path   []step
	paths  []byte
	values []any
	packed []byte
}

// step is a name, or an index if the name is empty.
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
	case *List:
		// The answer has no other bytes.
		e.put("[")
		e.out = append(e.out, v.e.out...)
		e.put("]")
		e.paths, e.values, e.packed = v.e.paths, v.e.values, v.e.packed
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
	e.put("null")
	e.paths = append(e.paths, ',')
	between := byte('[')
	lead := func(s step) {
		e.paths = append(e.paths, between)
		between = ','
		if s.name != nil {
			e.paths = json.AppendString(e.paths, *s.name)
		} else {
			e.paths = strconv.AppendInt(e.paths, int64(s.index), 10)
		}
	}
	p, packed := v.(Packed)
	if packed {
		v = []byte(p)
	}
	if len(p) > 0 && len(p) <= maxPacked {
		lead(step{index: len(e.packed)})
		e.packed = append(e.packed, p...)
		lead(step{index: len(e.packed)})
	} else {
		e.values = append(e.values, v)
	}
	for _, s := range e.path {
		lead(s)
	}
	e.paths = append(e.paths, ']')
}

// Decode parses a JSON message from JavaScript. {"bytes": n} stands for the n-th of the bytes.
func Decode(text string, bytes [][]byte) (Object, error) {
	v, err := json.Parse([]byte(text), json.Limits{Bytes: math.MaxInt32, Values: math.MaxInt32})
	if err != nil {
		return nil, err
	}
	msg, ok := (&reader{true, bytes}).tree(v).(Object)
	if !ok {
		return nil, errNoMessage
	}
	return msg, nil
}

var errNoMessage = errors.New("the message is not an object")
