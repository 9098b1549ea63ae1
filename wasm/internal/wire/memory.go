package wire

// Memory is an ArrayBuffer or a SharedArrayBuffer: bytes that JavaScript holds
// and that enter Go's memory only where they are read.
type Memory interface {
	Len() int
	// Read copies the first len(dst) bytes to dst.
	Read(dst []byte)
	// Put copies packed elements to their place.
	Put(p Place, src []byte)
}

// Ref is a Memory that a message names and does not hand over.
type Ref struct{ Memory }

// Lent are bytes that are copied into a buffer of JavaScript's that has been used
// before.
type Lent []byte

// Place says where packed elements belong in a Memory: runs of bytes that are
// contiguous there, Counts of them, Strides bytes apart.
type Place struct {
	Offset  int
	Run     int
	Counts  []int
	Strides []int
}

// AddTo adds the place's members to an object.
func (p Place) AddTo(o *Object) {
	o.AddInt(PlaceOffset, p.Offset)
	o.AddInt(PlaceRun, p.Run)
	o.AddInts(PlaceCounts, p.Counts)
	o.AddInts(PlaceStrides, p.Strides)
}

func PlaceOf(o Object) Place {
	return Place{o.Int(PlaceOffset), o.Int(PlaceRun), o.Ints(PlaceCounts), o.Ints(PlaceStrides)}
}
