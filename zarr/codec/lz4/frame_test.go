package lz4

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"strings"
	"testing"

	ref "github.com/pierrec/lz4/v4"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/internal/skipframe"
)

func u32(n uint32) string { return string(binary.LittleEndian.AppendUint32(nil, n)) }

// skippable is a skippable frame.
var skippable = u32(skipframe.Magic+7) + u32(3) + "any"

// written returns the output of pierrec/lz4.
func written(t testing.TB, data []byte, options ...ref.Option) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := ref.NewWriter(&buf)
	must.Do(t, w.Apply(options...))
	must.Get(w.Write(data))(t)
	must.Do(t, w.Close())
	return buf.Bytes()
}

// head is the header of a frame, with its checksum. bd is the second byte.
func head(flags, bd byte, rest string) string {
	d := string([]byte{flags, bd}) + rest
	return u32(frameMagic) + d + string([]byte{byte(xxh32([]byte(d), 0) >> 8)})
}

// linked is a frame of 64 KiB blocks that refer to each other, with all checksums.
func linked(data []byte, size bool) string {
	const block = 64 << 10
	flags, rest := byte(0x40|flagSum|flagBlockSum), ""
	if size {
		flags |= flagSize
		rest = string(binary.LittleEndian.AppendUint64(nil, uint64(len(data))))
	}
	out := head(flags, 0x40, rest)
	for at := 0; at < len(data); at += block {
		part := data[at:min(len(data), at+block)]
		stored := linkedBlock(data[max(0, at-0xffff):at], part)
		n := uint32(len(stored))
		if len(stored) > len(part) {
			stored, n = part, uint32(len(part))|1<<31
		}
		out += u32(n) + string(stored) + u32(xxh32(stored, 0))
	}
	return out + u32(0) + u32(xxh32(data, 0))
}

// linkedBlock compresses a block whose matches may start in the window before it.
func linkedBlock(window, part []byte) []byte {
	all := append(bytes.Clone(window), part...)
	seen := map[string]int{}
	key := func(i int) string { return string(all[i : i+4]) }
	for i := 0; i < len(window) && i+4 <= len(all); i++ {
		seen[key(i)] = i
	}
	var out []byte
	length := func(n int) {
		for ; n >= 255; n -= 255 {
			out = append(out, 255)
		}
		out = append(out, byte(n))
	}
	literals := len(window)
	for i := len(window); i+12 < len(all); {
		at, ok := seen[key(i)]
		seen[key(i)] = i
		if !ok || i-at > 0xffff {
			i++
			continue
		}
		n := 4
		for i+n < len(all)-5 && all[at+n] == all[i+n] {
			n++
		}
		lit := i - literals
		out = append(out, byte(min(lit, 15)<<4|min(n-4, 15)))
		if lit >= 15 {
			length(lit - 15)
		}
		out = append(out, all[literals:i]...)
		out = binary.LittleEndian.AppendUint16(out, uint16(i-at))
		if n-4 >= 15 {
			length(n - 4 - 15)
		}
		i += n
		literals = i
	}
	lit := len(all) - literals
	out = append(out, byte(min(lit, 15)<<4))
	if lit >= 15 {
		length(lit - 15)
	}
	return append(out, all[literals:]...)
}

func run(d decoder, size codec.Size, src string) ([]byte, error) {
	limits := codec.Limits{ChunkBytes: 16 << 20}
	return d.Decode(codec.NewEnv(context.Background(), limits), codec.Output{Size: size}, []byte(src))
}

func TestFramesOfWriter(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	mixed := make([]byte, 700_000)
	r.Read(mixed[:200_000])
	copy(mixed[400_000:], mixed[100_000:150_000])
	for i, data := range append(samples()[:6], nil, mixed) {
		for _, size := range []ref.BlockSize{ref.Block64Kb, ref.Block256Kb, ref.Block1Mb, ref.Block4Mb} {
			for flags := range 8 {
				options := []ref.Option{
					ref.BlockSizeOption(size), ref.BlockChecksumOption(flags&1 != 0), ref.ChecksumOption(flags&2 != 0),
				}
				if flags&4 != 0 {
					options = append(options, ref.SizeOption(uint64(len(data))), ref.CompressionLevelOption(ref.Level3))
				}
				src := string(written(t, data, options...))
				for _, want := range []codec.Size{codectest.Exact(len(data)), {N: int64(len(data))}, {N: 1 << 40}} {
					for _, form := range []decoder{decodeAny, decodeFrames} {
						got, err := run(form, want, src)
						if err != nil || !bytes.Equal(got, data) {
							t.Fatalf("sample %d, blocks of %d, flags %b, %v: %d bytes, %v", i, size, flags, want, len(got), err)
						}
					}
				}
			}
		}
	}
}

