package zarr

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// ArraySpec specifies a new array. The zero value of a field is zarr-python's default.
type ArraySpec struct {
	// Format is the version, 2 or 3. 0 means that of the parent group, or 3 without one.
	Format int
	Shape  []int64
	// DType is the type's name in metadata of either version: "int16", "<i2", "string",
	// "datetime64[s]". For a type with more parameters, such as a struct, it is JSON text.
	DType string
	// Type replaces DType, if set.
	Type *dtype.Type
	// Chunks is the shape of chunks; with shards, of the inner chunks. A length that is 0 or
	// missing is that of the dimension. If Chunks is nil, the shape is guessed by zarr-python's
	// rule.
	Chunks []int64
	// Shards is the shape of shards, a multiple of the chunks; version 3 only.
	Shards []int64
	// ChunkEdges replace Chunks and Shards by a rectilinear grid, in version 3 only. They are the
	// lengths of the chunks along each dimension, and must cover it. A run without a Count repeats.
	// A Size of 0 is the length of the dimension, and so is a missing dimension.
	ChunkEdges [][]grid.Run
	// ShardEdges replace Shards by the lengths of the shards along each dimension, multiples of the
	// chunks.
	ShardEdges [][]grid.Run
	// Fill is the fill value, in the form of an element for [Array.Set]. nil is the type's zero,
	// and [NoFill] leaves it undefined.
	Fill any
	// Codecs is the chain of codecs, with their names in the array's version. In version 2 a
	// compressor is the last one. The default is little-endian elements (unless the type differs),
	// with Zstandard in version 3, and Blosc with LZ4 in version 2. An empty chain, unlike nil,
	// does not compress. The array-to-bytes codec may be omitted.
	Codecs []Codec
	// Order is "C" or "F".
	Order string
	// Separator separates the indices in the keys of chunks: "/" or ".". By default it is "/" in
	// version 3, and "." in version 2.
	Separator string
	// DimensionNames are the names of dimensions; "" is none. Version 2 stores them in the
	// attribute _ARRAY_DIMENSIONS, like xarray.
	DimensionNames []string
	// Attributes are the array's attributes: any JSON values.
	Attributes map[string]any
	// Overwrite deletes an existing node at the path, and all nodes below it. Otherwise that is an
	// [*ExistsError].
	Overwrite bool

	// Properties that [Array.Spec] copies and that no other field expresses.
	attributes json.Value
	rawFill    []byte
	like       like
}

// like holds properties of an array that [Array.Spec] copies and that other fields do not express.
// It applies to one version.
type like struct {
	format    int
	grid      *grid.Grid       // of a kind that cannot be specified
	chain     []meta.CodecSpec // the codecs; with shards, those of the inner chunks
	sharding  json.Value       // the configuration of the sharding codec
	documents []meta.Document  // of that version; unknown members stay
}

// Codec is a codec's name and configuration.
type Codec struct {
	Name   string
	Config map[string]any
}

// NoFill leaves the fill value undefined: null in metadata of version 2. Version 3 requires one,
// and stores the type's zero.
var NoFill = noFill{}

type noFill struct{}

// node returns the metadata of the specified array.
func (s *ArraySpec) node(path string, format int, codecs *codec.Registry) (*meta.Node, error) {
	a, err := s.array(path, format, codecs)
	if err != nil {
		return nil, err
	}
	n := &meta.Node{Format: format, Attributes: s.attributes, Array: a}
	if s.like.format == format {
		n.Documents = s.like.documents
	}
	if s.Attributes != nil || !n.Attributes.Exists() {
		n.Attributes, err = attributesOf(path, s.Attributes)
	}
	return n, err
}

