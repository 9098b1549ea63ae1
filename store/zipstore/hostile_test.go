package zipstore_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/zipstore"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/spent"
)

// raw is a member that a test writes byte by byte.
type raw struct {
	name           string
	stored         []byte
	size           int64 // -1 for the size of the stored bytes
	crc            uint32
	method, flags  uint16
	local, central []byte // Extra fields.
	localSize      int64  // The size in the local header; -1 for none, 0 for the true one.
	behind         []byte // Bytes after the member.
	at             int64  // The offset in the directory; -1 for the true one.
	comment        string
}

// plain returns a stored member.
func plain(name string, data string) raw {
	return raw{name: name, stored: []byte(data), size: -1, crc: crc32.ChecksumIEEE([]byte(data)), at: -1}
}

// end describes the bytes around the members.
type end struct {
	before, gap, comment, behind string
	entries                      int // the number in the end record; -1 for the true one
	zip64                        bool
	size, offset                 int64 // of the directory, as declared; -1 for the true ones
	disk                         uint16
	reverse                      bool // the directory is in reverse order
	// offsets count from the first byte, even with bytes before the archive
	shift bool
}

var usual = end{entries: -1, size: -1, offset: -1}

func put(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		_ = binary.Write(b, binary.LittleEndian, v)
	}
}

// assemble writes an archive.
func assemble(e end, members ...raw) []byte {
	var b bytes.Buffer
	b.WriteString(e.before)
	start := b.Len()
	if e.shift {
		start = 0
	}
	directory := make([]string, len(members))
	for i, m := range members {
		at := m.at
		if at < 0 {
			at = int64(b.Len() - start)
		}
		size := m.size
		if size < 0 {
			size = int64(len(m.stored))
		}
		stored := uint32(len(m.stored))
		declared := uint32(size)
		if m.localSize != 0 {
			declared = uint32(m.localSize)
		}
		put(&b, uint32(0x04034b50), uint16(20), m.flags, m.method, uint32(0))
		if m.flags&8 != 0 {
			put(&b, uint32(0), uint32(0), uint32(0))
		} else {
			put(&b, m.crc, stored, declared)
		}
		put(&b, uint16(len(m.name)), uint16(len(m.local)))
		b.WriteString(m.name)
		b.Write(m.local)
		b.Write(m.stored)
		if m.flags&8 != 0 {
			put(&b, uint32(0x08074b50), m.crc, stored, uint32(size))
		}
		b.Write(m.behind)
		var c bytes.Buffer
		extra := m.central
		sizes := []uint32{stored, uint32(size), uint32(at)}
		if e.zip64 {
			var x bytes.Buffer
			put(&x, uint16(1), uint16(24), size, int64(len(m.stored)), at)
			extra = append(x.Bytes(), extra...)
			sizes = []uint32{math.MaxUint32, math.MaxUint32, math.MaxUint32}
		}
		put(&c, uint32(0x02014b50), uint32(20|20<<16), m.flags, m.method, uint32(0), m.crc, sizes[0], sizes[1],
			uint16(len(m.name)), uint16(len(extra)), uint16(len(m.comment)), uint16(0), uint16(0), uint32(0), sizes[2])
		c.WriteString(m.name)
		c.Write(extra)
		c.WriteString(m.comment)
		directory[i] = c.String()
	}
	if e.reverse {
		slices.Reverse(directory)
	}
	offset := int64(b.Len() - start)
	b.WriteString(strings.Join(directory, ""))
	size := int64(b.Len()-start) - offset
	b.WriteString(e.gap)
	entries := len(members)
	if e.entries >= 0 {
		entries = e.entries
	}
	if e.size >= 0 {
		size = e.size
	}
	if e.offset >= 0 {
		offset = e.offset
	}
	if e.zip64 {
		at := int64(b.Len() - start)
		put(&b, uint32(0x06064b50), uint64(44), uint32(45|45<<16), uint32(e.disk), uint32(0), uint64(entries), uint64(entries), size, offset)
		put(&b, uint32(0x07064b50), uint32(0), at, uint32(1))
		put(&b, uint32(0x06054b50), uint16(0), uint16(0), uint16(0xffff), uint16(0xffff), uint32(math.MaxUint32), uint32(math.MaxUint32))
	} else {
		put(&b, uint32(0x06054b50), e.disk, uint16(0), uint16(entries), uint16(entries), uint32(size), uint32(offset))
	}
	put(&b, uint16(len(e.comment)))
	b.WriteString(e.comment)
	b.WriteString(e.behind)
	return b.Bytes()
}

