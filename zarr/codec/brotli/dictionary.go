package brotli

import (
	_ "embed" // the dictionary's words
	"sync"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec/inflate"
)

// packed has the words of the static dictionary, RFC 7932 appendix A, as a zlib stream. They are
// part of the format: all decoders have the same 122,784 bytes, with CRC-32 0x5136cb04 by the RFC.
// The words and the transforms below come from the tables of github.com/andybalholm/brotli v1.2.8
// (Brotli's authors, MIT licence). A test checks the RFC's checksums of both.
//
//go:embed dictionary.zlib
var packed []byte

const dictionarySize = 122784

// Words have from 4 to 24 bytes.
const minWord, maxWord = 4, 24

// wordBits is the number of words of each length, as a power of two.
var wordBits = [maxWord + 1]uint8{0, 0, 0, 0, 10, 10, 11, 11, 10, 10, 10, 10, 10, 9, 9, 8, 7, 7, 8, 7, 7, 6, 6, 5, 5}

// dictionary unpacks the words at the first use: few streams of numbers have any.
type dictionary struct {
	once  sync.Once
	words []byte // nil if they are damaged
	first [maxWord + 1]int
}

func (d *dictionary) unpack() {
	words := make([]byte, dictionarySize)
	n, err := inflate.Zlib(words, packed)
	if err != nil || n != len(words) {
		return
	}
	for size := minWord; size < maxWord; size++ {
		d.first[size+1] = d.first[size] + size<<wordBits[size]
	}
	d.words = words
}

// dictionaryWord returns a word of size bytes, transformed (section 8). It is valid until the next
// call.
func (w *work) dictionaryWord(size, number int) ([]byte, error) {
	if size < minWord || size > maxWord {
		return nil, errWord
	}
	index, t := number&(1<<wordBits[size]-1), number>>wordBits[size]
	if t >= len(transforms) {
		return nil, errWord
	}
	d := w.words
	d.once.Do(d.unpack)
	if d.words == nil {
		return nil, errDictionary
	}
	at := d.first[size] + index*size
	w.word = transforms[t].append(w.word[:0], d.words[at:at+size])
	return w.word, nil
}

// A transform puts a word, changed, between two strings.
type transform struct {
	prefix string
	change uint8
	suffix string
}

// Changes of a word, with the RFC's numbers. The number of bytes, from 1 to 9, is added to
// omitFirst and omitLast.
const (
	identity     = 0
	fermentFirst = 1
	fermentAll   = 2
	omitFirst    = 2
	omitLast     = 11
)

func (t *transform) append(dst, word []byte) []byte {
	dst = append(dst, t.prefix...)
	switch {
	case t.change > omitLast:
		word = word[:max(0, len(word)-int(t.change-omitLast))]
	case t.change > omitFirst:
		word = word[min(len(word), int(t.change-omitFirst)):]
	}
	start := len(dst)
	dst = append(dst, word...)
	switch t.change {
	case fermentFirst:
		ferment(dst[start:])
	case fermentAll:
		for word = dst[start:]; len(word) > 0; {
			word = word[ferment(word):]
		}
	}
	return append(dst, t.suffix...)
}

// ferment makes the first character upper-case by the RFC's simplified rule, and returns its
// length.
func ferment(word []byte) int {
	size := 1
	switch c := word[0]; {
	case c >= 'a' && c <= 'z':
		word[0] ^= 32
	case c < 0xc0:
	case c < 0xe0:
		if size = 2; len(word) > 1 {
			word[1] ^= 32
		}
	default:
		if size = 3; len(word) > 2 {
			word[2] ^= 5
		}
	}
	return min(size, len(word))
}

