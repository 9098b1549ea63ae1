package doctor

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict is how much a finding matters.
type Verdict string

// The verdicts.
const (
	VerdictBad    Verdict = "bad"    // does not work, or takes long
	VerdictAdvice Verdict = "advice" // works, and could be better
)

// Finding is what a rule found.
type Finding struct {
	Rule    string  `json:"rule"`
	Path    string  `json:"path,omitempty"` // of the array
	Verdict Verdict `json:"verdict"`
	Title   string  `json:"title"`
	Text    string  `json:"text"`
	// Cure is a command or a setting that mends it.
	Cure string `json:"cure,omitempty"`
}

// Rule is a rule of the table. One of its functions judges: it returns a text if it finds
// something, and the cure.
type Rule struct {
	Name    string
	Verdict Verdict
	Title   string

	data  func(d *Data) (text, cure string)
	array func(d *Data, a *Array) (text, cure string)
	host  func(h *Host) (text, cure string)
}

// Judge applies all rules to facts. Findings that matter most come first.
func Judge(d *Data) []Finding {
	found := []Finding{}
	for _, r := range Rules() {
		add := func(path, text, cure string) {
			if text != "" {
				found = append(found, Finding{r.Name, path, r.Verdict, r.Title, text, cure})
			}
		}
		switch {
		case r.data != nil:
			text, cure := r.data(d)
			add("", text, cure)
		case r.host != nil && d.Host != nil:
			text, cure := r.host(d.Host)
			add("", text, cure)
		case r.array != nil:
			for i := range d.Arrays {
				text, cure := r.array(d, &d.Arrays[i])
				add("/"+d.Arrays[i].Path, text, cure)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return strings.Compare(string(b.Verdict), string(a.Verdict)) })
	return found
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

func size(n int64) string {
	switch {
	case n >= 10*mib:
		return fmt.Sprintf("%d MiB", n/mib)
	case n >= mib:
		return fmt.Sprintf("%.1f MiB", float64(n)/mib)
	case n >= kib:
		return fmt.Sprintf("%d KiB", n/kib)
	}
	return fmt.Sprintf("%d bytes", n)
}

// comma formats a shape as the command takes it.
func comma(shape []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ","), "[]")
}

// goodChunk returns the shape of chunks of about 512 KiB for pictures. They are squares in the
// plane. If planes are small, they also have elements along the other dimensions.
func goodChunk(a *Array) []int64 {
	chunk := make([]int64, len(a.Shape))
	y, x, ok := a.plane()
	for d, n := range a.Shape {
		if chunk[d] = 1; !ok || d == y || d == x {
			chunk[d] = max(1, min(n, 512))
		}
	}
	if !ok && len(chunk) == 1 {
		chunk[0] = max(1, min(a.Shape[0], 65536))
	}
	for d := len(chunk) - 3; d >= 0 && bytesOf(chunk, a.Item) < 256*kib; d-- {
		for chunk[d] < a.Shape[d] && bytesOf(chunk, a.Item) < 256*kib {
			chunk[d] = min(2*chunk[d], a.Shape[d])
		}
	}
	return chunk
}

// rechunked returns the command that writes an array with good chunks.
func rechunked(d *Data, a *Array, extra string) string {
	command := "zarr rechunk " + d.address() + " TO"
	if a.Path != "" {
		command += " --node " + a.Path
	}
	return command + " --chunks " + comma(goodChunk(a)) + extra
}

func (d *Data) address() string {
	if d.Address == "" {
		return "FROM"
	}
	return d.Address
}

// shards returns the option for shards of about 64 chunks.
func shards(a *Array) string {
	shard := goodChunk(a)
	for n := 0; n < 6; n++ {
		for d := len(shard) - 1; d >= 0 && n < 6; d-- {
			if shard[d] < a.Shape[d] {
				shard[d] *= 2
				n++
			}
		}
		n++
	}
	return " --format 3 --shards " + comma(shard)
}

// isLarge reports an array that is worth a rule about its layout.
func (a *Array) isLarge() bool { return a.Bytes > 4*mib && !a.Coordinate }

// pixels returns the number of elements of a plane.
func (a *Array) pixels() int64 {
	y, x, ok := a.plane()
	if !ok {
		return 0
	}
	return a.Shape[y] * a.Shape[x]
}

// Rules returns the table of rules.
func Rules() []Rule {
	return slices.Concat(layoutRules(), sizeRules(), storageRules(), metadataRules(), hostRules())
}

