package zstd

import (
	"encoding/binary"
	"math"
	"math/rand"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// arrays are realistic chunks of a megabyte each.
func arrays() map[string][]byte {
	r := rand.New(rand.NewSource(2))
	const side = 512
	smooth := make([]byte, 0, 4*side*side)
	noisy := make([]byte, 0, 4*side*side)
	labels := make([]byte, 0, 4*side*side)
	for i := range side * side {
		x, y := float64(i%side), float64(i/side)
		f := 280 + 20*math.Sin(x/60)*math.Cos(y/45) + 0.05*r.NormFloat64()
		smooth = binary.LittleEndian.AppendUint32(smooth, math.Float32bits(float32(math.Round(f*64)/64)))
		for range 2 {
			v := uint16(200 + 100*math.Sin(x/80) + 15*r.NormFloat64())
			noisy = binary.LittleEndian.AppendUint16(noisy, v)
		}
		// Regions with ragged borders.
		cell := (int(x+3*math.Sin(y/5)+1.5*r.NormFloat64())/23)*7 + (int(y+4*math.Cos(x/7))/19)*31
		label := uint32(cell * 2654435761 >> 7 & 0xffff)
		labels = binary.LittleEndian.AppendUint32(labels, label)
	}
	shuffled := make([]byte, len(noisy))
	for i, b := range noisy {
		shuffled[i%2*(len(noisy)/2)+i/2] = b
	}
	return map[string][]byte{"float32": smooth, "uint16": noisy, "labels": labels, "shuffled": shuffled}
}

func BenchmarkDecode(b *testing.B) {
	plain := must.Get(zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.IgnoreChecksum(true)))(b)
	w := must.Get(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false)))(b)
	all := arrays()
	for _, name := range []string{"float32", "uint16", "labels", "shuffled"} {
		data := all[name]
		for _, size := range []int{len(data), 16 << 10} {
			data := data[:size]
			src := w.EncodeAll(data, nil)
			buf := make([]byte, len(data))
			kind := name
			if size < 1<<20 {
				kind += "/small"
			}
			b.Run(kind+"/own", func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				var d Decoder
				for b.Loop() {
					if n, err := d.DecodeBlock(buf, src); err != nil || n != len(data) {
						b.Fatal(err)
					}
				}
			})
			b.Run(kind+"/klauspost", func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					if _, err := plain.DecodeAll(src, buf[:0]); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