func TestLinkedFrames(t *testing.T) {
	for i, data := range samples() {
		for _, size := range []bool{false, true} {
			src := linked(data, size)
			if got, err := io.ReadAll(ref.NewReader(strings.NewReader(src))); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("sample %d: pierrec/lz4 does not take the frame: %v", i, err)
			}
			got, err := run(decodeFrames, codectest.Exact(len(data)), src)
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("sample %d: %v", i, err)
			}
		}
	}
	// The second block refers back to the first. This is not allowed if the header declares
	// independent blocks, or if the first block belongs to another frame.
	match := "\x00\x04\x00" + "\x50efghi" // four bytes from four back, then literals
	first, second := u32(4|1<<31)+"abcd", u32(uint32(len(match)))+match
	want := "abcdabcdefghi"
	if got, err := run(decodeFrames, codectest.Exact(len(want)), head(0x40, 0x40, "")+first+second+u32(0)); string(got) != want {
		t.Errorf("linked: %q, %v", got, err)
	}
	for name, src := range map[string]string{
		"independent":   head(0x60, 0x40, "") + first + second + u32(0),
		"another frame": head(0x40, 0x40, "") + first + u32(0) + head(0x40, 0x40, "") + second + u32(0),
	} {
		if _, err := run(decodeFrames, codectest.Exact(len(want)), src); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSeveralFrames(t *testing.T) {
	data := samples()[3]
	one, two := written(t, data[:70_000]), written(t, data[70_000:], ref.ChecksumOption(false))
	src := skippable + string(one) + skippable + skippable + string(two) + skippable
	for _, form := range []decoder{decodeAny, decodeFrames} {
		for _, size := range []codec.Size{codectest.Exact(len(data)), {N: 1 << 30}} {
			if got, err := run(form, size, src); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%v: %v", size, err)
			}
		}
	}
	buf := make([]byte, 0, len(data))
	got, err := decodeAny(codec.NewEnv(context.Background(), codec.Limits{}), codec.Output{Buf: buf, Size: codectest.Exact(len(data))}, []byte(src))
	if err != nil || &got[0] != &buf[:1][0] {
		t.Errorf("not decoded where it belongs: %v", err)
	}
}