// with returns the usual end with a change.
func with(change func(*end)) end {
	e := usual
	change(&e)
	return e
}

// TestArchives covers features of writers that no other archive of the tests has.
func TestArchives(t *testing.T) {
	a, z := plain("a/b", "one"), plain("zarr.json", "{}")
	fake := assemble(usual, plain("fake", "fake"))
	extra := a
	extra.local = bytes.Repeat([]byte{1, 2, 3, 4}, 10)
	far := a
	far.local = make([]byte, 60_000)
	stream := a
	stream.flags = 8
	second := plain("c", "three")
	second.flags = 8
	dead := a
	dead.behind = make([]byte, 200_000)
	cp437 := plain("gr\x81\xe1e", "x")
	utf8 := plain("grüße", "y")
	utf8.flags = 1 << 11
	renamed := plain("old", "z")
	var field bytes.Buffer
	put(&field, uint16(0x7075), uint16(5+6), byte(1), crc32.ChecksumIEEE([]byte("old")))
	field.WriteString("naïve")
	renamed.central = field.Bytes()
	for name, c := range map[string]struct {
		archive []byte
		want    map[string]string
	}{
		"plain":                 {assemble(usual, a, z), map[string]string{"a/b": "one", "zarr.json": "{}"}},
		"zip64":                 {assemble(with(func(e *end) { e.zip64 = true }), a, z), map[string]string{"a/b": "one", "zarr.json": "{}"}},
		"the other order":       {assemble(with(func(e *end) { e.reverse = true }), a, z), map[string]string{"a/b": "one", "zarr.json": "{}"}},
		"comment":               {assemble(with(func(e *end) { e.comment = "hello\x00\x00" }), a), map[string]string{"a/b": "one"}},
		"a long comment":        {assemble(with(func(e *end) { e.comment = strings.Repeat("PK\x05\x06", 16_000) }), a), map[string]string{"a/b": "one"}},
		"an archive as comment": {assemble(with(func(e *end) { e.comment = "PK\x05\x06" + string(fake[len(fake)-22:]) }), a), map[string]string{"a/b": "one"}},
		"bytes before":          {assemble(with(func(e *end) { e.before = "#!/bin/sh\n" }), a, z), map[string]string{"a/b": "one", "zarr.json": "{}"}},
		"bytes before, counted": {assemble(with(func(e *end) { e.before = "#!/bin/sh\n"; e.shift = true }), a, z), map[string]string{"a/b": "one"}},
		"many bytes before":     {assemble(with(func(e *end) { e.before = strings.Repeat("PK\x03\x04", 100_000) }), a, z), map[string]string{"a/b": "one"}},
		"bytes behind":          {assemble(with(func(e *end) { e.behind = "\r\n" }), a), map[string]string{"a/b": "one"}},
		"a signature":           {assemble(with(func(e *end) { e.gap = "PK\x05\x05\x02\x00ab"; e.size = 46 + 3 + 8 }), a), map[string]string{"a/b": "one"}},
		"local extra field":     {assemble(usual, extra, z), map[string]string{"a/b": "one", "zarr.json": "{}"}},
		"a large extra field":   {assemble(usual, far, z), map[string]string{"a/b": "one", "zarr.json": "{}"}},
		"descriptor":            {assemble(usual, stream, second, z), map[string]string{"a/b": "one", "c": "three", "zarr.json": "{}"}},
		"dead space":            {assemble(usual, dead, z), map[string]string{"a/b": "one", "zarr.json": "{}"}},
		"twice":                 {assemble(usual, a, plain("a/b", "three"), z), map[string]string{"a/b": "three"}},
		"twice, the first last": {assemble(with(func(e *end) { e.reverse = true }), a, plain("a/b", "three"), z), map[string]string{"a/b": "one"}},
		"names":                 {assemble(usual, cp437, utf8, renamed), map[string]string{"grüße": "y", "naïve": "z"}},
		"code page":             {assemble(usual, cp437, renamed), map[string]string{"grüße": "x", "naïve": "z"}},
		"backslashes":           {assemble(usual, plain(`a\b`, "x"), plain("c", "y")), map[string]string{"a/b": "x", "c": "y"}},
		"a backslash":           {assemble(usual, plain(`a\b`, "x"), plain("c/d", "y")), map[string]string{`a\b`: "x", "c/d": "y"}},
		"folders":               {assemble(usual, plain("a/", ""), plain("a/c", "y")), map[string]string{"a/c": "y"}},
		"no bytes":              {assemble(usual, plain("a", "")), map[string]string{"a": ""}},
		"entries modulo 65536":  {assemble(with(func(e *end) { e.entries = 1 }), append(make70k(65536), plain("last", "x"))...), map[string]string{"last": "x", "c/77": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			part, _, layer := open(t, c.archive, zipstore.Options{})
			// without the header's length from an earlier read of the whole member
			for key, want := range c.want {
				r := store.ByteRange{Offset: 1, Length: int64(len(want) - 1)}
				if want == "" {
					continue
				}
				e, err := store.ReadKey(t.Context(), part, key, store.Ask{Range: &r}, layer.Extent)
				if b, _ := e.Slice(r); err != nil || string(b) != want[1:] {
					t.Errorf("%s, %v: %q, %v", key, r, e.Bytes, err)
				}
			}
			s, src, layer := open(t, c.archive, zipstore.Options{})
			for range 2 {
				for key, want := range c.want {
					if got, err := get(t, s, layer, key); err != nil || string(got) != want {
						t.Errorf("%s: %q, %v; want %q", key, got, err, want)
					}
					if want == "" {
						continue
					}
					r := store.ByteRange{Offset: 1, Length: int64(len(want) - 1)}
					if e, err := store.ReadKey(t.Context(), s, key, store.Ask{Range: &r}, layer.Extent); err != nil || string(e.Bytes) != want[1:] {
						t.Errorf("%s, %v: %q, %v", key, r, e.Bytes, err)
					}
				}
				src.mu.Lock()
				src.fails = errors.New("nothing more is asked for")
				src.mu.Unlock()
			}
		})
	}
}

