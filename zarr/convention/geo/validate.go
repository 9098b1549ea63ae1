package geo

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Violation is a violation of a specification of the registry.
type Violation struct {
	// Convention is the specification: "spatial", "proj", "multiscales", or "zarr_conventions" itself.
	Convention string
	// Attribute is the attribute and the place in it: "multiscales/layout/0/asset".
	Attribute string
	// Section is the section of the specification.
	Section string
	// Level is "error" for a violated requirement (MUST, "required", a type). It is "warning" for a
	// recommendation (SHOULD) or a contradiction.
	Level string
	// Message states the requirement and the value found.
	Message string
}

// Validate checks attributes against the Zarr Conventions Specification and the conventions
// spatial, proj and multiscales. It checks the conventions that zarr_conventions declares or whose
// properties are present. The attributes' node is needed for rules about arrays or groups, and may
// be nil.
func Validate(attributes json.Value, node zarr.Node) []Violation {
	v := &validator{attributes: attributes}
	if node != nil {
		v.kind = "group"
	}
	if array, ok := node.(*zarr.Array); ok {
		v.kind, v.array = "array", array
	}
	v.of("zarr_conventions")
	declared := v.conventions()
	levels := attributes.Get("multiscales").Get("layout")
	used := func(prefix string) bool {
		has := func(m json.Member) bool { return strings.HasPrefix(m.Name, prefix) }
		return slices.ContainsFunc(attributes.Members(), has) ||
			slices.ContainsFunc(levels.Items(), func(level json.Value) bool { return slices.ContainsFunc(level.Members(), has) })
	}
	for _, c := range []struct {
		name string
		used bool
		ask  func()
	}{{"spatial", used("spatial:"), v.spatial}, {"proj", used("proj:"), v.proj}, {"multiscales", levels.Exists(), v.layout}} {
		if c.used && !declared[c.name] {
			v.of("zarr_conventions")
			v.wrong("zarr_conventions", "Requirements", "MUST declare %s, because its properties are present", c.name)
		}
		if c.used || declared[c.name] {
			v.of(c.name)
			c.ask()
		}
	}
	return v.found
}

type validator struct {
	attributes json.Value
	kind       string
	array      *zarr.Array // nil for a group or an unknown node
	convention string
	found      []Violation
}

func (v *validator) of(convention string) { v.convention = convention }

func (v *validator) wrong(attribute, section, format string, args ...any) {
	v.found = append(v.found, Violation{v.convention, attribute, section, "error", fmt.Sprintf(format, args...)})
}

func (v *validator) odd(attribute, section, format string, args ...any) {
	v.found = append(v.found, Violation{v.convention, attribute, section, "warning", fmt.Sprintf(format, args...)})
}

// isUUID checks for groups of 8, 4, 4, 4 and 12 hexadecimal digits.
func isUUID(s string) bool {
	parts := strings.Split(s, "-")
	for i, n := range []int{8, 4, 4, 4, 12} {
		if len(parts) != 5 || len(parts[i]) != n || strings.Trim(parts[i], "0123456789abcdefABCDEF") != "" {
			return false
		}
	}
	return true
}

// conventions checks the Convention Metadata Objects, and returns the known conventions that they
// declare.
func (v *validator) conventions() map[string]bool {
	const section = "Convention Registration via zarr_conventions"
	declared := map[string]bool{}
	list := v.attributes.Get("zarr_conventions")
	if !list.Exists() {
		return declared
	}
	if list.Kind() != json.Array {
		v.wrong("zarr_conventions", section, "MUST be an array of Convention Metadata Objects, not %s", shown(list))
		return declared
	}
	fields := []string{"uuid", "schema_url", "spec_url", "name", "description"}
	for i, entry := range list.Items() {
		at := "zarr_conventions/" + strconv.Itoa(i)
		if entry.Kind() != json.Object {
			v.wrong(at, section, "MUST be an object, not %s", shown(entry))
			continue
		}
		if !entry.Get("uuid").Exists() && !entry.Get("schema_url").Exists() && !entry.Get("spec_url").Exists() {
			v.wrong(at, section, "MUST have at least one of uuid, schema_url and spec_url")
		}
		for _, field := range fields {
			value := entry.Get(field)
			text, ok := value.Text()
			switch {
			case !value.Exists():
			case !ok:
				v.wrong(at+"/"+field, section, "must be a string, not %s", shown(value))
			case field == "uuid" && !isUUID(text):
				v.wrong(at+"/uuid", section, "must be a UUID, not %s", shown(value))
			}
		}
		for _, m := range entry.Members() {
			if !slices.Contains(fields, m.Name) {
				v.wrong(at+"/"+m.Name, section, "MUST NOT be present: the object has no other fields")
			}
		}
		if !entry.Get("name").Exists() {
			v.odd(at+"/name", section, "SHOULD be present")
		}
		c := Convention{UUID: textOf(entry.Get("uuid")), SchemaURL: textOf(entry.Get("schema_url")), SpecURL: textOf(entry.Get("spec_url"))}
		if known := c.known(); known != "" {
			declared[known] = true
		}
	}
	return declared
}

