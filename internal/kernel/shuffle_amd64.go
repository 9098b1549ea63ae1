package kernel

// shuffleSIMD shuffles elements of 2, 4 or 8 bytes, 16 at a time, if there are n of them. It
// returns the number of shuffled elements, the first ones. SSE2, which it needs, is on every amd64.
func shuffleSIMD(dst, src []byte, size, n int) int {
	most := n &^ 15
	if most == 0 {
		return 0
	}
	dst, src = dst[:size*n], src[:size*most]
	switch size {
	case 2:
		shuffle2SSE(&dst[0], &src[0], n, most)
	case 4:
		shuffle4SSE(&dst[0], &src[0], n, most)
	case 8:
		shuffle8SSE(&dst[0], &src[0], n, most)
	default:
		return 0
	}
	return most
}

//go:noescape
func shuffle2SSE(dst, src *byte, stride, n int)

//go:noescape
func shuffle4SSE(dst, src *byte, stride, n int)

//go:noescape
func shuffle8SSE(dst, src *byte, stride, n int)
