package kernel

import (
	"bytes"
	"math/rand"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
)

// repetitive returns n bytes with repetitions at many distances.
func repetitive(r *rand.Rand, n int) []byte {
	data := make([]byte, 0, n)
	few := 1 + r.Intn(256)
	for len(data) < n {
		k := 1 + r.Intn(1<<r.Intn(12))
		if from := len(data) - 1 - r.Intn(1+r.Intn(len(data)+1)); from >= 0 && r.Intn(3) > 0 {
			for i := range k {
				data = append(data, data[from+i])
			}
			continue
		}
		for range k {
			data = append(data, byte(r.Intn(few)))
		}
	}
	return data[:n]
}

// checkEncoding encodes data in both forms between guards, and decodes it.
func checkEncoding(t *testing.T, data []byte, acceleration int) {
	t.Helper()
	var want []byte
	for name, form := range map[string]func(dst, src []byte, t *LZ4Table, acceleration int) (int, int){"assembly": lz4Encode, "Go": lz4EncodeGo} {
		for align := 0; align < 16; align += 5 {
			src := guard(len(data), align, func(b []byte) { copy(b, data) })
			dst := guard(LZ4Bound(len(data)), 15-align, nil)
			var table LZ4Table
			d, anchor := 0, 0
			if len(data) > lz4Begin {
				d, anchor = form(dst.Bytes, src.Bytes, &table, acceleration)
			}
			src.check(t, false, name)
			dst.check(t, true, name)
			got := append(dst.Bytes[:d:d], byte(anchor), byte(anchor>>8), byte(anchor>>16))
			if want == nil {
				want = bytes.Clone(got)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%s, alignment %d: %d bytes differ from the other form's %d", name, align, len(got), len(want))
			}
		}
	}
	dst := guard(LZ4Bound(len(data)), 3, nil)
	n := LZ4Encode(dst.Bytes, data, new(LZ4Table), acceleration)
	dst.check(t, true, "LZ4Encode")
	if n > len(data)+len(data)/255+16 {
		t.Fatalf("%d bytes became %d", len(data), n)
	}
	if got, fault := naiveLZ4(nil, len(data), dst.Bytes[:n]); fault != None || !bytes.Equal(got, data) {
		t.Fatalf("%d bytes decode to others: fault %d", len(data), fault)
	}
	checkEnd(t, dst.Bytes[:n], len(data))
}

// checkEnd checks the format's rules for the end of a block, on which fast decoders rely. Its last
// 5 bytes are literals, and a match begins 12 bytes before its end or earlier.
func checkEnd(t *testing.T, block []byte, size int) {
	t.Helper()
	at, d := 0, 0
	length := func(n int) int {
		for more := n == 15; more; at++ {
			more = block[at] == 255
			n += int(block[at])
		}
		return n
	}
	for {
		token := int(block[at])
		at++
		n := length(token >> 4)
		at += n
		d += n
		if at == len(block) {
			return
		}
		at += 2
		if d > size-lz4Begin {
			t.Fatalf("a match begins at %d of %d", d, size)
		}
		if d += length(token&15) + 4; d > size-lz4End {
			t.Fatalf("a match ends at %d of %d", d, size)
		}
	}
}

func TestLZ4Encode(t *testing.T) {
	for n := range 80 {
		checkEncoding(t, make([]byte, n), 1)
		checkEncoding(t, repetitive(rand.New(rand.NewSource(int64(n))), n), 1+n%3)
	}
	for i := range rounds.Of(300) {
		r := rand.New(rand.NewSource(int64(i)))
		checkEncoding(t, repetitive(r, r.Intn(1<<r.Intn(19))), 1+r.Intn(9))
	}
	noise := make([]byte, 200_000)
	random(1)(noise)
	checkEncoding(t, noise, 1)
	// The longest distance, and one beyond.
	for _, far := range []int{lz4Far - 1, lz4Far, lz4Far + 1} {
		data := bytes.Clone(noise[:far+100])
		copy(data[far:], data[:60])
		checkEncoding(t, data, 1)
	}
}

func FuzzLZ4Encode(f *testing.F) {
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"), 1)
	f.Add(bytes.Repeat([]byte("0123456789"), 30), 5)
	f.Fuzz(func(t *testing.T, data []byte, acceleration int) {
		checkEncoding(t, data, min(max(acceleration, 1), 1<<16))
	})
}

func BenchmarkLZ4Encode(b *testing.B) {
	data := repetitive(rand.New(rand.NewSource(1)), 1<<17)
	dst := make([]byte, LZ4Bound(len(data)))
	var table LZ4Table
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		LZ4Encode(dst, data, &table, 5)
	}
}