func TestFrameErrors(t *testing.T) {
	stored := u32(4|1<<31) + "abcd"
	end := u32(0)
	sized := func(n uint64) string { return string(binary.LittleEndian.AppendUint64(nil, n)) }
	plain := head(0x60, 0x40, "")
	long := u32(21) + "\x1fa\x01\x00" + strings.Repeat("\xff", 10) + "\x00\x50bcdef" // 2,575 bytes
	for _, test := range []struct {
		name, src string
		n         int
		err       error
	}{
		{"empty", "", 0, codec.ErrTruncated},
		{"no frame", "abcdefgh", 4, codec.ErrCorrupt},
		{"legacy frame", u32(0x184c2102) + u32(5) + "\x40abcd", 4, codec.ErrCorrupt},
		{"a frame and no frame", plain + stored + end + "abcd", 4, codec.ErrCorrupt},
		{"version 0", u32(frameMagic) + "\x20\x40\x00" + stored + end, 4, codec.ErrCorrupt},
		{"version 2", head(0xa0, 0x40, "") + stored + end, 4, codec.ErrCorrupt},
		{"reserved flag", head(0x62, 0x40, "") + stored + end, 4, codec.ErrCorrupt},
		{"reserved bits", head(0x60, 0x41, "") + stored + end, 4, codec.ErrCorrupt},
		{"highest bit", head(0x60, 0xc0, "") + stored + end, 4, codec.ErrCorrupt},
		{"small blocks", head(0x60, 0x30, "") + stored + end, 4, codec.ErrCorrupt},
		{"header checksum", u32(frameMagic) + "\x60\x40\x83" + stored + end, 4, codec.ErrChecksum},
		{"block checksum", head(0x70, 0x40, "") + stored + u32(1) + end, 4, codec.ErrChecksum},
		{"content checksum", head(0x64, 0x40, "") + stored + end + u32(1), 4, codec.ErrChecksum},
		{"content checksum of nothing", head(0x64, 0x40, "") + end + u32(1), 0, codec.ErrChecksum},
		{"more than the size", head(0x68, 0x40, sized(3)) + stored + end, 4, codec.ErrCorrupt},
		{"less than the size", head(0x68, 0x40, sized(5)) + stored + end, 5, codec.ErrCorrupt},
		{"less than the size, compressed", head(0x68, 0x40, sized(2600)) + long + end, 2600, codec.ErrCorrupt},
		{"more than the size, compressed", head(0x68, 0x40, sized(2500)) + long + end, 2500, codec.ErrCorrupt},
		{"a huge size", head(0x68, 0x40, sized(1<<61)) + stored + end, 4, codec.ErrCorrupt},
		{"the largest size", head(0x68, 0x40, sized(1<<64-1)) + stored + end, 4, codec.ErrCorrupt},
		{"a block larger than blocks are", plain + u32(1<<31|65537) + strings.Repeat("a", 65537) + end, 65537, codec.ErrCorrupt},
		{"a block of 2 GiB", plain + u32(1<<31-1) + "abcd" + end, 4, codec.ErrCorrupt},
		{"a block that decodes to more than blocks do", plain + u32(271) + "\x1fa\x01\x00" + strings.Repeat("\xff", 260) + "\x00\x50bcdef" + end, 1 << 20, codec.ErrCorrupt},
		{"more than the chunk, stored", plain + stored + stored + end, 7, codec.ErrCorrupt},
		{"more than the chunk, compressed", plain + long + end, 2574, codec.ErrCorrupt},
		{"less than the chunk", plain + stored + end, 5, codec.ErrTruncated},
		{"an empty chunk", plain + end, 1, codec.ErrTruncated},
		{"a skippable frame alone", skippable, 4, codec.ErrTruncated},
		{"a skippable frame that does not end", u32(skipframe.Magic) + u32(1<<32-1) + "abcd", 4, codec.ErrTruncated},
		{"a broken block", plain + u32(4) + "\x00\x05\x00\x00" + end, 4, codec.ErrCorrupt},
		{"a block that does not end", plain + u32(1) + "\x10" + end, 4, codec.ErrTruncated},
	} {
		if _, err := run(decodeFrames, codectest.Exact(test.n), test.src); !errors.Is(err, test.err) {
			t.Errorf("%s: %v, want %v", test.name, err, test.err)
		}
		if _, err := run(decodeFrames, codec.Size{N: 1 << 30}, test.src); err == nil && !strings.Contains(test.name, "chunk") && !strings.Contains(test.name, "alone") {
			t.Errorf("%s: decoded where the size is not known", test.name)
		}
	}
	if got, err := run(decodeFrames, codectest.Exact(4), head(0x68, 0x40, sized(0))+stored+end); string(got) != "abcd" {
		t.Errorf("a size of 0, which is not known: %v", err)
	}
	if got, err := run(decodeFrames, codectest.Exact(2575), plain+long+end); len(got) != 2575 {
		t.Errorf("a long match: %d %v", len(got), err)
	}
	var unsupported *codec.UnsupportedError
	if _, err := run(decodeFrames, codectest.Exact(4), head(0x61, 0x40, u32(7))+stored+end); !errors.As(err, &unsupported) {
		t.Errorf("a dictionary: %v", err)
	}
	var limit *codec.LimitError
	bomb := plain + strings.Repeat(u32(297)+"\x1fa\x01\x00"+strings.Repeat("\xff", 255)+"\x00\xf0\x14"+strings.Repeat("b", 35), 300) + end
	if _, err := run(decodeFrames, codec.Size{N: 1 << 40}, bomb); !errors.As(err, &limit) {
		t.Errorf("over the limit: %v", err)
	}
}

func TestEveryCutIsTruncated(t *testing.T) {
	data := samples()[3][:3000]
	for _, src := range []string{linked(data, true), skippable + linked(data, false) + skippable + linked(data, false)} {
		for n := range len(src) {
			_, err := run(decodeFrames, codec.Size{N: 1 << 20}, src[:n])
			whole := n == len(skippable) || n == len(skippable)+len(linked(data, false)) || n == 2*len(skippable)+len(linked(data, false))
			if !errors.Is(err, codec.ErrTruncated) && !(whole && strings.HasPrefix(src, skippable)) {
				t.Fatalf("cut to %d of %d: %v", n, len(src), err)
			}
		}
	}
}

// TestMagicIsSize has a chunk whose size happens to be a frame's magic number.
func TestMagicIsSize(t *testing.T) {
	_, err := run(decodeAny, codectest.Exact(frameMagic), u32(frameMagic)+"\x40abcd")
	if !errors.Is(err, codec.ErrTruncated) || strings.Contains(err.Error(), "frame") {
		t.Errorf("taken as a frame: %v", err)
	}
}