// spatial checks the properties of spatial, including those in a layout.
func (v *validator) spatial() {
	get := func(name string) json.Value { return v.attributes.Get("spatial:" + name) }
	dimensions := get("dimensions")
	var names []string
	for _, item := range dimensions.Items() {
		if name, ok := item.Text(); ok {
			names = append(names, name)
		}
	}
	two := dimensions.Kind() == json.Array && dimensions.Len() == 2 && len(names) == 2
	var own []int64
	switch {
	case !dimensions.Exists():
		if v.kind == "array" {
			v.wrong("spatial:dimensions", "spatial:dimensions", "is required on arrays")
		}
	case !two:
		v.wrong("spatial:dimensions", "spatial:dimensions", "must be the names of two dimensions, not %s", shown(dimensions))
	case v.array != nil:
		for _, name := range names {
			i := slices.IndexFunc(v.array.DimensionNames, func(d meta.DimensionName) bool { return d.Named && d.Text == name })
			if i < 0 {
				v.wrong("spatial:dimensions", "spatial:dimensions", "MUST match names of dimension_names: %s is not one of them", shown(json.Text(name)))
			} else {
				own = append(own, v.array.Shape[i])
			}
		}
	}
	if box := get("bbox"); box.Exists() {
		if _, ok := boundsOf(box); !ok {
			v.wrong("spatial:bbox", "spatial:bbox", "must be [xmin, ymin, xmax, ymax], not %s", shown(box))
		}
	}
	kind := get("transform_type")
	text, isText := kind.Text()
	if kind.Exists() && !isText {
		v.wrong("spatial:transform_type", "spatial:transform_type", "must be a string, not %s", shown(kind))
	}
	if m := get("transform"); m.Exists() {
		v.transform("spatial:transform", m)
	} else if (!kind.Exists() || text == "affine") && v.kind == "array" {
		v.wrong("spatial:transform", "spatial:transform", "is required if spatial:transform_type is affine or omitted")
	}
	if stated := get("shape"); stated.Exists() {
		if is := v.shape("spatial:shape", stated); is != nil && len(own) == 2 && !slices.Equal(is[:], own) {
			v.wrong("spatial:shape", "spatial:shape", "is %s, but the array has %v", shown(stated), own)
		}
	}
	if r := get("registration"); r.Exists() && textOf(r) != Pixel && textOf(r) != Node {
		v.wrong("spatial:registration", "spatial:registration", `must be "node" or "pixel", not %s`, shown(r))
	}
	levels := v.attributes.Get("multiscales").Get("layout").Items()
	for i, level := range levels {
		at := "multiscales/layout/" + strconv.Itoa(i) + "/spatial:"
		if m := level.Get("spatial:transform"); m.Exists() {
			v.transform(at+"transform", m)
		}
		if s := level.Get("spatial:shape"); s.Exists() {
			v.shape(at+"shape", s)
		}
	}
	v.sizes(levels)
}

func (v *validator) transform(at string, value json.Value) {
	six, ok := numbers(value, 6)
	switch {
	case !ok:
		v.wrong(at, "spatial:transform", "must be six numbers [a, b, c, d, e, f], not %s", shown(value))
	case !Affine(six).IsInvertible():
		v.odd(at, "spatial:transform", "maps the plane to a line: %s", shown(value))
	}
}

func (v *validator) shape(at string, value json.Value) *[2]int64 {
	shape, ok := sizes(value)
	if !ok {
		v.wrong(at, "spatial:shape", "must be [height, width], two integers of at least 1, not %s", shown(value))
	}
	return shape
}

// sizes checks "consistency: if a level has scale [2, 2] relative to the base, its pixel dimensions
// should be twice those of the base".
func (v *validator) sizes(levels []json.Value) {
	sized := map[string][2]float64{}
	for _, level := range levels {
		six, ok := numbers(level.Get("spatial:transform"), 6)
		if asset, named := level.Get("asset").Text(); ok && named {
			sized[asset] = Affine(six).PixelSize()
		}
	}
	for i, level := range levels {
		size, ok := sized[textOf(level.Get("asset"))]
		source, is := sized[textOf(level.Get("derived_from"))]
		scale, listed := numbers(level.Get("transform").Get("scale"), -1)
		if !ok || !is || !listed || len(scale) < 2 {
			continue
		}
		y, x := scale[len(scale)-2], scale[len(scale)-1]
		fits := func(k int, by float64) bool { return math.Abs(size[k]/source[k]/by-1) < 0.01 }
		if !fits(0, x) || !fits(1, y) {
			v.odd("multiscales/layout/"+strconv.Itoa(i)+"/spatial:transform", "Usage with multiscales convention",
				"has pixels of %s, which is not the scale %s of %s", pair(size), pair([2]float64{x, y}), pair(source))
		}
	}
}