// layoutRules are about the shapes of chunks.
func layoutRules() []Rule {
	return []Rule{
		{Name: "chunk-large", Verdict: VerdictBad, Title: "Chunks are large", array: func(d *Data, a *Array) (string, string) {
			if a.ChunkBytes <= 32*mib || len(a.Codecs) == 0 && a.ChunkBytes <= 512*mib && a.Picture.Bytes < 16*mib {
				return "", ""
			}
			return fmt.Sprintf("A chunk has %s of elements (%s stored): the first element arrives after all of it.", size(a.ChunkBytes), size(a.Stored)), rechunked(d, a, "")
		}},
		{Name: "chunk-small", Verdict: VerdictAdvice, Title: "Chunks are small", array: func(d *Data, a *Array) (string, string) {
			if a.ChunkBytes >= 16*kib || a.Objects < 1000 || a.Shard != nil || !a.isLarge() {
				return "", ""
			}
			return fmt.Sprintf("A chunk has %s of elements, so that requests cost more than bytes.", size(a.ChunkBytes)), rechunked(d, a, "")
		}},
		{Name: "chunk-padded", Verdict: VerdictAdvice, Title: "Chunks reach beyond the array", array: func(d *Data, a *Array) (string, string) {
			if a.ChunkBytes < 4*a.Bytes || a.ChunkBytes < mib || a.Bytes == 0 {
				return "", ""
			}
			return fmt.Sprintf("A chunk has %s, and the whole array %s.", size(a.ChunkBytes), size(a.Bytes)), rechunked(d, a, "")
		}},
		{Name: "picture-requests", Verdict: VerdictBad, Title: "A picture takes many requests", array: func(d *Data, a *Array) (string, string) {
			if a.Picture.Requests <= 64 || !a.isLarge() || a.Level > 0 {
				return "", ""
			}
			return fmt.Sprintf("A picture of %d by %d elements takes %d requests.", min(a.Shape[len(a.Shape)-2], pictureSide), min(a.Shape[len(a.Shape)-1], pictureSide), a.Picture.Requests), rechunked(d, a, shards(a))
		}},
		{Name: "picture-bytes", Verdict: VerdictBad, Title: "A picture reads much more than it shows", array: func(d *Data, a *Array) (string, string) {
			if !a.isLarge() || a.Picture.Bytes <= 8*mib || a.ChunkBytes > 32*mib && a.Picture.Requests < 4 {
				return "", ""
			}
			s := a.PictureOf()
			shown := a.Item
			for k := range a.Shape {
				shown *= s.Last[k] - s.First[k]
			}
			if a.Picture.Bytes <= 4*shown {
				return "", ""
			}
			return fmt.Sprintf("A picture of %s reads %s.", size(shown), size(a.Picture.Bytes)), rechunked(d, a, "")
		}},
		{Name: "series-requests", Verdict: VerdictAdvice, Title: "A series at a point takes many requests", array: func(d *Data, a *Array) (string, string) {
			if a.Series.Requests <= 1000 || a.Image || a.Level > 0 {
				return "", ""
			}
			chunk := goodChunk(a)
			along := 0
			for k := range len(a.Shape) - 2 {
				if a.Shape[k] > a.Shape[along] {
					along = k
				}
			}
			for k := range chunk {
				chunk[k] = min(a.Shape[k], 16)
			}
			chunk[along] = a.Shape[along]
			return fmt.Sprintf("All %d elements at a point take %d requests, %.0f seconds.", a.Shape[along], a.Series.Requests, a.Series.Seconds),
				"zarr rechunk " + d.address() + " SERIES --node " + a.Path + " --chunks " + comma(chunk) + ", as a second copy for series"
		}},
		{Name: "no-levels", Verdict: VerdictBad, Title: "There are no levels", array: func(d *Data, a *Array) (string, string) {
			if a.Levels > 1 || a.pixels() < 3000*3000 {
				return "", ""
			}
			command := "zarr pyramid " + d.address()
			if !a.Image {
				command += " TO"
				if a.Path != "" {
					command += " --node " + a.Path
				}
			}
			return fmt.Sprintf("A plane has %d million elements. Without levels a viewer shows a part of it, or reads all.", a.pixels()/1e6), command
		}},
		{Name: "level-step", Verdict: VerdictAdvice, Title: "Levels are far apart", array: func(d *Data, a *Array) (string, string) {
			y, x, ok := a.plane()
			if !ok || a.Finer == nil || a.Finer[y] <= 5*a.Shape[y] && a.Finer[x] <= 5*a.Shape[x] {
				return "", ""
			}
			return fmt.Sprintf("The level has %d by %d elements after %d by %d.", a.Shape[y], a.Shape[x], a.Finer[y], a.Finer[x]), "zarr pyramid " + d.address() + " TO"
		}},
		{Name: "level-coarsest", Verdict: VerdictAdvice, Title: "The coarsest level is large", array: func(d *Data, a *Array) (string, string) {
			if a.Levels < 2 || a.Level != a.Levels-1 || a.pixels() < 3000*3000 {
				return "", ""
			}
			return fmt.Sprintf("The coarsest of %d levels has %d million elements in a plane.", a.Levels, a.pixels()/1e6), "zarr pyramid " + d.address() + " TO"
		}},
		{Name: "coordinate-chunks", Verdict: VerdictAdvice, Title: "A coordinate has many chunks", array: func(d *Data, a *Array) (string, string) {
			if !a.Coordinate || a.Objects <= 16 || a.Bytes > 64*mib {
				return "", ""
			}
			return fmt.Sprintf("Opening the data takes %d requests for %s.", a.Objects, size(a.Bytes)), "zarr rechunk " + d.address() + " TO --node " + a.Path + " --chunks " + comma(a.Shape)
		}},
	}
}

