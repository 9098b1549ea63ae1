// Package doctor finds out why data opens slowly in a browser, or not at all. It reads metadata,
// asks for the sizes of a few chunks, and judges these facts and a host's answers by a table of
// rules. It predicts requests, bytes and seconds to a first picture, and for a series at a point.
//
//	open := func(ctx context.Context) (zarr.Node, error) { return h.OpenGroup(ctx, "") }
//	report, err := doctor.Examine(ctx, open, doctor.Options{})
//	for _, f := range report.Findings {
//		fmt.Println(f.Path, f.Title, f.Cure)
//	}
//
// [Judge] applies the rules to facts from elsewhere, and [Rules] lists them.
package doctor

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/geo"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/ome"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/xarray"
)

// Options control an examination.
type Options struct {
	// Arrays is the most arrays to examine; default 50.
	Arrays int
	// Samples is the number of chunks of each array whose sizes are asked for; default 5.
	Samples int
	// Address names the data in the commands that mend it.
	Address string
	// Remote reports that the data are at a URL.
	Remote bool
	// Host, if set, holds the answers of the host: see [Probe].
	Host *Host
}

// Report is the result of an examination.
type Report struct {
	Findings []Finding `json:"findings"`
	Arrays   []Array   `json:"arrays"`
	// Picture is the cost of a first picture of the array Shown, and Series that of all elements at
	// one point of the picture. Both are nil if no array is one.
	Shown   string `json:"shown,omitempty"`
	Picture *Cost  `json:"picture,omitempty"`
	Series  *Cost  `json:"series,omitempty"`
}

// Cost is a predicted cost.
type Cost struct {
	Requests int64 `json:"requests"`
	Bytes    int64 `json:"bytes"`
	// Seconds assumes 20 Mbit/s and 50 ms to the first byte, with six requests at once.
	Seconds float64 `json:"seconds"`
}

// Data holds the facts about a hierarchy.
type Data struct {
	Address string
	Remote  bool
	// Format is the version of the examined node.
	Format int
	Group  bool
	// Nodes is the number of examined nodes below a group.
	Nodes int
	// Consolidated reports consolidated metadata, and Lists a store that lists.
	Consolidated, Lists bool
	// Stale lists differences between consolidated metadata and the nodes' own.
	Stale []string
	// LargestDocument is the size of the largest metadata document in bytes.
	LargestDocument int64
	// Documents is the size of all documents of the node in bytes, and Requests the number of those
	// that open it.
	Documents, Requests int64
	// Invalid lists violations of OME-Zarr and GeoZarr.
	Invalid []string
	// Broken lists nodes that cannot be opened, with reasons.
	Broken []string
	Arrays []Array
	Host   *Host
}

// Array holds the facts about an array.
type Array struct {
	Path  string  `json:"path"`
	Shape []int64 `json:"shape"`
	// Chunk is the shape of the smallest chunks, and Shard that of shards, or nil.
	Chunk []int64 `json:"chunk"`
	Shard []int64 `json:"shard,omitempty"`
	DType string  `json:"dtype"`
	// Item is the size of an element in bytes.
	Item int64 `json:"item"`
	// Format is the version of the array.
	Format int `json:"format"`
	// Bytes is the size of all elements, and ChunkBytes that of a decoded chunk.
	Bytes      int64 `json:"bytes"`
	ChunkBytes int64 `json:"chunk_bytes"`
	// Stored is the mean size of the sampled chunks as stored, and Sampled their number. Chunks in
	// shards are estimated from the size of shards. Absent is the number of sampled chunks that are
	// not stored.
	Stored  int64 `json:"stored"`
	Sampled int   `json:"sampled"`
	Absent  int   `json:"absent"`
	// Objects is the number of objects: chunks or shards. InShard is the number of chunks in a
	// shard.
	Objects int64 `json:"objects"`
	InShard int64 `json:"in_shard,omitempty"`
	// Codecs are the names of all codecs, also those in shards. Decode is the rate at which they
	// decode, in bytes of elements per second and core, by a table.
	Codecs []string `json:"codecs"`
	Decode int64    `json:"decode"`
	Names  []string `json:"names,omitempty"`
	// Fortran reports elements in Fortran order.
	Fortran bool `json:"fortran,omitempty"`
	// Separator separates the indices in keys of chunks.
	Separator string `json:"separator"`
	// Level is the number of the array in a pyramid, from 0, and Levels their number; 0 is none.
	Level  int `json:"level,omitempty"`
	Levels int `json:"levels,omitempty"`
	// Finer is the shape of the next finer level.
	Finer []int64 `json:"-"`
	// Image reports a level of an OME-Zarr image.
	Image bool `json:"image,omitempty"`
	// Coordinate reports a variable of one dimension with its own name.
	Coordinate bool `json:"coordinate,omitempty"`
	// Picture and Series are the costs of the chunks of a picture and of a series.
	Picture Cost `json:"picture"`
	Series  Cost `json:"series"`

	array *zarr.Array
}

