package tiff

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/internal/indextest"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

var seeds = map[string][]string{
	"testdata/strips.tif":    {`"0/0/.zarray"`, `"0/0/0.0":["{{f0}}"`, `"0/0/2.0":"base64:`, `"1/0/0.0":["{{f0}}"`},
	"testdata/cog.tif":       {`"0/1.1"`, `"1/0.0"`, `multiscales`, `EPSG:32633`, `imagecodecs_floatpred`},
	"testdata/cells.ome.tif": {`"0/1.1.0.0"`, `"1/0.1.0.0"`, `\"channel\"`},
}

func TestImagesOfFilesHaveReferences(t *testing.T) {
	for name, keys := range seeds {
		b := indextest.Seed(t, name)
		out, skipped, err := indextest.Run(t, Index, b)
		if err != nil || len(skipped) != 0 || !Is(bytes.NewReader(b), int64(len(b))) {
			t.Errorf("%s: %v %q", name, err, skipped)
		}
		for _, key := range keys {
			if !strings.Contains(out, key) {
				t.Errorf("%s: no %s in %s", name, key, out)
			}
		}
	}
}

func TestDamagedFilesGiveNamedErrors(t *testing.T) {
	for name := range seeds {
		indextest.Damage(t, Index, indextest.Seed(t, name))
	}
}

// tag is an entry of a directory with whole numbers.
type tag struct {
	number, kind int
	values       []int
}

// encoded returns a file of directories. A negative value is an offset from the end of the
// directories.
func encoded(directories ...[]tag) []byte {
	b := []byte("II*\x00\x08\x00\x00\x00")
	e := binary.LittleEndian
	for i, d := range directories {
		b = e.AppendUint16(b, uint16(len(d)))
		at := len(b) + 12*len(d) + 4
		var rest []byte
		for _, one := range d {
			b = e.AppendUint16(b, uint16(one.number))
			b = e.AppendUint16(b, uint16(one.kind))
			b = e.AppendUint32(b, uint32(len(one.values)))
			var values []byte
			for _, v := range one.values {
				values = e.AppendUint32(values, uint32(v))
			}
			if len(values) == 4 {
				b = append(b, values...)
				continue
			}
			b = e.AppendUint32(b, uint32(at+len(rest)))
			rest = append(rest, values...)
		}
		next := 0
		if i < len(directories)-1 {
			next = at + len(rest)
		}
		b = append(e.AppendUint32(b, uint32(next)), rest...)
	}
	return b
}

// image8 is a directory of an image of bytes in one strip of the header.
func image8(width, length int, more ...tag) []tag {
	d := []tag{{256, 4, []int{width}}, {257, 4, []int{length}}, {258, 4, []int{8}}, {273, 4, []int{0}}, {279, 4, []int{width * length}}}
	for _, one := range more {
		d = slices.DeleteFunc(d, func(t tag) bool { return t.number == one.number })
		d = append(d, one)
	}
	return d
}

