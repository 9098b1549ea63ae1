//go:build js && wasm

package main

import (
	"errors"
	"strings"
	"syscall/js"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/dispatch"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

// bridge converts messages between JavaScript's values and Go's. Bytes cross by one copy each way.
type bridge struct {
	message, object, array, bytes, bigint, buffer, shared, lend, room, scatter js.Value
}

func newBridge() *bridge {
	g := js.Global()
	return &bridge{
		message: g.Get("zarrMessage"), object: g.Get("Object"), array: g.Get("Array"),
		bytes: g.Get("Uint8Array"), bigint: g.Get("BigInt"),
		buffer: g.Get("ArrayBuffer"), shared: g.Get("SharedArrayBuffer"),
		lend: g.Get("zarrLend"), room: g.Get("zarrRoom"), scatter: g.Get("zarrScatter"),
	}
}

// post sends a message, and transfers its buffers.
func (b *bridge) post(msg wire.Object) {
	text, values := wire.Encode(msg)
	args := append(make([]any, 0, 4), text)
	for _, v := range values {
		args = append(args, b.toJS(v))
	}
	b.message.Invoke(args...)
}

// receive reads a message: JSON and its bytes, or the members' names and values.
func (b *bridge) receive(text string, values js.Value) (wire.Object, bool) {
	n := values.Length()
	if strings.HasPrefix(text, "{") {
		all := make([][]byte, n)
		for i := range all {
			all[i] = b.bytesOf(values.Index(i))
		}
		msg, err := wire.Decode(text, all)
		return msg, err == nil
	}
	names := strings.Split(text, ",")
	msg := make(wire.Object, n)
	for i := range msg {
		msg[i] = wire.Field{Name: names[i], Value: b.fromJS(values.Index(i))}
	}
	return msg, true
}

func (b *bridge) copyOut(data []byte) js.Value {
	a := b.bytes.New(len(data))
	js.CopyBytesToJS(a, data)
	return a
}

func (b *bridge) toJS(v any) any {
	switch v := v.(type) {
	case wire.Object:
		o := b.object.New()
		for _, f := range v {
			b.set(o, f.Name, b.toJS(f.Value))
		}
		return o
	case []any:
		list := b.array.New(len(v))
		for i, item := range v {
			list.SetIndex(i, b.toJS(item))
		}
		return list
	case wire.Buffer:
		return b.copyOut(v).Get("buffer")
	case []byte:
		return b.copyOut(v)
	case wire.Lent:
		a := b.lend.Invoke(len(v))
		js.CopyBytesToJS(a, v)
		return a
	case wire.Reply:
		a := b.room.Invoke(v.Request, len(v.Bytes))
		js.CopyBytesToJS(a, v.Bytes)
		return a.Get("buffer")
	case *memory:
		return v.buffer
	case wire.Ref:
		return b.toJS(v.Memory)
	case wire.BigInt:
		return b.bigint.Invoke(string(v))
	}
	return v // nil, bool, float64, string
}

// set sets a member. A member __proto__, which attributes may contain, is data and not the object's
// prototype.
func (b *bridge) set(o js.Value, name string, v any) {
	if name == "__proto__" {
		p := b.object.New()
		p.Set("value", v)
		p.Set("enumerable", true)
		b.object.Call("defineProperty", o, name, p)
		return
	}
	o.Set(name, v)
}

func (b *bridge) bytesOf(v js.Value) []byte {
	data := make([]byte, v.Length())
	js.CopyBytesToGo(data, v)
	return data
}

func (b *bridge) fromJS(v js.Value) any {
	switch v.Type() {
	case js.TypeBoolean:
		return v.Bool()
	case js.TypeNumber:
		return v.Float()
	case js.TypeString:
		return v.String()
	case js.TypeObject:
		switch {
		case v.InstanceOf(b.bytes):
			return b.bytesOf(v)
		case v.InstanceOf(b.buffer), b.shared.Type() == js.TypeFunction && v.InstanceOf(b.shared):
			return b.view(v)
		case v.InstanceOf(b.array):
			list := make([]any, v.Length())
			for i := range list {
				list[i] = b.fromJS(v.Index(i))
			}
			return list
		}
		names := b.object.Call("keys", v)
		o := make(wire.Object, names.Length())
		for i := range o {
			name := names.Index(i).String()
			o[i] = wire.Field{Name: name, Value: b.fromJS(v.Get(name))}
		}
		// syscall/js has no type for a BigInt: JavaScript sends its digits.
		if digits, ok := o.Get("bigint").(string); ok && len(o) == 1 {
			return wire.BigInt(digits)
		}
		return o
	}
	return nil
}

// memory is an ArrayBuffer or a SharedArrayBuffer.
type memory struct {
	b             *bridge
	buffer, bytes js.Value
	len           int
}

func (b *bridge) view(buffer js.Value) *memory {
	a := b.bytes.New(buffer)
	return &memory{b: b, buffer: buffer, bytes: a, len: a.Length()}
}

// newMemory allocates an ArrayBuffer, or a SharedArrayBuffer if available.
func (b *bridge) newMemory(size int, shared bool) (m wire.Memory, err error) {
	class := b.buffer
	if shared {
		if class = b.shared; class.Type() != js.TypeFunction {
			return nil, dispatch.ErrNotIsolated
		}
	}
	// The platform throws when it cannot allocate.
	defer func() {
		if r := recover(); r != nil {
			thrown, ok := r.(js.Error)
			if !ok {
				panic(r)
			}
			m, err = nil, errors.New("no memory for the result: "+thrown.Error())
		}
	}()
	return b.view(class.New(size)), nil
}

// Len implements wire.Memory.
func (m *memory) Len() int { return m.len }

// Read implements wire.Memory.
func (m *memory) Read(dst []byte) {
	a := m.bytes
	if len(dst) < m.len {
		a = a.Call("subarray", 0, len(dst))
	}
	js.CopyBytesToGo(dst, a)
}

// Put implements wire.Memory.
func (m *memory) Put(p wire.Place, src []byte) {
	// JavaScript splits one copy into runs: a call for each run costs more.
	var o wire.Object
	p.AddTo(&o)
	js.CopyBytesToJS(m.b.scatter.Invoke(m.bytes, len(src), m.b.toJS(o)), src)
}
