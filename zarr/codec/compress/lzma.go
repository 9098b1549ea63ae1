package compress

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"hash/crc64"
	"math/bits"
	"strconv"

	lib "github.com/ulikunitz/xz/lzma"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/lzma"
)

// LZMA returns the codec lzma with an encoder. Its configuration is Python's:
//
//   - format is 1 (XZ, the default), 2 (ALONE) or 3 (RAW).
//   - check, for XZ, is 0 (none), 1 (CRC-32), 4 (CRC-64, the default) or 10 (SHA-256).
//   - preset is 0 to 9 (6), and only sets the size of the dictionary here.
//   - filters is a list of deltas with LZMA2 at its end, or LZMA1 in the other formats. Filters for
//     programs (BCJ) are not supported.
func LZMA() codec.Entry {
	return adding(lzma.Codec(), func(config json.Value, _ codec.Build) (encoder, error) {
		return newXZ(config)
	})
}

// xz encodes as one of the formats.
type xz struct {
	format, check, preset int
	deltas                []int
	properties            lib.Properties
	lzma1                 bool
}

const (
	filterDelta = 3
	filterLZMA2 = 33
	filterLZMA1 = 1<<62 + 1
)

func newXZ(config json.Value) (x xz, err error) {
	number := func(v json.Value, member string, usual, least, most int) int {
		n := usual
		if err == nil {
			n, err = level(v, "lzma", member, usual, least, most)
		}
		return n
	}
	x.format = number(config, "format", 1, 0, 3)
	if x.format == 0 {
		x.format = 1
	}
	x.check = number(config, "check", -1, -1, 15)
	if x.check == -1 && x.format == 1 {
		x.check = 4
	}
	const extreme = 1 << 31
	preset := func(v json.Value, usual int) int {
		n, _ := v.Get("preset").Int64()
		if n >= extreme && n <= extreme+9 {
			return int(n - extreme)
		}
		return number(v, "preset", usual, 0, 9)
	}
	x.preset = preset(config, 6)
	x.properties = lib.Properties{LC: 3, LP: 0, PB: 2}
	x.lzma1 = x.format == 2
	list := config.Get("filters").Items()
	for i, f := range list {
		id, ok := f.Get("id").Int64()
		last := i == len(list)-1
		switch {
		case ok && id == filterDelta && !last:
			x.deltas = append(x.deltas, number(f, "dist", 1, 1, 256))
		case ok && last && (id == filterLZMA2 && x.format != 2 || id == filterLZMA1 && x.format != 1):
			x.lzma1 = id == filterLZMA1
			x.preset = preset(f, x.preset)
			x.properties.LC, x.properties.LP, x.properties.PB = number(f, "lc", 3, 0, 4), number(f, "lp", 0, 0, 4), number(f, "pb", 2, 0, 4)
		case ok && id > filterDelta && id < 12:
			return x, &codec.UnsupportedError{Feature: "writing with the codec lzma and its filter " + strconv.FormatInt(id, 10)}
		default:
			return x, &codec.ConfigError{Codec: "lzma", Msg: "filters must be deltas, followed by LZMA2 or LZMA1"}
		}
	}
	switch {
	case err != nil:
	case x.format == 3 && len(list) == 0:
		err = &codec.ConfigError{Codec: "lzma", Msg: "a raw stream needs filters"}
	case x.format == 2 && len(x.deltas) > 0 || len(x.deltas) > 3:
		err = &codec.ConfigError{Codec: "lzma", Msg: "the format does not allow that many filters"}
	case x.format == 1 && x.check > 1 && x.check != 4 && x.check != 10:
		err = &codec.ConfigError{Codec: "lzma", Msg: "check is not 0, 1, 4 or 10"}
	case x.properties.LC+x.properties.LP > 4:
		err = &codec.ConfigError{Codec: "lzma", Msg: "lc and lp are more than 4 together"}
	}
	return x, err
}

func (xz) bound(n int) int { return n + n>>6 + 256 }

