package kernel

import (
	"encoding/binary"
	"testing"
)

func TestLoadStore(t *testing.T) {
	b := make([]byte, 24)
	for i := range b {
		b[i] = byte(17*i + 3)
	}
	for i := range 16 {
		if Load16(b, i) != binary.LittleEndian.Uint16(b[i:]) || Load32(b, i) != binary.LittleEndian.Uint32(b[i:]) || Load64(b, i) != binary.LittleEndian.Uint64(b[i:]) {
			t.Errorf("loads at %d differ", i)
		}
		c, d := make([]byte, 24), make([]byte, 24)
		Store64(c, i, 0x0102030405060708)
		binary.LittleEndian.PutUint64(d[i:], 0x0102030405060708)
		Store32(c, i, 0x0a0b0c0d)
		binary.LittleEndian.PutUint32(d[i:], 0x0a0b0c0d)
		Store16(c, i, 0xe0f0)
		binary.LittleEndian.PutUint16(d[i:], 0xe0f0)
		if string(c) != string(d) {
			t.Errorf("stores at %d differ", i)
		}
	}
}

func TestBounds(t *testing.T) {
	b := make([]byte, 16)[:9]
	for name, f := range map[string]func(){
		"Load16":      func() { Load16(b, 8) },
		"Load32":      func() { Load32(b, 6) },
		"Load64":      func() { Load64(b, 2) },
		"Store16":     func() { Store16(b, 8, 0) },
		"Store32":     func() { Store32(b, 6, 0) },
		"Store64":     func() { Store64(b, 2, 0) },
		"before":      func() { Load64(b, -1) },
		"far outside": func() { Load64(b, 1<<62) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s reads or writes outside", name)
				}
			}()
			f()
		}()
	}
}
