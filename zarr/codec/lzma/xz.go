package lzma

import (
	"hash/crc32"
	"hash/crc64"
	"math"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

const (
	xzMagic = "\xfd7zXZ\x00"
	xzHead  = 12 // bytes of a stream's header and of its footer
)

var (
	errXZEnd       = codec.Truncated("the .xz file ends too early")
	errBlockHeader = codec.Corrupt("the header of an .xz block is not valid")
	errIndex       = codec.Corrupt("the index of an .xz stream does not match its blocks")
)

// xz decodes one stream of an .xz file and the padding after it.
func (d *decoder) xz(out *sink, src []byte) (int, error) {
	if k := min(len(src), len(xzMagic)); string(src[:k]) != xzMagic[:k] {
		return 0, codec.Corrupt("no .xz stream begins here")
	}
	if len(src) < xzHead {
		return 0, errXZEnd
	}
	flags := kernel.Load16(src, 6)
	if crc32.ChecksumIEEE(src[6:8]) != kernel.Load32(src, 8) {
		return 0, codec.Mismatch("the CRC-32 of an .xz stream's header")
	}
	if flags&^0x0f00 != 0 {
		return 0, &codec.UnsupportedError{Feature: "an .xz file with unknown flags"}
	}
	check, err := newCheck(int(flags >> 8))
	if err != nil {
		return 0, err
	}

	// The blocks determine the index, byte by byte.
	var records []byte
	blocks := uint64(0)
	pos := xzHead
	for {
		if pos == len(src) {
			return 0, errXZEnd
		}
		if src[pos] == 0 {
			break
		}
		start := out.n
		used, unpadded, err := d.block(out, src[pos:], check)
		if err != nil {
			return 0, err
		}
		pos += used
		blocks++
		records = appendVLI(records, uint64(unpadded))
		records = appendVLI(records, uint64(out.n-start))
	}
	index := append(appendVLI([]byte{0}, blocks), records...)
	for len(index)%4 != 0 {
		index = append(index, 0)
	}
	k := min(len(index), len(src)-pos)
	found := src[pos : pos+k]
	if string(found) != string(index[:k]) {
		return 0, errIndex
	}
	pos += k
	if len(src)-pos < 4+xzHead {
		return 0, errXZEnd
	}
	if crc32.ChecksumIEEE(index) != kernel.Load32(src, pos) {
		return 0, codec.Mismatch("the CRC-32 of an .xz stream's index")
	}
	pos += 4

	foot := src[pos : pos+xzHead]
	if string(foot[10:]) != "YZ" {
		return 0, codec.Corrupt("an .xz stream does not end with its footer")
	}
	if crc32.ChecksumIEEE(foot[4:10]) != kernel.Load32(foot, 0) {
		return 0, codec.Mismatch("the CRC-32 of an .xz stream's footer")
	}
	if kernel.Load16(foot, 8) != flags || uint64(kernel.Load32(foot, 4)) != uint64(len(index)/4) {
		return 0, codec.Corrupt("an .xz stream's footer does not match the stream")
	}
	pos += xzHead

	padding := pos
	for pos < len(src) && src[pos] == 0 {
		pos++
	}
	if (pos-padding)%4 != 0 {
		return 0, codec.Corrupt("the padding of an .xz file is not a multiple of 4 bytes")
	}
	return pos, nil
}

// block decodes a block. It returns its length with and without padding.
func (d *decoder) block(out *sink, src []byte, check check) (used, unpadded int, err error) {
	fail := func(err error) (int, int, error) { return 0, 0, err }
	head := 4 * (int(src[0]) + 1)
	if head > len(src) {
		return fail(errXZEnd)
	}
	b := src[:head-4]
	if crc32.ChecksumIEEE(b) != kernel.Load32(src, head-4) {
		return fail(codec.Mismatch("the CRC-32 of an .xz block's header"))
	}
	flags := b[1]
	if flags&0x3c != 0 {
		return fail(&codec.UnsupportedError{Feature: "an .xz block with unknown flags"})
	}
	b = b[2:]
	size := func(flag byte) (uint64, bool) {
		if flags&flag == 0 {
			return math.MaxUint64, true
		}
		v, k := vli(b)
		b = b[k:]
		return v, k > 0
	}
	packed, ok := size(0x40)
	unpacked, ok2 := size(0x80)
	// A block, without padding, is shorter than 2^63 bytes.
	if !ok || !ok2 || packed == 0 || flags&0x40 != 0 && packed > 1<<63-4-uint64(head+check.size) {
		return fail(errBlockHeader)
	}
	var ch chain
	if b, err = ch.parse(b, int(flags&3)+1); err != nil {
		return fail(err)
	}
	for _, c := range b {
		if c != 0 {
			return fail(&codec.UnsupportedError{Feature: "an .xz block with unknown fields"})
		}
	}

	data := src[head:]
	if flags&0x40 != 0 {
		if packed > uint64(len(data)) {
			return fail(errXZEnd)
		}
		data = data[:packed]
	}
	if flags&0x80 != 0 {
		if err := out.admit(unpacked); err != nil {
			return fail(err)
		}
	}
	start := out.n
	k, err := ch.decode(d, out, data)
	if err != nil {
		return fail(err)
	}
	if flags&0x40 != 0 && uint64(k) != packed || flags&0x80 != 0 && uint64(out.n-start) != unpacked {
		return fail(codec.Corrupt("the sizes in an .xz block's header are wrong"))
	}
	used = head + k
	unpadded = used + check.size
	for ; used%4 != 0; used++ {
		if used == len(src) {
			return fail(errXZEnd)
		}
		if src[used] != 0 {
			return fail(codec.Corrupt("the padding of an .xz block is not zero"))
		}
	}
	if check.size > len(src)-used {
		return fail(errXZEnd)
	}
	if check.sum != nil && string(check.sum(out.buf[start:out.n])) != string(src[used:used+check.size]) {
		return fail(codec.Mismatch("the " + check.name + " does not match the data"))
	}
	return used + check.size, unpadded, nil
}

// check is the integrity check of a stream's blocks.
type check struct {
	name string
	size int
	sum  func([]byte) []byte
}

// newCheck returns the check of a number of the stream flags.
func newCheck(id int) (check, error) {
	switch id {
	case 0:
		return check{}, nil
	case 1:
		return check{"CRC-32", 4, func(b []byte) []byte {
			sum := make([]byte, 4)
			kernel.Store32(sum, 0, crc32.ChecksumIEEE(b))
			return sum
		}}, nil
	case 4:
		table := crc64.MakeTable(crc64.ECMA)
		return check{"CRC-64", 8, func(b []byte) []byte {
			sum := make([]byte, 8)
			kernel.Store64(sum, 0, crc64.Checksum(b, table))
			return sum
		}}, nil
	case 10:
		return check{"SHA-256", 32, sha256}, nil
	}
	return check{}, &codec.UnsupportedError{Feature: "the .xz check " + strconv.Itoa(id)}
}

// vli reads an integer of 7 bits a byte, lowest first, and returns the number of bytes that it
// took. It returns 0 for an integer without an end, of more than 9 bytes, or longer than necessary.
func vli(b []byte) (v uint64, n int) {
	for i, c := range b[:min(len(b), 9)] {
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			if c == 0 && i > 0 {
				return 0, 0
			}
			return v, i + 1
		}
	}
	return 0, 0
}

func appendVLI(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}
