package grib

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// seeds are messages of ecCodes: 11 rows of 17 points, some without a value. A test of the command
// compares the values of many more with those of ecCodes.
func seeds(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.grib2")
	if err != nil || len(names) == 0 {
		t.Fatal(err, len(names))
	}
	all := map[string][]byte{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = b
	}
	return all
}

func codecOf(t testing.TB, config string) message {
	t.Helper()
	v, err := json.Parse([]byte(config), json.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := build(v, codec.Build{})
	if err != nil {
		t.Fatal(err)
	}
	return c.(message)
}

func decode(c message, src []byte, size codec.Size) ([]byte, error) {
	return c.Decode(codec.NewEnv(context.Background(), codec.Limits{}), codec.Output{Size: size}, src)
}

func exact(n int64) codec.Size { return codec.Size{N: n, Exact: true} }

func TestEachTypeAndByteOrderHasTheSameValues(t *testing.T) {
	for name, src := range seeds(t) {
		double, err := decode(codecOf(t, `{"var":"t","dtype":"float64"}`), src, exact(187*8))
		if err != nil {
			t.Fatal(name, err)
		}
		missing := 0
		for config, order := range map[string]binary.ByteOrder{`{"var":"t"}`: binary.LittleEndian, `{"var":"t","dtype":"<f4"}`: binary.LittleEndian, `{"var":"t","dtype":">f4"}`: binary.BigEndian} {
			single, err := decode(codecOf(t, config), src, exact(187*4))
			if err != nil {
				t.Fatal(name, err)
			}
			for i := range 187 {
				v := math.Float64frombits(binary.LittleEndian.Uint64(double[8*i:]))
				w := math.Float32frombits(order.Uint32(single[4*i:]))
				if float32(v) != w && !(math.IsNaN(v) && w != w) {
					t.Fatalf("%s: %s: element %d is %g and %g", name, config, i, v, w)
				}
				if math.IsNaN(v) {
					missing++
				} else if v < 200 || v > 350 {
					t.Fatalf("%s: %s: element %d is %g", name, config, i, v)
				}
			}
		}
		if missing == 0 {
			t.Errorf("%s: no missing values", name)
		}
	}
}

func TestLatitudesAndLongitudesOfPoints(t *testing.T) {
	src := seeds(t)["testdata/simple.grib2"]
	for config, want := range map[string][2]float64{`{"var":"latitude","dtype":"float64"}`: {50, 40}, `{"var":"longitude"}`: {350, 6}} {
		b, err := decode(codecOf(t, config), src, exact(187*8))
		if err != nil {
			t.Fatal(err)
		}
		first, last := math.Float64frombits(binary.LittleEndian.Uint64(b)), math.Float64frombits(binary.LittleEndian.Uint64(b[186*8:]))
		if math.Abs(first-want[0]) > 1e-9 || math.Abs(last-want[1]) > 1e-9 {
			t.Errorf("%s: %g to %g, want %v", config, first, last, want)
		}
	}
}

// mapped returns a message with a byte of a section replaced; octets count from one.
func mapped(t *testing.T, src []byte, section byte, octet int, to ...byte) []byte {
	t.Helper()
	b := bytes.Clone(src)
	for at := 16; at < len(b)-4; at += int(binary.BigEndian.Uint32(b[at:])) {
		if b[at+4] == section {
			copy(b[at+octet-1:], to)
			return b
		}
	}
	t.Fatal("no such section")
	return nil
}

// NCEP's encoder writes constant fields without groups, and with a decimal scale that does not
// apply.
func TestTheValueOfAConstantFieldIsItsReference(t *testing.T) {
	reference := binary.BigEndian.AppendUint32(nil, math.Float32bits(42))
	for name, src := range seeds(t) {
		src = mapped(t, mapped(t, src, 5, 12, reference...), 5, 18, 0, 2)
		switch filepath.Base(name) {
		case "ieee.grib2":
			continue
		case "complex.grib2", "first.grib2", "second.grib2":
			src = mapped(t, src, 5, 32, 0, 0, 0, 0) // groups
		default:
			src = mapped(t, src, 5, 20, 0) // bits
		}
		b, err := decode(codecOf(t, `{"var":"t"}`), src, exact(187*4))
		if err != nil {
			t.Fatal(name, err)
		}
		values := 0
		for i := range 187 {
			v := math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
			if v == 42 {
				values++
			} else if v == v {
				t.Fatalf("%s: element %d is %g", name, i, v)
			}
		}
		if values == 0 {
			t.Errorf("%s: no value", name)
		}
	}
}

func TestDamagedAndUnsupportedMessagesHaveNamedErrors(t *testing.T) {
	simple := seeds(t)["testdata/simple.grib2"]
	edition1 := bytes.Clone(simple)
	edition1[7] = 1
	for _, c := range []struct {
		name, says  string
		unsupported bool
		src         []byte
	}{
		{"nothing", "ends within the head", false, nil},
		{"other bytes", "does not begin", false, make([]byte, 100)},
		{"edition 1", "GRIB edition 1", true, edition1},
		{"a cut message", "not within the file", false, simple[:len(simple)-1]},
		{"JPEG 2000", "5.40, JPEG 2000", true, mapped(t, simple, 5, 10, 0, 40)},
		{"run lengths", "5.200, run lengths", true, mapped(t, simple, 5, 10, 0, 200)},
		{"another packing", "5.99", true, mapped(t, simple, 5, 10, 0, 99)},
		{"wide values", "40 bits", true, mapped(t, simple, 5, 20, 40)},
		{"values beyond the end", "section 7 ends", false, mapped(t, simple, 5, 20, 32)},
		{"many points", "points", false, mapped(t, simple, 3, 7, 0xff, 0xff, 0xff, 0xff)},
		{"many values", "values for", false, mapped(t, simple, 5, 6, 0xff, 0xff, 0xff, 0xff)},
		{"a bitmap of a centre", "bitmap 9", true, mapped(t, simple, 6, 6, 9)},
		{"a bitmap that is absent", "none precedes", false, mapped(t, simple, 6, 6, 254)},
		{"a section out of turn", "section 9 follows", false, mapped(t, simple, 4, 5, 9)},
	} {
		_, err := decode(codecOf(t, `{"var":"t"}`), c.src, exact(187*4))
		var u *codec.UnsupportedError
		if err == nil || !strings.Contains(err.Error(), c.says) || errors.As(err, &u) != c.unsupported {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := decode(codecOf(t, `{"var":"t","field":1}`), simple, exact(187*4)); !errors.Is(err, codec.ErrCorrupt) {
		t.Error(err)
	}
}

func TestConfigurationsAreChecked(t *testing.T) {
	for _, config := range []string{`{"var":"t","dtype":"<i4"}`, `{"var":"t","dtype":5}`, `{"field":-1}`, `{"field":"a"}`} {
		v, err := json.Parse([]byte(config), json.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := build(v, codec.Build{}); err == nil {
			t.Error(config)
		}
	}
}

// named fails unless an error has a class.
func named(t *testing.T, err error) {
	t.Helper()
	var u *codec.UnsupportedError
	var l *codec.LimitError
	if err != nil && !errors.Is(err, codec.ErrCorrupt) && !errors.Is(err, codec.ErrTruncated) && !errors.Is(err, codec.ErrChecksum) && !errors.As(err, &u) && !errors.As(err, &l) {
		t.Fatalf("an error without a class: %T %v", err, err)
	}
}

func TestEveryDamagedByteHasANamedError(t *testing.T) {
	c := codecOf(t, `{"var":"t"}`)
	for _, src := range seeds(t) {
		for i := range src {
			b := bytes.Clone(src)
			b[i] ^= []byte{1, 0x80, 0xff, 0x10}[i%4]
			_, err := decode(c, b, exact(187*4))
			named(t, err)
			_, err = decode(c, src[:i], exact(187*4))
			if named(t, err); err == nil {
				t.Fatalf("%d of %d bytes are no message", i, len(src))
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, src := range seeds(f) {
		f.Add(src, false)
		f.Add(src, true)
	}
	places, vals := codecOf(f, `{"var":"latitude"}`), codecOf(f, `{"var":"t"}`)
	f.Fuzz(func(t *testing.T, src []byte, place bool) {
		c, size := vals, codec.Size{N: 1 << 16}
		if place {
			c = places
		}
		b, err := decode(c, src, size)
		if named(t, err); err == nil && len(b) > 1<<16 {
			t.Fatal("more bytes than the bound")
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for name, src := range seeds(b) {
		b.Run(strings.TrimSuffix(filepath.Base(name), ".grib2"), func(b *testing.B) {
			c := codecOf(b, `{"var":"t"}`)
			b.SetBytes(187 * 4)
			for b.Loop() {
				if _, err := decode(c, src, exact(187*4)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