// array returns the metadata of the specified array, without its attributes.
func (s *ArraySpec) array(path string, format int, codecs *codec.Registry) (*meta.Array, error) {
	invalid := func(field, msg string) error {
		return &InvalidMetadataError{Path: path, Err: &meta.Error{Document: "specification", Field: field, Msg: msg}}
	}
	t, err := s.dtype(format)
	if err != nil {
		return nil, reader.MetadataError(path, err)
	}
	a := &meta.Array{Shape: append([]int64{}, s.Shape...), Type: t, KeysWritten: true, FillDefined: true}
	for d, n := range s.Shape {
		if n < 0 {
			return nil, invalid("shape", "dimension "+strconv.Itoa(d)+" is negative")
		}
	}
	var chunks []int64 // inside the shards; nil if there are none
	if a.Grid, chunks, err = s.grid(t, format); err != nil {
		return nil, &InvalidMetadataError{Path: path, Err: err}
	}
	switch s.Order {
	case "", "C", "F":
	default:
		return nil, invalid("order", strconv.Quote(s.Order)+` is not "C" or "F"`)
	}
	if format == 2 {
		if a.Order = s.Order; a.Order == "" {
			a.Order = "C"
		}
	}
	if a.Keys, err = s.keys(format); err != nil {
		return nil, invalid("separator", err.Error())
	}
	if err := s.fill(a); err != nil {
		return nil, invalid("fill_value", err.Error())
	}
	if a.Codecs, err = s.codecs(a, format, chunks, codecs); err != nil {
		return nil, invalid("codecs", err.Error())
	}
	if s.DimensionNames != nil {
		if len(s.DimensionNames) != len(s.Shape) {
			return nil, invalid("dimension_names", strconv.Itoa(len(s.DimensionNames))+" names of "+strconv.Itoa(len(s.Shape))+" dimensions")
		}
		for _, name := range s.DimensionNames {
			a.DimensionNames = append(a.DimensionNames, meta.DimensionName{Text: name, Named: name != ""})
		}
	}
	return a, nil
}

// dtype returns the type of the elements.
func (s *ArraySpec) dtype(format int) (*dtype.Type, error) {
	if s.Type != nil {
		return s.Type, nil
	}
	name := s.DType
	if name == "" {
		name = "float64"
	}
	v := json.Text(name)
	if name[0] == '[' || name[0] == '{' {
		var err error
		if v, err = json.Parse([]byte(name), json.Limits{}); err != nil {
			return nil, err
		}
	}
	v3, err := dtype.ParseV3(v, dtype.Limits{})
	if err == nil && format == 3 {
		return v3, nil
	}
	v2, err2 := dtype.ParseV2(v, dtype.Limits{})
	switch {
	case err2 == nil && v2.Kind != dtype.Object:
		return v2, nil
	case err == nil:
		return v3, nil
	case err2 == nil:
		return v2, nil
	}
	if e := (*dtype.Error)(nil); errtype.As(err, &e) && e.Unsupported && e.Limit == "" {
		known := *e
		known.Msg += "; known are " + strings.Join(dtype.Names(), ", ") + `, datetime64[s], timedelta64[s], r16, ` +
			`and typestrings such as "<i4"`
		return nil, &known
	}
	return nil, err
}

// grid returns the grid of the array's chunks. For shards it also returns the shape of the inner
// chunks. Errors are *meta.Error.
func (s *ArraySpec) grid(t *dtype.Type, format int) (g *grid.Grid, inner []int64, err error) {
	invalid := func(field, msg string) error {
		return &meta.Error{Document: "specification", Field: field, Msg: msg}
	}
	sharded := s.Shards != nil || s.ShardEdges != nil
	if s.like.grid != nil && s.like.format == format && s.Chunks == nil && s.ChunkEdges == nil && !sharded {
		return s.like.grid, nil, nil
	}
	switch {
	case sharded && format != 3:
		return nil, nil, invalid("shards", "exist in version 3 only")
	case s.ChunkEdges != nil && format != 3:
		return nil, nil, invalid("chunks", "require a rectilinear grid, which only version 3 has")
	case s.ChunkEdges != nil && (s.Chunks != nil || sharded):
		return nil, nil, invalid("chunks", "of a rectilinear grid cannot have a shape or shards")
	case s.Shards != nil && s.ShardEdges != nil:
		return nil, nil, invalid("shards", "of a rectilinear grid cannot have a shape")
	}
	if s.ChunkEdges != nil {
		g, err = s.rectilinear(s.ChunkEdges)
		if err != nil {
			return nil, nil, invalid("chunks", err.Error())
		}
		return g, nil, nil
	}
	switch {
	case s.ShardEdges != nil:
		g, err = s.rectilinear(s.ShardEdges)
	case sharded:
		g, err = grid.Regular(s.Shape, s.Shards)
	}
	if err != nil {
		return nil, nil, invalid("shards", err.Error())
	}
	chunks, err := s.chunks(t, g)
	if err == nil && !sharded {
		g, err = grid.Regular(s.Shape, chunks)
	}
	if err != nil {
		return nil, nil, invalid("chunks", err.Error())
	}
	if !sharded {
		return g, nil, nil
	}
	for d, n := range chunks {
		for _, length := range lengths(g, d) {
			if length < 1 || length%n != 0 {
				return nil, nil, invalid("shards", "of length "+strconv.FormatInt(length, 10)+" are not divided by chunks of "+shapeText(chunks))
			}
		}
	}
	return g, chunks, nil
}

