package dtype

// Normalize converts scalars with several stored forms to their form in memory, in place. A bool
// becomes 0 or 1 (any other byte is true). Bits above a type of less than a byte, which readers
// must ignore, become the sign of int2 and int4, and zero elsewhere. Other types stay unchanged.
func (t *Type) Normalize(data []byte) {
	if t.Size > 0 {
		t.normalize(data, t.Size, len(data)/t.Size)
	}
}

// loose reports whether an element holds a scalar that Normalize may change.
func (t *Type) loose() bool {
	if t.Size == 0 {
		return false
	}
	switch t.Kind {
	case Bool, Optional:
		return true
	case Struct:
		for i := range t.Fields {
			if t.Fields[i].Type.loose() {
				return true
			}
		}
		return false
	case Sub, Complex:
		return t.Elem.loose()
	}
	return t.Bits != 0
}

// normalize changes n elements that begin stride bytes apart.
func (t *Type) normalize(data []byte, stride, n int) {
	if n == 0 || !t.loose() {
		return
	}
	switch t.Kind {
	case Bool:
		normalizeBools(data, stride, n)
	case Optional:
		normalizeBools(data, stride, n)
		t.Elem.normalize(data[1:], stride, n)
	case Struct:
		for i := range t.Fields {
			t.Fields[i].Type.normalize(data[t.Fields[i].Offset:], stride, n)
		}
	case Sub, Complex:
		for ; n > 0; n-- {
			t.Elem.normalize(data, t.Elem.Size, t.Size/t.Elem.Size)
			if n > 1 {
				data = data[stride:]
			}
		}
	default:
		up := 8 - t.Bits
		for i := 0; n > 0; n, i = n-1, i+stride {
			if t.Kind == Int {
				data[i] = byte(int8(data[i]<<up) >> up)
			} else {
				data[i] = data[i] << up >> up
			}
		}
	}
}

func normalizeBools(data []byte, stride, n int) {
	for i := 0; n > 0; n, i = n-1, i+stride {
		if data[i] > 1 {
			data[i] = 1
		}
	}
}