func TestImagecodecs(t *testing.T) {
	data := samples()[3]
	raw := string(block(t, data))
	build := func(config string) decoder {
		return must.Get(newImagecodecs(codectest.JSON(t, config), codec.Build{}))(t).(decoder)
	}
	for config, src := range map[string]string{
		`{}`:                           raw,
		`{"header":null}`:              raw,
		`{"header":false,"level":3}`:   raw,
		`{"header":true,"level":null}`: u32(uint32(len(data))) + raw,
	} {
		for _, size := range []codec.Size{codectest.Exact(len(data)), {N: 1 << 30}} {
			if got, err := run(build(config), size, src); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s, %v: %v", config, size, err)
			}
		}
		for n, want := range map[int]error{len(data) - 1: codec.ErrCorrupt, len(data) + 1: codec.ErrTruncated} {
			if _, err := run(build(config), codectest.Exact(n), src); !errors.Is(err, want) {
				t.Errorf("%s, %d bytes: %v", config, n, err)
			}
		}
	}
	if _, err := run(decodeRaw, codectest.Exact(1<<30), raw[:100]); !errors.Is(err, codec.ErrTruncated) {
		t.Errorf("too short for the chunk: %v", err)
	}
	if _, err := run(decodeSized, codec.Size{N: 1 << 24}, u32(1<<24)+raw[:100]); !errors.Is(err, codec.ErrTruncated) {
		t.Errorf("too short for its size: %v", err)
	}
	v := codectest.JSON(t, `{"header":1}`)
	var wrong *codec.ConfigError
	if _, err := newImagecodecs(v, codec.Build{}); !errors.As(err, &wrong) {
		t.Errorf("header 1: %v", err)
	}
}

func TestXXH32(t *testing.T) {
	for _, test := range []struct {
		data string
		sum  uint32
	}{
		{"", 0x02cc5d05},
		{"a", 0x550d7456},
		{"abc", 0x32d153ff},
		{"Nobody inspects the spammish repetition", 0xe2293b2f},
	} {
		if got := xxh32([]byte(test.data), 0); got != test.sum {
			t.Errorf("%q: %#x", test.data, got)
		}
	}
	// The sums with which xxHash tests itself, of bytes that it makes.
	const prime = 2654435761
	data := make([]byte, 101)
	for i, v := 0, uint32(prime); i < len(data); i++ {
		data[i] = byte(v >> 24)
		v *= v
	}
	for _, test := range []struct {
		n         int
		seed, sum uint32
	}{
		{0, prime, 0x36b78ae7}, {1, 0, 0xb85cbee5}, {1, prime, 0xd5845d64}, {14, 0, 0xe5aa0ab4}, {14, prime, 0x4481951d},
		{101, 0, 0x1f1aa412}, {101, prime, 0x498ec8e2},
	} {
		if got := xxh32(data[:test.n], test.seed); got != test.sum {
			t.Errorf("%d bytes, seed %#x: %#x", test.n, test.seed, got)
		}
	}
}

// FuzzFrames compares with pierrec/lz4, which does not detect all errors.
func FuzzFrames(f *testing.F) {
	data := samples()[3][:2000]
	f.Add([]byte(linked(data, true)), 2000)
	f.Add([]byte(linked(data, false)+skippable), 2000)
	f.Add(written(f, data), 2000)
	f.Add(written(f, data, ref.BlockChecksumOption(true), ref.SizeOption(2000)), 2000)
	f.Add([]byte(head(0x68, 0x40, "\xff\xff\xff\xff\xff\xff\xff\x1f")+u32(0)), 10)
	f.Fuzz(func(t *testing.T, src []byte, n int) {
		n &= 1<<16 - 1
		got, err := codectest.Guarded(t, decoder(decodeFrames), n, src)
		env := codec.NewEnv(context.Background(), codec.Limits{ChunkBytes: 1 << 20})
		other, otherErr := decodeFrames(env, codec.Output{Size: codec.Size{N: 1 << 30}}, src)
		if err == nil && (otherErr != nil || !bytes.Equal(got, other)) {
			t.Fatalf("%v where the size is not known", otherErr)
		}
		if otherErr == nil && len(other) == n && err != nil {
			t.Fatalf("%v where the size is known", err)
		}
		if !codectest.Classed(otherErr) {
			t.Fatal(otherErr)
		}
		if err != nil {
			return
		}
		want, refErr := io.ReadAll(io.LimitReader(ref.NewReader(bytes.NewReader(src)), int64(n)+1))
		if refErr == nil && len(want) == n && !bytes.Equal(want, got) {
			t.Fatal("pierrec/lz4 has other bytes")
		}
	})
}

func BenchmarkFrames(b *testing.B) {
	data := bytes.Repeat(samples()[3], 10)
	for _, sums := range []bool{false, true} {
		src := written(b, data, ref.ChecksumOption(sums))
		b.Run(fmt.Sprintf("sum=%v", sums), func(b *testing.B) {
			env := codec.NewEnv(context.Background(), codec.Limits{})
			out := codec.Output{Buf: make([]byte, 0, len(data)), Size: codectest.Exact(len(data))}
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := decodeFrames(env, out, src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
