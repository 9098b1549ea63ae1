package codecs

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestDefault(t *testing.T) {
	r := Default()
	for _, name := range []string{"blosc", "bytes", "crc32c", "endian", "gzip", "numcodecs.lz4", "numcodecs.zlib", "transpose", "zstd"} {
		if !slices.Contains(r.Names(), name) {
			t.Errorf("%s is not registered", name)
		}
	}
	for _, id := range []string{"blosc", "bytes", "crc32c", "deflate", "gzip", "lz4", "snappy", "transpose", "zlib", "zstd",
		"imagecodecs_deflate", "imagecodecs_gzip", "imagecodecs_lz4", "imagecodecs_lz4f", "imagecodecs_snappy", "imagecodecs_zlib", "imagecodecs_zstd"} {
		if !slices.Contains(r.IDs(), id) {
			t.Errorf("%s is not registered for v2", id)
		}
	}
}

func TestFull(t *testing.T) {
	ids := Full().IDs()
	for _, id := range []string{"imagecodecs_bz2", "imagecodecs_delta", "imagecodecs_lzw", "imagecodecs_packbits", "imagecodecs_xor"} {
		if !slices.Contains(ids, id) {
			t.Errorf("%s is not registered for v2", id)
		}
	}
	for _, id := range []string{"imagecodecs_jpeg2k", "imagecodecs_lerc", "imagecodecs_tiff"} {
		if slices.Contains(ids, id) {
			t.Errorf("%s is registered", id)
		}
	}
}

func TestRareNamesAreWhatFullHasMore(t *testing.T) {
	common, full := Default(), Full()
	var want []string
	for _, name := range append(full.Names(), full.IDs()...) {
		if !slices.Contains(common.Names(), name) && !slices.Contains(common.IDs(), name) {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	want = slices.Compact(want)
	if got := RareNames(); !slices.Equal(got, want) {
		t.Errorf("RareNames() is %q, want %q", got, want)
	}
}

// The registry of the page lists what can be decoded: v3's names, and v2's ids, which go by "numcodecs." as well.
func TestNamesOnThePage(t *testing.T) {
	source, err := os.ReadFile("../../js/codecs/registry.ts")
	if err != nil {
		t.Fatal(err)
	}
	list := func(variable string) []string {
		_, rest, _ := strings.Cut(string(source), "const "+variable+" =\n  \"")
		text, _, _ := strings.Cut(rest, "\"")
		return strings.Fields(text)
	}
	var got []string
	for _, id := range list("numcodecs") {
		got = append(got, id, "numcodecs."+id)
	}
	got = append(got, list("others")...)
	want := Full().Names()
	for _, id := range Full().IDs() {
		want = append(want, id, "numcodecs."+id)
	}
	want = slices.DeleteFunc(want, func(name string) bool { return strings.HasSuffix(name, "pickle") }) // is refused
	slices.Sort(got)
	slices.Sort(want)
	if want = slices.Compact(want); !slices.Equal(got, want) {
		t.Errorf("js/codecs/registry.ts has %q\nwant %q", got, want)
	}
}
