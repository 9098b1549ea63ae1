package main

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// known describes how other readers handle codecs. One list has v3's names, the other v2's ids; a
// row with several names is a family.
type known struct {
	names  []string
	others others
	note   string
}

func name(names ...string) []string { return names }

// imagecodecs lists the codecs that the Python package of that name adds to numcodecs.
var imagecodecs = name("imagecodecs_avif", "imagecodecs_bitshuffle", "imagecodecs_blosc2", "imagecodecs_bz2", "imagecodecs_deflate", "imagecodecs_delta", "imagecodecs_floatpred", "imagecodecs_gzip",
	"imagecodecs_jpeg", "imagecodecs_jpeg2k", "imagecodecs_jpegls", "imagecodecs_jpegxl", "imagecodecs_jpegxr", "imagecodecs_lerc", "imagecodecs_lz4",
	"imagecodecs_lz4f", "imagecodecs_lz4h5", "imagecodecs_lzf", "imagecodecs_lzw", "imagecodecs_packbits", "imagecodecs_png", "imagecodecs_snappy", "imagecodecs_tiff", "imagecodecs_webp",
	"imagecodecs_xor", "imagecodecs_zfp", "imagecodecs_zlib", "imagecodecs_zstd")

var knownV3 = []known{
	{name("bytes"), "yy?yy", ""},
	{name("transpose"), "yy?yy", "zarrita: wrong before sharding"},
	{name("sharding_indexed"), "py?py", "see Sharding"},
	{name("blosc"), "yy?y?", "zarrita: damaged data gives garbage"},
	{name("gzip"), "yy?y?", ""},
	{name("zstd"), "yy?y?", ""},
	{name("crc32c"), "py?p?", "zarrita and neuroglancer cut the checksum off and do not verify it"},
	{name("vlen-utf8"), "yy?n?", ""},
	{name("vlen-bytes"), "ny?n?", ""},
	{name("scale_offset"), "yy?n?", ""},
	{name("cast_value"), "yp?n?", "zarr-python: with another package"},
	{name("packbits"), "n?yn?", ""},
	{name("vlen-array", "numcodecs.vlen-array"), "n??n?", ""},
	{name("numcodecs.blosc"), "yy???", ""},
	{name("numcodecs.zlib"), "yy???", ""},
	{name("numcodecs.gzip"), "yy???", ""},
	{name("numcodecs.zstd"), "yy???", ""},
	{name("numcodecs.lz4"), "yy?n?", ""},
	{name("numcodecs.bz2"), "ny?n?", ""},
	{name("numcodecs.lzma"), "ny?n?", ""},
	{name("numcodecs.base64"), "n??n?", ""},
	{name("numcodecs.delta"), "yy?n?", ""},
	{name("numcodecs.shuffle"), "yy?n?", ""},
	{name("numcodecs.bitround"), "yy?n?", ""},
	{name("numcodecs.fixedscaleoffset"), "ny?n?", ""},
	{name("numcodecs.quantize"), "ny?n?", ""},
	{name("numcodecs.astype"), "ny?n?", ""},
	{name("numcodecs.packbits"), "ny?n?", "the bits in another order than packbits"},
	{name("numcodecs.categorize"), "n??n?", ""},
	{name("numcodecs.crc32"), "ny?n?", ""},
	{name("numcodecs.crc32c"), "ny???", ""},
	{name("numcodecs.adler32"), "ny?n?", ""},
	{name("numcodecs.fletcher32"), "ny?n?", ""},
	{name("numcodecs.jenkins_lookup3"), "ny?n?", ""},
	{name("numcodecs.zfpy"), "n?yn?", ""},
	{name("numcodecs.pcodec"), "n??n?", ""},
	{name("zfp"), "??y??", ""},
	{name("zarrs.vlen"), "??y??", ""},
	{name("zarrs.vlen_v2"), "??y??", ""},
	{name("zarrs.optional", "optional"), "??y??", ""},
	{name("zarrs.squeeze"), "??y??", ""},
	{name("zarrs.gdeflate"), "??y??", ""},
	{name("reshape"), unknown, ""},
	{name("conditional"), unknown, ""},
	{name("n5_default"), unknown, ""},
	{imagecodecs, "n??n?", ""},
}