// The transforms of RFC 7932 appendix B.
var transforms = [121]transform{
	{"", identity, ""},
	{"", identity, " "},
	{" ", identity, " "},
	{"", omitFirst + 1, ""},
	{"", fermentFirst, " "},
	{"", identity, " the "},
	{" ", identity, ""},
	{"s ", identity, " "},
	{"", identity, " of "},
	{"", fermentFirst, ""},
	{"", identity, " and "},
	{"", omitFirst + 2, ""},
	{"", omitLast + 1, ""},
	{", ", identity, " "},
	{"", identity, ", "},
	{" ", fermentFirst, " "},
	{"", identity, " in "},
	{"", identity, " to "},
	{"e ", identity, " "},
	{"", identity, "\""},
	{"", identity, "."},
	{"", identity, "\">"},
	{"", identity, "\n"},
	{"", omitLast + 3, ""},
	{"", identity, "]"},
	{"", identity, " for "},
	{"", omitFirst + 3, ""},
	{"", omitLast + 2, ""},
	{"", identity, " a "},
	{"", identity, " that "},
	{" ", fermentFirst, ""},
	{"", identity, ". "},
	{".", identity, ""},
	{" ", identity, ", "},
	{"", omitFirst + 4, ""},
	{"", identity, " with "},
	{"", identity, "'"},
	{"", identity, " from "},
	{"", identity, " by "},
	{"", omitFirst + 5, ""},
	{"", omitFirst + 6, ""},
	{" the ", identity, ""},
	{"", omitLast + 4, ""},
	{"", identity, ". The "},
	{"", fermentAll, ""},
	{"", identity, " on "},
	{"", identity, " as "},
	{"", identity, " is "},
	{"", omitLast + 7, ""},
	{"", omitLast + 1, "ing "},
	{"", identity, "\n\t"},
	{"", identity, ":"},
	{" ", identity, ". "},
	{"", identity, "ed "},
	{"", omitFirst + 9, ""},
	{"", omitFirst + 7, ""},
	{"", omitLast + 6, ""},
	{"", identity, "("},
	{"", fermentFirst, ", "},
	{"", omitLast + 8, ""},
	{"", identity, " at "},
	{"", identity, "ly "},
	{" the ", identity, " of "},
	{"", omitLast + 5, ""},
	{"", omitLast + 9, ""},
	{" ", fermentFirst, ", "},
	{"", fermentFirst, "\""},
	{".", identity, "("},
	{"", fermentAll, " "},
	{"", fermentFirst, "\">"},
	{"", identity, "=\""},
	{" ", identity, "."},
	{".com/", identity, ""},
	{" the ", identity, " of the "},
	{"", fermentFirst, "'"},
	{"", identity, ". This "},
	{"", identity, ","},
	{".", identity, " "},
	{"", fermentFirst, "("},
	{"", fermentFirst, "."},
	{"", identity, " not "},
	{" ", identity, "=\""},
	{"", identity, "er "},
	{" ", fermentAll, " "},
	{"", identity, "al "},
	{" ", fermentAll, ""},
	{"", identity, "='"},
	{"", fermentAll, "\""},
	{"", fermentFirst, ". "},
	{" ", identity, "("},
	{"", identity, "ful "},
	{" ", fermentFirst, ". "},
	{"", identity, "ive "},
	{"", identity, "less "},
	{"", fermentAll, "'"},
	{"", identity, "est "},
	{" ", fermentFirst, "."},
	{"", fermentAll, "\">"},
	{" ", identity, "='"},
	{"", fermentFirst, ","},
	{"", identity, "ize "},
	{"", fermentAll, "."},
	{"\xc2\xa0", identity, ""},
	{" ", identity, ","},
	{"", fermentFirst, "=\""},
	{"", fermentAll, "=\""},
	{"", identity, "ous "},
	{"", fermentAll, ", "},
	{"", fermentFirst, "='"},
	{" ", fermentFirst, ","},
	{" ", fermentAll, "=\""},
	{" ", fermentAll, ", "},
	{"", fermentAll, ","},
	{"", fermentAll, "("},
	{"", fermentAll, ". "},
	{" ", fermentAll, "."},
	{"", fermentAll, "='"},
	{" ", fermentAll, ". "},
	{" ", fermentFirst, "=\""},
	{" ", fermentAll, "='"},
	{" ", fermentFirst, "='"},
}
