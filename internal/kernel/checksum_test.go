package kernel

import (
	"bytes"
	"hash/adler32"
	"hash/crc32"
	"math/rand"
	"testing"
)

func TestChecksums(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	random := make([]byte, 3<<20)
	r.Read(random)
	check := func(what string, b []byte) {
		t.Helper()
		if got, want := crc32Of(b), crc32.ChecksumIEEE(b); got != want || CRC32(b) != want {
			t.Fatalf("CRC-32 of %s, %d bytes: %x, want %x", what, len(b), got, want)
		}
		if got, want := Adler32(b), adler32.Checksum(b); got != want {
			t.Fatalf("Adler-32 of %s, %d bytes: %x, want %x", what, len(b), got, want)
		}
	}
	for n := range 700 {
		check("random bytes", random[n%9:][:n])
	}
	full := bytes.Repeat([]byte{255}, len(random))
	for _, n := range []int{5551, 5552, 1<<20 - 1, 1 << 20, 1<<20 + 129, len(random)} {
		check("random bytes", random[:n])
		check("the largest bytes", full[:n])
		check("zeros", make([]byte, n))
	}
}

// TestChecksumLoops compares the assembly with the portable loops. Memory around the data does not
// affect the result.
func TestChecksumLoops(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for blocks := 1; blocks < 20; blocks++ {
		for at := range 9 {
			b := make([]byte, 128*40)
			r.Read(b)
			state := [5]uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
			got, want := state, state
			crc32Fold(&got, b[at:at+40*blocks])
			crc32FoldGo(&want, b[at:at+40*blocks])
			if got != want {
				t.Fatalf("CRC of %d blocks: %x, want %x", blocks, got, want)
			}
			x, y := r.Uint64()>>40, r.Uint64()>>20
			ga, gb := adler32Sum(b[at:at+128*blocks], x, y)
			wa, wb := adler32SumGo(b[at:at+128*blocks], x, y)
			if ga != wa || gb != wb {
				t.Fatalf("Adler of %d blocks: %x %x, want %x %x", blocks, ga, gb, wa, wb)
			}
		}
	}
}

func BenchmarkChecksums(b *testing.B) {
	p := make([]byte, 1<<20)
	rand.New(rand.NewSource(3)).Read(p)
	for name, f := range map[string]func([]byte) uint32{"crc": CRC32, "crc/fold": crc32Of, "crc/std": crc32.ChecksumIEEE, "adler": Adler32, "adler/std": adler32.Checksum} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(p)))
			for b.Loop() {
				f(p)
			}
		})
	}
}