var knownV2 = []known{
	{name("blosc"), "yy?y?", "zarrita: damaged data gives garbage"},
	{name("zlib"), "yy?y?", ""},
	{name("gzip"), "yy?y?", ""},
	{name("zstd"), "yy?y?", ""},
	{name("lz4"), "yy?n?", ""},
	{name("bz2"), "ny?n?", ""},
	{name("lzma"), "np?ny", "zarr-python: not .xz with `filters`"},
	{name("delta"), "yy?w?", ""},
	{name("shuffle"), "yy?w?", ""},
	{name("fixedscaleoffset"), "yy?w?", ""},
	{name("bitround"), "yy?w?", ""},
	{name("quantize"), "ny?w?", ""},
	{name("astype"), "ny?w?", ""},
	{name("packbits"), "ny?w?", ""},
	{name("categorize"), "np?n?", "zarr-python: not to `\\|O`"},
	{name("base64"), "ny?n?", ""},
	{name("crc32"), "ny?w?", ""},
	{name("crc32c"), "ny?w?", ""},
	{name("adler32"), "ny?w?", ""},
	{name("fletcher32"), "ny?w?", ""},
	{name("jenkins_lookup3"), "ny?w?", ""},
	{name("vlen-utf8"), "yy?n?", ""},
	{name("vlen-bytes"), "ny?n?", ""},
	{name("vlen-array"), "nn?n?", ""},
	{name("json2"), "yn?n?", ""},
	{name("msgpack2"), "nn?n?", ""},
	{name("pickle"), "n??n?", "refused on purpose: a pickle is a program"},
	{name("zfpy"), "n??n?", ""},
	{name("pcodec"), "n?yn?", ""},
	{name("snappy"), unknown, ""},
	{name("deflate"), unknown, "without a header: kerchunk's references to HDF5"},
	{name("grib"), unknown, "kerchunk's own; without JPEG 2000"},
	{name("hdf5_bitshuffle", "hdf5_nbit", "hdf5_scaleoffset", "hdf5_szip"), unknown, "`zarr index` writes them for filters of HDF5 that no other package names"},
	{name("fill_hdf_strings", "FITSAscii", "FITSVarBintable", "record_member"), unknown, "kerchunk's own"},
	{imagecodecs, "n??np", "GDAL: `imagecodecs_tiff`"},
}

// alias is a name under which a codec is registered.
type alias struct {
	name  string
	other []string // the entry's other names
	entry codec.Entry
}

// about returns the cells that describe the codec: its kind, the build that links it, and its doc.
func (a alias) about(format int) []string {
	kind, build := a.entry.Kind.String(), "default"
	if format < 3 {
		kind = ""
	}
	if a.entry.Rare {
		build = "full"
	}
	return append(slices.DeleteFunc([]string{kind}, func(s string) bool { return s == "" }), build, a.entry.Doc)
}

func codecSection(w io.Writer, _ string) error {
	var v3, v2 []alias
	r := codecs.Full()
	for _, e := range r.Entries() {
		if len(e.Names) > 0 && !refuses(r, e, 3) {
			v3 = append(v3, alias{e.Names[0], e.Names[1:], e})
		}
		if len(e.IDs) > 0 && !refuses(r, e, 2) {
			v2 = append(v2, alias{e.IDs[0], e.IDs[1:], e})
		}
	}
	// The v2 reader itself adds these to chains: they are not ids of numcodecs.
	v2 = slices.DeleteFunc(v2, func(a alias) bool { return a.name == "bytes" || a.name == "transpose" })
	title(w, "## Codecs", "### Version 3\n\nA name in brackets is read as the same codec. Sorted by name without `numcodecs.` and `zarrs.`. The default build links some codecs, the full build (`zarr-full.wasm`) all.")
	if err := codecTable(v3, knownV3, 3).write(w); err != nil {
		return err
	}
	title(w, "### Versions 1 and 2: compressors and filters", "neuroglancer takes no notice of filters, only of the compressor.")
	return codecTable(v2, knownV2, 2).write(w)
}

