package lerc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// minimums are the types in which a block of each kind may store its minimum, by their codes.
var minimums = [8][]kind{
	kindChar: {kindChar}, kindByte: {kindByte},
	kindShort: {kindShort, kindByte, kindChar}, kindUshort: {kindUshort, kindByte},
	kindInt: {kindInt, kindUshort, kindShort, kindByte}, kindUint: {kindUint, kindUshort, kindByte},
	kindFloat: {kindFloat, kindShort, kindByte}, kindDouble: {kindDouble, kindFloat, kindInt, kindShort},
}

// made is an image that a test makes, with the numbers that it stands for.
type made struct {
	*header
	r    *rand.Rand
	mask []bool
	most []float64
	want []byte
}

// signed reports whether a type has negative numbers.
func signed(k kind) bool { return k != kindByte && k != kindUshort && k != kindUint }

func appended(b []byte, k kind, v float64) []byte {
	var n [8]byte
	k.store(n[:], v)
	return append(b, n[:k.size()]...)
}

// make makes an image of blocks of all kinds. Its numbers are small enough for bytes.
func (m *made) make() []byte {
	r := m.r
	m.header = &header{version: 3 + r.IntN(4), rows: 1 + r.IntN(40), columns: 1 + r.IntN(40), depth: 1, block: []int{5, 8, 16, 32}[r.IntN(4)], kind: kind(r.IntN(8))}
	if m.version >= 4 {
		m.depth += r.IntN(3)
	}
	m.err = []float64{0.5, 1, 2}[r.IntN(3)]
	if m.kind >= kindFloat {
		m.err = []float64{0.25, 0.01, 1e-3}[r.IntN(3)]
	}
	m.least, m.most = -60, nil
	for range m.depth {
		m.most = append(m.most, float64(60+r.IntN(60)))
	}
	m.header.most = m.most[0]
	m.mask = make([]bool, m.rows*m.columns)
	holes := r.IntN(2) == 0
	for i := range m.mask {
		m.mask[i] = !holes || r.IntN(3) > 0
		if m.mask[i] {
			m.valid++
		}
	}
	m.want = make([]byte, len(m.mask)*m.depth*m.kind.size())
	b := binary.LittleEndian.AppendUint32([]byte("Lerc2 "), uint32(m.version))
	ints := []int{0, m.rows, m.columns, m.depth, m.valid, m.block, 0, int(m.kind)}
	if m.version < 4 {
		ints = append(ints[:3], ints[4:]...)
	}
	for _, n := range ints {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	if m.version >= 6 {
		b = append(b, make([]byte, 8)...)
	}
	constant := r.IntN(4) // 0 is one number, 1 a number of each depth
	if constant == 0 {
		m.least = m.header.most
		for k := range m.most {
			m.most[k] = m.least
		}
	}
	for _, v := range []float64{m.err, m.least, m.header.most} {
		b = appended(b, kindDouble, v)
	}
	if m.version >= 6 {
		b = append(b, make([]byte, 16)...)
	}
	b = append(b, m.maskBytes()...)
	if m.valid == 0 {
		return m.sealed(b)
	}
	if m.version >= 4 && constant > 0 {
		for _, v := range m.most {
			b = appended(b, m.kind, map[bool]float64{true: v}[constant == 1])
		}
		for _, v := range m.most {
			b = appended(b, m.kind, v)
		}
	}
	if constant == 0 || constant == 1 && m.version >= 4 {
		for i, has := range m.mask {
			for k := range m.depth {
				if has {
					m.kind.store(m.at(i, k), m.most[k])
				}
			}
		}
		return m.sealed(b)
	}
	if b = append(b, 0); m.kind <= kindByte && m.err == 0.5 {
		b = append(b, 0)
	}
	for top := 0; top < m.rows; top += m.block {
		for left := 0; left < m.columns; left += m.block {
			for k := range m.depth {
				b = m.appendBlock(b, block{top, left, min(top+m.block, m.rows), min(left+m.block, m.columns), k})
			}
		}
	}
	return m.sealed(b)
}

// sealed sets the size and the checksum.
func (m *made) sealed(b []byte) []byte {
	at := 30
	if m.version >= 4 {
		at = 34
	}
	kernel.Store32(b, at, uint32(len(b)))
	kernel.Store32(b, 10, fletcher(b[14:]))
	return b
}

// maskBytes returns the mask after its size, and makes NaN of the numbers that it leaves out.
func (m *made) maskBytes() []byte {
	if m.valid == 0 || m.valid == len(m.mask) {
		m.missing()
		return make([]byte, 4)
	}
	m.missing()
	bits := make([]byte, (len(m.mask)+7)/8)
	for i, has := range m.mask {
		if has {
			bits[i/8] |= 0x80 >> (i % 8)
		}
	}
	var b []byte
	for i := 0; i < len(bits); {
		n := 1
		for i+n < len(bits) && bits[i+n] == bits[i] && n < 1<<15-1 {
			n++
		}
		if n > 1 {
			b = append(binary.LittleEndian.AppendUint16(b, uint16(-n)), bits[i])
		} else {
			b = append(binary.LittleEndian.AppendUint16(b, 1), bits[i])
		}
		i += n
	}
	b = binary.LittleEndian.AppendUint16(b, 1<<15)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
}

func (m *made) missing() {
	for i, has := range m.mask {
		for k := range m.depth {
			if !has && m.kind >= kindFloat {
				m.kind.store(m.at(i, k), math.Float64frombits(0x7ff8<<48))
			}
		}
	}
}

func (m *made) at(pixel, depth int) []byte { return m.want[(pixel*m.depth+depth)*m.kind.size():] }

// appendBlock appends a block of a random form, and sets the numbers that it stands for.
func (m *made) appendBlock(b []byte, at block) []byte {
	r := m.r
	form := r.IntN(4)
	difference := m.version >= 5 && at.depth > 0 && form != 0 && r.IntN(2) == 0
	flag := form | at.left>>3&15<<2
	if m.version >= 5 {
		flag &^= 4
		if difference {
			flag |= 4
		}
	}
	k := m.kind
	if difference && k < kindFloat {
		k = kindInt
	}
	code := r.IntN(len(minimums[k]))
	stored := minimums[k][code]
	least := float64(r.IntN(50))
	switch {
	case stored >= kindFloat:
		least += float64(r.IntN(4)) / 4
	case signed(stored) && signed(m.kind):
		least -= 20
	}
	var pixels []int
	for y := at.top; y < at.bottom; y++ {
		for x := at.left; x < at.right; x++ {
			if i := y*m.columns + x; m.mask[i] {
				pixels = append(pixels, i)
			}
		}
	}
	numbers := make([]uint32, len(pixels))
	switch form {
	case 0:
		b = append(b, byte(flag))
		for n, i := range pixels {
			v := float64(r.IntN(100))
			b, numbers[n] = appended(b, m.kind, v), 0
			m.kind.store(m.at(i, at.depth), v)
		}
		return b
	case 2:
		least = 0
		b = append(b, byte(flag))
	default:
		b = appended(append(b, byte(flag|code<<6)), stored, least)
	}
	if form == 1 {
		width := 1 + r.IntN(5)
		for n := range numbers {
			numbers[n] = uint32(r.IntN(1 << width))
		}
		b = stuffing(b, r, numbers, width)
	}
	for n, i := range pixels {
		v := least + float64(float64(numbers[n])*(2*m.err))
		if difference {
			v += m.kind.load(m.at(i, at.depth-1))
		}
		// A constant of its own may exceed the range, and zero may, too.
		if form == 1 || form == 3 && difference {
			v = min(v, m.most[at.depth])
		}
		m.kind.store(m.at(i, at.depth), v)
	}
	return b
}

// stuffing appends numbers in bits, or a table of them and the places in it.
func stuffing(b []byte, r *rand.Rand, numbers []uint32, width int) []byte {
	head, count := 0, []byte{byte(len(numbers)), byte(len(numbers) >> 8), 0, 0}
	switch {
	case len(numbers) < 1<<8 && r.IntN(2) == 0:
		head, count = 2<<6, count[:1]
	case r.IntN(2) == 0:
		head, count = 1<<6, count[:2]
	}
	pack := func(list []uint32, width int) {
		var bits uint64
		held := 0
		for _, n := range list {
			bits |= uint64(n) << held
			for held += width; held >= 8; held -= 8 {
				b = append(b, byte(bits))
				bits >>= 8
			}
		}
		if held > 0 {
			b = append(b, byte(bits))
		}
	}
	if r.IntN(2) == 0 {
		b = append(append(b, byte(head|width)), count...)
		pack(numbers, width)
		return b
	}
	b = append(append(b, byte(head|32|width)), count...)
	all := make([]uint32, 1<<width-1) // without the 0
	for i := range all {
		all[i] = uint32(i + 1)
	}
	b = append(b, byte(len(all)+1))
	pack(all, width)
	pack(numbers, width)
	return b
}

func TestBlocksOfAllFormsHaveTheirNumbers(t *testing.T) {
	for seed := range uint64(rounds.Of(2000)) {
		m := &made{r: rand.New(rand.NewPCG(seed, 7))}
		src := m.make()
		d := decoder{shape: []int{m.rows, m.columns, m.depth}}
		got, err := codectest.Decode(d, codectest.Exact(len(m.want)), src)
		if err != nil || !bytes.Equal(got, m.want) {
			t.Fatalf("seed %d: version %d, kind %d, %d by %d by %d: %v", seed, m.version, m.kind, m.rows, m.columns, m.depth, err)
		}
	}
}

// The numbers of a block would take four times the memory of a chunk of bytes.
func TestHugeBlocksAreRejected(t *testing.T) {
	m := &made{r: rand.New(rand.NewPCG(1, 7))}
	src := m.make()
	at := 26
	if m.version >= 4 {
		at = 30
	}
	kernel.Store32(src, at, 33)
	if _, err := codectest.Decode(decoder{shape: []int{m.rows, m.columns, m.depth}}, codectest.Exact(len(m.want)), m.sealed(src)); !errors.Is(err, codec.ErrCorrupt) {
		t.Error(err)
	}
}
