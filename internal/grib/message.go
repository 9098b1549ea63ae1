// Package grib reads the structure of GRIB edition 2, after the WMO's Manual on Codes, volume I.2.
// It reads the sections of messages, and the definitions of grids. It does not decode values.
//
// A message may be hostile. The sections that are read are bounded in size and number.
package grib

import (
	"encoding/binary"
	"errors"
	"io"
	"strconv"
)

// Error reports a message that is damaged, or that has a feature which is not supported.
type Error struct {
	Unsupported bool
	Msg         string
}

func (e *Error) Error() string { return e.Msg }

func damaged(msg string) error     { return &Error{Msg: msg} }
func unsupported(msg string) error { return &Error{Unsupported: true, Msg: msg} }

const (
	headBytes = 16 // of section 0
	tailBytes = 4  // of section 8
	// maxSection limits the bytes of a section with definitions. A reduced grid has a list of rows.
	maxSection = 1 << 20
	// MaxFields limits the fields of a message.
	MaxFields = 1 << 16
)

// Place is a range of the file in bytes.
type Place struct{ Offset, Length int64 }

// Field is one field of a message. The sections include their lengths and numbers, so that octet n
// of the manual is byte n-1.
type Field struct {
	Discipline     byte
	Identification []byte // section 1
	Grid           []byte // section 3
	Product        []byte // section 4
	Representation []byte // section 5
	// Bitmap is the place of the bits of section 6. Its length is -1 if every point has a value.
	Bitmap Place
	// Data is the place of the content of section 7.
	Data Place
}

// Message is a message, with its place and fields.
type Message struct {
	Place
	Fields []Field
}

// reader reads sections. Offsets are within the file.
type reader struct {
	r   io.ReaderAt
	end int64 // of the message, before section 8
}

func readAt(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return damaged("the file ends within a message")
	}
	return err
}

// Begins reports whether bytes are the begin of a message of any edition.
func Begins(b []byte) bool { return len(b) >= 4 && string(b[:4]) == "GRIB" }

// Read reads the structure of the message at an offset of a file of some size.
func Read(r io.ReaderAt, size, at int64) (Message, error) {
	var head [headBytes]byte
	if at < 0 || size-at < headBytes {
		return Message{}, damaged("the file ends within the head of a message")
	}
	if err := readAt(r, head[:], at); err != nil {
		return Message{}, err
	}
	if !Begins(head[:]) {
		return Message{}, damaged("a message does not begin with GRIB")
	}
	if edition := head[7]; edition != 2 {
		return Message{}, unsupported("GRIB edition " + strconv.Itoa(int(edition)) + ": only edition 2 is read")
	}
	length := binary.BigEndian.Uint64(head[8:])
	if length < headBytes+tailBytes || length > uint64(size-at) {
		return Message{}, damaged("the length of a message is not within the file")
	}
	m := Message{Place: Place{at, int64(length)}}
	s := &reader{r, at + int64(length) - tailBytes}
	var err error
	m.Fields, err = s.fields(at+headBytes, head[6])
	return m, err
}

// fields reads the sections up to section 8. Sections 2 to 7 and their successors repeat.
func (s *reader) fields(at int64, discipline byte) (list []Field, err error) {
	f := Field{Discipline: discipline, Bitmap: Place{Length: -1}}
	defined := Place{Length: -1} // the last bitmap that a field has
	last := byte(0)
	for at < s.end {
		var b [6]byte
		if s.end-at < 5 {
			return nil, damaged("bytes between the sections")
		}
		head := b[:min(6, s.end-at)]
		if err := readAt(s.r, head, at); err != nil {
			return nil, err
		}
		length, number := int64(binary.BigEndian.Uint32(b[:])), b[4]
		if length < 5 || length > s.end-at {
			return nil, damaged("the length of section " + strconv.Itoa(int(number)) + " is not within its message")
		}
		if !follows(number, last) {
			return nil, damaged("section " + strconv.Itoa(int(number)) + " follows section " + strconv.Itoa(int(last)))
		}
		switch number {
		case 1:
			f.Identification, err = s.section(at, length, 21)
		case 3:
			f.Grid, err = s.section(at, length, 14)
		case 4:
			f.Product, err = s.section(at, length, 11)
		case 5:
			f.Representation, err = s.section(at, length, 11)
		case 6:
			switch {
			case length < 6:
				err = damaged("section 6 is too short")
			case b[5] == 0:
				defined = Place{at + 6, length - 6}
				f.Bitmap = defined
			case b[5] == 254 && defined.Length >= 0:
				f.Bitmap = defined
			case b[5] == 254:
				err = damaged("a field refers to a bitmap, and none precedes it")
			case b[5] == 255:
				f.Bitmap = Place{Length: -1}
			default:
				err = unsupported("the bitmap " + strconv.Itoa(int(b[5])) + " of a centre")
			}
		case 7:
			if f.Identification == nil || f.Grid == nil || f.Product == nil || f.Representation == nil {
				return nil, damaged("section 7 precedes sections that it needs")
			}
			if len(list) >= MaxFields {
				return nil, damaged("more than 65536 fields in a message")
			}
			f.Data = Place{at + 5, length - 5}
			list = append(list, f)
		}
		if err != nil {
			return nil, err
		}
		at, last = at+length, number
	}
	if last != 7 {
		return nil, damaged("a message ends after section " + strconv.Itoa(int(last)))
	}
	return list, nil
}

// follows reports whether a section may follow another: a field that follows another begins with
// section 2, 3 or 4.
func follows(number, last byte) bool {
	switch last {
	case 0:
		return number == 1
	case 1:
		return number == 2 || number == 3
	case 7:
		return number >= 2 && number <= 4
	}
	return number == last+1
}

func (s *reader) section(at, length, least int64) ([]byte, error) {
	if length < least || length > maxSection {
		return nil, damaged("a section of " + strconv.FormatInt(length, 10) + " bytes")
	}
	b := make([]byte, length)
	return b, readAt(s.r, b, at)
}

// Uint returns octets from first to last, which count from one, as a number. Octets that are
// missing are zero.
func Uint(section []byte, first, last int) uint64 {
	v := uint64(0)
	for i := first - 1; i < last; i++ {
		v <<= 8
		if i < len(section) {
			v |= uint64(section[i])
		}
	}
	return v
}

// Int is Uint for numbers whose first bit is a sign.
func Int(section []byte, first, last int) int64 {
	v, sign := Uint(section, first, last), uint64(1)<<(8*(last-first+1)-1)
	if v&sign != 0 {
		return -int64(v &^ sign)
	}
	return int64(v)
}

// Missing reports whether all bits of octets are set.
func Missing(section []byte, first, last int) bool {
	return Uint(section, first, last) == 1<<(8*(last-first+1))-1
}
