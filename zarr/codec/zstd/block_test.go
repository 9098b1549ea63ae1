package zstd

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// field is one number of a bit stream, in the order of reading.
type field struct {
	value, bits uint
}

// backwards writes a stream that is read from its end.
func backwards(fields ...field) []byte {
	var out []byte
	n := uint(0)
	put := func(v, bits uint) {
		for i := range bits {
			if n%8 == 0 {
				out = append(out, 0)
			}
			out[n/8] |= byte(v>>i&1) << (n % 8)
			n++
		}
	}
	for _, f := range slices.Backward(fields) {
		put(f.value, f.bits)
	}
	put(1, 1)
	return out
}

const (
	lastBlock  = 1
	rawBlock   = 0 << 1
	rleBlock   = 1 << 1
	smallBlock = 2 << 1 // compressed
)

func blockOf(kind int, size int, content ...[]byte) []byte {
	head := kind | size<<3
	return join(append([][]byte{{byte(head), byte(head >> 8), byte(head >> 16)}}, content...)...)
}

// frameOf is a frame of unknown size with a window of 128 KiB that ends with an empty block.
func frameOf(blocks ...[]byte) []byte {
	return join([]byte{0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3}, join(blocks...), blockOf(rawBlock|lastBlock, 0))
}

func raw(s string) []byte { return blockOf(rawBlock, len(s), []byte(s)) }

func compressed(content ...[]byte) []byte {
	b := join(content...)
	return blockOf(smallBlock, len(b), b)
}

// stored returns uncompressed literals, up to 31.
func stored(s string) []byte { return append([]byte{byte(len(s)) << 3}, s...) }

// same are n sequences with the same three codes, whose tables take no bits.
func same(n int, literal, offset, match byte, extra ...field) []byte {
	return join([]byte{byte(n), 0x54, literal, offset, match}, backwards(extra...))
}

// alternating are n matches of 3 bytes without literals, by the second repeat
// offset, which makes that the first: 4, then 1 and so on.
func alternating(text string, n int) string {
	b := []byte(text)
	for i := range n {
		off := 4
		if i%2 == 1 {
			off = 1
		}
		for range 3 {
			b = append(b, b[len(b)-off])
		}
	}
	return string(b)
}

