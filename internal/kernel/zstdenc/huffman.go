package zstdenc

import (
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
)

const (
	maxLength = 11 // of a code, in bits
	// fewLiterals is the number of literals for which no code pays.
	fewLiterals = 64
	// oneStream is the number of literals below which they have one stream instead of four.
	oneStream = 256
)

// Tree encodes literals by a Huffman code (section 4.2).
type Tree struct {
	counts [4][256]uint32 // in four parts, whose additions do not wait for each other
	codes  [256]uint32    // the code in bits 8-31, and its length in 0-7
	// The nodes of the tree: the present symbols by frequency, then the inner nodes.
	keys    [256]uint32 // a count in bits 8-31, and its symbol in 0-7
	weights [511]uint32
	parents [511]uint16
	lengths [256]uint8
	coder   coder
	norms   norms
}

// LiteralRoom returns the number of bytes that n literals may take at most, with what is written
// beyond.
func LiteralRoom(n int) int { return n + n/2 + 512 }

// Append appends the section of the literals of a block (section 3.1.1.3.1). dst has room for it.
func (t *Tree) Append(dst, literals []byte) []byte {
	if cap(dst)-len(dst) < LiteralRoom(len(literals)) {
		panic("zstdenc: no room for literals")
	}
	if len(literals) < fewLiterals {
		return stored(dst, literals)
	}
	t.counts = [4][256]uint32{}
	histogram(literals, &t.counts)
	present, last, most := 0, 0, uint32(0)
	for s := range 256 {
		n := t.counts[0][s] + t.counts[1][s] + t.counts[2][s] + t.counts[3][s]
		t.counts[0][s] = n
		if n > 0 {
			t.keys[present] = n<<8 | uint32(s)
			present++
			last = s
			most = max(most, n)
		}
	}
	if present == 1 {
		return append(header(dst, 1, len(literals)), literals[0])
	}
	if int(most) <= len(literals)>>7+4 { // nearly as many of each byte
		return stored(dst, literals)
	}
	bits := t.build(present)
	size := 0
	for _, key := range t.keys[:present] {
		size += int(key>>8) * int(t.lengths[key&255])
	}
	size = size/8 + last/2 // with the description
	if size+size>>6 >= len(literals) {
		return stored(dst, literals)
	}
	begin := len(dst)
	head := 3
	streams := 4
	switch {
	case len(literals) < oneStream:
		streams = 1
	case len(literals) >= 1<<14:
		head = 5
	case len(literals) >= 1<<10:
		head = 4
	}
	dst = dst[:begin+head]
	described, ok := t.describe(dst, last, bits)
	if !ok {
		return stored(dst[:begin], literals)
	}
	dst = described
	if streams == 1 {
		dst = t.stream(dst, literals)
	} else {
		jumps := len(dst)
		dst = dst[:jumps+6]
		each := (len(literals) + 3) / 4
		for i := range 4 {
			from := len(dst)
			dst = t.stream(dst, literals[min(i*each, len(literals)):min((i+1)*each, len(literals))])
			if i < 3 {
				kernel.Store16(dst, jumps+2*i, uint16(len(dst)-from))
			}
		}
	}
	n := len(dst) - begin - head
	if n >= len(literals) {
		return stored(dst[:begin], literals)
	}
	form, width := uint64(head-2), uint(10+4*(head-3))
	if streams == 1 {
		form = 0
	}
	value := 2 | form<<2 | uint64(len(literals))<<4 | uint64(n)<<(4+width)
	for i := range head {
		dst[begin+i] = byte(value >> (8 * i))
	}
	return dst
}

// stream appends a stream.
func (t *Tree) stream(dst, literals []byte) []byte {
	return dst[:len(dst)+huffman(dst[len(dst):cap(dst)], literals, &t.codes)]
}

// stored appends literals without a code.
func stored(dst, literals []byte) []byte {
	return append(header(dst, 0, len(literals)), literals...)
}

// header appends the header of n literals that are stored (kind 0), or equal (kind 1).
func header(dst []byte, kind byte, n int) []byte {
	switch {
	case n < 1<<5:
		return append(dst, kind|byte(n<<3))
	case n < 1<<12:
		return append(dst, kind|1<<2|byte(n<<4), byte(n>>4))
	}
	return append(dst, kind|3<<2|byte(n<<4), byte(n>>4), byte(n>>12))
}

