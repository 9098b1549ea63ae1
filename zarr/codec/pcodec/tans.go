package pcodec

import "math/bits"

// node is a state of the tANS decoder: its bin, and its successor, which is base plus the next
// bits.
type node struct {
	bin  uint16
	base uint16
	bits uint8
}

// newTable returns the 2^log nodes of bins with these weights, whose sum is 2^log. An odd stride
// spreads the nodes of a bin over the table, and visits each place once.
func newTable(weights []uint32, log uint) []node {
	size := uint32(1) << log
	stride := 3 * size / 5
	stride |= 1
	nodes := make([]node, size)
	at := uint32(0)
	for i, w := range weights {
		for range w {
			nodes[at].bin = uint16(i)
			at = (at + stride) & (size - 1)
		}
	}
	// In the encoder the k-th node of a bin of weight w represents the state w+k. A power of two
	// scales it to between size and 2*size.
	next := weights
	for i := range nodes {
		n := &nodes[i]
		state := next[n.bin]
		next[n.bin]++
		shift := int(log) + 1 - bits.Len32(state)
		n.bits = uint8(shift)
		n.base = uint16(state<<shift - size)
	}
	return nodes
}
