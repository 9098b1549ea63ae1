package zstdk

//go:noescape
func sequences(s *Sequences) (result int)
