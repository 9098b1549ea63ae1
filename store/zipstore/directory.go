package zipstore

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"zarr-wasm/internal/kernel"
	"zarr-wasm/internal/limits"
	"zarr-wasm/store"
)

// Signatures and sizes of records (APPNOTE 4.3), and the bit of a member whose sizes follow its bytes.
const (
	localSignature   = 0x04034b50
	centralSignature = 0x02014b50
	signSignature    = 0x05054b50
	end64Signature   = 0x06064b50
	locatorSignature = 0x07064b50
	endSignature     = 0x06054b50

	localSize, centralSize, end64Size, locatorSize, endSize = 30, 46, 56, 20, 22

	descriptor = 1 << 3
)

// mostOffset is the largest number that is taken for a place or a size.
const mostOffset = 1 << 53

func le16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func le64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// directory is what is kept of an archive. Of a member it takes 48 bytes and the name.
type directory struct {
	archive store.Location // all of the archive
	guessed bool           // it is not known that offsets count from the archive's first byte
	names   string
	members []member // in the order of the central directory
	sorted  []uint32 // those that are keys, by their names
	top     string   // the top folder with a slash behind it, "" if there is none
	alias   bool     // keys may begin with the name of the top folder
	comment string

	mu    sync.Mutex
	extra []uint32 // by member, 1 more than the length of the local header's extra field; 0 as long as it is not known
}

// member is an entry of the directory.
type member struct {
	offset       int64 // of the local header in the archive
	stored, size int64
	crc          uint32
	name         uint32 // where it begins in names
	slack        int32  // bytes up to the next member for which the directory does not account; negative where they overlap
	nameLen      uint16
	rawName      uint16 // the length of the name as it is stored
	method       uint16
	flags        uint16
}

// fixed is the length of the local header without its extra field.
func (m *member) fixed() int64 { return localSize + int64(m.rawName) }

// room is how many bytes a local header may have.
func (m *member) room() int64 { return m.fixed() + int64(m.slack) }

func (d *directory) name(i uint32) string {
	m := &d.members[i]
	return d.names[m.name:][:m.nameLen]
}

// search returns the first place among the sorted names that is not before a name.
func (d *directory) search(name string) (int, bool) {
	return slices.BinarySearchFunc(d.sorted, name, func(i uint32, name string) int { return strings.Compare(d.name(i), name) })
}

