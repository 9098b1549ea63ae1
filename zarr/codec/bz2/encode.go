package bz2

import (
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Writing returns the codec bz2 with an encoder. The level in its configuration, from 1 to 9, is
// the size of the blocks in units of 100,000 bytes. The default is numcodecs' 1.
func Writing() codec.Entry {
	e := Codec()
	read := e.New
	e.New = func(config json.Value, b codec.Build) (any, error) {
		c, err := read(config, b)
		if err != nil {
			return nil, err
		}
		w := encoder{BytesToBytes: c.(codec.BytesToBytes), level: 1}
		if v := config.Get("level"); !v.IsNull() {
			n, ok := v.Int64()
			if !ok || n < 1 || n > 9 {
				w.wrong = &codec.ConfigError{Codec: "bz2", Msg: "level is not an integer from 1 to 9"}
			}
			w.level = int(n)
		}
		return w, nil
	}
	return e
}

// encoder is the codec with its configuration for writers.
type encoder struct {
	codec.BytesToBytes
	level int
	wrong error
}

// CheckEncode implements codec.EncodeChecker.
func (w encoder) CheckEncode() error { return w.wrong }

// Encode implements codec.BytesToBytesEncoder.
func (w encoder) Encode(env *codec.Env, src []byte) ([]byte, error) {
	if w.wrong != nil {
		return nil, w.wrong
	}
	out := bitWriter{dst: env.Buffer(len(src) + len(src)/64 + 1024)[:0]}
	out.dst = append(out.dst, "BZh"+strconv.Itoa(w.level)...)
	most := 100_000*w.level - 20
	var all uint32
	runs := env.Buffer(min(most, len(src)+len(src)/4) + 8)[:0]
	var s sorter
	for len(src) > 0 {
		n := 0
		runs, n = packRuns(runs[:0], src, most)
		sum := checksum(src[:n])
		src = src[n:]
		all = (all<<1 | all>>31) ^ sum
		out.block(&s, runs, sum)
	}
	out.put(0x177245385090, 48)
	out.put(uint64(all), 32)
	return out.flush(), nil
}

// packRuns shortens runs of 4 to 259 equal bytes to four and a count, until dst has most bytes. It
// returns the number of bytes consumed.
func packRuns(dst, src []byte, most int) ([]byte, int) {
	at := 0
	for at < len(src) && len(dst) < most {
		c := src[at]
		n := 1
		for n < 259 && at+n < len(src) && src[at+n] == c {
			n++
		}
		at += n
		if n < 4 {
			for range n {
				dst = append(dst, c)
			}
			continue
		}
		dst = append(dst, c, c, c, c, byte(n-4))
	}
	return dst, at
}

// checksum returns the CRC-32 with the highest bit first.
func checksum(src []byte) uint32 {
	var table [256]uint32
	for i := range table {
		v := uint32(i) << 24
		for range 8 {
			if v&(1<<31) != 0 {
				v = v<<1 ^ 0x04c11db7
			} else {
				v <<= 1
			}
		}
		table[i] = v
	}
	sum := ^uint32(0)
	for _, c := range src {
		sum = sum<<8 ^ table[byte(sum>>24)^c]
	}
	return ^sum
}

// bitWriter writes bits, the highest of each byte first.
type bitWriter struct {
	dst  []byte
	bits uint64
	have int // bits that are not in dst yet, less than 8
}

// put writes the low n bits of v, up to 56.
func (w *bitWriter) put(v uint64, n int) {
	w.bits = w.bits<<n | v
	w.have += n
	for w.have >= 8 {
		w.have -= 8
		w.dst = append(w.dst, byte(w.bits>>w.have))
	}
}

func (w *bitWriter) flush() []byte {
	if w.have > 0 {
		w.put(0, 8-w.have)
	}
	return w.dst
}

// block writes one block.
func (w *bitWriter) block(s *sorter, src []byte, sum uint32) {
	last, first := s.transform(src)
	w.put(0x314159265359, 48)
	w.put(uint64(sum), 32)
	w.put(0, 1) // not randomised
	w.put(uint64(first), 24)

	var used [256]bool
	for _, c := range last {
		used[c] = true
	}
	var groups uint64
	for g := range 16 {
		groups <<= 1
		for _, u := range used[16*g : 16*g+16] {
			if u {
				groups |= 1
				break
			}
		}
	}
	w.put(groups, 16)
	for g := range 16 {
		if groups>>(15-g)&1 == 0 {
			continue
		}
		var bits uint64
		for _, u := range used[16*g : 16*g+16] {
			bits <<= 1
			if u {
				bits |= 1
			}
		}
		w.put(bits, 16)
	}
	symbols, alphabet := moveToFront(last, &used)
	w.huffman(symbols, alphabet)
}

// moveToFront replaces each byte by its place in a list of the used bytes. The byte then moves to
// the front of the list. Runs of place 0 become numbers of the digits 1 and 2 (symbols 0 and 1, the
// lowest first). The last symbol ends the block.
func moveToFront(last []byte, used *[256]bool) (symbols []uint16, alphabet int) {
	var list []byte
	for c, u := range used {
		if u {
			list = append(list, byte(c))
		}
	}
	symbols = make([]uint16, 0, len(last)+1)
	run := 0
	flush := func() {
		for run > 0 {
			run--
			symbols = append(symbols, uint16(run&1))
			run >>= 1
		}
	}
	for _, c := range last {
		at := 0
		for list[at] != c {
			at++
		}
		if at == 0 {
			run++
			continue
		}
		flush()
		copy(list[1:at+1], list[:at])
		list[0] = c
		symbols = append(symbols, uint16(at+1))
	}
	flush()
	end := uint16(len(list) + 1)
	return append(symbols, end), int(end) + 1
}

// groupSize is the number of symbols that share a table.
const groupSize = 50

// huffman writes the symbols, each group with the best of several tables.
func (w *bitWriter) huffman(symbols []uint16, alphabet int) {
	count := 6
	for i, most := range [4]int{200, 600, 1200, 2400} {
		if len(symbols) < most {
			count = i + 2
			break
		}
	}
	lengths := firstTables(symbols, alphabet, count)
	selectors := make([]byte, (len(symbols)+groupSize-1)/groupSize)
	for range 4 {
		frequencies := make([][258]int, count)
		for g := range selectors {
			group := symbols[g*groupSize : min((g+1)*groupSize, len(symbols))]
			best, cost := 0, -1
			for t := range lengths {
				n := 0
				for _, s := range group {
					n += int(lengths[t][s])
				}
				if cost < 0 || n < cost {
					best, cost = t, n
				}
			}
			selectors[g] = byte(best)
			for _, s := range group {
				frequencies[best][s]++
			}
		}
		for t := range lengths {
			lengths[t] = codeLengths(frequencies[t][:alphabet])
		}
	}

	w.put(uint64(count), 3)
	w.put(uint64(len(selectors)), 15)
	order := []byte{0, 1, 2, 3, 4, 5}
	for _, t := range selectors {
		at := 0
		for order[at] != t {
			at++
		}
		copy(order[1:at+1], order[:at])
		order[0] = t
		w.put(1<<(at+1)-2, at+1)
	}
	codes := make([][258]uint32, count)
	for t := range lengths {
		w.table(&lengths[t], alphabet)
		codes[t] = codesOf(&lengths[t], alphabet)
	}
	for g, t := range selectors {
		for _, s := range symbols[g*groupSize : min((g+1)*groupSize, len(symbols))] {
			w.put(uint64(codes[t][s]), int(lengths[t][s]))
		}
	}
}

// firstTables gives each table a part of the alphabet that it codes cheaply. All parts have about
// the same number of symbols.
func firstTables(symbols []uint16, alphabet, count int) [][258]byte {
	var frequency [258]int
	for _, s := range symbols {
		frequency[s]++
	}
	lengths := make([][258]byte, count)
	left, from := len(symbols), 0
	for t := range lengths {
		to, got := from, 0
		for to < alphabet && (got < left/(count-t) || to == from) {
			got += frequency[to]
			to++
		}
		for s := range alphabet {
			lengths[t][s] = 15
			if s >= from && s < to {
				lengths[t][s] = 1
			}
		}
		from = to
		left -= got
	}
	return lengths
}

// codeLengths returns the lengths of a Huffman code, 17 at most. Every symbol has one.
func codeLengths(frequencies []int) (lengths [258]byte) {
	weights := make([]int, len(frequencies))
	for i, f := range frequencies {
		weights[i] = max(f, 1)
	}
	for {
		longest := treeDepths(weights, &lengths)
		if longest <= 17 {
			return lengths
		}
		for i := range weights {
			weights[i] = weights[i]/2 + 1
		}
	}
}

// treeDepths joins the two lightest trees until there is one.
func treeDepths(weights []int, lengths *[258]byte) (longest byte) {
	n := len(weights)
	weight := append(make([]int, 0, 2*n), weights...)
	parent := make([]int, 2*n)
	var heap []int // of trees, the lightest first
	less := func(a, b int) bool { return weight[heap[a]] < weight[heap[b]] }
	up := func(i int) {
		for i > 0 && less(i, (i-1)/2) {
			heap[i], heap[(i-1)/2] = heap[(i-1)/2], heap[i]
			i = (i - 1) / 2
		}
	}
	pop := func() int {
		top := heap[0]
		heap[0] = heap[len(heap)-1]
		heap = heap[:len(heap)-1]
		for i := 0; ; {
			child := 2*i + 1
			if child >= len(heap) {
				return top
			}
			if child+1 < len(heap) && less(child+1, child) {
				child++
			}
			if !less(child, i) {
				return top
			}
			heap[i], heap[child] = heap[child], heap[i]
			i = child
		}
	}
	for i := range n {
		heap = append(heap, i)
		up(i)
	}
	for len(heap) > 1 {
		a, b := pop(), pop()
		parent[a], parent[b] = len(weight), len(weight)
		heap = append(heap, len(weight))
		weight = append(weight, weight[a]+weight[b])
		up(len(heap) - 1)
	}
	root := len(weight) - 1
	for i := range n {
		depth := byte(0)
		for k := i; k != root; k = parent[k] {
			depth++
		}
		lengths[i] = depth
		longest = max(longest, depth)
	}
	return longest
}

// table writes the lengths of a code as differences.
func (w *bitWriter) table(lengths *[258]byte, alphabet int) {
	at := lengths[0]
	w.put(uint64(at), 5)
	for _, n := range lengths[:alphabet] {
		for ; at < n; at++ {
			w.put(2, 2)
		}
		for ; at > n; at-- {
			w.put(3, 2)
		}
		w.put(0, 1)
	}
}

// codesOf numbers the codes of each length in the order of the symbols.
func codesOf(lengths *[258]byte, alphabet int) (codes [258]uint32) {
	next := uint32(0)
	for n := byte(1); n <= 17; n++ {
		for s, length := range lengths[:alphabet] {
			if length == n {
				codes[s] = next
				next++
			}
		}
		next <<= 1
	}
	return codes
}