// rectilinear returns the grid with these edges.
func (s *ArraySpec) rectilinear(edges [][]grid.Run) (*grid.Grid, error) {
	all := slices.Clone(edges)
	for d := range min(len(s.Shape), len(all)) {
		if len(all[d]) == 0 || len(all[d]) == 1 && all[d][0] == (grid.Run{}) {
			all[d] = []grid.Run{{Size: max(1, s.Shape[d])}}
		}
	}
	for d := len(all); d < len(s.Shape); d++ {
		all = append(all, []grid.Run{{Size: max(1, s.Shape[d])}})
	}
	return grid.Rectilinear(s.Shape, all)
}

// lengths returns the lengths of the chunks along a dimension.
func lengths(g *grid.Grid, dim int) []int64 {
	runs := g.Declared(dim)
	if runs == nil {
		return g.ChunkShapes()[dim : dim+1]
	}
	list := make([]int64, len(runs))
	for i, r := range runs {
		list[i] = r.Size
	}
	return list
}

// chunks returns the shape of the array's chunks; with a grid of shards, of the inner chunks.
func (s *ArraySpec) chunks(t *dtype.Type, shards *grid.Grid) ([]int64, error) {
	if s.Chunks == nil {
		size := int64(t.Size)
		if t.Variable() {
			size = 8 // a reference; zarr-python counts it so
		}
		chunks := guessChunks(s.Shape, size)
		for d := range chunks {
			if shards != nil {
				chunks[d] = divisor(lengths(shards, d), chunks[d])
			}
		}
		return chunks, nil
	}
	if len(s.Chunks) > len(s.Shape) {
		return nil, &grid.Error{Dim: -1, Msg: strconv.Itoa(len(s.Chunks)) + " lengths for " + strconv.Itoa(len(s.Shape)) + " dimensions"}
	}
	chunks := make([]int64, len(s.Shape))
	for d := range chunks {
		if d < len(s.Chunks) {
			chunks[d] = s.Chunks[d]
		}
		if chunks[d] < 0 {
			return nil, &grid.Error{Dim: d, Msg: "a negative length"}
		}
		if chunks[d] == 0 {
			chunks[d] = max(1, s.Shape[d])
		}
	}
	return chunks, nil
}

// ParseChunks parses JSON with an entry for each dimension. Numbers are lengths for
// [ArraySpec.Chunks] or Shards. Lists are edges for ChunkEdges or ShardEdges, in the form of a
// rectilinear grid's chunk_shapes. For [3,4] it returns chunks, for [[3,3,4],[[2,5]],10] edges. 0
// is the length of the dimension.
func ParseChunks(text []byte) (chunks []int64, edges [][]grid.Run, err error) {
	v, err := json.Parse(text, json.Limits{})
	if err == nil && v.Kind() != json.Array {
		err = &meta.Error{Document: "chunks", Msg: "are not a list"}
	}
	if err != nil {
		return nil, nil, err
	}
	chunks, irregular := []int64{}, false
	for _, item := range v.Items() {
		n, plain := item.Int64()
		run := []grid.Run{{Size: n}}
		if !plain || n != 0 {
			if run, err = meta.ParseEdges(item); err != nil {
				return nil, nil, err
			}
		}
		chunks, edges, irregular = append(chunks, n), append(edges, run), irregular || !plain
	}
	if irregular {
		return nil, edges, nil
	}
	return chunks, nil, nil
}

