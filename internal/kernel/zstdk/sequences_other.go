//go:build !wasm

package zstdk

func sequences(s *Sequences) int { return sequencesGo(s) }
