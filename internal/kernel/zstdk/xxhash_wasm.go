package zstdk

//go:noescape
func stripes(lanes *[4]uint64, data []byte)