// divisor returns the largest number up to most that divides all numbers of a list.
func divisor(list []int64, most int64) int64 {
	for d := most; d > 1; d-- {
		if !slices.ContainsFunc(list, func(n int64) bool { return n%d != 0 }) {
			return d
		}
	}
	return 1
}

// guessChunks returns the shape of chunks by zarr-python's rule. It halves dimensions in turn until
// a chunk is close to a target size. The target is between 128 KiB and 64 MiB, and grows slowly
// with the array.
func guessChunks(shape []int64, size int64) []int64 {
	const base, least, most = 256 << 10, 128 << 10, 64 << 20
	chunks := make([]float64, len(shape))
	all := float64(size)
	for d, n := range shape {
		chunks[d] = float64(max(n, 1))
		all *= chunks[d]
	}
	target := min(max(base*math.Pow(2, math.Log10(all/(1<<20))), least), most)
	for i := 0; len(chunks) > 0; i++ {
		n := 1.0
		for _, c := range chunks {
			n *= c
		}
		bytes := n * float64(size)
		if (bytes < target || math.Abs(bytes-target)/target < 0.5) && bytes < most || n == 1 {
			break
		}
		c := &chunks[i%len(chunks)]
		*c = math.Ceil(*c / 2)
	}
	out := make([]int64, len(chunks))
	for d, c := range chunks {
		out[d] = int64(c)
	}
	return out
}

func (s *ArraySpec) keys(format int) (grid.KeyEncoding, error) {
	k := grid.KeyEncoding{Name: "default", Separator: "/"}
	if format == 2 {
		k = grid.KeyEncoding{Name: "v2", Separator: "."}
	}
	switch s.Separator {
	case "":
	case "/", ".":
		k.Separator = s.Separator
	default:
		return k, &grid.Error{Dim: -1, Msg: strconv.Quote(s.Separator) + ` is not "/" or "."`}
	}
	return k, nil
}

// fill sets the array's fill value.
func (s *ArraySpec) fill(a *meta.Array) (err error) {
	switch v := s.Fill.(type) {
	case noFill:
		a.Fill, a.FillDefined = a.Type.Zero(), false
	case nil:
		if a.Fill = s.rawFill; a.Fill == nil {
			a.Fill = a.Type.Zero()
		}
	default:
		a.Fill, err = elementOf(v, a.Type)
	}
	return err
}

// codecs returns the chain of codecs. chunks is the shape of the inner chunks, nil without shards.
func (s *ArraySpec) codecs(a *meta.Array, format int, chunks []int64, registry *codec.Registry) ([]meta.CodecSpec, error) {
	chain, err := s.chain(a, format, registry)
	if err != nil {
		return nil, err
	}
	if s.Order == "F" && len(a.Shape) > 1 {
		order := make([]int, len(a.Shape))
		for i := range order {
			order[i] = len(order) - 1 - i
		}
		config, err := json.Of(map[string]any{"order": order})
		if err != nil {
			return nil, err
		}
		chain = append([]meta.CodecSpec{{Name: "transpose", Config: config}}, chain...)
	}
	if chunks == nil {
		return chain, nil
	}
	name := registry.Sharding()
	if name == "" {
		return nil, &codec.UnsupportedError{Feature: "shards: the registry has no codec for them"}
	}
	sharding, err := s.sharding(chain, format, chunks)
	return []meta.CodecSpec{{Name: name, Config: sharding}}, err
}