func TestHandMadeBlocks(t *testing.T) {
	text := raw("0123456789")
	big := field{1<<16 - 1, 16}
	tests := []struct {
		name string
		src  []byte
		want string
		err  error
	}{
		{"no sequences", frameOf(compressed(stored("abc"), []byte{0})), "abc", nil},
		{"no sequences, in two bytes", frameOf(compressed(stored("abc"), []byte{128, 0})), "abc", nil},
		{"nothing at all", frameOf(compressed(stored(""), []byte{0})), "", nil},
		{"repeated literals", frameOf(compressed([]byte{4<<3 | 1, 'x'}, []byte{0})), "xxxx", nil},
		{"repeated literals, 12 bits", frameOf(compressed([]byte{5<<4 | 1<<2 | 1, 0, 'x'}, []byte{0})), "xxxxx", nil},
		{"stored literals, 20 bits", frameOf(compressed([]byte{2<<4 | 3<<2, 0, 0, 'a', 'b'}, []byte{0})), "ab", nil},
		{"bytes behind no sequences", frameOf(compressed(stored("abc"), []byte{0, 1})), "", codec.ErrCorrupt},
		{"an empty block", frameOf(compressed()), "", codec.ErrCorrupt},
		{"no sequence count", frameOf(compressed(stored("abc"))), "", codec.ErrCorrupt},
		{"half a sequence count", frameOf(compressed(stored("abc"), []byte{128})), "", codec.ErrCorrupt},
		{"two thirds of a sequence count", frameOf(compressed(stored("abc"), []byte{255, 0})), "", codec.ErrCorrupt},
		{"no modes", frameOf(compressed(stored("abc"), []byte{1})), "", codec.ErrCorrupt},
		{"reserved modes", frameOf(text, compressed(stored("a"), []byte{1, 0x55, 1, 0, 0, 1})), "", codec.ErrCorrupt},
		{"no codes", frameOf(text, compressed(stored("a"), []byte{1, 0x54})), "", codec.ErrCorrupt},
		{"code 36", frameOf(text, compressed(stored("a"), same(1, 36, 0, 0, big))), "", codec.ErrCorrupt},
		{"offset code 32", frameOf(text, compressed(stored("a"), same(1, 1, 32, 0))), "", codec.ErrCorrupt},
		{"match code 53", frameOf(text, compressed(stored("a"), same(1, 1, 0, 53))), "", codec.ErrCorrupt},

		// The offsets to repeat begin with 1, 4 and 8.
		{"first offset", frameOf(text, compressed(stored("a"), same(1, 1, 0, 1))), "0123456789aaaaa", nil},
		{"second offset", frameOf(text, compressed(stored("a"), same(1, 1, 1, 0, field{0, 1}))), "0123456789a789", nil},
		{"third offset", frameOf(text, compressed(stored("a"), same(1, 1, 1, 0, field{1, 1}))), "0123456789a345", nil},
		{"second offset without literals", frameOf(text, compressed(stored(""), same(1, 0, 0, 0))), "0123456789678", nil},
		{"third offset without literals", frameOf(text, compressed(stored(""), same(1, 0, 1, 0, field{0, 1}))), "0123456789234", nil},
		{"first offset less one is none", frameOf(text, compressed(stored(""), same(1, 0, 1, 0, field{1, 1}))), "", codec.ErrCorrupt},
		{"second, then third less one", frameOf(text, compressed(stored(""), same(2, 0, 1, 0, field{0, 1}, field{1, 1}))), "0123456789" + "234" + "678", nil},
		{"third, then second, then first", frameOf(text,
			compressed(stored("ab"), same(2, 1, 1, 0, field{1, 1}, field{0, 1})), // 8, then 1
			compressed(stored("c"), same(1, 1, 0, 0))), "0123456789" + "a345" + "bbbb" + "cccc", nil},
		{"an offset, then it again", frameOf(text, compressed(stored("a"), same(1, 1, 3, 0, field{1, 3})), compressed(stored("b"), same(1, 1, 0, 0))),
			"0123456789" + "a567" + "b9a5", nil},
		{"sequences counted in two bytes", frameOf(text, compressed(stored(""), []byte{128 + 1, 44}, same(1, 0, 0, 0)[1:])), alternating("0123456789", 300), nil},
		{"sequences counted in three bytes", frameOf(text, compressed(stored(""), []byte{255, 0, 1}, same(1, 0, 0, 0)[1:])), alternating("0123456789", 0x8000), nil},
		{"literals behind the last match", frameOf(text, compressed(stored("abc"), same(1, 1, 0, 0))), "0123456789aaaabc", nil},
		{"a match as long as a block", frameOf(text, compressed(stored(""), same(1, 0, 2, 52, field{0, 2}, field{3, 16}))),
			"0123456789" + string(bytes.Repeat([]byte("9"), 65542)), nil},

		{"offset into nothing", frameOf(compressed(stored("a"), same(1, 1, 1, 0, field{0, 1}))), "", codec.ErrCorrupt},
		{"offset before the frame", join(frameOf(text), frameOf(compressed(stored("a"), same(1, 1, 3, 0, field{0, 3})))), "", codec.ErrCorrupt},
		{"offset before everything", frameOf(text, compressed(stored("a"), same(1, 1, 4, 0, field{0, 4}))), "", codec.ErrCorrupt},
		{"an offset of 31 bits", frameOf(text, compressed(stored("a"), same(1, 35, 31, 52, field{5, 31}, big, big))), "", codec.ErrCorrupt},
		{"an offset of 31 bits that are not there", frameOf(text, compressed(stored("a"), same(1, 35, 31, 52))), "", codec.ErrCorrupt},
		{"lengths whose bits are not there", frameOf(text, compressed(stored("a"), same(1, 35, 31, 52, field{1, 31}))), "", codec.ErrCorrupt},
		{"too few literals", frameOf(text, compressed(stored("a"), same(1, 2, 0, 0))), "", codec.ErrCorrupt},
		{"too few literals for the second", frameOf(text, compressed(stored("a"), same(2, 1, 0, 0))), "", codec.ErrCorrupt},
		{"a bit too many", frameOf(text, compressed(stored("a"), same(1, 1, 0, 0, field{1, 1}))), "", codec.ErrCorrupt},
		{"a bit too few", frameOf(text, compressed(stored("a"), same(1, 1, 1, 0))), "", codec.ErrCorrupt},
		{"bits for only the first", frameOf(text, compressed(stored("ab"), same(2, 1, 2, 0, field{1, 2}))), "", codec.ErrCorrupt},
		{"no bits", frameOf(text, compressed(stored("a"), []byte{1, 0x54, 1, 0, 0})), "", codec.ErrCorrupt},
		{"bits without an end", frameOf(text, compressed(stored("a"), []byte{1, 0x54, 1, 0, 0, 5, 0})), "", codec.ErrCorrupt},
		{"matches beyond a block", frameOf(text, compressed(stored(""), same(2, 0, 0, 52, big, big))), "", codec.ErrCorrupt},
		{"repeated literals beyond a block", frameOf(compressed([]byte{0xfd, 0xff, 0xff, 'x', 0})), "", codec.ErrCorrupt},
		{"repeated bytes beyond a block", frameOf(blockOf(rleBlock, maxBlock+1, []byte{1})), "", codec.ErrCorrupt},
		{"a block beyond a window of 1 KiB", join([]byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0}, blockOf(rleBlock|lastBlock, 1025, []byte{1})), "", codec.ErrCorrupt},
		{"a match beyond a window of 1 KiB", join([]byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0}, text, compressed(stored(""), same(1, 0, 0, 52, big)), blockOf(lastBlock, 0)), "", codec.ErrCorrupt},

		{"no tables to repeat", frameOf(text, compressed(stored("a"), []byte{1, 0xfc, 1})), "", codec.ErrCorrupt},
		{"tables to repeat", frameOf(text, compressed(stored("a"), same(1, 1, 0, 1)), compressed(stored("b"), []byte{1, 0xfc, 1})), "0123456789aaaaabbbbb", nil},
		{"tables of the frame before", join(frameOf(text, compressed(stored("a"), same(1, 1, 0, 1))), frameOf(text, compressed(stored("b"), []byte{1, 0xfc, 1}))), "", codec.ErrCorrupt},
		{"no tree to repeat", frameOf(compressed([]byte{4<<4 | 3, 1 << 6, 0, 1, 0})), "", codec.ErrCorrupt},
		{"literals without a tree", frameOf(compressed([]byte{4<<4 | 2, 0, 0, 0})), "", codec.ErrCorrupt},
		{"half a header of literals", frameOf(compressed([]byte{4<<4 | 2, 0})), "", codec.ErrCorrupt},

		// A tree of two symbols, 0 and 1, with a bit each; then without it.
		{"two symbols", frameOf(compressed([]byte{4<<4 | 2, 3 << 6, 0, 128, 1 << 4}, backwards(field{0b0110, 4}), []byte{0})), "\x00\x01\x01\x00", nil},
		{"two symbols, twice", frameOf(
			compressed([]byte{4<<4 | 2, 3 << 6, 0, 128, 1 << 4}, backwards(field{0b0110, 4}), []byte{0}),
			compressed([]byte{4<<4 | 3, 1 << 6, 0}, backwards(field{0b1110, 4}), []byte{0})), "\x00\x01\x01\x00\x01\x01\x01\x00", nil},
		{"a symbol too many", frameOf(compressed([]byte{4<<4 | 2, 3 << 6, 0, 128, 1 << 4}, backwards(field{0b01101, 5}), []byte{0})), "", codec.ErrCorrupt},
		{"a symbol too few", frameOf(compressed([]byte{4<<4 | 2, 3 << 6, 0, 128, 1 << 4}, backwards(field{0b011, 3}), []byte{0})), "", codec.ErrCorrupt},
		{"a tree with no symbols", frameOf(compressed([]byte{4<<4 | 2, 3 << 6, 0, 128, 0, 31, 0})), "", codec.ErrCorrupt},
		{"a tree with no shortest weight", frameOf(compressed([]byte{4<<4 | 2, 3 << 6, 0, 128, 2 << 4, 31, 0})), "", codec.ErrCorrupt},
		{"a tree that is too deep", frameOf(compressed([]byte{4<<4 | 2, 3 << 6, 0, 128, 12 << 4, 31, 0})), "", codec.ErrCorrupt},
		{"a tree longer than the literals", frameOf(compressed([]byte{4<<4 | 2, 3 << 6, 0, 140, 1 << 4, 31, 0})), "", codec.ErrCorrupt},
		{"four streams of no symbols", frameOf(compressed([]byte{1<<4 | 1<<2 | 2, 12 << 6 & 255, 12 >> 2, 128, 1 << 4, 1, 0, 1, 0, 1, 0, 3, 1, 1, 1, 0})), "", codec.ErrCorrupt},
	}
	plain := must.Get(zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)))(t)
	for _, test := range tests {
		for _, size := range []codec.Size{codectest.Exact(len(test.want)), {N: 1 << 20}} {
			if test.err != nil && size.Exact {
				continue
			}
			got, err := decode(size, test.src)
			if !errors.Is(err, test.err) || string(got) != test.want {
				t.Errorf("%s: %.60q %v, want %.60q %v", test.name, got, err, test.want, test.err)
			}
		}
		if want, err := plain.DecodeAll(test.src, nil); test.err == nil && (err != nil || string(want) != test.want) {
			t.Errorf("%s: klauspost: %.60q %v", test.name, want, err)
		}
	}
}
