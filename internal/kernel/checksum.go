package kernel

import "hash/crc32"

// CRC32 returns the CRC-32 of IEEE 802.3, as in gzip.
func CRC32(b []byte) uint32 {
	if !crc32Folds {
		return crc32.ChecksumIEEE(b) // uses the machine's instructions
	}
	return crc32Of(b)
}

// crc32Of folds the data into its last 40 to 79 bytes, which have the same CRC as the whole.
//
// Modulo the polynomial, 1 equals x^145 + x^183 + x^211 + x^300: four later bits replace each bit.
// Folding needs only shifts of words, which beat tables on machines without CRC instructions.
func crc32Of(b []byte) uint32 {
	const words = 5
	crc := uint32(0xffffffff)
	if n := len(b)/(8*words) - 1; n > 0 {
		// A CRC starts with 32 ones, added to the first bits.
		next := [words]uint64{uint64(crc)}
		crc32Fold(&next, b[:8*words*n])
		b = b[8*words*n:]
		var last [8 * words]byte
		for i, w := range next {
			Store64(last[:], 8*i, w^Load64(b, 8*i))
		}
		crc = crc32Bytes(0, last[:])
		b = b[8*words:]
	}
	return ^crc32Bytes(crc, b)
}

// crc32Bytes continues a CRC that is not inverted.
func crc32Bytes(crc uint32, b []byte) uint32 {
	for _, x := range b {
		crc = crc32.IEEETable[byte(crc)^x] ^ crc>>8
	}
	return crc
}

// crc32FoldGo replaces all bits of src by later ones. The length of src is a multiple of 40. On
// entry, next holds the terms to add to the first five words of src. On return it holds those for
// the five words after src.
func crc32FoldGo(next *[5]uint64, src []byte) {
	a, b, c, d, e := next[0], next[1], next[2], next[3], next[4]
	for i := 0; i < len(src); i += 8 {
		x := Load64(src, i) ^ a
		a, b, c, d, e = b, c^x<<17^x<<55, d^x>>47^x>>9^x<<19, e^x>>45^x<<44, x>>20
	}
	*next = [5]uint64{a, b, c, d, e}
}

// Adler32 returns the Adler-32 of zlib.
func Adler32(p []byte) uint32 {
	const mod, most = 65521, 1 << 20 // the sums of most bytes do not overflow
	a, b := uint64(1), uint64(0)
	for len(p) >= 128 {
		n := min(len(p), most) &^ 127
		a, b = adler32Sum(p[:n], a, b)
		a, b = a%mod, b%mod
		p = p[n:]
	}
	for _, x := range p {
		a += uint64(x)
		b += a
	}
	return uint32(b%mod<<16 | a%mod)
}

// adler32SumGo adds the bytes of src to a, and a to b after each byte. The length of src is a
// multiple of 128. It adds 16 words in lanes of 16 bits: the bytes at even and at odd places, and
// the running sums.
func adler32SumGo(src []byte, a, b uint64) (ra, rb uint64) {
	const bytes, lanes = 0x00ff00ff00ff00ff, 0x0000ffff0000ffff
	for i := 0; i < len(src); i += 128 {
		var even, odd, evens, odds uint64
		block := src[i : i+128]
		for k := 0; k < len(block); k += 8 {
			x := Load64(block, k)
			even += x & bytes
			odd += x >> 8 & bytes
			evens += even
			odds += odd
		}
		// Byte k of word w counts 128 - 8w - k times. The running sums contribute eight times each,
		// without the place in the word.
		b += a << 7
		x := evens&lanes + evens>>16&lanes + odds&lanes + odds>>16&lanes
		b += (x>>32 + x&0xffffffff) << 3
		x = even>>16&lanes<<1 + odd&lanes + odd>>16&lanes*3
		b -= x>>32 + x&0xffffffff
		x = even&lanes + even>>16&lanes + odd&lanes + odd>>16&lanes
		b -= x >> 32 << 2
		a += x>>32 + x&0xffffffff
	}
	return a, b
}
