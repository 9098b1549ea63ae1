package meta

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// Write returns the documents of the node in its own version, 2 or 3. Documents of v2 have the
// layout of zarr-python 2, sorted and indented by four spaces; those of v3 the layout of
// zarr-python 3. In v2, attributes have a document if there are any, or if there was one. Their
// members keep their order.
//
// If the node has source documents, Write changes them. A member with the same meaning keeps its
// text. Unknown members, the order of the members, and the indentation stay. Consolidated metadata
// in a group's document also stays: see [Node.Consolidate]. Errors are *Error, for features that
// the version cannot express.
func (n *Node) Write() ([]Document, error) {
	switch n.Format {
	case 2:
		return n.writeV2()
	case 3:
		doc, err := n.change(DocumentV3, json.Layout{Indent: 2}, (*Node).membersV3)
		if err != nil {
			return nil, err
		}
		return []Document{doc}, nil
	}
	return nil, &Error{Document: DocumentV1, Msg: "metadata of version " + strconv.Itoa(n.Format) + " is not written", Unsupported: true}
}

func (n *Node) writeV2() ([]Document, error) {
	name := DocumentGroup
	if n.Array != nil {
		name = DocumentArray
	}
	doc, err := n.change(name, json.Layout{Indent: 4, Sorted: true}, (*Node).membersV2)
	if err != nil {
		return nil, err
	}
	docs := []Document{doc}
	if n.Bare {
		return docs, nil
	}
	l := json.Layout{Indent: 4}
	attrs := n.namedAttributes()
	if i := n.index(DocumentAttributes); i >= 0 {
		old := n.Documents[i]
		if bytes.Equal(bytes.TrimSpace(old.Bytes), attrs) {
			return append(docs, old), nil
		}
		l = json.LayoutOf(old.Bytes)
	} else if isEmpty(attrs) {
		return docs, nil
	}
	return append(docs, Document{DocumentAttributes, json.AppendLaidOut(nil, attrs, l)}), nil
}

// index returns the index of the node's document of that name, or -1.
func (n *Node) index(name string) int {
	return slices.IndexFunc(n.Documents, func(d Document) bool { return d.Name == name })
}

// member is a known member of a document.
type member struct {
	name string
	text []byte // nil if it is not written
	// meaning, if not "", is equal for texts with the same meaning.
	meaning string
	err     error // the reason for a missing text
}

// means reports whether two members have the same meaning.
func (m *member) means(o *member) bool {
	if m.meaning != "" || o.meaning != "" {
		return m.meaning == o.meaning
	}
	return m.err == nil && o.err == nil && bytes.Equal(m.text, o.text)
}

// change writes a document with these members: a new one, or the node's source document with
// changes.
func (n *Node) change(name string, l json.Layout, members func(*Node) []member) (Document, error) {
	all := members(n)
	find := func(list []member, name string) *member {
		for i := range list {
			if list[i].name == name {
				return &list[i]
			}
		}
		return &member{}
	}
	old, was, err := n.before(name)
	if err != nil {
		return Document{}, named(err, name)
	}
	var before []member
	if was != nil {
		before = members(was)
		l = json.LayoutOf(n.Documents[n.index(name)].Bytes)
	}
	text := []byte{'{'}
	put := func(name string, value []byte) {
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(append(json.AppendString(text, name), ':'), value...)
	}
	kept := true
	for _, o := range old.Members() {
		m := find(all, o.Name)
		switch {
		case m.name == "" || m.means(find(before, o.Name)):
			put(o.Name, o.Value.Raw())
		case m.err != nil:
			return Document{}, named(typeError(m.name, m.err), name)
		default:
			if kept = false; m.text != nil {
				put(m.name, m.text)
			}
		}
	}
	for i := range all {
		m := &all[i]
		if old.Peek(m.name).Exists() || was != nil && m.means(find(before, m.name)) {
			continue // done, or its absence means the same
		}
		if m.err != nil {
			return Document{}, named(typeError(m.name, m.err), name)
		}
		if m.text != nil {
			kept = false
			put(m.name, m.text)
		}
	}
	if was != nil && kept {
		return n.Documents[n.index(name)], nil
	}
	return Document{name, json.AppendLaidOut(nil, append(text, '}'), l)}, nil
}

// before returns the node's source document of that name, and the node before the change.
func (n *Node) before(name string) (doc json.Value, was *Node, err error) {
	i := n.index(name)
	if i < 0 {
		return doc, nil, nil
	}
	// The limits were checked when the node was read, and may have been others.
	const most = 1 << 30
	opt := Options{Limits: json.Limits{Bytes: most, Values: most}, MaxRank: most, IgnoreConsolidated: true}
	opt.Type = dtype.Limits{ItemBytes: most, Fields: most, Depth: 1 << 10}
	if was, err = Parse(n.Documents, opt); err != nil {
		return doc, nil, err
	}
	if was == nil || was.Format != n.Format || (was.Array == nil) != (n.Array == nil) {
		return doc, nil, nil
	}
	doc, err = parseObject(n.Documents[i], opt)
	return doc, was, err
}

