package kernel

func unshuffle2(dst, src []byte, stride, step, n int) {
	done := unshuffleSIMD(dst, src, 2, stride, step, n)
	unshuffle2Go(dst[done*step:], src[done:], stride, step, n-done)
}

func unshuffle4(dst, src []byte, stride, step, n int) {
	done := unshuffleSIMD(dst, src, 4, stride, step, n)
	unshuffle4Go(dst[done*step:], src[done:], stride, step, n-done)
}

func unshuffle8(dst, src []byte, stride, step, n int) {
	done := unshuffleSIMD(dst, src, 8, stride, step, n)
	unshuffle8Go(dst[done*step:], src[done:], stride, step, n-done)
}

// unshuffleSIMD unshuffles elements of size bytes, 16 at a time, if nothing is between them. It
// returns the number of unshuffled elements, the first ones. Every amd64 has SSE2.
func unshuffleSIMD(dst, src []byte, size, stride, step, n int) int {
	done := n &^ 15
	if step != size || done == 0 {
		return 0
	}
	dst, src = dst[:size*done], src[:(size-1)*stride+done]
	switch size {
	case 2:
		unshuffle2SSE(&dst[0], &src[0], stride, done)
	case 4:
		unshuffle4SSE(&dst[0], &src[0], stride, done)
	case 8:
		unshuffle8SSE(&dst[0], &src[0], stride, done)
	}
	return done
}

//go:noescape
func unshuffle2SSE(dst, src *byte, stride, n int)

//go:noescape
func unshuffle4SSE(dst, src *byte, stride, n int)

//go:noescape
func unshuffle8SSE(dst, src *byte, stride, n int)