// sizeRules are about the number of objects, and about shards.
func sizeRules() []Rule {
	return []Rule{
		{Name: "objects-many", Verdict: VerdictAdvice, Title: "There are very many objects", array: func(d *Data, a *Array) (string, string) {
			if a.Objects <= 100_000 || a.Shard != nil {
				return "", ""
			}
			return fmt.Sprintf("%d chunks are as many objects. Copying and listing them takes long.", a.Objects), rechunked(d, a, shards(a))
		}},
		{Name: "folder-large", Verdict: VerdictAdvice, Title: "All chunks are in one folder", array: func(d *Data, a *Array) (string, string) {
			if a.Separator != "." || a.Objects <= 50_000 || a.Shard != nil || len(a.Shape) < 2 {
				return "", ""
			}
			return fmt.Sprintf("A folder has %d files, because \".\" separates the indices of chunks.", a.Objects), "zarr copy " + d.address() + " TO --format 3"
		}},
		{Name: "shard-index", Verdict: VerdictAdvice, Title: "The index of shards is large", array: func(_ *Data, a *Array) (string, string) {
			if a.InShard <= 16_384 {
				return "", ""
			}
			return fmt.Sprintf("Before the first chunk of a shard, %s of its index are read.", size(16*a.InShard)), "write smaller shards, or larger chunks in them (--shards, --chunks of zarr rechunk)"
		}},
		{Name: "shard-single", Verdict: VerdictAdvice, Title: "Shards hold one chunk each", array: func(d *Data, a *Array) (string, string) {
			if a.Shard == nil || a.InShard > 1 || a.Objects < 4 {
				return "", ""
			}
			return "Each chunk takes two requests, one of them for the index of its shard.", rechunked(d, a, shards(a))
		}},
		{Name: "shard-huge", Verdict: VerdictAdvice, Title: "Shards are very large", array: func(d *Data, a *Array) (string, string) {
			if a.Shard == nil || a.Stored*a.InShard <= 2<<30 {
				return "", ""
			}
			return fmt.Sprintf("A shard has about %s. Writers hold a whole one in memory, and caches of proxies refuse it.", size(a.Stored*a.InShard)), rechunked(d, a, shards(a))
		}},
	}
}

// storageRules are about codecs and types.
func storageRules() []Rule {
	compressed := func(a *Array) bool {
		return slices.ContainsFunc(a.Codecs, func(n string) bool { return rates()[strings.TrimPrefix(n, "numcodecs.")] > 0 })
	}
	return []Rule{
		{Name: "not-compressed", Verdict: VerdictAdvice, Title: "Chunks are not compressed", array: func(d *Data, a *Array) (string, string) {
			if compressed(a) || a.Bytes < mib || len(a.Codecs) > 0 && a.Codecs[0] != "transpose" || a.Coordinate {
				return "", ""
			}
			return "All bytes of the elements are sent.", "zarr copy " + d.address() + ` TO --codecs '["zstd"]'`
		}},
		{Name: "compressed-in-vain", Verdict: VerdictAdvice, Title: "Compression saves little", array: func(_ *Data, a *Array) (string, string) {
			if !compressed(a) || a.Sampled == 0 || a.ChunkBytes < 64*kib || float64(a.Stored) < 0.95*float64(a.ChunkBytes) {
				return "", ""
			}
			return fmt.Sprintf("A chunk of %s has %s when compressed.", size(a.ChunkBytes), size(a.Stored)), "try another codec (--codecs of zarr copy: blosc with shuffle), or fewer digits"
		}},
		{Name: "decode-slow", Verdict: VerdictAdvice, Title: "Decoding is slow", array: func(d *Data, a *Array) (string, string) {
			if a.Decode >= 60e6 || a.Bytes < mib {
				return "", ""
			}
			return fmt.Sprintf("The codecs %s decode about %d MB a second.", strings.Join(a.Codecs, ", "), a.Decode/1e6), "zarr copy " + d.address() + ` TO --codecs '["zstd"]'`
		}},
		{Name: "fortran-order", Verdict: VerdictAdvice, Title: "Elements are in Fortran order", array: func(d *Data, a *Array) (string, string) {
			if !a.Fortran || len(a.Shape) < 2 || !a.isLarge() {
				return "", ""
			}
			return "Each chunk is transposed after decoding, and rows cannot be read by ranges.", "write the array in C order"
		}},
		{Name: "type-object", Verdict: VerdictAdvice, Title: "Elements are objects", array: func(_ *Data, a *Array) (string, string) {
			if a.DType != "O" || a.Bytes < 64*kib {
				return "", ""
			}
			return "Each element is a JSON text.", "store numbers or strings"
		}},
		{Name: "type-wide", Verdict: VerdictAdvice, Title: "Integers are wider than their values need", array: func(_ *Data, a *Array) (string, string) {
			if a.DType != "int64" && a.DType != "uint64" || !a.Image || !a.isLarge() {
				return "", ""
			}
			return "Images of 64-bit integers take eight times the memory of 8-bit ones, and JavaScript reads them as BigInt.", "store the smallest type that holds the values"
		}},
	}
}