// dictionary returns the size of the dictionary for n bytes: a power of two, at most the preset's.
func (x xz) dictionary(n int) int {
	const kilo = 1 << 10
	most := [10]int{256 * kilo, 1024 * kilo, 2048 * kilo, 4096 * kilo, 4096 * kilo, 8192 * kilo, 8192 * kilo, 16384 * kilo, 32768 * kilo, 65536 * kilo}[x.preset]
	return min(max(1<<bits.Len(uint(n)), 4*kilo), most)
}

// encode implements encoder.
func (x xz) encode(dst, src []byte) ([]byte, error) {
	size := x.dictionary(len(src))
	data := src
	for _, distance := range x.deltas {
		from := data
		data = make([]byte, len(from))
		copy(data, from[:min(distance, len(from))])
		for i := distance; i < len(from); i++ {
			data[i] = from[i] - from[i-distance]
		}
	}
	switch {
	case x.format == 1:
		return x.container(dst, src, data, size)
	case x.lzma1:
		start := len(dst)
		dst, err := x.stream(dst, data, size)
		if err == nil && x.format == 3 {
			const header = 13
			dst = append(dst[:start], dst[start+header:]...)
		}
		return dst, err
	}
	return x.stream2(dst, data, size)
}

// stream appends an LZMA stream with the header of .lzma files and a mark at its end.
func (x xz) stream(dst, data []byte, size int) ([]byte, error) {
	out := codec.Written{Bytes: dst}
	w, err := lib.WriterConfig{Properties: &x.properties, DictCap: size, Size: -1, EOSMarker: true}.NewWriter(&out)
	if err != nil {
		return nil, err
	}
	if _, err = w.Write(data); err == nil {
		err = w.Close()
	}
	return out.Bytes, err
}

// stream2 appends an LZMA2 stream.
func (x xz) stream2(dst, data []byte, size int) ([]byte, error) {
	out := codec.Written{Bytes: dst}
	w, err := lib.Writer2Config{Properties: &x.properties, DictCap: size}.NewWriter2(&out)
	if err != nil {
		return nil, err
	}
	if _, err = w.Write(data); err == nil {
		err = w.Close()
	}
	return out.Bytes, err
}

// container appends an .xz file of one block: data is src after the filters.
func (x xz) container(dst, src, data []byte, size int) ([]byte, error) {
	little := binary.LittleEndian
	flags := []byte{0, byte(x.check)}
	dst = append(dst, 0xfd, '7', 'z', 'X', 'Z', 0)
	dst = append(dst, flags...)
	dst = little.AppendUint32(dst, crc32.ChecksumIEEE(flags))

	head := []byte{0, byte(len(x.deltas))}
	for _, distance := range x.deltas {
		head = append(head, filterDelta, 1, byte(distance-1))
	}
	head = append(head, filterLZMA2, 1, byte(2*(bits.Len(uint(size))-13)))
	head = pad(head, 0)
	head[0] = byte(len(head) / 4) // the number excludes the checksum, which is one word
	head = little.AppendUint32(head, crc32.ChecksumIEEE(head))
	dst = append(dst, head...)

	start := len(dst)
	dst, err := x.stream2(dst, data, size)
	if err != nil {
		return nil, err
	}
	unpadded := len(head) + len(dst) - start
	dst = pad(dst, start)
	before := len(dst)
	switch x.check {
	case 1:
		dst = little.AppendUint32(dst, crc32.ChecksumIEEE(src))
	case 4:
		dst = little.AppendUint64(dst, crc64.Checksum(src, crc64.MakeTable(crc64.ECMA)))
	case 10:
		sum := sha256.Sum256(src)
		dst = append(dst, sum[:]...)
	}
	unpadded += len(dst) - before

	index := binary.AppendUvarint([]byte{0, 1}, uint64(unpadded))
	index = pad(binary.AppendUvarint(index, uint64(len(src))), 0)
	index = little.AppendUint32(index, crc32.ChecksumIEEE(index))
	dst = append(dst, index...)
	foot := append(little.AppendUint32(nil, uint32(len(index)/4-1)), flags...)
	dst = little.AppendUint32(dst, crc32.ChecksumIEEE(foot))
	return append(append(dst, foot...), 'Y', 'Z'), nil
}

// pad appends zeros until the bytes after start are whole words.
func pad(b []byte, start int) []byte {
	for (len(b)-start)%4 != 0 {
		b = append(b, 0)
	}
	return b
}
