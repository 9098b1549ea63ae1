// Package grib indexes GRIB files of edition 2: it writes references to their messages, so that
// they open as Zarr without conversion. The codec grib decodes a message.
//
// Fields of one parameter, type of level and grid become an array. Its dimensions are number, time,
// step, the level, and those of the grid; a dimension of one place becomes a coordinate without
// dimensions. Places without a message have no chunk, and read as NaN.
//
// A file may be hostile. The sections, the fields and the places of an array are limited.
package grib

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/grib"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

const (
	maxGap    = 64 << 10 // bytes between messages
	maxFields = 1 << 20
	maxGrids  = 64
	maxPlaces = 1 << 24 // of an array, with and without a message
)

func unsupported(object, feature string) error {
	return &references.Unsupported{Object: object, Feature: feature}
}

func damaged(object, msg string) error { return &references.Damaged{Object: object, Msg: msg} }

// named returns an error of a structure as one of package references.
func named(object string, err error) error {
	var wrong *grib.Error
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.Unsupported:
		return unsupported(object, wrong.Msg)
	}
	return damaged(object, wrong.Msg)
}

// Is reports whether a file begins with a message of GRIB of any edition, or with a short text and
// such a message. Files of bulletins begin with two headings, which take 80 bytes.
func Is(r io.ReaderAt, size int64) bool {
	var b [128]byte
	n, _ := r.ReadAt(b[:], 0)
	return bytes.Contains(b[:min(int64(n), size)], []byte("GRIB"))
}

// Index adds the variables of a file, and their coordinates, as arrays of one group.
func Index(r io.ReaderAt, size int64, to *references.Writer) error {
	x := &index{r: r, size: size, to: to, grids: map[string]*grid{}, variables: map[identity]*variable{}}
	if err := x.messages(); err != nil {
		return err
	}
	if x.fields == 0 {
		return damaged("", "no message of GRIB edition 2 can be read")
	}
	return x.write()
}

// index is the state of a file that is read.
type index struct {
	r         io.ReaderAt
	size      int64
	to        *references.Writer
	grids     map[string]*grid // by section 3
	variables map[identity]*variable
	order     []*variable
	fields    int
	centre    [2]uint64

	gridOrder   []*grid
	parallels   grib.Parallels
	names       map[string]bool   // of variables and coordinates
	coordinates map[string]string // the names of coordinates by their contents
}

// messages reads the structure of each message.
func (x *index) messages() error {
	otherEdition := false
	for at, n := int64(0), 0; ; n++ {
		next, err := x.find(at)
		if err != nil || next < 0 {
			return err
		}
		object := "message " + strconv.Itoa(n)
		m, err := grib.Read(x.r, x.size, next)
		if err == nil {
			at = next + m.Length
			err = x.message(object, m)
		} else {
			if at, err = x.after(next), named(object, err); at == next+4 {
				var u *references.Unsupported
				if !errors.As(err, &u) {
					return x.to.Skip(object, err) // a damaged length: the next message is lost
				}
			} else if otherEdition {
				continue
			}
			otherEdition = true
			err = x.to.Skip(object, err)
		}
		if err != nil {
			return err
		}
	}
}

// find returns the offset of the next message, or -1 if there is none.
func (x *index) find(at int64) (int64, error) {
	if at >= x.size {
		return -1, nil
	}
	b := make([]byte, min(maxGap, x.size-at))
	n := min(len(b), 4)
	if k, err := x.r.ReadAt(b[:n], at); k < n && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if grib.Begins(b) {
		return at, nil
	}
	k, err := x.r.ReadAt(b, at)
	if k < len(b) && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if i := bytes.Index(b[:k], []byte("GRIB")); i >= 0 {
		return at + int64(i), nil
	}
	return -1, nil
}

// after returns the end of a message that cannot be read: edition 1 states its length in other
// octets. Without a length it is the end of the word GRIB.
func (x *index) after(at int64) int64 {
	var b [8]byte
	if n, _ := x.r.ReadAt(b[:], at); n == len(b) && b[7] == 1 {
		if length := int64(grib.Uint(b[:], 5, 7)); length > 8 {
			return at + length
		}
	}
	return at + 4
}

// message adds the fields of a message to their variables.
func (x *index) message(object string, m grib.Message) error {
	for k, f := range m.Fields {
		if len(m.Fields) > 1 {
			object := object + ", field " + strconv.Itoa(k)
			if err := x.field(object, m, k, f); err != nil {
				return err
			}
			continue
		}
		if err := x.field(object, m, k, f); err != nil {
			return err
		}
	}
	return nil
}

func (x *index) field(object string, m grib.Message, k int, f grib.Field) error {
	if x.fields++; x.fields > maxFields {
		return &references.LimitError{What: "the number of fields", Max: maxFields}
	}
	if x.fields == 1 {
		x.centre = [2]uint64{grib.Uint(f.Identification, 6, 7), grib.Uint(f.Identification, 8, 9)}
	}
	p, err := productOf(f)
	if err != nil {
		return x.to.Skip(object, named(object, err))
	}
	g, err := x.grid(f, m.Place, k)
	if err != nil {
		return x.to.Skip(object, named(object, err))
	}
	id := identity{p.quantity, g, k}
	v := x.variables[id]
	if v == nil {
		v = &variable{identity: id, double: isDouble(f.Representation)}
		x.variables[id] = v
		x.order = append(x.order, v)
	}
	v.double = v.double || isDouble(f.Representation)
	v.fields = append(v.fields, placed{p.place, m.Place})
	return nil
}

// isDouble reports whether values do not fit into single precision.
func isDouble(section5 []byte) bool {
	const ieee = 4
	if grib.Uint(section5, 10, 11) == ieee {
		return grib.Uint(section5, 12, 12) > 1
	}
	return grib.Uint(section5, 20, 20) > 24
}
