package zstdenc

//go:noescape
func search(s *Search, src []byte, from int)