// chain returns the chain of codecs, without order and shards.
func (s *ArraySpec) chain(a *meta.Array, format int, registry *codec.Registry) ([]meta.CodecSpec, error) {
	if s.likeChain(format) {
		return s.like.chain, nil
	}
	codecs := s.Codecs
	if codecs == nil {
		codecs = DefaultCodecs(format, len(s.Shape))
	}
	chain, err := specs(codecs)
	if err != nil {
		return nil, err
	}
	// Version 2 has serializers for objects only, and no array-to-array codecs.
	kind := func(c meta.CodecSpec) codec.Kind {
		if format != 2 {
			return registry.Kind(c.Name)
		}
		if c.Name == "bytes" || meta.IsObjectCodec(c.Name) {
			return codec.KindArrayToBytes
		}
		return codec.KindBytesToBytes
	}
	if slices.ContainsFunc(chain, func(c meta.CodecSpec) bool { return kind(c) == codec.KindArrayToBytes }) {
		return chain, nil
	}
	n := 0
	for n < len(chain) && kind(chain[n]) == codec.KindArrayToArray {
		n++
	}
	return slices.Insert(chain, n, serializer(a.Type, format)), nil
}

// likeChain reports whether the codecs are those of the copied array.
func (s *ArraySpec) likeChain(format int) bool {
	return s.Codecs == nil && s.like.chain != nil && s.like.format == format
}

// sharding returns the configuration of shards: that of the copied array, with the specified chunks
// and codecs.
func (s *ArraySpec) sharding(chain []meta.CodecSpec, format int, chunks []int64) (json.Value, error) {
	of := map[string]any{
		"chunk_shape":    chunks,
		"codecs":         documentsOf(chain),
		"index_codecs":   []any{map[string]any{"name": "bytes", "configuration": map[string]any{"endian": "little"}}, map[string]any{"name": "crc32c"}},
		"index_location": "end",
	}
	if s.like.format != format || !s.like.sharding.Exists() {
		return json.Of(of)
	}
	members := slices.Clone(s.like.sharding.Members())
	for _, name := range []string{"chunk_shape", "codecs"} {
		if name == "codecs" && s.likeChain(format) {
			continue
		}
		v, err := json.Of(of[name])
		if err != nil {
			return v, err
		}
		members = withMember(members, name, v)
	}
	return json.Make(members...), nil
}

func specs(list []Codec) ([]meta.CodecSpec, error) {
	all := make([]meta.CodecSpec, len(list))
	for i, c := range list {
		all[i].Name = c.Name
		if len(c.Config) > 0 {
			config, err := json.Of(c.Config)
			if err != nil {
				return nil, err
			}
			all[i].Config = config
		}
	}
	return all, nil
}

// documentsOf converts a chain to metadata of version 3.
func documentsOf(chain []meta.CodecSpec) []any {
	all := make([]any, len(chain))
	for i, c := range chain {
		m := map[string]any{"name": c.Name}
		if c.Config.Exists() {
			m["configuration"] = c.Config
		}
		all[i] = m
	}
	return all
}

// DefaultCodecs returns the default compressors of zarr-python: those of release 3 for version 3,
// and of release 2 for version 2. The latter does not compress arrays of rank 0.
func DefaultCodecs(format, rank int) []Codec {
	if format == 2 && rank == 0 {
		return nil
	}
	if format == 3 {
		return []Codec{{"zstd", map[string]any{"level": 0, "checksum": false}}}
	}
	return []Codec{{"blosc", map[string]any{"cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}}}
}

// serializer returns the array-to-bytes codec for elements of a type.
func serializer(t *dtype.Type, format int) meta.CodecSpec {
	switch t.Kind {
	case dtype.String:
		return meta.CodecSpec{Name: "vlen-utf8"}
	case dtype.Bytes:
		return meta.CodecSpec{Name: "vlen-bytes"}
	case dtype.Ragged:
		config, _ := json.Of(map[string]any{"dtype": t.Elem.V2String()})
		return meta.CodecSpec{Name: "vlen-array", Config: config}
	case dtype.Object:
		return meta.CodecSpec{Name: "json2"}
	}
	if format == 2 || !t.HasOrder() {
		return meta.CodecSpec{Name: "bytes"}
	}
	order := "little"
	if ranges := t.SwapRanges(); len(ranges) > 0 && ranges[0].Order == dtype.Big {
		order = "big"
	}
	config, _ := json.Of(map[string]any{"endian": order})
	return meta.CodecSpec{Name: "bytes", Config: config}
}