func make70k(n int) []raw {
	members := make([]raw, n)
	for i := range members {
		members[i] = plain(fmt.Sprintf("c/%d", i), "")
	}
	return members
}

func TestTopFolder(t *testing.T) {
	for name, c := range map[string]struct {
		names []string
		root  string
		want  map[string]string // the member's name by key
		list  []string
	}{
		"folder":       {[]string{"x.zarr/", "x.zarr/zarr.json", "x.zarr/a/zarr.json"}, "x.zarr", map[string]string{"zarr.json": "x.zarr/zarr.json", "x.zarr/zarr.json": "x.zarr/zarr.json", "a/zarr.json": "x.zarr/a/zarr.json"}, []string{"a/", "zarr.json"}},
		"its own name": {[]string{"a/zarr.json", "a/a/zarr.json"}, "a", map[string]string{"a/zarr.json": "a/a/zarr.json", "zarr.json": "a/zarr.json"}, []string{"a/", "zarr.json"}},
		"a Mac's":      {[]string{"__MACOSX/._x", "x/.zgroup", "x/.zattrs"}, "x", map[string]string{".zgroup": "x/.zgroup"}, []string{".zattrs", ".zgroup"}},
		"two":          {[]string{"x/.zgroup", "y/.zgroup"}, "", map[string]string{".zgroup": "", "x/.zgroup": "x/.zgroup"}, []string{"x/", "y/"}},
		"a document":   {[]string{"x/.zgroup", ".zattrs"}, "", map[string]string{".zgroup": "", ".zattrs": ".zattrs"}, []string{".zattrs", "x/"}},
		"none in it":   {[]string{"x/a/.zgroup", "x/b"}, "", map[string]string{"a/.zgroup": "", "x/b": "x/b"}, []string{"x/"}},
	} {
		t.Run(name, func(t *testing.T) {
			var members []raw
			for _, n := range c.names {
				if strings.HasSuffix(n, "/") {
					members = append(members, plain(n, ""))
				} else {
					members = append(members, plain(n, n))
				}
			}
			s, _, layer := open(t, assemble(usual, members...), zipstore.Options{})
			if root, err := s.Root(t.Context()); err != nil || root != c.root {
				t.Errorf("root %q, %v", root, err)
			}
			for key, want := range c.want {
				got, err := get(t, s, layer, key)
				if want == "" && !errors.Is(err, fs.ErrNotExist) || want != "" && (err != nil || string(got) != want) {
					t.Errorf("%s: %q, %v; want %q", key, got, err, want)
				}
			}
			if got, err := s.List(t.Context(), ""); err != nil || !slices.Equal(got, c.list) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// measured calls f, which must end soon and allocate at most `most` bytes.
func measured(t *testing.T, most uint64, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := spent.Start()
	f()
	took := start.Took()
	runtime.ReadMemStats(&after)
	used := after.TotalAlloc - before.TotalAlloc
	t.Logf("%v, %d MB", took.Round(time.Millisecond), used>>20)
	if used > most {
		t.Errorf("it took %d bytes", used)
	}
	if took > spent.Most {
		t.Errorf("it took %v", took)
	}
}

func TestHostile(t *testing.T) {
	ok := plain("ok", "fine")
	change := func(f func(*raw)) raw {
		m := plain("a", "some bytes")
		f(&m)
		return m
	}
	bomb := plain("a", "\x03\x00")
	bomb.method, bomb.size = 8, 1<<32-2
	quine := assemble(usual, plain("a", "x")) // a member that contains its own archive
	for _, at := range []int{20, 24} {
		binary.LittleEndian.PutUint32(quine[32+at:], uint32(len(quine)-31))
	}
	var members []raw
	for i := range 1000 {
		m := plain(fmt.Sprint("a", i), "")
		m.size, m.method, m.at = 1<<20, 8, 0
		members = append(members, m)
	}
	for name, c := range map[string]struct {
		archive []byte
		of      string // the defective part: "archive", "member" or "limit"
		want    string
		opt     zipstore.Options
	}{
		"nothing":                  {[]byte{}, "archive", "no end record", zipstore.Options{}},
		"text":                     {[]byte(strings.Repeat("<html>", 100_000)), "archive", "no end record", zipstore.Options{}},
		"a beginning":              {assemble(usual, ok)[:40], "archive", "no end record", zipstore.Options{}},
		"split":                    {assemble(with(func(e *end) { e.disk = 1 }), ok), "archive", "split", zipstore.Options{}},
		"split, zip64":             {assemble(with(func(e *end) { e.disk = 1; e.zip64 = true }), ok), "archive", "split", zipstore.Options{}},
		"directory outside":        {assemble(with(func(e *end) { e.offset = 1 << 20 }), ok), "archive", "beginning is missing", zipstore.Options{}},
		"directory too large":      {assemble(with(func(e *end) { e.size = 1 << 20 }), ok), "archive", "beginning is missing", zipstore.Options{}},
		"no directory":             {assemble(with(func(e *end) { e.size = 60; e.before = strings.Repeat("x", 99) }), ok), "archive", "no directory", zipstore.Options{}},
		"zip64 overflow":           {assemble(with(func(e *end) { e.zip64 = true; e.size = math.MaxInt64 }), ok), "archive", "2^53", zipstore.Options{}},
		"zip64 offset":             {assemble(with(func(e *end) { e.zip64 = true; e.offset = math.MaxInt64 }), ok), "archive", "2^53", zipstore.Options{}},
		"members that are not":     {assemble(with(func(e *end) { e.entries = 60_000 }), ok), "archive", "more members than", zipstore.Options{}},
		"zip64 members":            {assemble(with(func(e *end) { e.zip64 = true; e.entries = 1 << 40 }), ok), "archive", "more members than", zipstore.Options{}},
		"fewer members":            {assemble(with(func(e *end) { e.entries = 1 }), ok, ok), "archive", "damaged", zipstore.Options{}},
		"a name that leaves":       {assemble(usual, ok, plain("a/../../b", "x")), "archive", "leaves the archive", zipstore.Options{}},
		"a name that leaves, back": {assemble(usual, ok, plain(`..\b`, "x")), "archive", "leaves the archive", zipstore.Options{}},
		"too many":                 {assemble(usual, ok, plain("b", ""), plain("c", "")), "limit", "Entries", zipstore.Options{Entries: 2}},
		"too many, lying":          {assemble(with(func(e *end) { e.entries = 3 }), make70k(65536+3)...), "limit", "Entries", zipstore.Options{Entries: 100}},
		"too large a directory":    {assemble(usual, ok, plain("b", "")), "limit", "DirectoryBytes", zipstore.Options{DirectoryBytes: 60}},
		"encrypted":                {assemble(usual, ok, change(func(m *raw) { m.flags = 1 })), "member", "encrypted", zipstore.Options{}},
		"patch":                    {assemble(usual, ok, change(func(m *raw) { m.flags = 1 << 5 })), "member", "patch", zipstore.Options{}},
		"another method":           {assemble(usual, ok, change(func(m *raw) { m.method = 9 })), "", "", zipstore.Options{}},
		"bomb":                     {assemble(usual, ok, bomb), "member", "more bytes than", zipstore.Options{}},
		"stored, of another size":  {assemble(usual, ok, change(func(m *raw) { m.size = 1 << 31 })), "member", "another size", zipstore.Options{}},
		"larger than is taken":     {assemble(usual, ok, change(func(m *raw) {})), "limit", "EncodedBytes", zipstore.Options{MemberBytes: 5}},
		"overlapping":              {assemble(usual, ok, change(func(m *raw) { m.at = 1 }), ok), "member", "overlaps", zipstore.Options{}},
		"overlapping all":          {assemble(usual, append([]raw{ok}, append(members, change(func(m *raw) { m.at = 0 }))...)...), "member", "overlaps", zipstore.Options{}},
		"into the directory":       {assemble(usual, ok, change(func(m *raw) { m.at = 45 })), "member", "lies in the directory", zipstore.Options{}},
		"beyond the archive":       {assemble(usual, ok, change(func(m *raw) { m.at = 1 << 31 })), "member", "lies in the directory", zipstore.Options{}},
		"itself":                   {quine, "member", "lies in the directory", zipstore.Options{}},
		"no header":                {assemble(usual, change(func(m *raw) { m.at = 1 })), "member", "lies in the directory", zipstore.Options{}},
		"the directory at 0":       {assemble(with(func(e *end) { e.offset = 0 }), plain("a", "some bytes"), ok, plain("b", strings.Repeat("b", 1000))), "member", "lies in the directory", zipstore.Options{}},
		"the header's name":        {renamedTo("a", "b", assemble(usual, ok, plain("a", "some bytes"))), "member", "another name", zipstore.Options{}},
		"the header's size":        {assemble(usual, ok, change(func(m *raw) { m.localSize = 11 })), "member", "contradict", zipstore.Options{}},
		"the CRC":                  {assemble(usual, ok, change(func(m *raw) { m.crc++ })), "member", "CRC-32", zipstore.Options{}},
		"a short stream":           {assemble(usual, ok, change(func(m *raw) { m.method = 8; m.stored = []byte{3, 0}; m.size = 5 })), "", "", zipstore.Options{}},
		"a long stream":            {assemble(usual, ok, change(func(m *raw) { m.method = 8; m.stored = deflated(bytes.Repeat([]byte{1}, 100_000)); m.size = 5 })), "", "", zipstore.Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			var s *zipstore.Store
			var layer *object.Layer
			var err error
			measured(t, 256<<20, func() {
				s, _, layer = open(t, c.archive, c.opt)
				_, err = get(t, s, layer, "a")
			})
			var wrong *zipstore.Error
			var limit *limits.Error
			switch c.of {
			case "":
				if err == nil {
					t.Fatal("no error")
				}
			case "limit":
				if !errors.As(err, &limit) || limit.Limit != c.want {
					t.Fatal(err)
				}
			default:
				if !errors.As(err, &wrong) || !strings.Contains(wrong.Msg, c.want) || !strings.Contains(wrong.Msg, ", member ") != (c.of == "archive") && !strings.Contains(name, "name that") {
					t.Fatal(err)
				}
			}
			if errors.Is(err, fs.ErrNotExist) {
				t.Error("absent:", err)
			}
			t.Log(err)
			if bytes.Contains(c.archive, []byte("okfine")) && c.of == "member" && c.want != "overlaps" && c.want != "lies in the directory" {
				if got, err := get(t, s, layer, "ok"); err != nil || string(got) != "fine" {
					t.Errorf("another member: %q, %v", got, err)
				}
			}
		})
	}
}

// renamedTo replaces the one-letter name in a local header.
func renamedTo(from, to string, archive []byte) []byte {
	return bytes.Replace(archive, []byte(from+"some bytes"), []byte(to+"some bytes"), 1)
}

// However names are stored, a local header whose name differs from the directory's is an error. The
// other members can be read.
func TestLocalHeadersHaveTheNamesOfTheDirectory(t *testing.T) {
	utf8 := plain("grüße/c", "y")
	utf8.flags = 1 << 11
	renamed := plain("old", "z")
	var field bytes.Buffer
	put(&field, uint16(0x7075), uint16(5+6), byte(1), crc32.ChecksumIEEE([]byte("old")))
	field.WriteString("naïve")
	renamed.central = field.Bytes()
	checked := 0
	for name, c := range map[string]struct {
		member raw
		key    string
	}{
		"ASCII":              {plain("a/b.c", "x"), "a/b.c"},
		"UTF-8":              {utf8, "grüße/c"},
		"code page 437":      {plain("gr\x81\xe1e/c", "x"), "grüße/c"},
		"code page, flat":    {plain("gr\x81\xe1e", "x"), "grüße"},
		"a Unicode path":     {renamed, "naïve"},
		"backslashes":        {plain(`a\b\c`, "x"), "a/b/c"},
		"backslashes, 437":   {plain("a\\\x81", "x"), "a/ü"},
		"a backslash, kept":  {plain(`a\b/c`, "x"), `a\b/c`},
		"a folder and a dot": {plain("a.zarr/.zgroup", "{}"), "a.zarr/.zgroup"},
	} {
		for _, compressed := range []bool{false, true} {
			m, other := c.member, plain("other", "fine")
			want := string(m.stored)
			if compressed {
				m.method, m.size, m.stored = 8, int64(len(m.stored)), deflated(m.stored)
			}
			archive := assemble(usual, m, other)
			local := bytes.Index(archive, []byte(m.name))
			for at := -1; at < len(m.name); at++ {
				for _, flip := range []byte{1, 0x20, 0x80} {
					changed := bytes.Clone(archive)
					if at >= 0 {
						changed[local+at] ^= flip
					}
					s, _, layer := open(t, changed, zipstore.Options{})
					got, err := get(t, s, layer, c.key)
					var wrong *zipstore.Error
					switch {
					case at < 0 && (err != nil || string(got) != want):
						t.Errorf("%s: %q, %v", name, got, err)
					case at >= 0 && (!errors.As(err, &wrong) || !strings.Contains(wrong.Msg, "another name")):
						t.Errorf("%s, byte %d: %q, %v", name, at, got, err)
					}
					if got, err := get(t, s, layer, "other"); err != nil || string(got) != "fine" {
						t.Errorf("%s: another member: %q, %v", name, got, err)
					}
					checked++
				}
			}
		}
	}
	t.Logf("%d archives", checked)
}

// TestWrongPlacesOfTheDirectory tries wrong positions of the directory in the end record. A read
// returns the right bytes or an error, which never reports a replaced object.
func TestWrongPlacesOfTheDirectory(t *testing.T) {
	members := []raw{plain("a", "some bytes"), plain("b", strings.Repeat("b", 300)), plain("c", "")}
	right := assemble(usual, members...)
	start := int64(len(right)) - 22 - 3*(46+1)
	wrong := 0
	for offset := range int64(len(right)) + 100 {
		s, _, layer := open(t, assemble(with(func(e *end) { e.offset = offset }), members...), zipstore.Options{})
		for _, m := range members {
			got, err := get(t, s, layer, m.name)
			var e *zipstore.Error
			switch {
			case err == nil && (string(got) != string(m.stored) || offset != start && len(m.stored) > 0):
				t.Errorf("offset %d, %s: %q", offset, m.name, got)
			case err != nil && (offset == start || !errors.As(err, &e) || errors.Is(err, store.ErrChanged)):
				t.Errorf("offset %d, %s: %v", offset, m.name, err)
			case err != nil:
				wrong++
			}
		}
	}
	t.Logf("%d errors", wrong)
}

// An archive of 10 million members is rejected before its directory is read. One of 1 million is
// read.
func TestManyMembers(t *testing.T) {
	tail := func(entries, size int64) []byte {
		return assemble(end{zip64: true, entries: int(entries), size: size, offset: 0})
	}
	src := &sparse{size: 1 << 30, tail: tail(10_000_000, 1<<30-98)}
	s, err := zipstore.New(store.Plain(src), "a.zip", direct{}, zipstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	measured(t, 1<<20, func() {
		_, err = s.Locate(t.Context(), "a")
	})
	var limit *limits.Error
	if !errors.As(err, &limit) || limit.Limit != "DirectoryBytes" || src.asked != 1 {
		t.Errorf("%v, %d requests", err, src.asked)
	}
	n := 1_000_000
	if testing.Short() || runtime.GOARCH == "wasm" {
		n = 100_000 // writing the archive takes longer than reading it
	}
	archive := assemble(end{entries: -1, size: -1, offset: -1, zip64: true}, make70k(n)...)
	var st *zipstore.Store
	measured(t, 256<<20, func() {
		var layer *object.Layer
		st, _, layer = open(t, archive, zipstore.Options{})
		if _, err := get(t, st, layer, fmt.Sprint("c/", n-1)); err != nil {
			t.Error(err)
		}
	})
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	t.Logf("%d MB in use, the archive of %d MB among them", stats.HeapAlloc>>20, len(archive)>>20)
	names, err := st.List(t.Context(), "c")
	if err != nil || len(names) != n {
		t.Error(len(names), err)
	}
}

// sparse is an object of zeros except for its end.
type sparse struct {
	size  int64
	tail  []byte
	asked int
}

func (s *sparse) Read(_ context.Context, _ string, ask store.Ask) (store.Extent, error) {
	s.asked++
	from, to, err := ask.Range.Resolve(s.size)
	if err != nil {
		return store.Extent{}, err
	}
	b := make([]byte, to-from)
	if to == s.size {
		copy(b[max(0, len(b)-len(s.tail)):], s.tail)
	}
	return store.Extent{Bytes: b, Offset: from, Version: store.Version{Size: s.size}}, nil
}

// direct reads sources without the object layer.
type direct struct{}

func (direct) Extent(ctx context.Context, s store.Source, name string, ask store.Ask) (store.Extent, error) {
	return s.Read(ctx, name, ask)
}