// build sets the codes of the first keys, and returns the length of the longest.
func (t *Tree) build(present int) int {
	keys := t.keys[:present]
	slices.Sort(keys)
	for i, key := range keys {
		t.weights[i] = key >> 8
	}
	// The two nodes of the lowest weight get a parent. Leaves and inner nodes are each in order.
	leaf, inner, nodes := 0, present, 2*present-1
	for at := present; at < nodes; at++ {
		sum := uint32(0)
		for range 2 {
			next := inner
			if leaf < present && (inner == at || t.weights[leaf] <= t.weights[inner]) {
				next = leaf
				leaf++
			} else {
				inner++
			}
			t.parents[next] = uint16(at)
			sum += t.weights[next]
		}
		t.weights[at] = sum
	}
	// The weights become depths, and ofs counts the leaves of each. A tree of MaxBlock literals is
	// not as deep as ofs is long.
	var ofs [40]int
	t.weights[nodes-1] = 0
	for i := nodes - 2; i >= 0; i-- {
		t.weights[i] = t.weights[t.parents[i]] + 1
		if i < present {
			ofs[t.weights[i]]++
		}
	}
	// Two leaves that are too deep: one takes their parent's place, the other goes below a leaf
	// that is less deep.
	for i := len(ofs) - 1; i > maxLength; i-- {
		for ofs[i] > 0 {
			j := i - 2
			for ofs[j] == 0 {
				j--
			}
			ofs[i] -= 2
			ofs[i-1]++
			ofs[j+1] += 2
			ofs[j]--
		}
	}
	longest := maxLength
	for ofs[longest] == 0 {
		longest--
	}
	clear(t.lengths[:])
	n := longest
	for _, key := range keys {
		for ofs[n] == 0 {
			n--
		}
		ofs[n]--
		t.lengths[key&255] = uint8(n)
	}
	t.number(longest)
	return longest
}

// number sets the codes by their lengths: the longest come first, and equal lengths are in the
// order of the symbols.
func (t *Tree) number(longest int) {
	var counts, next [maxLength + 1]uint32
	for _, n := range t.lengths {
		counts[n]++
	}
	code := uint32(0)
	for n := longest; n > 0; n-- {
		next[n] = code
		code = (code + counts[n]) >> 1
	}
	for s, n := range t.lengths {
		t.codes[s] = next[n]<<8 | uint32(n)
		next[n]++
	}
}

// describe appends the description of the code (section 4.2.1). It fails for more than 128 symbols
// whose lengths FSE cannot encode.
func (t *Tree) describe(dst []byte, last, longest int) ([]byte, bool) {
	var weights [256]uint8
	var counts [maxLength + 2]uint32
	for s := range last {
		if n := int(t.lengths[s]); n > 0 {
			weights[s] = uint8(longest + 1 - n)
		}
		counts[weights[s]]++
	}
	begin := len(dst)
	present, most := 0, 0
	for w, n := range counts {
		if n > 0 {
			present++
			most = w
		}
	}
	if present > 1 && last > 2 {
		log := logFor(last, present, weightLog)
		t.norms.normalize(counts[:most+1], log)
		t.coder.build(&t.norms, most+1, log, noKind)
		dst = t.norms.describe(append(dst, 0), most+1, log)
		var w bits
		to, at := dst[len(dst):cap(dst)], 0
		var x [2]uint32 // even symbols have the first state, odd ones the second
		for i := last - 1; i >= 0; i-- {
			s := uint32(weights[i])
			if i >= last-2 {
				x[i&1] = t.coder.symbols[s].first
				continue
			}
			w, x[i&1] = t.coder.put(w, x[i&1], &t.coder.symbols[s])
			w, at = w.flush(to, at)
		}
		w = w.low(x[1], uint32(log)).low(x[0], uint32(log))
		dst = dst[:len(dst)+w.finish(to, at)]
		n := len(dst) - begin - 1
		if n < 128 && (last > 128 || n < (last+1)/2) {
			dst[begin] = byte(n)
			return dst, true
		}
		dst = dst[:begin]
	}
	if last > 128 {
		return dst, false
	}
	dst = append(dst, byte(127+last))
	for i := 0; i < last; i += 2 {
		dst = append(dst, weights[i]<<4|weights[i+1])
	}
	return dst, true
}

// histogramGo counts bytes. The sum of the four parts counts.
func histogramGo(data []byte, counts *[4][256]uint32) {
	for ; len(data) >= 8; data = data[8:] {
		v := kernel.Load64(data, 0)
		counts[0][uint8(v)]++
		counts[1][uint8(v>>8)]++
		counts[2][uint8(v>>16)]++
		counts[3][uint8(v>>24)]++
		counts[0][uint8(v>>32)]++
		counts[1][uint8(v>>40)]++
		counts[2][uint8(v>>48)]++
		counts[3][uint8(v>>56)]++
	}
	for _, b := range data {
		counts[0][b]++
	}
}

// huffmanGo writes a stream of the codes of literals, the last one first, and returns its number of
// bytes.
func huffmanGo(dst, literals []byte, codes *[256]uint32) int {
	var w bits
	i, at := len(literals), 0
	for ; i&3 != 0; i-- {
		c := codes[literals[i-1]]
		w = w.put(uint64(c>>8), c&255)
	}
	w, at = w.flush(dst, at)
	for ; i > 0; i -= 4 {
		v := kernel.Load32(literals, i-4)
		a, b, c, d := codes[v>>24], codes[v>>16&255], codes[v>>8&255], codes[v&255]
		w = w.put(uint64(a>>8), a&255).put(uint64(b>>8), b&255).put(uint64(c>>8), c&255).put(uint64(d>>8), d&255)
		w, at = w.flush(dst, at)
	}
	return w.finish(dst, at)
}
