//go:build !wasm && !amd64

package kernel

func unshuffle2(dst, src []byte, stride, step, n int) { unshuffle2Go(dst, src, stride, step, n) }

func unshuffle4(dst, src []byte, stride, step, n int) { unshuffle4Go(dst, src, stride, step, n) }

func unshuffle8(dst, src []byte, stride, step, n int) { unshuffle8Go(dst, src, stride, step, n) }
