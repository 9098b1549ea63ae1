package codec

// Compressed is the [BytesToBytes] EncodedSize of compressors: their writers
// may have made the data larger, by headers and by what they could not
// compress, but a form several times as large as the data is not one to hold.
func Compressed(decoded Size) Size {
	const most = 1 << 62 // leaves room for what the next codec adds
	if decoded.N > most/8 {
		return Size{N: most}
	}
	return Size{N: 4*decoded.N + 1<<20}
}

// Most is the number of bytes at which a decoder must stop: Size.N, and no more
// than Limits.ChunkBytes where the size is not exact.
func (o Output) Most(env *Env) int64 {
	if !o.Size.Exact {
		return min(o.Size.N, env.Limits.WithDefaults().ChunkBytes)
	}
	return o.Size.N
}

// TooMany is the error of a decoder that has reached Most and has not ended. It
// matches [ErrCorrupt], or is a *LimitError where a limit alone says so.
func (o Output) TooMany(env *Env) error {
	if most := o.Most(env); most < o.Size.N {
		return &LimitError{Limit: "ChunkBytes", Max: most, Asked: most + 1, What: "decoded bytes"}
	}
	return Corrupt("decodes to more bytes than the chunk has")
}
