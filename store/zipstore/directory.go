package zipstore

import (
	"context"
	"math"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/zarr-wasm/zarr-wasm/internal/document"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/order"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Records (APPNOTE 4.3) begin with a signature. Their layouts list the widths of their fields in
// bytes.
const (
	localSignature   = 0x04034b50
	centralSignature = 0x02014b50
	signSignature    = 0x05054b50
	end64Signature   = 0x06064b50
	locatorSignature = 0x07064b50
	endSignature     = 0x06054b50

	localLayout   = "4222444422"
	centralLayout = "4222244442222244"
	end64Layout   = "4822448888"
	locatorLayout = "484"
	endLayout     = "42222442"

	localSize, centralSize, end64Size, locatorSize, endSize = 30, 46, 56, 20, 22
)

// Flags of a member.
const (
	encrypted  = 1<<0 | 1<<6 | 1<<13
	descriptor = 1 << 3 // sizes and CRC-32 follow the bytes
	patch      = 1 << 5
	utf8Name   = 1 << 11
)

// maxOffset is the largest accepted offset or size. Larger numbers become maxOffset+1.
const maxOffset = 1 << 53

// record holds the fields of a record. Fields beyond its bytes are 0.
type record [16]int64

func unpack(b []byte, layout string) (r record) {
	for i := range len(layout) {
		n := int(layout[i] - '0')
		if n > len(b) {
			break
		}
		v := uint64(0)
		for k := n - 1; k >= 0; k-- {
			v = v<<8 | uint64(b[k])
		}
		r[i] = int64(min(v, maxOffset+1))
		b = b[n:]
	}
	return r
}

// directory is the cached state of an archive. A member takes 48 bytes plus its name.
type directory struct {
	archive store.Location // the whole archive
	guessed bool           // offsets may not count from the archive's first byte
	names   string
	stored  map[int]string // Stored names of members that differ from those in names.
	slashes bool           // Stored names use backslashes as separators.
	members []member       // In the order of the central directory.
	sorted  []int          // Indexes of the members that are keys, by name.
	top     string         // The top folder with a trailing slash, "" if there is none.
	alias   bool           // Keys may begin with the name of the top folder.
	comment string
}

// member is an entry of the directory.
type member struct {
	offset       int64 // of the local header in the archive
	stored, size int64
	crc          uint32
	name         uint32 // Its position in names.
	slack        int32  // Unaccounted bytes up to the next member, or overlaps, or outside.
	extra        uint32 // The length of the local header's extra field plus 1; 0 while unknown.
	nameLen      uint16
	rawName      uint16 // The length of the stored name.
	method       uint16
	flags        uint16
}

// Values of slack for members that cannot be read.
const (
	overlaps = -1 // the member overlaps another one
	outside  = -2 // the member lies outside of the bytes before the directory
)

// fixed returns the length of the local header without its extra field.
func (m *member) fixed() int64 { return localSize + int64(m.rawName) }

// header returns the length of a member's local header, or -1 while it is unknown.
func (d *directory) header(m *member) int64 {
	extra := int64(atomic.LoadUint32(&m.extra))
	if m.slack == 0 && !d.guessed {
		extra = 1
	}
	if extra == 0 {
		return -1
	}
	return m.fixed() + extra - 1
}

func (d *directory) name(i int) string {
	m := &d.members[i]
	return d.names[m.name:][:m.nameLen]
}

// named reports whether a stored name is that of a member.
func (d *directory) named(i int, stored []byte) bool {
	name, other := d.stored[i]
	if !other {
		if name = d.name(i); d.slashes {
			name = strings.ReplaceAll(name, "/", `\`)
		}
	}
	return string(stored) == name
}

// search returns the position of the first sorted name that is at or after a name, and that name.
func (d *directory) search(name string) (int, string) {
	from, to := 0, len(d.sorted)
	for from < to {
		if k := (from + to) / 2; d.name(d.sorted[k]) < name {
			from = k + 1
		} else {
			to = k
		}
	}
	if from == len(d.sorted) {
		return from, ""
	}
	return from, d.name(d.sorted[from])
}

// extent narrows a location of the archive to some of its bytes.
func (d *directory) extent(at *store.Location, offset, length int64) {
	if at.Source == nil {
		// the bytes of members lie within the archive
		at.Inline = at.Inline[offset:][:length:length]
		return
	}
	at.Offset, at.Length = max(at.Offset, 0)+offset, length
}

// list returns the names directly below a folder, which is "" or ends with a slash.
func (d *directory) list(folder string) []string {
	names := []string{}
	for from := folder; ; {
		_, name := d.search(from)
		if name == "" || !strings.HasPrefix(name, folder) {
			return names
		}
		from = name + "\x00" // the next name
		if k := strings.IndexByte(name[len(folder):], '/'); k >= 0 {
			k += len(folder)
			from = name[:k] + "0" // "0" follows the slash
			name = name[:k+1]
		}
		names = append(names, name[len(folder):])
	}
}

// endRecord is the parsed end of an archive, which describes its directory.
type endRecord struct {
	// the directory's range in the bytes that were read; from may be negative
	from, to              int
	begin                 int64 // the directory's offset in the archive
	base                  int64 // the position in the archive that its offsets count from
	entries, size, offset int64
	zip64                 bool
	comment               []byte
}

// findEnd finds the end record in the last bytes of an archive. offset is their position in the
// archive, negative if unknown. Comments may contain bytes that look like an end record. The right
// one has a directory before it, and only its comment after it.
func findEnd(tail []byte, offset int64) (found endRecord, wrong string) {
	wrong = "no end record: it is not a zip archive, or its end is missing"
	for _, exact := range []bool{true, false} {
		for i := len(tail) - endSize; i >= 0; i-- {
			if tail[i] != 'P' || kernel.Load32(tail, i) != endSignature {
				continue
			}
			length := int(kernel.Load16(tail, i+20))
			if left := len(tail) - i - endSize; length > left || exact != (length == left) || wrong == "" && found.entries == 0 {
				continue
			}
			end, msg := readEnd(tail, i, offset)
			if end.comment = tail[i+endSize:][:length]; msg == "" || wrong != "" {
				found, wrong = end, msg
			}
			if msg == "" && end.entries > 0 {
				return found, wrong
			}
		}
		if wrong == "" {
			break
		}
	}
	return found, wrong
}

// readEnd reads the end record at a position, and the ZIP64 record before it. The second result
// describes a defect.
func readEnd(tail []byte, i int, offset int64) (e endRecord, wrong string) {
	r := unpack(tail[i:], endLayout)
	disk, first, here := r[1], r[2], r[3]
	e.to, e.entries, e.size, e.offset = i, r[4], r[5], r[6]
	if k := i - locatorSize; k >= 0 && kernel.Load32(tail, k) == locatorSignature {
		p := int64(k - end64Size)
		if at := unpack(tail[k:], locatorLayout)[1] - offset; offset >= 0 && at >= 0 && at < p {
			p = at // it has more fields, or there are bytes before the archive
		}
		if p >= 0 {
			r = unpack(tail[p:], end64Layout)
		}
		if p < 0 || r[0] != end64Signature {
			p = int64(k - end64Size)
			if p >= 0 {
				r = unpack(tail[p:], end64Layout)
			}
		}
		if p < 0 || r[0] != end64Signature {
			return e, "its ZIP64 end record is missing"
		}
		e.zip64, e.to = true, int(p)
		disk, first, here, e.entries, e.size, e.offset = r[4], r[5], r[6], r[7], r[8], r[9]
	}
	if e.from, e.begin = int(int64(e.to)-e.size), offset+int64(e.to)-e.size; offset < 0 {
		e.begin = e.offset
	}
	e.base = e.begin - e.offset
	switch {
	case disk != 0 || first != 0 || here != e.entries:
		return e, isSplit
	case max(e.entries, e.size, e.offset) > maxOffset:
		return e, isLarge
	case e.entries > e.size/centralSize:
		return e, "the end record declares more members than its directory can have"
	case e.base < 0:
		return e, "its beginning is missing, or its end record is wrong"
	case e.entries > 0 && e.from >= 0 && kernel.Load32(tail, e.from) != centralSignature:
		return e, "there is no directory where the end record says"
	}
	return e, ""
}

const (
	isSplit = "it is split into several files, which is not supported"
	isLarge = "it has a number beyond 2^53"
)

// parse parses the directory of an archive from its last bytes, or all of them.
func (s *Store) parse(ctx context.Context, d *directory, tail *store.Extent, fresh bool) error {
	end, wrong := findEnd(tail.Bytes, tail.Offset)
	if wrong != "" {
		return s.wrong("", wrong)
	}
	what := "directory of zip archive " + strconv.Quote(s.key)
	if err := limits.Check("DirectoryBytes", s.opt.DirectoryBytes, end.size, what); err != nil {
		return err
	}
	d.guessed = tail.Offset < 0
	d.comment = string(end.comment)
	for d.comment != "" && d.comment[len(d.comment)-1] == 0 {
		d.comment = d.comment[:len(d.comment)-1]
	}
	dir := tail.Bytes[max(end.from, 0):end.to]
	if end.from < 0 {
		e, err := s.read(ctx, d, store.Ask{Range: &store.ByteRange{Offset: end.begin, Length: int64(-end.from)}, Fresh: fresh})
		if err != nil {
			return err
		}
		dir = append(e.Bytes[:-end.from:-end.from], dir...)
	}
	if wrong := d.read(dir, &end, int(s.opt.Entries)); wrong != "" {
		return s.wrong("", wrong)
	}
	if err := limits.Check("Entries", s.opt.Entries, int64(len(d.members)), what); err != nil {
		return err
	}
	d.space(end.begin)
	return s.index(d)
}

// read parses the members of a directory. It stops after most+1 members.
func (d *directory) read(dir []byte, end *endRecord, most int) string {
	d.stored = map[int]string{}
	names := make([]byte, 0, max(0, len(dir)-centralSize*int(end.entries)))
	d.members = make([]member, 0, min(int(end.entries), most+1))
	for len(d.members) <= most {
		r := unpack(dir, centralLayout)
		n, k := centralSize+int(r[9]), centralSize+int(r[9]+r[10])
		to := k + int(r[11])
		if r[0] != centralSignature || to > len(dir) {
			break
		}
		stored := dir[centralSize:n]
		raw := zip64(stored, dir[n:k], &r)
		dir = dir[to:]
		if r[12] != 0 {
			return isSplit
		}
		if max(r[7], r[8], r[15]) > maxOffset {
			return isLarge
		}
		name := len(names)
		if names = appendName(names, raw, r[3]); string(names[name:]) != string(stored) {
			d.stored[len(d.members)] = string(stored)
		}
		d.members = append(d.members, member{
			offset: r[15] + end.base, stored: r[7], size: r[8], crc: uint32(r[6]), method: uint16(r[4]), flags: uint16(r[3]),
			name: uint32(name), nameLen: uint16(min(len(names)-name, math.MaxUint16)), rawName: uint16(r[9]),
		})
	}
	n := len(d.members)
	if n <= most && (n != int(end.entries) && (end.zip64 || (n-int(end.entries))%(1<<16) != 0) || len(dir) > 0 && unpack(dir, "4")[0] != signSignature) {
		return "its directory is damaged after member " + strconv.Itoa(n)
	}
	d.names = string(names)
	if d.slashes = strings.IndexByte(d.names, '/') < 0; d.slashes {
		d.names = strings.ReplaceAll(d.names, `\`, "/")
	}
	return ""
}

// zip64 parses the extra fields of a member. They hold numbers that exceed the record's fields, and
// may hold a UTF-8 name that replaces the stored one. It returns the name.
func zip64(name, extra []byte, r *record) []byte {
	for len(extra) >= 4 {
		f := unpack(extra, "22")
		n := 4 + int(f[1])
		if n > len(extra) {
			break
		}
		field := extra[4:n]
		extra = extra[n:]
		if f[0] == 1 {
			for _, i := range []int{8, 7, 15} { // size, stored size, offset
				if r[i] == math.MaxUint32 && len(field) >= 8 {
					r[i] = unpack(field, "8")[0]
					field = field[8:]
				}
			}
			if r[12] == math.MaxUint16 {
				r[12] = unpack(field, "4")[0]
			}
		} else if f[0] == 0x7075 && len(field) > 5 && unpack(field, "14")[1] == int64(kernel.CRC32(name)) {
			name = field[5:]
			r[3] |= utf8Name
		}
	}
	return name
}

// appendName appends a name as UTF-8.
func appendName(names, raw []byte, flags int64) []byte {
	if flags&utf8Name != 0 {
		return append(names, raw...)
	}
	for _, c := range raw {
		if c < 0x80 {
			names = append(names, c)
		} else {
			names = append(names, string([]rune(cp437)[c-0x80])...)
		}
	}
	return names
}

// cp437 is the upper half of code page 437.
const cp437 = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
	"└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0"

// sort returns the indexes of the members in an order. It is stable.
func (d *directory) sort(less func(a, b int) bool) []int {
	list := make([]int, len(d.members))
	for i := range list {
		list[i] = i
	}
	order.Sort(list, less)
	return list
}

// space computes the slack of each member, up to the next one or the directory.
func (d *directory) space(end int64) {
	by := d.sort(func(a, b int) bool { return d.members[a].offset < d.members[b].offset })
	reach := int64(0) // the end of the members so far
	for k, i := range by {
		m := &d.members[i]
		to, next := m.offset+m.fixed()+m.stored, end
		if k+1 < len(by) {
			next = d.members[by[k+1]].offset
		}
		switch m.slack = int32(min(max(next-to, overlaps), math.MaxInt32)); {
		case to > end:
			m.slack = outside
		case m.offset < reach:
			m.slack = overlaps
		}
		reach = max(reach, to)
	}
}

// index sorts the names that are keys, and finds the top folder.
func (s *Store) index(d *directory) error {
	d.sorted = d.sort(func(a, b int) bool { return d.name(a) < d.name(b) })
	kept, top, many := d.sorted[:0], "", s.root != ""
	for k, i := range d.sorted {
		name := d.name(i)
		if strings.Contains(name, "../") && strings.Contains("/"+name, "/../") {
			return s.wrong(name, "the name leaves the archive")
		}
		if store.CheckKey(name) != nil || k+1 < len(d.sorted) && name == d.name(d.sorted[k+1]) {
			continue // a folder or another invalid key, or not the last member of that name
		}
		if kept = append(kept, i); !many && !strings.HasPrefix(name, "__MACOSX/") {
			folder := name[:strings.IndexByte(name, '/')+1]
			many = folder == "" || top != "" && top != folder
			top = folder
		}
	}
	if d.sorted = kept; many {
		return nil
	}
	for _, name := range document.Nodes() {
		if _, found := d.search(top + name); found == top+name {
			d.top = top
		}
	}
	_, below := d.search(top + top)
	d.alias = !strings.HasPrefix(below, top+top)
	return nil
}
