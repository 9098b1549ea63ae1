package brotli

// asciiClasses has the ASCII part of section 7.1's classes for the last byte in the context mode
// UTF8. They are hexadecimal digits, a fourth of the real values.
const asciiClasses = "0000000001100100" + "0000000000000000" +
	"2343353467338393" + "bbbbbbbbbb886a73" +
	"3cdddcdddcdddddc" + "dddddcddddd63733" +
	"3efffefffefffffe" + "fffffefffff63730"

// lastClass is Lut0 of section 7.1.
func lastClass(b int) uint8 {
	switch {
	case b >= 192:
		return uint8(2 + b&1)
	case b >= 128:
		return uint8(b & 1)
	}
	c := asciiClasses[b]
	if c >= 'a' {
		return (c - 'a' + 10) * 4
	}
	return (c - '0') * 4
}

// beforeClass is Lut1: the class of the byte before the last.
func beforeClass(b int) uint8 {
	switch {
	case b >= 224:
		return 2
	case b <= ' ', b >= 127:
		return 0
	case b >= '0' && b <= '9', b >= 'A' && b <= 'Z':
		return 2
	case b >= 'a' && b <= 'z':
		return 3
	}
	return 1
}

// signedClass is Lut2: the magnitude of a byte as a signed number.
func signedClass(b int) uint8 {
	for i, first := range [...]int{1, 16, 64, 128, 192, 240, 255} {
		if b < first {
			return uint8(i)
		}
	}
	return 7
}

// fillContexts makes the tables of the context modes LSB6, MSB6, UTF8 and Signed. The context
// combines the entry of the last byte with that of the byte before, which is 256 entries further.
func fillContexts(tables *[4][512]uint8) {
	for b := range 256 {
		tables[0][b] = uint8(b & 63)
		tables[1][b] = uint8(b >> 2)
		tables[2][b], tables[2][256+b] = lastClass(b), beforeClass(b)
		tables[3][b], tables[3][256+b] = signedClass(b)<<3, signedClass(b)
	}
}
