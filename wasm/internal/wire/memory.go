package wire

// Memory is an ArrayBuffer or a SharedArrayBuffer. Its bytes stay in JavaScript until they are
// read.
type Memory interface {
	Len() int
	// Read copies the first len(dst) bytes to dst.
	Read(dst []byte)
	// Put copies packed elements to their place.
	Put(p Place, src []byte)
}

// Ref is a Memory that a message names without transferring it.
type Ref struct{ Memory }

// Lent is bytes that are copied into a reused buffer of JavaScript's.
type Lent []byte

// Reply is bytes that are copied into the buffer of a request's bytes, if it has their length. It
// becomes an ArrayBuffer that is transferred.
type Reply struct {
	Request int
	Bytes   []byte
}

// Place is the place of packed elements in a Memory: contiguous runs of bytes, Counts of them,
// Strides bytes apart.
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
