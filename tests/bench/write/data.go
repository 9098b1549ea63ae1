//go:build !js

package main

import (
	"encoding/binary"
	"math"
)

// row is the number of elements after which the pattern of the data changes.
const row = 1024

// field is a smooth field of n float32 with noise in it, rounded to two digits, little-endian, from
// an element on.
func field(n, from int) []byte {
	var along [row]float64
	for i := range along {
		along[i] = 5 * math.Cos(float64(i)/90)
	}
	b := make([]byte, 4*n)
	noise := uint32(from)*2654435761 + 1
	across := 0.0
	for i := range n {
		at := from + i
		if at%row == 0 || i == 0 {
			across = 280 + 20*math.Sin(float64(at/row)/160)
		}
		noise = noise*1664525 + 1013904223
		x := across + along[at%row] + float64(noise>>24)/256
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(math.Round(x*100)/100)))
	}
	return b
}
