package main

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// set is a typical kind of data.
type set struct {
	name string
	kind string // numpy's name of the type
	size int
	put  func(b []byte, r *rand.Rand, y, x, rows, cols int)
}

func (s set) make(rows, cols int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(s.size)))
	b := make([]byte, rows*cols*s.size)
	at := b
	for y := range rows {
		for x := range cols {
			s.put(at, r, y, x, rows, cols)
			at = at[s.size:]
		}
	}
	return b
}

var sets = []set{
	// A smooth field with noise in its last digits.
	{"float32", "<f4", 4, func(b []byte, r *rand.Rand, y, x, rows, cols int) {
		v := waves(y, x) + 1e-4*r.NormFloat64()
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(273+10*v)))
	}},
	// A microscope's image: spots over a background, with the noise of counting.
	{"uint16", "<u2", 2, func(b []byte, r *rand.Rand, y, x, rows, cols int) {
		mean := 100 + 400*math.Max(0, waves(8*y, 8*x))
		binary.LittleEndian.PutUint16(b, uint16(math.Max(0, mean+math.Sqrt(mean)*r.NormFloat64())))
	}},
	// Numbers that count up, such as coordinates.
	{"int32", "<i4", 4, func(b []byte, _ *rand.Rand, y, x, rows, cols int) {
		binary.LittleEndian.PutUint32(b, uint32(y*cols+x))
	}},
	// A climate model's variable: rounded to two digits, absent over land.
	{"float64", "<f8", 8, func(b []byte, r *rand.Rand, y, x, rows, cols int) {
		v := math.Round(100*(15+10*waves(y, x)+0.3*r.NormFloat64())) / 100
		if waves(3*y+700, 3*x+300) > 0.7 {
			v = math.NaN()
		}
		binary.LittleEndian.PutUint64(b, math.Float64bits(v))
	}},
	// Objects in an image, each with its number.
	{"uint32", "<u4", 4, func(b []byte, _ *rand.Rand, y, x, rows, cols int) {
		const cell = 48
		cy, cx := y/cell, x/cell
		dy, dx := float64(y%cell-cell/2), float64(x%cell-cell/2)
		label := uint32(0)
		radius := 10 + 12*math.Abs(math.Sin(float64(7*cy+13*cx)))
		if dy*dy+dx*dx < radius*radius {
			label = uint32(cy*1000+cx)*2654435761>>12 + 1
		}
		binary.LittleEndian.PutUint32(b, label)
	}},
}

// waves returns a smooth function of a place, between about -1.5 and 1.5.
func waves(y, x int) float64 {
	a, b := float64(y), float64(x)
	return math.Sin(a/97+math.Cos(b/61)) + 0.4*math.Sin(b/37-a/211) + 0.1*math.Cos((a+b)/11)
}