// literal returns a constant member.
func literal(name, text string) member { return member{name: name, text: []byte(text)} }

// written returns a member with the output of a function.
func written(name string, write func(dst []byte) ([]byte, error)) member {
	text, err := write(nil)
	return member{name: name, text: text, err: err}
}

// membersV3 returns the members of zarr.json, in zarr-python's order.
func (n *Node) membersV3() []member {
	attrs := member{name: "attributes", text: n.Attributes.Raw()}
	if len(attrs.text) == 0 {
		attrs.text = []byte("{}")
	}
	format := literal("zarr_format", "3")
	if n.Array == nil {
		return []member{attrs, format, literal("node_type", `"group"`)}
	}
	a := n.Array
	if a.Order != "" {
		return []member{{name: "codecs", err: fail("codecs", "are those of version 2")}}
	}
	all := []member{
		written("shape", func(dst []byte) ([]byte, error) { return appendIntegers(dst, a.Shape), nil }),
		written("data_type", a.Type.AppendV3),
		written("chunk_grid", a.appendGrid),
		written("chunk_key_encoding", a.appendKeys),
		a.fill(a.Type.AppendFillV3, a.Type.Zero()),
		written("codecs", func(dst []byte) ([]byte, error) { return appendCodecs(dst, a.Codecs), nil }),
		attrs,
	}
	if a.DimensionNames != nil {
		all = append(all, written("dimension_names", a.appendNames))
	} else {
		all = append(all, member{name: "dimension_names"})
	}
	return append(all, format, literal("node_type", `"array"`), literal("storage_transformers", "[]"))
}

// fill returns the member of the fill value. An undefined one becomes zeros in v3, and null in v2.
func (a *Array) fill(write func(dst, fill []byte) ([]byte, error), undefined []byte) member {
	const name = "fill_value"
	var m member
	switch {
	case a.FillDefined:
		m = written(name, func(dst []byte) ([]byte, error) { return write(dst, a.Fill) })
	case undefined == nil:
		m = literal(name, "null")
	default:
		m = written(name, func(dst []byte) ([]byte, error) { return write(dst, undefined) })
	}
	// Bytes have several texts, and some texts are never written.
	m.meaning = strconv.FormatBool(a.FillDefined) + strconv.FormatBool(a.Fill == nil) + a.Type.Name + string(a.Fill)
	return m
}

// PortableFill reports whether every reader takes an absent chunk for elements of Fill. If not, a
// chunk of such elements must be stored.
func (a *Array) PortableFill() bool {
	return a.FillDefined && a.Type.PortableFill(a.FillText, a.Fill, a.Order == "")
}

func appendIntegers(dst []byte, list []int64) []byte {
	dst = append(dst, '[')
	for i, n := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, n, 10)
	}
	return append(dst, ']')
}

// appendGrid appends the chunk grid.
func (a *Array) appendGrid(dst []byte) ([]byte, error) {
	dst = append(dst, `{"name":"`+a.Grid.Kind()+`","configuration":{`...)
	if a.Grid.Kind() != "rectilinear" {
		dst = appendIntegers(append(dst, `"chunk_shape":`...), a.Grid.ChunkShapes())
		return append(dst, "}}"...), nil
	}
	dst = append(dst, `"kind":"inline","chunk_shapes":[`...)
	for dim := range a.Grid.Rank() {
		if dim > 0 {
			dst = append(dst, ',')
		}
		edges := a.Grid.Declared(dim)
		if len(edges) == 1 && edges[0].Count == 0 {
			dst = strconv.AppendInt(dst, edges[0].Size, 10)
			continue
		}
		dst = append(dst, '[')
		for i, run := range edges {
			if i > 0 {
				dst = append(dst, ',')
			}
			if run.Count == 1 {
				dst = strconv.AppendInt(dst, run.Size, 10)
			} else {
				dst = appendIntegers(dst, []int64{run.Size, run.Count})
			}
		}
		dst = append(dst, ']')
	}
	return append(dst, "]}}"...), nil
}

// appendKeys appends the chunk key encoding.
func (a *Array) appendKeys(dst []byte) ([]byte, error) {
	dst = append(json.AppendString(append(dst, `{"name":`...), a.Keys.Name), `,"configuration":{`...)
	if a.Keys.Name == "zarrs.default_suffix" {
		dst = append(json.AppendString(append(dst, `"suffix":`...), a.Keys.Suffix), ',')
	}
	return append(json.AppendString(append(dst, `"separator":`...), a.Keys.Separator), "}}"...), nil
}