// plane returns the dimensions of a picture: the last two.
func (a *Array) plane() (y, x int, ok bool) {
	n := len(a.Shape)
	return n - 2, n - 1, n >= 2
}

// examination is one examination under way.
type examination struct {
	Data
	opt    Options
	levels map[string][3]any // by path: number, count, shape of the finer level
}

// Examine opens a node, examines it and the nodes below it, and judges them. It opens the node by
// the function, whose context reports requests.
func Examine(ctx context.Context, open func(context.Context) (zarr.Node, error), opt Options) (*Report, error) {
	if opt.Arrays == 0 {
		opt.Arrays = 50
	}
	if opt.Samples == 0 {
		opt.Samples = 5
	}
	var mu sync.Mutex
	requests := int64(0)
	n, err := open(store.WithObserver(ctx, func(e store.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Origin == store.OriginRequested {
			requests++
		}
	}))
	if err != nil {
		return nil, err
	}
	x := &examination{opt: opt, levels: map[string][3]any{}}
	x.Address, x.Remote, x.Host, x.Format = opt.Address, opt.Remote, opt.Host, n.Metadata().Format
	mu.Lock()
	if x.Requests = requests; requests == 0 { // no requests are counted in files
		x.Requests = 3
	}
	mu.Unlock()
	for _, d := range n.Metadata().Documents {
		x.Documents += int64(len(d.Bytes))
	}
	if g, ok := n.(*zarr.Group); ok {
		x.Group = true
		x.Consolidated = g.Metadata().Consolidated != nil
		x.Lists = store.CapabilitiesOf(g.Hierarchy().Store()).ListsAll()
	}
	if err := x.node(ctx, n, 0); err != nil {
		return nil, err
	}
	for i := range x.Arrays {
		if err := x.sample(ctx, &x.Arrays[i]); err != nil {
			return nil, err
		}
		x.Arrays[i].predict()
	}
	if x.Consolidated { // last, because it replaces the documents that the hierarchy knows
		if err := x.compare(ctx, n.(*zarr.Group)); err != nil {
			return nil, err
		}
	}
	report := &Report{Arrays: x.Arrays}
	x.predict(report)
	report.Findings = Judge(&x.Data)
	return report, nil
}

// mostDepth bounds the levels of groups to examine.
const mostDepth = 5