func TestHostileDirectoriesHaveNamedErrors(t *testing.T) {
	circle := encoded(image8(2, 2), image8(2, 2))
	at := bytes.Index(circle[8:], circle[8:20]) // of the first directory
	next := bytes.LastIndex(circle, []byte{0, 0, 0, 0})
	binary.LittleEndian.PutUint32(circle[next:], uint32(8+at))
	for _, c := range []struct {
		name, says string
		file       []byte
	}{
		{"nothing", "beyond the end", nil},
		{"another order", "II or MM", []byte("IM*\x00\x08\x00\x00\x00")},
		{"another version", "version 44", []byte("II\x2c\x00\x08\x00\x00\x00")},
		{"offsets of BigTIFF", "offsets of 4 bytes", []byte("II+\x00\x04\x00\x00\x00")},
		{"no directory", "beyond the end", []byte("II*\x00\xff\x00\x00\x00")},
		{"many entries", "directory of 65535 entries", []byte("II*\x00\x08\x00\x00\x00\xff\xff")},
		{"a circle", "circle", circle},
		{"no width", "an image of 0", encoded(image8(0, 2))},
		{"a wide image", "offsets for", encoded(image8(0xffffffff, 0xffffffff, tag{322, 4, []int{1}}, tag{323, 4, []int{1}}, tag{324, 4, []int{1}}))},
		{"no rows", "no rows", encoded(image8(2, 2, tag{278, 4, []int{0}}))},
		{"large strips", "2 GiB", encoded(image8(0x10000, 0x10000))},
		{"a strip beyond the end", "beyond the end", encoded(image8(2, 2, tag{273, 4, []int{4000}}))},
		{"a short strip", "has 3 bytes", encoded(image8(2, 2, tag{279, 4, []int{3}}))},
		{"few strips", "1 offsets for 2", encoded(image8(2, 2, tag{278, 4, []int{1}}))},
		{"few sizes", "1 sizes of 2", encoded(image8(2, 2, tag{278, 4, []int{1}}, tag{273, 4, []int{0, 0}}))},
		{"many values", "beyond the end", encoded([]tag{{256, 4, []int{2}}, {257, 4, []int{2}}, {258, 4, make([]int, 0)}, {273, 4, []int{1, 2}}, {279, 9, []int{4}}})[:60]},
		{"texts as offsets", "has the type", encoded(image8(2, 2, tag{273, 2, []int{0}}))},
		{"a type that does not exist", "the type 99", encoded(image8(2, 2, tag{273, 99, []int{0}}))},
		{"bits", "1 bits", encoded(image8(2, 2, tag{258, 4, []int{1}}))},
		{"different samples", "different types", encoded(image8(2, 2, tag{277, 4, []int{2}}, tag{258, 4, []int{8, 16}}))},
		{"many samples", "samples", encoded(image8(2, 2, tag{277, 4, []int{1 << 20}}))},
		{"JPEG 2000", "compression JPEG 2000", encoded(image8(2, 2, tag{259, 4, []int{34712}}))},
		{"JPEG of 16 bits", "JPEG of other samples", encoded(image8(2, 2, tag{258, 4, []int{16}}, tag{259, 4, []int{7}}))},
		{"JPEG of two samples", "JPEG of 2 samples", encoded(image8(2, 2, tag{277, 4, []int{2}}, tag{258, 4, []int{8, 8}}, tag{259, 4, []int{7}}))},
		{"many tables", "JPEG tables of 65538 bytes", encoded(image8(2, 2, tag{259, 4, []int{7}}, tag{347, 3, make([]int, 1<<15+1)}))},
		{"LERC of long integers", "LERC of the type", encoded(image8(2, 2, tag{258, 4, []int{64}}, tag{259, 4, []int{34887}}))},
		{"LERC in an unknown compression", "LERC with the compression 9", encoded(image8(2, 2, tag{259, 4, []int{34887}}, tag{50674, 4, []int{4, 9}}))},
		{"a predictor of JPEG", "some readers ignore", encoded(image8(2, 2, tag{259, 4, []int{7}}, tag{317, 4, []int{2}}))},
		{"a compression", "compression 9999", encoded(image8(2, 2, tag{259, 4, []int{9999}}))},
		{"a predictor", "predictor 9", encoded(image8(2, 2, tag{259, 4, []int{5}}, tag{317, 4, []int{9}}))},
		{"a predictor alone", "some readers ignore", encoded(image8(2, 2, tag{317, 4, []int{2}}))},
		{"a mask", "a mask", encoded(image8(2, 2, tag{254, 4, []int{4}}))},
		{"bits in reverse", "reverse order", encoded(image8(2, 2, tag{266, 4, []int{2}}))},
		{"planes", "planar configuration 3", encoded(image8(2, 2, tag{284, 4, []int{3}}))},
		{"depth", "depth", encoded(image8(2, 2, tag{32997, 4, []int{2}}))},
		{"subsampling", "YCbCr", encoded(image8(2, 2, tag{262, 4, []int{6}}))},
		{"a damaged last strip", "cannot be decoded", encoded(image8(2, 3, tag{278, 4, []int{2}}, tag{273, 4, []int{0, 0}}, tag{279, 4, []int{8, 8}}, tag{259, 4, []int{8}}))},
		{"a large last strip", "short strips", encoded(image8(30000, 3000, tag{278, 4, []int{2999}}, tag{273, 4, []int{0, 0}}, tag{279, 4, []int{8, 8}}, tag{259, 4, []int{8}}))},
		{"a subdirectory beyond the end", "beyond the end", encoded(image8(2, 2, tag{330, 4, []int{1 << 30}}))},
		{"a large subdirectory", "no level", subdirectory()},
	} {
		_, skipped, err := indextest.Run(t, Index, c.file)
		if err != nil {
			skipped = append(skipped, err.Error())
		}
		if !strings.Contains(strings.Join(skipped, "\n"), c.says) {
			t.Errorf("%s: %q", c.name, skipped)
		}
	}
}