// refuses reports whether an entry only explains why its codec is unsupported.
func refuses(r *codec.Registry, e codec.Entry, format int) bool {
	limits := codec.Limits{}.WithDefaults()
	_, err := e.New(json.Value{}, codec.Build{
		Format: format, Registry: r, Limits: limits,
		Array: codec.Array{Shape: []int{4}, Type: &dtype.Type{Kind: dtype.Uint, Name: "uint8", Size: 1}, Fill: []byte{0}},
	})
	var unsupported *codec.UnsupportedError
	return errors.As(err, &unsupported)
}

// codecTable has a row for each registered or known codec, sorted by name without its prefix. An
// alias of an entry has its own answers only if they are known to differ.
func codecTable(registered []alias, about []known, format int) table {
	t := table{first: []string{"codec", "kind", "build", "what"}}
	if format < 3 {
		t.first = []string{"codec", "build", "what"}
	}
	has := map[string]bool{}
	for _, a := range registered {
		has[a.name] = true
		for _, o := range a.other {
			has[o] = true
		}
	}
	inFamily := map[string]bool{}
	for _, k := range about {
		for _, n := range k.names {
			inFamily[n] = true
		}
	}
	type sortable struct {
		key string
		row row
	}
	var rows []sortable
	add := func(key string, r row) { rows = append(rows, sortable{sortKey(key), r}) }
	for _, a := range registered {
		if inFamily[a.name] || slices.ContainsFunc(a.other, func(n string) bool { return inFamily[n] }) {
			continue
		}
		add(a.name, row{append([]string{code(name(a.name)) + brackets(a.other)}, a.about(format)...), "yes", unknown, ""})
	}
	for _, k := range about {
		var missing []string
		for _, n := range k.names {
			if !has[n] {
				missing = append(missing, n)
			}
		}
		label, own, note := code(k.names), "yes", ""
		said := make([]string, len(t.first)-1)
		switch {
		case len(missing) == len(k.names):
			own = "no"
		case len(missing) > 0:
			own, note = "partly", "not "+code(missing)
		}
		for _, a := range registered {
			if len(k.names) == 1 && (a.name == k.names[0] || slices.Contains(a.other, k.names[0])) {
				// An alias with its own row is not repeated here.
				rest := slices.DeleteFunc(append(name(a.name), a.other...), func(n string) bool { return inFamily[n] })
				label += brackets(rest)
				said = a.about(format)
			}
		}
		if len(k.names) > 6 { // too many for a cell
			prefix, _, _ := strings.Cut(k.names[0], "_")
			label = code(name(prefix + "_*"))
			if own == "partly" {
				note = "only " + code(slices.DeleteFunc(slices.Clone(k.names), func(n string) bool { return slices.Contains(missing, n) }))
			}
		}
		add(k.names[0], row{append([]string{label}, said...), own, k.others, notes(note, k.note)})
	}
	slices.SortStableFunc(rows, func(a, b sortable) int { return strings.Compare(a.key, b.key) })
	for _, r := range rows {
		t.rows = append(t.rows, r.row)
	}
	return t
}

func sortKey(full string) string {
	for _, prefix := range []string{"numcodecs.", "zarrs."} {
		if rest, ok := strings.CutPrefix(full, prefix); ok {
			return rest + " " + prefix
		}
	}
	return full
}

func brackets(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (" + code(names) + ")"
}
