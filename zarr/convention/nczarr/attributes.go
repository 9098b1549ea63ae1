package nczarr

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// UserAttributes returns a node's attributes in their order, without those of NCZarr and xarray.
func UserAttributes(n *meta.Node) []json.Member {
	var user []json.Member
	for _, m := range n.Attributes.Members() {
		if !isOwn(m.Name) {
			user = append(user, m)
		}
	}
	return user
}

// isOwn reports whether an attribute is absent from the netCDF file.
func isOwn(name string) bool {
	const prefix = "_nczarr_"
	return name == "_ARRAY_DIMENSIONS" || len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
}

// ownOf returns NCZarr's object "group", "array", "attr" or "superblock" of a node, or the zero
// Value.
func ownOf(n *meta.Node, name string) json.Value {
	lower, upper := "_nczarr_"+name, "_NCZARR_"+strings.ToUpper(name)
	if v := objectOf(n.Attributes, lower, upper); v.Exists() {
		return v
	}
	document := meta.DocumentGroup
	if n.Array != nil {
		document = meta.DocumentArray
	}
	for _, d := range n.Documents {
		if d.Name != document || !bytes.Contains(bytes.ToLower(d.Bytes), []byte("_nczarr_")) {
			continue
		}
		if v, err := json.Parse(d.Bytes, json.Limits{}); err == nil {
			return objectOf(v, lower, upper)
		}
	}
	return json.Value{}
}

// objectOf returns the first of the named members that is an object.
func objectOf(v json.Value, names ...string) json.Value {
	for _, name := range names {
		if of := v.Get(name); of.Kind() == json.Object {
			return of
		}
	}
	return json.Value{}
}

// typeName maps a type's name in NCZarr to netCDF's name. v2 has numpy's names, v3 Zarr's.
func typeName(name string) string {
	switch bare := strings.TrimLeft(name, "<>|="); bare {
	case "i1", "int8":
		return "byte"
	case "u1", "uint8":
		return "ubyte"
	case "i2", "int16":
		return "short"
	case "u2", "uint16":
		return "ushort"
	case "i4", "int32":
		return "int"
	case "u4", "uint32":
		return "uint"
	case "i8", "int64":
		return "int64"
	case "u8", "uint64":
		return "uint64"
	case "f4", "float32":
		return "float"
	case "f8", "float64":
		return "double"
	case "S1", "char":
		return "char"
	case "J0":
		return "json"
	default:
		if bare == "string" || regexp.MustCompile(`^S\d+$`).MatchString(bare) {
			return "string"
		}
		return name
	}
}

// AttributeTypes returns the netCDF types of a node's [UserAttributes]: {"units": "char", "n":
// "int"}.
func AttributeTypes(n *meta.Node) map[string]string { return attributeTypes(n, json.Value{}) }

// attributeTypes falls back to more, the document .nczattr, for nodes without a newer form.
func attributeTypes(n *meta.Node, more json.Value) map[string]string {
	found := map[string]string{}
	add := func(name string, is bool, of json.Value) {
		named, ok := of.Text()
		if is && ok && !isOwn(name) && n.Attributes.Get(name).Exists() {
			found[name] = typeName(named)
		}
	}
	said := ownOf(n, "attr")
	if !said.Exists() {
		said = more
	}
	for _, m := range said.Get("types").Members() {
		add(m.Name, true, m.Value)
	}
	for _, entry := range ownOf(n, "attrs").Get("attribute_types").Items() {
		name, ok := entry.Get("name").Text()
		add(name, ok, entry.Get("configuration").Get("type"))
	}
	return found
}

// TypeName returns the netCDF type of an array's elements. Zarr's strings of one byte are char, and
// all others string.
func TypeName(t *dtype.Type) string {
	switch t.Kind {
	case dtype.Char:
		if t.Size == 1 {
			return "char"
		}
		return "string"
	case dtype.String, dtype.Unicode:
		return "string"
	}
	return typeName(t.Name)
}