// header returns the length of a member's local header, or -1.
func (d *directory) header(i uint32) int64 {
	m := &d.members[i]
	if m.slack == 0 && !d.guessed {
		return m.fixed()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.extra == nil || d.extra[i] == 0 {
		return -1
	}
	return m.fixed() + int64(d.extra[i]) - 1
}

func (d *directory) learn(i uint32, header int64) {
	m := &d.members[i]
	if m.slack == 0 && !d.guessed {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.extra == nil {
		d.extra = make([]uint32, len(d.members))
	}
	d.extra[i] = uint32(header-m.fixed()) + 1
}

// extent returns where bytes of the archive lie.
func (d *directory) extent(offset, length int64) store.Location {
	at := d.archive
	if at.Source == nil {
		// The places of members are within the archive.
		at.Inline = at.Inline[offset:][:length:length]
		return at
	}
	at.Offset, at.Length = max(at.Offset, 0)+offset, length
	return at
}

// list returns the names directly below a folder, which is "" or ends with a slash.
func (d *directory) list(folder string) []string {
	names := []string{}
	for i, _ := d.search(folder); i < len(d.sorted); {
		name, ok := strings.CutPrefix(d.name(d.sorted[i]), folder)
		if !ok {
			break
		}
		name, _, below := strings.Cut(name, "/")
		if !below {
			names = append(names, name)
			i++
			continue
		}
		names = append(names, name+"/")
		i, _ = d.search(folder + name + "0") // "0" follows the slash
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// endRecord is what the end of an archive says of its directory.
type endRecord struct {
	from, to              int // where the directory is in the piece that was read; it may begin before that
	begin                 int64
	base                  int64 // where in the archive its offsets count from
	entries, size, offset int64
	zip64                 bool
	comment               string
}

// findEnd finds the end record in the last bytes of an archive, which begin at an offset of it, or anywhere when that is negative. Comments
// may have what looks like an end record: the one counts in front of which there is a directory.
func findEnd(tail []byte, offset int64) (*endRecord, string) {
	var empty *endRecord
	wrong := "no end record: it is not a zip archive, or its end is missing"
	for _, exact := range []bool{true, false} {
		for i := len(tail) - endSize; i >= 0; i-- {
			if tail[i] != 'P' || le32(tail[i:]) != endSignature {
				continue
			}
			comment := int(le16(tail[i+20:]))
			if left := len(tail) - i - endSize; comment > left || exact != (comment == left) {
				continue
			}
			end, msg := readEnd(tail, i, offset)
			switch {
			case msg != "":
				wrong = msg
				continue
			case end.entries == 0:
				if empty == nil {
					empty = end
				}
				continue
			}
			return end, ""
		}
		if empty != nil {
			return empty, ""
		}
	}
	return nil, wrong
}

// readEnd reads the end record at a place, and its ZIP64 form before it. What is wrong with it is said by a text.
func readEnd(tail []byte, i int, offset int64) (*endRecord, string) {
	b := tail[i:]
	e := &endRecord{to: i, comment: strings.TrimRight(string(b[endSize:][:le16(b[20:])]), "\x00")}
	disk, first, here := uint64(le16(b[4:])), uint64(le16(b[6:])), uint64(le16(b[8:]))
	entries, size, at := uint64(le16(b[10:])), uint64(le32(b[12:])), uint64(le32(b[16:]))
	if k := i - locatorSize; k >= 0 && le32(tail[k:]) == locatorSignature {
		p := k - end64Size
		if p < 0 || le32(tail[p:]) != end64Signature {
			p = -1 // it has more fields
			if q := int64(le64(tail[k+8:])) - offset; offset >= 0 && q >= 0 && q <= int64(k-end64Size) && le32(tail[q:]) == end64Signature {
				p = int(q)
			}
		}
		if p < 0 {
			return nil, "its ZIP64 end record is not where it must be"
		}
		b := tail[p:]
		e.zip64, e.to = true, p
		disk, first, here = uint64(le32(b[16:])), uint64(le32(b[20:])), le64(b[24:])
		entries, size, at = le64(b[32:]), le64(b[40:]), le64(b[48:])
	}
	if disk != 0 || first != 0 || here != entries {
		return nil, "it is split into several files, which is not supported"
	}
	if entries > mostOffset || size > mostOffset || at > mostOffset {
		return nil, "the end record has a number beyond 2^53"
	}
	e.entries, e.size, e.offset = int64(entries), int64(size), int64(at)
	if e.entries > e.size/centralSize {
		return nil, "the end record declares more members than its directory can have"
	}
	e.begin = offset + int64(e.to) - e.size
	if e.base = e.begin - e.offset; offset < 0 {
		e.begin, e.base = e.offset, 0
	}
	if e.base < 0 {
		return nil, "its beginning is missing, or its end record is wrong"
	}
	isDirectory := func() bool {
		return e.from < 0 || e.entries == 0 || e.from+4 <= len(tail) && le32(tail[e.from:]) == centralSignature
	}
	if e.from = int(int64(e.to) - e.size); !isDirectory() && offset >= 0 {
		// Something may lie between the directory and its end record.
		e.begin, e.base, e.from = e.offset, 0, int(e.offset-offset)
		if e.to = e.from + int(e.size); e.from < 0 || e.to > i {
			e.from = len(tail)
		}
	}
	if !isDirectory() {
		return nil, "there is no directory where the end record says"
	}
	return e, ""
}

// parse reads the directory of an archive of which the last bytes are given, or all.
func (s *Store) parse(ctx context.Context, d *directory, tail store.Extent, fresh bool) error {
	end, msg := findEnd(tail.Bytes, tail.Offset)
	if msg != "" {
		return s.wrong(msg)
	}
	what := "directory of zip archive " + strconv.Quote(s.key)
	if err := limits.Check("Entries", s.opt.Entries, end.entries, what); err != nil {
		return err
	}
	if err := limits.Check("DirectoryBytes", s.opt.DirectoryBytes, end.size, what); err != nil {
		return err
	}
	d.comment, d.guessed = end.comment, tail.Offset < 0
	var dir []byte
	if end.from >= 0 {
		dir = tail.Bytes[end.from:end.to]
	} else {
		at := d.extent(end.begin, int64(-end.from))
		e, err := at.Read(ctx, s.key, store.Ask{Fresh: fresh}, s.objects.Extent)
		if err != nil {
			return err
		}
		dir = slices.Concat(e.Bytes, tail.Bytes[:end.to])
	}
	if msg := d.read(dir, end, s.opt.Entries); msg != "" {
		return s.wrong(msg)
	}
	if err := limits.Check("Entries", s.opt.Entries, int64(len(d.members)), what); err != nil {
		return err
	}
	return s.index(d)
}

// read reads the members of a directory.
func (d *directory) read(dir []byte, end *endRecord, most int64) string {
	var names strings.Builder
	names.Grow(max(0, len(dir)-centralSize*int(end.entries)))
	d.members = make([]member, 0, end.entries)
	order := true // of the directory is that of the archive
	for len(dir) >= centralSize && le32(dir) == centralSignature {
		b := dir
		nameLen, extraLen := int(le16(b[28:])), int(le16(b[30:]))
		n := centralSize + nameLen + extraLen + int(le16(b[32:]))
		if n > len(dir) {
			break
		}
		if int64(len(d.members)) > most {
			return "" // which is refused
		}
		dir = dir[n:]
		raw, extra := b[centralSize:][:nameLen], b[centralSize+nameLen:][:extraLen]
		m := member{
			flags: le16(b[8:]), method: le16(b[10:]), crc: le32(b[16:]), name: uint32(names.Len()), rawName: uint16(nameLen),
			stored: int64(le32(b[20:])), size: int64(le32(b[24:])), offset: int64(le32(b[42:])),
		}
		disk := uint32(le16(b[34:]))
		for len(extra) >= 4 {
			id, size := le16(extra), int(le16(extra[2:]))
			if extra = extra[4:]; size > len(extra) {
				break
			}
			field := extra[:size]
			extra = extra[size:]
			switch {
			case id == 1:
				for _, p := range []*int64{&m.size, &m.stored, &m.offset} {
					if *p == math.MaxUint32 && len(field) >= 8 {
						*p = int64(min(le64(field), mostOffset+1))
						field = field[8:]
					}
				}
				if disk == math.MaxUint16 && len(field) >= 4 {
					disk = le32(field)
				}
			case id == 0x7075 && size > 5 && field[0] == 1 && le32(field[1:]) == kernel.CRC32(raw):
				raw = field[5:]
				m.flags |= utf8Name
			}
		}
		if disk != 0 {
			return "it is split into several files, which is not supported"
		}
		if m.offset += end.base; max(m.offset, m.stored, m.size) > mostOffset {
			return "the directory has a number beyond 2^53"
		}
		writeName(&names, raw, m.flags)
		m.nameLen = uint16(min(names.Len()-int(m.name), math.MaxUint16))
		if k := len(d.members); k > 0 && d.members[k-1].offset > m.offset {
			order = false
		}
		d.members = append(d.members, m)
	}
	entries := int64(len(d.members))
	if entries != end.entries && (end.zip64 || uint16(entries) != uint16(end.entries)) || len(dir) > 0 && (len(dir) < 4 || le32(dir) != signSignature) {
		return "its directory is damaged behind member " + strconv.FormatInt(entries, 10) + " of " + strconv.FormatInt(end.entries, 10)
	}
	d.names = names.String()
	if !strings.Contains(d.names, "/") && strings.Contains(d.names, `\`) {
		d.names = strings.ReplaceAll(d.names, `\`, "/")
	}
	d.space(order, end.begin)
	return ""
}

// utf8Name is the flag of names that are UTF-8.
const utf8Name = 1 << 11

// space finds out how much room each member has up to the next one, or to the directory.
func (d *directory) space(ordered bool, end int64) {
	order := make([]uint32, len(d.members))
	for i := range order {
		order[i] = uint32(i)
	}
	if !ordered {
		slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(d.members[a].offset, d.members[b].offset) })
	}
	reach := int64(0) // of the members so far
	for k, i := range order {
		m := &d.members[i]
		to, next := m.offset+m.fixed()+m.stored, end
		if k+1 < len(order) {
			next = d.members[order[k+1]].offset
		}
		if m.slack = int32(min(max(next-to, -1), math.MaxInt32)); m.offset < reach {
			m.slack = -1
		}
		reach = max(reach, to)
	}
}

// index sorts the names that are keys, and looks for the top folder.
func (s *Store) index(d *directory) error {
	d.sorted = make([]uint32, 0, len(d.members))
	for i := range uint32(len(d.members)) {
		name := d.name(i)
		for len(name) > 0 && (name[0] == '/' || strings.HasPrefix(name, "./")) {
			_, name, _ = strings.Cut(name, "/")
		}
		m := &d.members[i]
		m.name += uint32(int(m.nameLen) - len(name))
		m.nameLen = uint16(len(name))
		if store.CheckKey(name) == nil {
			d.sorted = append(d.sorted, i)
		} else if strings.Contains("/"+name+"/", "/../") {
			return &Error{s.key, name, "the name leaves the archive"}
		}
	}
	compare := func(a, b uint32) int { return cmp.Or(strings.Compare(d.name(a), d.name(b)), cmp.Compare(a, b)) }
	if !slices.IsSortedFunc(d.sorted, compare) {
		slices.SortFunc(d.sorted, compare)
	}
	// The last one of a name counts.
	kept := d.sorted[:0]
	for k, i := range d.sorted {
		if k+1 == len(d.sorted) || d.name(i) != d.name(d.sorted[k+1]) {
			kept = append(kept, i)
		}
	}
	d.sorted = kept
	if s.root == "" {
		d.findTop()
	}
	return nil
}

// findTop looks for the folder below which all members lie, of a store that was packed with its folder.
func (d *directory) findTop() {
	top := ""
	for _, i := range d.sorted {
		name := d.name(i)
		if top != "" && strings.HasPrefix(name, top) || strings.HasPrefix(name, "__MACOSX/") {
			continue
		}
		folder, _, ok := strings.Cut(name, "/")
		if !ok || top != "" {
			return
		}
		top = folder + "/"
	}
	for _, document := range []string{"zarr.json", ".zgroup", ".zarray", ".zmetadata"} {
		if _, ok := d.search(top + document); ok {
			d.top = top
		}
	}
	k, _ := d.search(top + top)
	d.alias = k == len(d.sorted) || !strings.HasPrefix(d.name(d.sorted[k]), top+top)
}

// writeName writes a name as UTF-8.
func writeName(to *strings.Builder, raw []byte, flags uint16) {
	if flags&utf8Name != 0 || !slices.ContainsFunc(raw, func(c byte) bool { return c >= 0x80 }) {
		to.Write(raw)
		return
	}
	upper := []rune(cp437)
	for _, c := range raw {
		if c < 0x80 {
			to.WriteByte(c)
		} else {
			to.WriteRune(upper[c-0x80])
		}
	}
}

// cp437 is the upper half of code page 437.
const cp437 = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
	"└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0"
