package changes

import (
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/dispatch"
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
		return v, invalid(path, what, "is no object")
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

func (m *members) member(name string) json.Value { return m.of.Get(name) }

// lengths reads a shape.
func (m *members) lengths(name string) []int64 {
	list, edges := m.chunks(name)
	if edges != nil {
		m.wrong(name, "a list of lengths")
	}
	return list
}

// chunks reads lengths or edges, as [zarr.ParseChunks] does. It returns neither if unspecified.
func (m *members) chunks(name string) (list []int64, edges [][]grid.Run) {
	v := m.of.Get(name)
	if v.IsNull() {
		return nil, nil
	}
	list, edges, err := zarr.ParseChunks(v.Raw())
	if err != nil {
		m.wrong(name, "a list of lengths")
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

func (m *members) text(name string) string {
	v := m.of.Get(name)
	text, ok := v.Text()
	if !ok && !v.IsNull() {
		m.wrong(name, "a text")
	}
	return text
}

func (m *members) flag(name string) bool {
	v := m.of.Get(name)
	b, ok := v.Bool()
	if !ok && !v.IsNull() {
		m.wrong(name, "true or false")
	}
	return b
}

func (m *members) format() int {
	v := m.member("format")
	n, ok := v.Int64()
	if v.IsNull() {
		return 0
	}
	if !ok || n < 1 || n > 3 {
		m.wrong("format", "2 or 3")
	}
	return int(n)
}

func (m *members) attributes() map[string]any {
	v := m.member("attributes")
	if v.IsNull() {
		return nil
	}
	if v.Kind() != json.Object {
		m.wrong("attributes", "an object")
	}
	return membersOf(v)
}

// codecs reads a chain as in documents of version 3, or the compressor and filters of version 2. It
// returns nil if unspecified.
func (m *members) codecs(rank int) []zarr.Codec {
	if v := m.member("codecs"); v.Exists() && !v.IsNull() {
		return m.chain("codecs", "name", v)
	}
	compressor, filters := m.member("compressor"), m.member("filters")
	if !compressor.Exists() && filters.IsNull() {
		return nil
	}
	chain := m.chain("filters", "id", filters)
	switch {
	case !compressor.Exists():
		return append(chain, zarr.DefaultCodecs(2, rank)...)
	case compressor.IsNull():
		return chain
	}
	return append(chain, m.codec("compressor", "id", compressor))
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
	spec := zarr.GroupSpec{Format: m.format(), Attributes: m.attributes(), Overwrite: m.flag("overwrite")}
	return spec, m.err
}

func arraySpec(path string, of json.Value) (zarr.ArraySpec, error) {
	m := &members{path: path, of: of}
	spec := zarr.ArraySpec{
		Format: m.format(), Shape: m.lengths("shape"), Attributes: m.attributes(), Overwrite: m.flag("overwrite"),
	}
	m.layout(&spec)
	switch t := m.member("dtype"); t.Kind() {
	case json.Null:
	case json.String:
		spec.DType, _ = t.Text()
	case json.Array, json.Object:
		spec.DType = string(t.Raw())
	default:
		m.wrong("dtype", "a data type")
	}
	if fill := m.member("fill"); fill.Exists() {
		spec.Fill = fill
	}
	if m.flag("noFill") {
		spec.Fill = zarr.NoFill
	}
	if names := m.member("dimensionNames"); !names.IsNull() {
		spec.DimensionNames = []string{}
		if names.Kind() != json.Array {
			m.wrong("dimensionNames", "a list of names")
		}
		for _, v := range names.Items() {
			name, ok := v.Text()
			if !ok && !v.IsNull() {
				m.wrong("dimensionNames", "a list of names")
			}
			spec.DimensionNames = append(spec.DimensionNames, name)
		}
	}
	return spec, m.err
}

// layout sets the chunks, shards and codecs that are specified.
func (m *members) layout(spec *zarr.ArraySpec) {
	if chunks, edges := m.chunks("chunks"); chunks != nil || edges != nil {
		spec.Chunks, spec.ChunkEdges = chunks, edges
		if edges != nil {
			spec.Shards, spec.ShardEdges = nil, nil
		}
	}
	if shards, edges := m.chunks("shards"); shards != nil || edges != nil {
		spec.Shards, spec.ShardEdges = shards, edges
	}
	if codecs := m.codecs(len(spec.Shape)); codecs != nil {
		spec.Codecs = codecs
	}
	if order := m.text("order"); order != "" {
		spec.Order = order
	}
	if separator := m.text("separator"); separator != "" {
		spec.Separator = separator
	}
}
