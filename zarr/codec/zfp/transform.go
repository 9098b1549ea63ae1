package zfp

// inverse undoes the transform of the lossy modes along each dimension, the slowest first. Its
// steps invert those of the forward transform, including their rounding losses.
func inverse[T word](v []T) {
	for step := len(v) / 4; step > 0; step /= 4 {
		for high := 0; high < len(v); high += 4 * step {
			for i := high; i < high+step; i++ {
				x, y, z, w := v[i], v[i+step], v[i+2*step], v[i+3*step]
				y += w >> 1
				w -= y >> 1
				y += w
				w <<= 1
				w -= y
				z += x
				x <<= 1
				x -= z
				y += z
				z <<= 1
				z -= y
				w += x
				x <<= 1
				x -= w
				v[i], v[i+step], v[i+2*step], v[i+3*step] = x, y, z, w
			}
		}
	}
}

// inverseReversible undoes the transform of the reversible mode, which takes third differences.
func inverseReversible[T word](v []T) {
	for step := len(v) / 4; step > 0; step /= 4 {
		for high := 0; high < len(v); high += 4 * step {
			for i := high; i < high+step; i++ {
				x, y, z, w := v[i], v[i+step], v[i+2*step], v[i+3*step]
				w += z
				z += y
				w += z
				y += x
				z += y
				w += z
				v[i+step], v[i+2*step], v[i+3*step] = y, z, w
			}
		}
	}
}
