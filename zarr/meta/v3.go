package meta

import (
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

func parseV3Document(doc Document, opt Options) (*Node, error) {
	v, err := parseObject(doc, opt)
	if err != nil {
		return nil, err
	}
	// The rest, without consolidated metadata, has the limit of other documents.
	if most := opt.limits(DocumentAttributes).Bytes; most > 0 && len(doc.Bytes) > most {
		own := len(doc.Bytes) - len(v.Get("consolidated_metadata").Raw())
		if err := limits.Check("MetadataBytes", int64(most), int64(own), DocumentV3); err != nil {
			return nil, err
		}
	}
	n, err := parseV3(v, opt)
	if err != nil {
		return nil, err
	}
	n.Documents = []Document{doc}
	return n, nil
}

// parseV3 reads a zarr.json (specification of version 3, "Metadata").
func parseV3(doc json.Value, opt Options) (*Node, error) {
	if err := refuseDraft(doc); err != nil {
		return nil, err
	}
	if err := checkFormat(doc, 3); err != nil {
		return nil, err
	}
	v, err := required(doc, "node_type")
	if err != nil {
		return nil, err
	}
	n := &Node{Format: 3}
	if n.Attributes, err = attributes(doc.Get("attributes"), "attributes"); err != nil {
		return nil, err
	}
	switch kind, _ := v.Text(); kind {
	case "array":
		n.Array, err = parseV3Array(doc, n.Attributes, opt)
	case "group":
		err = understandMembers(doc, isGroupMember)
		if err == nil && !opt.IgnoreConsolidated {
			n.Consolidated, err = parseInline(doc.Get("consolidated_metadata"), opt)
		}
	default:
		err = fail("node_type", `is `+quoted(v)+`, not "array" or "group"`)
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}

// refuseDraft detects the root document of the drafts of 2020 to 2022. They kept their metadata
// below meta/ and share only the name with version 3.
func refuseDraft(doc json.Value) error {
	uri, _ := doc.Get("zarr_format").Text()
	if strings.Contains(uri, "purl.org/zarr/spec/") || doc.Get("metadata_key_suffix").Exists() {
		return unsupported("zarr_format", "a draft of version 3 from before 2023, which is not supported")
	}
	return nil
}

func isGroupMember(name string) bool {
	switch name {
	case "zarr_format", "node_type", "attributes", "consolidated_metadata":
		return true
	}
	return false
}

func isArrayMember(name string) bool {
	switch name {
	case "zarr_format", "node_type", "attributes", "shape", "data_type", "chunk_grid",
		"chunk_key_encoding", "fill_value", "codecs", "storage_transformers", "dimension_names":
		return true
	}
	return false
}

// understandMembers rejects unknown members, unless they are objects with must_understand: false.
func understandMembers(doc json.Value, known func(string) bool) error {
	for _, m := range doc.Members() {
		if known(m.Name) {
			continue
		}
		if must, ok := m.Value.Get("must_understand").Bool(); ok && !must {
			continue
		}
		return unsupported(m.Name, "unknown member, which must be understood")
	}
	return nil
}

func parseV3Array(doc, attrs json.Value, opt Options) (*Array, error) {
	if err := understandMembers(doc, isArrayMember); err != nil {
		return nil, err
	}
	for _, field := range []string{"shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs"} {
		if _, err := required(doc, field); err != nil {
			return nil, err
		}
	}
	a := &Array{FillDefined: true}
	var err error
	if a.Shape, err = shapeOf(doc, opt); err != nil {
		return nil, err
	}
	if a.Type, err = parseDataType(doc.Get("data_type"), opt); err != nil {
		return nil, err
	}
	if a.Grid, err = parseGrid(doc.Get("chunk_grid"), a.Shape); err != nil {
		return nil, err
	}
	if a.Keys, err = parseKeys(doc.Get("chunk_key_encoding")); err != nil {
		return nil, err
	}
	if a.Codecs, err = parseCodecs(doc.Get("codecs"), len(a.Shape)); err != nil {
		return nil, err
	}
	if err = checkTransformers(doc.Get("storage_transformers")); err != nil {
		return nil, err
	}
	a.FillText = doc.Get("fill_value")
	if fill := a.FillText; fill.Kind() != json.Null || a.Type.Kind == dtype.Optional {
		if a.Fill, err = a.Type.FillV3(fill); err != nil {
			return nil, typeError("fill_value", err)
		}
	} else if a.Fill, a.FillDefined = a.Type.Zero(), false; len(a.Codecs) == 0 && !a.Type.Variable() {
		// Leniency: zarrita writes null if its caller gave no fill value, and reads zeros. Its
		// create then also writes no codecs, if none were given, and stores little-endian elements.
		config := json.Make(json.Member{Name: "endian", Value: json.Text("little")})
		a.Codecs = []CodecSpec{{Name: "bytes", Config: config}}
	}
	if a.DimensionNames, err = dimensionNames(doc.Get("dimension_names"), len(a.Shape)); err != nil {
		return nil, err
	}
	if a.DimensionNames == nil {
		a.DimensionNames = xarrayNames(attrs, len(a.Shape)) // written before v3 had its own names
	}
	return a, nil
}

// parseDataType passes the type to package dtype, with its name shortened.
func parseDataType(v json.Value, opt Options) (*dtype.Type, error) {
	e, err := understood(v, "data_type")
	if err != nil {
		return nil, err
	}
	name := json.Text(e.name)
	if e.config.Exists() {
		v = json.Make(json.Member{Name: "name", Value: name}, json.Member{Name: "configuration", Value: e.config})
	} else {
		v = name
	}
	t, err := dtype.ParseV3(v, opt.Type)
	if err != nil {
		return nil, typeError("data_type", err)
	}
	return t, nil
}

// checkTransformers rejects storage transformers, because none is defined. Null and an empty list
// count as none. Entries with must_understand: false are ignored.
func checkTransformers(v json.Value) error {
	const field = "storage_transformers"
	if v.IsNull() {
		return nil
	}
	items, err := itemsOf(v, field, "")
	if err != nil {
		return err
	}
	for _, item := range items {
		e, err := parseExtension(item, field)
		if err != nil {
			return err
		}
		if !e.optional {
			return unsupported(field, "unknown storage transformer "+strconv.Quote(e.name))
		}
	}
	return nil
}

// dimensionNames reads a list of texts and nulls. Leniency: null for the whole list counts as none.
func dimensionNames(v json.Value, rank int) ([]DimensionName, error) {
	const field = "dimension_names"
	if v.IsNull() {
		return nil, nil
	}
	if v.Kind() != json.Array {
		return nil, fail(field, "is "+quoted(v)+", not a list")
	}
	if v.Len() != rank {
		return nil, fail(field, strconv.Itoa(v.Len())+" names for "+strconv.Itoa(rank)+" dimensions")
	}
	names := make([]DimensionName, rank)
	for i, item := range v.Items() {
		name, ok := item.Text()
		if !ok && !item.IsNull() {
			return nil, fail(field, quoted(item)+" is neither a name nor null")
		}
		names[i] = DimensionName{name, ok}
	}
	return names, nil
}