// subdirectory returns a file whose subdirectory is as large as its page.
func subdirectory() []byte {
	inner := encoded(image8(2, 2))[8:]
	b := encoded(image8(2, 2, tag{330, 4, []int{0}}))
	at := len(b)
	binary.LittleEndian.PutUint32(b[8+2+5*12+8:], uint32(at))
	return append(b, inner...)
}

// Directories that all refer to one long list are bounded by the work that the file is worth.
func TestSharedListsAreBounded(t *testing.T) {
	const n = 1 << 16
	var directories [][]tag
	for range 300 {
		directories = append(directories, []tag{{256, 4, []int{1}}, {257, 4, []int{n}}, {258, 4, []int{8}}, {278, 4, []int{1}}, {273, 4, make([]int, 0)}, {279, 4, make([]int, 0)}})
	}
	b := encoded(directories...)
	at := len(b)
	b = append(b, make([]byte, 4*n)...)
	for i := 8; i+72 < at; i += 2 + 6*12 + 4 {
		for k := 4; k < 6; k++ {
			binary.LittleEndian.PutUint32(b[i+2+12*k+4:], n)
			binary.LittleEndian.PutUint32(b[i+2+12*k+8:], uint32(at))
		}
	}
	_, skipped, err := indextest.Run(t, Index, b)
	var limit *references.LimitError
	if !errors.As(err, &limit) {
		t.Errorf("%v, %d left out", err, len(skipped))
	}
}

// Tags without a meaning here take no memory: a hostile file may have very many.
func TestDirectoriesKeepOnlyTagsThatMatter(t *testing.T) {
	more := []tag{}
	for n := 1000; n < 3000; n++ {
		more = append(more, tag{n, 4, []int{1}})
	}
	b := encoded(image8(2, 2, more...))
	f, err := open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := f.directory(f.first, "page 0")
	if err != nil || len(d.entries) != 5 || cap(d.entries[tagWidth].value) > 8 {
		t.Errorf("%d entries, a value with room for %d bytes: %v", len(d.entries), cap(d.entries[tagWidth].value), err)
	}
}

// More tiles than a document may have are refused before they take memory.
func TestTilesOfAllPagesAreBounded(t *testing.T) {
	w := &walk{}
	var limit *references.LimitError
	if err := w.more(maxTiles); err != nil {
		t.Error(err)
	}
	if err := w.more(1); !errors.As(err, &limit) {
		t.Error(err)
	}
}

// Strips that are written here decode to the same bytes: the codecs' own tests have other encoders.
func TestShortStripsKeepTheirRows(t *testing.T) {
	codecs := writing.Codecs()
	for n := 1; n < 600; n += 1 + n/7 {
		b := make([]byte, n*n)
		for i := range b {
			b[i] = byte(i * i / 7 * (i & 3))
		}
		for id, encoded := range map[string][]byte{"zstd": zstdOf(b), "imagecodecs_lzw": lzwOf(b), "imagecodecs_packbits": packbitsOf(b)} {
			got, err := decompress(codecs, map[string]any{"id": id}, encoded, int64(len(b)))
			if err != nil || !bytes.Equal(got, b) {
				t.Fatalf("%s of %d bytes: %d bytes, %v", id, len(b), len(got), err)
			}
		}
	}
}

func FuzzIndex(f *testing.F) {
	for name := range seeds {
		f.Add(indextest.Seed(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) { _, _, _ = indextest.Run(t, Index, b) })
}
