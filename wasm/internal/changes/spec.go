package changes

import (
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/dispatch"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// object parses a JSON object; "" is an empty one.
func (s *Session) object(path, what, text string) (json.Value, error) {
	if text == "" {
		return json.EmptyObject(), nil
	}
	lim := s.Limits()
	v, err := json.Parse([]byte(text), json.Limits{Bytes: int(lim.MetadataBytes), Depth: lim.MetadataDepth})
	if err == nil && v.Kind() != json.Object {
		return v, invalid(path, what, "is not an object")
	}
	if err != nil {
		return v, &zarr.InvalidMetadataError{Path: path, Err: &meta.Error{Document: what, Err: err}}
	}
	return v, nil
}

func invalid(path, field, msg string) error {
	return &zarr.InvalidMetadataError{Path: path, Err: &meta.Error{Document: "specification", Field: field, Msg: msg}}
}

// members reads the members of a specification. err is the first fault.
type members struct {
	path string
	of   json.Value
	err  error
}

func (m *members) wrong(name, expected string) {
	if m.err == nil {
		m.err = invalid(m.path, name, string(m.of.Get(name).Raw())+" is not "+expected)
	}
}

// member returns the member of that name, null if it is absent.
func member[Name ~string](m *members, name Name) json.Value { return m.of.Get(string(name)) }

// lengths reads a shape.
func (m *members) lengths(name wire.IntsName) []int64 {
	list, edges := m.chunks(wire.ListName(name))
	if edges != nil {
		m.wrong(string(name), "a list of lengths")
	}
	return list
}

// chunks reads lengths or edges, as [zarr.ParseChunks] does. It returns neither if unspecified.
func (m *members) chunks(name wire.ListName) (list []int64, edges [][]grid.Run) {
	v := member(m, name)
	if v.IsNull() {
		return nil, nil
	}
	list, edges, err := zarr.ParseChunks(v.Raw())
	if err != nil {
		m.wrong(string(name), "a list of lengths")
	}
	all := list
	for _, runs := range edges {
		for _, r := range runs {
			all = append(all, r.Size, r.Count)
		}
	}
	if err := dispatch.CheckLengths(m.path, all); m.err == nil {
		m.err = err
	}
	return list, edges
}

func (m *members) text(name wire.TextName) string {
	v := member(m, name)
	text, ok := v.Text()
	if !ok && !v.IsNull() {
		m.wrong(string(name), "a string")
	}
	return text
}

func (m *members) flag(name wire.FlagName) bool {
	v := member(m, name)
	b, ok := v.Bool()
	if !ok && !v.IsNull() {
		m.wrong(string(name), "true or false")
	}
	return b
}

func (m *members) format(name wire.IntName) int {
	v := member(m, name)
	n, ok := v.Int64()
	if v.IsNull() {
		return 0
	}
	if !ok || n < 1 || n > 3 {
		m.wrong(string(name), "2 or 3")
	}
	return int(n)
}

func (m *members) attributes() map[string]any {
	v := member(m, wire.SpecAttributes)
	if v.IsNull() {
		return nil
	}
	if v.Kind() != json.Object {
		m.wrong(string(wire.SpecAttributes), "an object")
	}
	return membersOf(v)
}

// codecs reads a chain as in documents of version 3, or the compressor and filters of version 2. It
// returns nil if unspecified.
func (m *members) codecs(rank int) []zarr.Codec {
	if v := member(m, wire.SpecCodecs); v.Exists() && !v.IsNull() {
		return m.chain(string(wire.SpecCodecs), "name", v)
	}
	compressor, filters := member(m, wire.SpecCompressor), member(m, wire.SpecFilters)
	if !compressor.Exists() && filters.IsNull() {
		return nil
	}
	chain := m.chain(string(wire.SpecFilters), "id", filters)
	switch {
	case !compressor.Exists():
		return append(chain, zarr.DefaultCodecs(2, rank)...)
	case compressor.IsNull():
		return chain
	}
	return append(chain, m.codec(string(wire.SpecCompressor), "id", compressor))
}

func (m *members) chain(field, name string, v json.Value) []zarr.Codec {
	chain := make([]zarr.Codec, 0, v.Len())
	if v.Kind() != json.Array && !v.IsNull() {
		m.wrong(field, "a list of codecs")
	}
	for _, c := range v.Items() {
		chain = append(chain, m.codec(field, name, c))
	}
	return chain
}

// codec reads a codec with a name and a configuration, or with an id and other members.
func (m *members) codec(field, name string, v json.Value) zarr.Codec {
	if text, ok := v.Text(); ok {
		return zarr.Codec{Name: text}
	}
	text, ok := v.Get(name).Text()
	if !ok {
		m.wrong(field, "of codecs that have a "+strconv.Quote(name))
		return zarr.Codec{}
	}
	c := zarr.Codec{Name: text}
	if name == "name" {
		c.Config = membersOf(v.Peek("configuration"))
		return c
	}
	c.Config = membersOf(v)
	delete(c.Config, name)
	return c
}

func groupSpec(path string, of json.Value) (zarr.GroupSpec, error) {
	m := &members{path: path, of: of}
	spec := zarr.GroupSpec{Format: m.format(wire.SpecFormat), Attributes: m.attributes(), Overwrite: m.flag(wire.SpecOverwrite)}
	return spec, m.err
}

func arraySpec(path string, of json.Value) (zarr.ArraySpec, error) {
	m := &members{path: path, of: of}
	spec := zarr.ArraySpec{
		Format: m.format(wire.SpecFormat), Shape: m.lengths(wire.SpecShape), Attributes: m.attributes(), Overwrite: m.flag(wire.SpecOverwrite),
	}
	m.layout(&spec)
	switch t := member(m, wire.SpecDType); t.Kind() {
	case json.Null:
	case json.String:
		spec.DType, _ = t.Text()
	case json.Array, json.Object:
		spec.DType = string(t.Raw())
	default:
		m.wrong(string(wire.SpecDType), "a data type")
	}
	if fill := member(m, wire.SpecFill); fill.Exists() {
		spec.Fill = fill
	}
	if m.flag(wire.SpecNoFill) {
		spec.Fill = zarr.NoFill
	}
	if names := member(m, wire.SpecDimensionNames); !names.IsNull() {
		spec.DimensionNames = []string{}
		if names.Kind() != json.Array {
			m.wrong(string(wire.SpecDimensionNames), "a list of names")
		}
		for _, v := range names.Items() {
			name, ok := v.Text()
			if !ok && !v.IsNull() {
				m.wrong(string(wire.SpecDimensionNames), "a list of names")
			}
			spec.DimensionNames = append(spec.DimensionNames, name)
		}
	}
	return spec, m.err
}

// layout sets the chunks, shards and codecs that are specified.
func (m *members) layout(spec *zarr.ArraySpec) {
	if chunks, edges := m.chunks(wire.SpecChunks); chunks != nil || edges != nil {
		spec.Chunks, spec.ChunkEdges = chunks, edges
		if edges != nil {
			spec.Shards, spec.ShardEdges = nil, nil
		}
	}
	if shards, edges := m.chunks(wire.SpecShards); shards != nil || edges != nil {
		spec.Shards, spec.ShardEdges = shards, edges
	}
	if codecs := m.codecs(len(spec.Shape)); codecs != nil {
		spec.Codecs = codecs
	}
	if order := m.text(wire.SpecOrder); order != "" {
		spec.Order = order
	}
	if separator := m.text(wire.SpecSeparator); separator != "" {
		spec.Separator = separator
	}
}
