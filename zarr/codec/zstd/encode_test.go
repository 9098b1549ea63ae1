package zstd

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
)

// decoded decodes a frame by the library, and by this package.
func decoded(t *testing.T, frame []byte, n int) []byte {
	t.Helper()
	r := must.Get(zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)))(t)
	defer r.Close()
	theirs, err := r.DecodeAll(frame, nil)
	if err != nil {
		t.Fatalf("the library's decoder: %v", err)
	}
	ours, err := decode(codectest.Exact(n), frame)
	if err != nil {
		t.Fatalf("the own decoder: %v", err)
	}
	if !bytes.Equal(ours, theirs) {
		t.Fatal("the decoders differ")
	}
	return ours
}

func TestFastFramesDecode(t *testing.T) {
	all := samples()
	for name, data := range arrays() {
		all[name] = data
	}
	for _, checksum := range []bool{false, true} {
		f := Fast{Checksum: checksum}
		for name, data := range all {
			before := []byte("before")
			frame := f.Append(before, data)
			if !bytes.HasPrefix(frame, before) {
				t.Errorf("%s: the bytes before the frame have changed", name)
			}
			frame = frame[len(before):]
			if !bytes.Equal(decoded(t, frame, len(data)), data) {
				t.Errorf("%s, checksum %v: other bytes are decoded", name, checksum)
			}
			if most := len(data) + len(data)>>12 + 32; len(frame) > most {
				t.Errorf("%s: %d bytes became %d", name, len(data), len(frame))
			}
		}
	}
}

// mixture returns n bytes of parts: runs, repetitions, noise of few or many values, counters.
func mixture(r *rand.Rand, n int) []byte {
	var data []byte
	for len(data) < n {
		part := 1 + r.Intn(1<<r.Intn(18))
		switch r.Intn(6) {
		case 0:
			data = append(data, bytes.Repeat([]byte{byte(r.Intn(256))}, part)...)
		case 1:
			if from := len(data) - 1 - r.Intn(len(data)+1); from >= 0 {
				for i := range part {
					data = append(data, data[from+i])
				}
			}
		case 2:
			noise := make([]byte, part)
			r.Read(noise)
			data = append(data, noise...)
		case 3:
			few := 1 + r.Intn(20)
			for range part {
				data = append(data, byte(r.Intn(few)*r.Intn(few)))
			}
		case 4:
			step := r.Intn(5)
			for i := range part / 4 {
				k := i * step
				data = append(data, byte(k), byte(k>>8), byte(k>>16), byte(r.Intn(2)))
			}
		case 5:
			for range part {
				data = append(data, byte(128+r.NormFloat64()*30))
			}
		}
	}
	return data[:n]
}

func TestFastFramesOfRandomMixturesDecode(t *testing.T) {
	var f Fast
	for i := range rounds.Of(400) {
		r := rand.New(rand.NewSource(int64(i)))
		data := mixture(r, r.Intn(1<<r.Intn(20)))
		if !bytes.Equal(decoded(t, f.Append(nil, data), len(data)), data) {
			t.Fatalf("mixture %d of %d bytes: other bytes are decoded", i, len(data))
		}
	}
}

func TestFastEncodesAtOnce(t *testing.T) {
	var f Fast
	done := make(chan bool)
	for i := range 4 {
		go func() {
			data := mixture(rand.New(rand.NewSource(int64(i))), 200_000)
			got, err := decode(codectest.Exact(len(data)), f.Append(nil, data))
			done <- err == nil && bytes.Equal(got, data)
		}()
	}
	for range 4 {
		if !<-done {
			t.Error("other bytes are decoded")
		}
	}
}

func FuzzFast(f *testing.F) {
	for _, data := range samples() {
		f.Add(data[:min(len(data), 5000)])
	}
	var fast Fast
	f.Fuzz(func(t *testing.T, data []byte) {
		if !bytes.Equal(decoded(t, fast.Append(nil, data), len(data)), data) {
			t.Fatal("other bytes are decoded")
		}
	})
}

// smoothField is a field of float32 with noise, rounded to two digits: that of tests/bench/write.
func smoothField() []byte {
	var data []byte
	noise := uint32(1)
	for i := range 1 << 18 {
		noise = noise*1664525 + 1013904223
		x := 280 + 20*math.Sin(float64(i>>10)/160) + 5*math.Cos(float64(i&1023)/90) + float64(noise>>24)/256
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(math.Round(x*100)/100)))
	}
	return data
}

func BenchmarkEncode(b *testing.B) {
	w := must.Get(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithAllLitEntropyCompression(true), zstd.WithSingleSegment(true)))(b)
	var f Fast
	all := arrays()
	all["field"] = smoothField()
	for name, data := range all {
		b.Run(name+"/own", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			var out []byte
			for b.Loop() {
				out = f.Append(out[:0], data)
			}
			b.ReportMetric(100*float64(len(out))/float64(len(data)), "%stored")
		})
		b.Run(name+"/klauspost", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			var out []byte
			for b.Loop() {
				out = w.EncodeAll(data, out[:0])
			}
			b.ReportMetric(100*float64(len(out))/float64(len(data)), "%stored")
		})
	}
}