// appendCodecs appends a chain of codecs of v3.
func appendCodecs(dst []byte, specs []CodecSpec) []byte {
	dst = append(dst, '[')
	for i, c := range specs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = json.AppendString(append(dst, `{"name":`...), c.Name)
		if c.Config.Exists() {
			dst = append(append(dst, `,"configuration":`...), c.Config.Raw()...)
		}
		if c.Optional {
			dst = append(dst, `,"must_understand":false`...)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func (a *Array) appendNames(dst []byte) ([]byte, error) {
	dst = append(dst, '[')
	for i, name := range a.DimensionNames {
		if i > 0 {
			dst = append(dst, ',')
		}
		if name.Named {
			dst = json.AppendString(dst, name.Text)
		} else {
			dst = append(dst, "null"...)
		}
	}
	return append(dst, ']'), nil
}

// membersV2 returns the members of .zarray or .zgroup.
func (n *Node) membersV2() []member {
	format := literal("zarr_format", "2")
	if n.Array == nil {
		return []member{format}
	}
	a := n.Array
	if a.Order == "" {
		return []member{{name: "filters", err: fail("filters", "the codecs are those of version 3")}}
	}
	chunks := written("chunks", func(dst []byte) ([]byte, error) { return appendIntegers(dst, a.Grid.ChunkShapes()), nil })
	if a.Grid.Kind() != "regular" {
		chunks.err = unsupported("chunks", "version 2 has no chunk grid "+a.Grid.Kind())
	}
	filters, compressor := a.codecsV2()
	separator := member{name: "dimension_separator"}
	if a.KeysWritten || a.Keys.Separator != "." {
		separator.text = json.AppendString(nil, a.Keys.Separator)
	}
	return []member{
		written("shape", func(dst []byte) ([]byte, error) { return appendIntegers(dst, a.Shape), nil }),
		chunks,
		a.typeV2(),
		a.fill(a.Type.AppendFillV2, nil),
		literal("order", `"`+a.Order+`"`),
		filters,
		separator,
		compressor,
		format,
	}
}

// typeV2 returns the dtype; for elements of an object codec, "|O".
func (a *Array) typeV2() member {
	if a.Type.Variable() {
		return literal("dtype", `"|O"`)
	}
	return written("dtype", a.Type.AppendV2)
}

// codecsV2 returns the filters and the compressor. They have a meaning only together: readers do
// not care which of the two holds the last codec.
func (a *Array) codecsV2() (filters, compressor member) {
	chain := a.Codecs
	if a.Order == "F" && len(a.Shape) > 1 && len(chain) > 0 {
		chain = chain[1:] // the transpose
	}
	if len(chain) > 0 && chain[0].Name == "bytes" && !a.Type.Variable() {
		chain = chain[1:]
	}
	filters, compressor = literal("filters", "null"), literal("compressor", "null")
	if n := len(chain) - 1; n >= 0 && !isFilter(chain[n].Name) {
		compressor.text = appendCodecV2(nil, chain[n])
		chain = chain[:n]
	}
	if len(chain) > 0 {
		filters.text = []byte{'['}
		for i, c := range chain {
			if i > 0 {
				filters.text = append(filters.text, ',')
			}
			filters.text = appendCodecV2(filters.text, c)
		}
		filters.text = append(filters.text, ']')
	}
	filters.meaning = string(filters.text) + string(compressor.text)
	compressor.meaning = filters.meaning
	return filters, compressor
}

// isFilter reports whether a numcodecs codec is not a compressor.
func isFilter(id string) bool {
	switch id {
	case "delta", "fixedscaleoffset", "quantize", "bitround", "packbits", "astype", "shuffle", "base64", "bitinfo",
		"crc32", "crc32c", "adler32", "fletcher32", "jenkins_lookup3":
		return true
	}
	return IsObjectCodec(id)
}

func appendCodecV2(dst []byte, c CodecSpec) []byte {
	dst = json.AppendString(append(dst, `{"id":`...), c.Name)
	for _, m := range c.Config.Members() {
		dst = append(json.AppendString(append(dst, ','), m.Name), ':')
		dst = append(dst, m.Value.Raw()...)
	}
	return append(dst, '}')
}

// dimensionNamesAttribute holds the names of dimensions if metadata has no place for them.
const dimensionNamesAttribute = "_ARRAY_DIMENSIONS"

// namedAttributes returns the attributes of a v2 node, with the names of the dimensions added if
// missing.
func (n *Node) namedAttributes() []byte {
	attrs := n.Attributes.Raw()
	if len(attrs) == 0 {
		attrs = []byte("{}")
	}
	a := n.Array
	if a == nil || a.DimensionNames == nil || slices.Equal(xarrayNames(n.Attributes, len(a.Shape)), a.DimensionNames) {
		return attrs
	}
	text, _ := a.appendNames(nil)
	v, _ := json.Parse(text, json.Limits{})
	names := json.Member{Name: dimensionNamesAttribute, Value: v}
	members := slices.Clone(n.Attributes.Members())
	if i := slices.IndexFunc(members, func(m json.Member) bool { return m.Name == names.Name }); i >= 0 {
		members[i] = names
	} else {
		members = append(members, names)
	}
	return json.Make(members...).Raw()
}
