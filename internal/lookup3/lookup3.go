// Package lookup3 has Bob Jenkins's hash of that name, which HDF5 and a codec use as a checksum.
package lookup3

// Sum returns the hash of k, Jenkins's hashlittle. HDF5 uses the initial value 0.
func Sum(k []byte, initval uint32) uint32 {
	rot := func(x uint32, n uint) uint32 { return x<<n | x>>(32-n) }
	a := 0xdeadbeef + uint32(len(k)) + initval
	b, c := a, a
	word := func(i int) (w uint32) {
		for j := 0; j < 4 && i+j < len(k); j++ {
			w |= uint32(k[i+j]) << (8 * j)
		}
		return w
	}
	for len(k) > 12 {
		a, b, c = a+word(0), b+word(4), c+word(8)
		a = (a - c) ^ rot(c, 4)
		c += b
		b = (b - a) ^ rot(a, 6)
		a += c
		c = (c - b) ^ rot(b, 8)
		b += a
		a = (a - c) ^ rot(c, 16)
		c += b
		b = (b - a) ^ rot(a, 19)
		a += c
		c = (c - b) ^ rot(b, 4)
		b += a
		k = k[12:]
	}
	if len(k) == 0 {
		return c
	}
	a, b, c = a+word(0), b+word(4), c+word(8)
	c = (c ^ b) - rot(b, 14)
	a = (a ^ c) - rot(c, 11)
	b = (b ^ a) - rot(a, 25)
	c = (c ^ b) - rot(b, 16)
	a = (a ^ c) - rot(c, 4)
	b = (b ^ a) - rot(a, 14)
	c = (c ^ b) - rot(b, 24)
	return c
}