// metadataRules are about documents.
func metadataRules() []Rule {
	return []Rule{
		{Name: "version-1", Verdict: VerdictAdvice, Title: "Metadata are of version 1", array: func(d *Data, a *Array) (string, string) {
			if a.Format != 1 {
				return "", ""
			}
			return "Few readers support version 1.", "zarr migrate " + d.address() + " --to 2"
		}},
		{Name: "no-consolidated", Verdict: VerdictAdvice, Title: "There is no consolidated metadata", data: func(d *Data) (string, string) {
			if !d.Group || d.Consolidated || len(d.Arrays) < 3 || levelsOnly(d) {
				return "", ""
			}
			return fmt.Sprintf("Opening takes requests for each of %d nodes.", d.Nodes), "zarr consolidate " + d.address()
		}},
		{Name: "consolidated-stale", Verdict: VerdictBad, Title: "Consolidated metadata is stale", data: func(d *Data) (string, string) {
			if len(d.Stale) == 0 {
				return "", ""
			}
			return fmt.Sprintf("Readers that use it see other data than those that do not: %s (%d in all).", d.Stale[0], len(d.Stale)), "zarr consolidate " + d.address()
		}},
		{Name: "members-unknown", Verdict: VerdictBad, Title: "The members of a group are unknown", data: func(d *Data) (string, string) {
			for _, b := range d.Broken {
				if strings.HasSuffix(b, "its members are unknown") {
					return "The store cannot list, and there is no consolidated metadata: " + b + ".", "zarr consolidate where the data are written"
				}
			}
			return "", ""
		}},
		{Name: "node-broken", Verdict: VerdictBad, Title: "A node cannot be opened", data: func(d *Data) (string, string) {
			for _, b := range d.Broken {
				if !strings.HasSuffix(b, "its members are unknown") {
					return b, "zarr validate " + d.address()
				}
			}
			return "", ""
		}},
		{Name: "convention-invalid", Verdict: VerdictBad, Title: "Attributes violate their convention", data: func(d *Data) (string, string) {
			if len(d.Invalid) == 0 {
				return "", ""
			}
			return fmt.Sprintf("%s (%d in all)", d.Invalid[0], len(d.Invalid)), "zarr validate " + d.address()
		}},
		{Name: "document-large", Verdict: VerdictAdvice, Title: "A metadata document is large", data: func(d *Data) (string, string) {
			if d.LargestDocument <= mib {
				return "", ""
			}
			return fmt.Sprintf("%s are read before anything is shown.", size(d.LargestDocument)), "move large attributes into arrays"
		}},
		{Name: "no-names", Verdict: VerdictAdvice, Title: "Dimensions have no names", array: func(_ *Data, a *Array) (string, string) {
			if a.Names != nil || len(a.Shape) < 3 || a.Image {
				return "", ""
			}
			return "Viewers guess which dimensions are a picture, and xarray does not open the array.", "set dimension_names (version 3) or _ARRAY_DIMENSIONS (version 2)"
		}},
		{Name: "all-absent", Verdict: VerdictAdvice, Title: "Sampled chunks are absent", array: func(_ *Data, a *Array) (string, string) {
			if a.Sampled > 0 || a.Absent < 2 {
				return "", ""
			}
			return fmt.Sprintf("None of %d sampled chunks is stored: all elements seem to be the fill value.", a.Absent), "check that the upload is complete"
		}},
	}
}

// levelsOnly reports that all arrays are levels, which the attributes of their group name.
func levelsOnly(d *Data) bool {
	return !slices.ContainsFunc(d.Arrays, func(a Array) bool { return a.Levels == 0 })
}
