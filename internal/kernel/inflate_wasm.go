package kernel

//go:noescape
func inflate(s *Inflate) InflateEnd
