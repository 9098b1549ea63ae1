package wire

// Object is a JavaScript object, its members in order.
type Object []Field

// Field is one member of an Object.
type Field struct {
	Name  string
	Value any
}

// F returns a member whose name is data. Members of messages are added by their names' types.
func F(name string, value any) Field { return Field{name, value} }

// The types of names, by the type of the value.
type (
	// TextName is the name of a string.
	TextName string
	// IntName is the name of a number.
	IntName string
	// FlagName is the name of a boolean.
	FlagName string
	// IntsName is the name of a list of numbers.
	IntsName string
	// ListName is the name of another list.
	ListName string
	// TextsName is the name of an object whose members are strings.
	TextsName string
	// ObjectName is the name of an object.
	ObjectName string
	// BytesName is the name of a Uint8Array.
	BytesName string
	// BufferName is the name of an ArrayBuffer.
	BufferName string
	// AnyName is the name of a value of several possible types.
	AnyName string
)

// Get returns the member of that name, or nil.
func (o Object) Get(name string) any {
	for _, f := range o {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// The getters and adders are not inlined: in a hundred places they would add 50 KB to the wasm.

// Op returns a message's operation.
func (o Object) Op() Op { return Op(o.Text("op")) }

// Text returns the string of that name, else "".
//
//go:noinline
func (o Object) Text(name TextName) string {
	s, _ := o.Get(string(name)).(string)
	return s
}

// TextIf returns the string of that name, and whether there is one.
//
//go:noinline
func (o Object) TextIf(name TextName) (string, bool) {
	s, ok := o.Get(string(name)).(string)
	return s, ok
}

// Int returns the number of that name, else 0.
//
//go:noinline
func (o Object) Int(name IntName) int {
	f, _ := o.Get(string(name)).(float64)
	return int(f)
}

// Number returns the number of that name, and whether there is one.
//
//go:noinline
func (o Object) Number(name IntName) (float64, bool) {
	f, ok := o.Get(string(name)).(float64)
	return f, ok
}

// Integer returns the number or BigInt of that name, if it is an integer of 64 bits.
func (o Object) Integer(name IntName) (int64, bool) { return Integer(o.Get(string(name))) }

// Flag returns the boolean of that name, else false.
//
//go:noinline
func (o Object) Flag(name FlagName) bool {
	b, _ := o.Get(string(name)).(bool)
	return b
}

// FlagIf returns the boolean of that name, and whether there is one.
func (o Object) FlagIf(name FlagName) (value, ok bool) {
	value, ok = o.Get(string(name)).(bool)
	return value, ok
}

// Object returns the object of that name, else nil.
//
//go:noinline
func (o Object) Object(name ObjectName) Object {
	inner, _ := o.Get(string(name)).(Object)
	return inner
}

// Memory returns the memory of that name, else nil.
//
//go:noinline
func (o Object) Memory(name BufferName) Memory {
	m, _ := o.Get(string(name)).(Memory)
	return m
}

// Bytes returns the bytes of that name, else nil.
func (o Object) Bytes(name BytesName) []byte {
	b, _ := o.Get(string(name)).([]byte)
	return b
}

// Texts returns the strings in the object of that name.
func (o Object) Texts(name TextsName) map[string]string {
	inner := o.Object(ObjectName(name))
	m := make(map[string]string, len(inner))
	for _, f := range inner {
		if text, ok := f.Value.(string); ok {
			m[f.Name] = text
		}
	}
	return m
}

// Ints returns the numbers of the list of that name. Other items count as 0.
func (o Object) Ints(name IntsName) []int {
	list := o.List(ListName(name))
	out := make([]int, len(list))
	for i, v := range list {
		f, _ := v.(float64)
		out[i] = int(f)
	}
	return out
}

// List returns the list of that name, else nil.
//
//go:noinline
func (o Object) List(name ListName) []any {
	list, _ := o.Get(string(name)).([]any)
	return list
}

// Any returns the value of that name, or nil.
func (o Object) Any(name AnyName) any { return o.Get(string(name)) }

// Add appends a member whose name is data.
//
//go:noinline
func (o *Object) Add(name string, v any) { *o = append(*o, Field{name, v}) }

// AddText appends a string.
//
//go:noinline
func (o *Object) AddText(name TextName, text string) { o.Add(string(name), text) }

// AddTextOrNull appends a string, or null where it is "".
func (o *Object) AddTextOrNull(name TextName, text string) {
	if text == "" {
		o.Add(string(name), nil)
		return
	}
	o.AddText(name, text)
}

// AddInt appends a number.
//
//go:noinline
func (o *Object) AddInt(name IntName, n int) { o.Add(string(name), float64(n)) }

// AddNumber appends a number. An integer beyond 2^53 is rounded: see [Number].
//
//go:noinline
func (o *Object) AddNumber(name IntName, f float64) { o.Add(string(name), f) }

// AddFlag appends a boolean.
//
//go:noinline
func (o *Object) AddFlag(name FlagName, b bool) { o.Add(string(name), b) }

// AddInts appends a list of numbers.
//
//go:noinline
func (o *Object) AddInts(name IntsName, v []int) { o.Add(string(name), Ints(v)) }

// AddNumbers appends a list that holds numbers, or null where it is nil.
func (o *Object) AddNumbers(name IntsName, list []any) { o.AddList(ListName(name), list) }

// AddList appends a list, or null where it is nil.
//
//go:noinline
func (o *Object) AddList(name ListName, list []any) {
	if list == nil {
		o.Add(string(name), nil)
		return
	}
	o.Add(string(name), list)
}

// AddTexts appends an object of strings.
func (o *Object) AddTexts(name TextsName, texts map[string]string) {
	inner := make(Object, 0, len(texts))
	for n, text := range texts {
		inner.Add(n, text)
	}
	o.Add(string(name), inner)
}

// AddObject appends an object.
//
//go:noinline
func (o *Object) AddObject(name ObjectName, inner Object) { o.Add(string(name), inner) }

// AddBytes appends a Uint8Array, or null where it is nil.
func (o *Object) AddBytes(name BytesName, b []byte) {
	if b == nil {
		o.Add(string(name), nil)
		return
	}
	o.Add(string(name), b)
}

// AddPacked appends a Uint8Array that shares its buffer with others, or null where it is nil.
func (o *Object) AddPacked(name BytesName, b []byte) {
	if b == nil {
		o.Add(string(name), nil)
		return
	}
	o.Add(string(name), Packed(b))
}

// AddLent appends a Uint8Array in a reused buffer.
func (o *Object) AddLent(name BytesName, b []byte) { o.Add(string(name), Lent(b)) }

// AddBuffer appends an ArrayBuffer that is transferred.
//
//go:noinline
func (o *Object) AddBuffer(name BufferName, b []byte) { o.Add(string(name), Buffer(b)) }

// AddMemory appends an ArrayBuffer or SharedArrayBuffer, which is a Memory or a Ref to one.
func (o *Object) AddMemory(name BufferName, memory any) { o.Add(string(name), memory) }

// AddAny appends a value of several possible types.
func (o *Object) AddAny(name AnyName, v any) { o.Add(string(name), v) }