// proj checks the properties of proj.
func (v *validator) proj() {
	code, wkt2, projjson := v.attributes.Get("proj:code"), v.attributes.Get("proj:wkt2"), v.attributes.Get("proj:projjson")
	if code.IsNull() && wkt2.IsNull() && projjson.IsNull() {
		v.wrong("proj:code", "Properties", "at least one of proj:code, proj:wkt2 and proj:projjson MUST be provided")
	}
	if text := textOf(code); !code.IsNull() && !regexp.MustCompile(`^[A-Z]+:[0-9]+$`).MatchString(text) {
		say := v.wrong
		// The pattern excludes codes that the specification itself uses: IAU_2015:30100, OGC:CRS84.
		if regexp.MustCompile(`^[A-Z][A-Za-z0-9_]*:[A-Za-z0-9_]+$`).MatchString(text) {
			say = v.odd
		}
		say("proj:code", "proj:code", "must match the pattern ^[A-Z]+:[0-9]+$, unlike %s", shown(code))
	}
	if !wkt2.IsNull() && wkt2.Kind() != json.String {
		v.wrong("proj:wkt2", "proj:wkt2", "must be a string, not %s", shown(wkt2))
	}
	if !projjson.IsNull() && projjson.Kind() != json.Object {
		v.wrong("proj:projjson", "proj:projjson", "must be an object, not %s", shown(projjson))
	}
}

// isAssetPath checks a path in a layout ("Asset Path Syntax").
func isAssetPath(path string) bool {
	return !strings.Contains(path, "..") && !slices.Contains(strings.Split(path, "/"), "")
}

// layout checks the properties of multiscales.
func (v *validator) layout() {
	multiscales := v.attributes.Get("multiscales")
	if v.kind == "array" {
		v.wrong("multiscales", "Configuration", "is for groups, not for arrays")
	}
	if multiscales.Kind() != json.Object {
		v.wrong("multiscales", "Configuration", "must be an object, not %s", shown(multiscales))
		return
	}
	method := func(at string, of json.Value) {
		if m := of.Get("resampling_method"); m.Exists() && m.Kind() != json.String {
			v.wrong(at+"/resampling_method", "resampling_method", "must be a string, not %s", shown(m))
		}
	}
	method("multiscales", multiscales)
	levels := multiscales.Get("layout")
	if levels.Kind() != json.Array || levels.Len() == 0 {
		v.wrong("multiscales/layout", "layout", "must be a list of at least one object, not %s", shown(levels))
		return
	}
	first := map[string]int{}
	for i, level := range levels.Items() {
		if asset, ok := level.Get("asset").Text(); ok {
			if _, seen := first[asset]; !seen {
				first[asset] = i
			}
		}
	}
	for i, level := range levels.Items() {
		at := "multiscales/layout/" + strconv.Itoa(i)
		if level.Kind() != json.Object {
			v.wrong(at, "Layout Object", "must be an object, not %s", shown(level))
			continue
		}
		method(at, level)
		asset, source, transform := level.Get("asset"), level.Get("derived_from"), level.Get("transform")
		if !asset.Exists() {
			v.wrong(at+"/asset", "Layout Object", "is required")
		}
		for _, p := range []struct {
			name  string
			value json.Value
		}{{"asset", asset}, {"derived_from", source}} {
			if text, ok := p.value.Text(); p.value.Exists() && !(ok && isAssetPath(text)) {
				v.wrong(at+"/"+p.name, "Asset Path Syntax", `must be a relative path of names separated by "/", without "..", not %s`, shown(p.value))
			}
		}
		if text, ok := asset.Text(); ok && first[text] != i {
			v.odd(at+"/asset", "Validation Rules", "is %s, which an earlier level also has", shown(asset))
		}
		if text, ok := source.Text(); ok && isAssetPath(text) {
			if _, is := first[text]; !is {
				v.odd(at+"/derived_from", "Layout Object", "is %s, which is not the asset of a level", shown(source))
			}
		}
		if !transform.Exists() && source.Exists() {
			v.wrong(at+"/transform", "Layout Object", "is required if derived_from is present")
		}
		if transform.Exists() && transform.Kind() != json.Object {
			v.wrong(at+"/transform", "Transform Object", "must be an object, not %s", shown(transform))
		}
		for _, name := range []string{"scale", "translation"} {
			value := transform.Get(name)
			if _, ok := numbers(value, -1); value.Exists() && !ok {
				v.wrong(at+"/transform/"+name, "Transform Object", "must be a list of numbers, not %s", shown(value))
			}
		}
	}
}

// pair formats two numbers as a list.
func pair(of [2]float64) string {
	text := func(v float64) string {
		if size := math.Abs(v); size == 0 || size >= 1e-6 && size < 1e21 {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return "[" + text(of[0]) + "," + text(of[1]) + "]"
}