// node collects the facts about a node and those below it.
func (x *examination) node(ctx context.Context, n zarr.Node, depth int) error {
	for _, d := range n.Metadata().Documents {
		x.LargestDocument = max(x.LargestDocument, int64(len(d.Bytes)))
	}
	if x.Nodes++; x.Nodes > 10*x.opt.Arrays {
		return nil
	}
	if a, ok := n.(*zarr.Array); ok {
		if len(x.Arrays) < x.opt.Arrays {
			x.Arrays = append(x.Arrays, x.arrayOf(a))
		}
		return ctx.Err()
	}
	g := n.(*zarr.Group)
	if err := x.pyramids(ctx, g); err != nil {
		return err
	}
	for _, v := range geo.Validate(g.Metadata().Attributes, g) {
		if v.Level == "error" {
			x.Invalid = append(x.Invalid, "/"+g.Path()+": "+v.Convention+": "+v.Message)
		}
	}
	if depth == mostDepth {
		return nil
	}
	members, err := g.Members(ctx)
	var unlisted *zarr.UnsupportedError
	if errors.As(err, &unlisted) {
		x.Broken = append(x.Broken, "/"+g.Path()+": its members are unknown")
		return nil
	}
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Err != nil {
			x.Broken = append(x.Broken, "/"+store.Join(g.Path(), m.Name)+": "+m.Err.Error())
		}
		if m.Node == nil {
			continue
		}
		if err := x.node(ctx, m.Node, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// pyramids notes the levels of a group.
func (x *examination) pyramids(ctx context.Context, g *zarr.Group) error {
	attributes := g.Metadata().Attributes
	var paths []string
	layout, err := geo.LayoutOf(g.Path(), attributes)
	isImage := (err != nil || layout == nil) && ome.KindOf(attributes) == ome.KindImage
	if isImage {
		report, err := ome.ValidateImage(ctx, g, "")
		if err != nil {
			return err
		}
		for _, p := range report.Problems {
			if p.Level == ome.Must {
				x.Invalid = append(x.Invalid, "/"+g.Path()+": OME-Zarr: "+p.Path+": "+p.Message)
			}
		}
		image, err := ome.OpenImage(ctx, g, ome.ImageOptions{})
		if err == nil {
			for _, l := range image.Levels {
				paths = append(paths, l.Path)
			}
		}
	} else if err == nil && layout != nil {
		for _, l := range layout.Levels {
			paths = append(paths, l.Path)
		}
	}
	for k, path := range paths {
		x.levels[store.Join(g.Path(), path)] = [3]any{k, len(paths), isImage}
	}
	return ctx.Err()
}

// arrayOf returns the facts that metadata state.
func (x *examination) arrayOf(a *zarr.Array) Array {
	f := Array{
		Path: a.Path(), Shape: a.Shape, Chunk: a.ChunkGrid().ChunkShapes(), DType: a.Type.Name, Item: max(1, codec.ElementBytes(a.Type)),
		Format: a.Metadata().Format, Separator: a.Keys.Separator, Fortran: a.Order == "F", array: a,
	}
	if a.InnerChunks() != nil {
		f.Shard, f.InShard = a.Grid.ChunkShapes(), 1
		for d, n := range f.Shard {
			f.InShard *= max(1, n/max(1, f.Chunk[d]))
		}
	}
	f.Bytes, f.ChunkBytes = bytesOf(f.Shape, f.Item), bytesOf(f.Chunk, f.Item)
	f.Objects = 1
	for _, n := range a.Grid.Counts() {
		f.Objects *= n
	}
	f.Codecs = codecsOf(a)
	f.Decode = decodeRate(f.Codecs)
	if len(f.Codecs) > 0 && f.Codecs[0] == "transpose" {
		f.Fortran = true
	}
	for _, n := range xarray.DimensionsOf(a.Metadata(), a.Path()).Names {
		f.Names = append(f.Names, n.Text)
	}
	if !slices.ContainsFunc(f.Names, func(n string) bool { return n != "" }) {
		f.Names = nil
	}
	name := a.Path()[strings.LastIndexByte(a.Path(), '/')+1:]
	f.Coordinate = len(f.Shape) == 1 && len(f.Names) == 1 && f.Names[0] == name
	for path := a.Path(); path != ""; path = path[:max(0, strings.LastIndexByte(path, '/'))] {
		if at, ok := x.levels[path]; ok {
			f.Level, f.Levels, f.Image = at[0].(int), at[1].(int), at[2].(bool)
			break
		}
	}
	if f.Level > 0 && len(x.Arrays) > 0 {
		if last := x.Arrays[len(x.Arrays)-1]; last.Level == f.Level-1 && len(last.Shape) == len(f.Shape) {
			f.Finer = last.Shape
		}
	}
	return f
}

func bytesOf(shape []int64, item int64) int64 {
	n := float64(item)
	for _, length := range shape {
		n *= float64(length)
	}
	return int64(min(n, 1<<62))
}

// codecsOf returns the names of the codecs of an array, without the array-to-bytes codec, and of
// those in its shards.
func codecsOf(a *zarr.Array) []string {
	names := []string{}
	for _, c := range a.Codecs {
		names = append(names, c.Name)
		for _, inner := range c.Config.Get("codecs").Items() {
			if name, ok := inner.Get("name").Text(); ok {
				names = append(names, name)
			}
		}
	}
	return slices.DeleteFunc(names, func(n string) bool {
		return n == "bytes" || n == "sharding_indexed" || n == "crc32c" || n == "vlen-utf8" || n == "vlen-bytes"
	})
}

// rates are the speeds of decoders in MB of elements per second, about those of one core in a
// browser.
func rates() map[string]int64 {
	return map[string]int64{
		"blosc": 800, "zstd": 400, "lz4": 1200, "gzip": 200, "zlib": 200, "brotli": 150, "snappy": 600, "bz2": 15, "lzma": 30, "zfpy": 80,
		"zfp": 80, "pcodec": 300, "jpeg2k": 10, "imagecodecs_jpeg2k": 10, "jpegxl": 20,
	}
}

// decodeRate returns the rate of a chain in bytes per second. Others than those of the table count
// as fast.
func decodeRate(codecs []string) int64 {
	seconds := 1 / 2000.0
	for _, name := range codecs {
		if rate := rates()[strings.TrimPrefix(name, "numcodecs.")]; rate > 0 {
			seconds += 1 / float64(rate)
		}
	}
	return int64(1e6 / seconds)
}

// sample asks for the sizes of some chunks.
func (x *examination) sample(ctx context.Context, f *Array) error {
	counts := f.array.Grid.Counts()
	if f.Objects == 0 || slices.Contains(counts, 0) {
		return nil
	}
	var sum int64
	var seen [][]int64
	for i := range x.opt.Samples {
		coords := sampleAt(counts, i)
		if slices.ContainsFunc(seen, func(c []int64) bool { return slices.Equal(c, coords) }) {
			continue
		}
		seen = append(seen, coords)
		size, there, err := x.stored(ctx, f.array, coords)
		if err != nil {
			return err
		}
		if !there {
			f.Absent++
		} else if size >= 0 {
			sum += size
			f.Sampled++
		}
	}
	switch {
	case f.Sampled > 0:
		f.Stored = sum / int64(f.Sampled) / max(1, f.InShard)
	case f.Absent == 0: // the store does not tell sizes
		f.Stored = f.ChunkBytes / 2
	}
	return nil
}

// sampleAt returns the coordinates of the i-th sampled chunk. Samples are spread over all
// dimensions, and omit the last chunk of each, which may hold fewer elements.
func sampleAt(counts []int64, i int) []int64 {
	coords := make([]int64, len(counts))
	for d, n := range counts {
		if n > 1 {
			n--
		}
		// Multiples of irrational numbers are spread evenly.
		_, spread := math.Modf((float64(i) + 0.5) * math.Sqrt(float64(2+3*d)))
		coords[d] = min(n-1, int64(spread*float64(n)))
	}
	return coords
}

// stored returns the size of a stored chunk or shard, -1 if unknown. It reads one byte.
func (x *examination) stored(ctx context.Context, a *zarr.Array, coords []int64) (size int64, there bool, err error) {
	key := store.Join(a.Path(), a.Keys.Key(coords))
	e, err := store.ReadKey(ctx, a.Hierarchy().Store(), key, store.Ask{Range: &store.ByteRange{Length: 1}}, func(ctx context.Context, s store.Source, name string, ask store.Ask) (store.Extent, error) {
		return s.Read(ctx, name, ask)
	})
	var invalid *store.KeyError
	switch {
	case err == nil:
		return e.Size, true, nil
	case errors.Is(err, store.ErrRange):
		return 0, true, nil
	case ctx.Err() != nil:
		return 0, false, ctx.Err()
	case store.MaybeMissing(err), errors.As(err, &invalid), errors.Is(err, errors.ErrUnsupported):
		return 0, false, nil
	}
	return 0, false, nil
}
