//go:build !wasm

package kernel

func inflate(s *Inflate) InflateEnd { return inflateGo(s) }
