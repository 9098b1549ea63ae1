package kernel

// Delta writes the running sums of src's little-endian integers of size 1, 2, 4 or 8 bytes, with
// wrap-around. It writes len(src) bytes, a multiple of size. dst is src or does not overlap it.
func Delta(dst, src []byte, size int) {
	dst = dst[:len(src)]
	n := len(src) &^ (4*size - 1)
	if n > 0 {
		switch size {
		case 1:
			delta1(dst[:n], src[:n])
		case 2:
			delta2(dst[:n], src[:n])
		case 4:
			delta4(dst[:n], src[:n])
		case 8:
			delta8(dst[:n], src[:n])
		}
	}
	var sum uint64
	if n > 0 {
		for k := range size {
			sum |= uint64(dst[n-size+k]) << (8 * k)
		}
	}
	deltaGo(dst[n:], src[n:], size, sum)
}

// deltaGo continues Delta from a sum. The assembly starts from 0; it gets a positive multiple of 4
// elements, and a dst of the same length.
func deltaGo(dst, src []byte, size int, sum uint64) {
	switch size {
	case 1:
		for i, c := range src {
			sum += uint64(c)
			dst[i] = byte(sum)
		}
	case 2:
		for i := 0; i < len(src); i += 2 {
			sum += uint64(Load16(src, i))
			Store16(dst, i, uint16(sum))
		}
	case 4:
		for i := 0; i < len(src); i += 4 {
			sum += uint64(Load32(src, i))
			Store32(dst, i, uint32(sum))
		}
	case 8:
		for i := 0; i < len(src); i += 8 {
			sum += Load64(src, i)
			Store64(dst, i, sum)
		}
	}
}
