// Package order sorts by integer keys, by counting.
//
//	permutation := order.By(len(keys), most, func(i int) uint64 { return keys[i] })
package order

// few is the length from which counting is cheaper than comparing.
const few = 32

// The sort processes keys in digits of this many bits.
const (
	digit  = 11
	digits = 1 << digit
)

// By returns the numbers from 0 to n-1 (n is at most 2^31) in the order of their keys. The sort is
// stable. No key exceeds most; if most is 0, key is not called. The time is proportional to n, and
// the memory is 12 n bytes, with 8 n of them free on return.
func By(n int, most uint64, key func(i int) uint64) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	if most == 0 {
		return all
	}
	if n <= few {
		for k := range all {
			for i := k; i > 0 && key(int(all[i])) < key(int(all[i-1])); i-- {
				all[i], all[i-1] = all[i-1], all[i]
			}
		}
		return all
	}
	keys, other := make([]uint32, n), make([]int32, n)
	for word := 0; word < 64 && most>>word > 0; word += 32 {
		for i := range keys {
			keys[i] = uint32(key(i) >> word)
		}
		for shift := 0; shift < 32 && most>>word>>shift > 0; shift += digit {
			var starts [digits]int32
			for _, k := range keys {
				starts[k>>shift%digits]++
			}
			at := int32(0)
			for d, many := range starts {
				starts[d] = at
				at += many
			}
			for _, i := range all {
				d := keys[i] >> shift % digits
				other[starts[d]] = i
				starts[d]++
			}
			all, other = other, all
		}
	}
	return all
}
