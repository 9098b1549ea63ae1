// Package order sorts by numbers.
package order

// few is from how many numbers on counting them costs less than comparing them.
const few = 32

// A digit of so many bits is what numbers are sorted by at once.
const (
	digit  = 11
	digits = 1 << digit
)

// By returns the numbers from 0 to n, of which there are at most 2^31, in the order of their keys. Those of one key keep
// their order. No key is larger than most; where that is 0, none is asked for. The work is in proportion to n, and the memory is 12 n bytes, of which
// 8 n are free when it returns.
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
