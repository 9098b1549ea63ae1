package ome

import "github.com/zarr-wasm/zarr-wasm/internal/json"

// RGBA is red, green, blue and opacity.
type RGBA [4]uint8

// Label describes the labels that an image's elements are (section "image-label", since 0.5
// "labels"). Values are decimal integers, signed or unsigned, of up to 64 bits.
type Label struct {
	// Colors maps values to colours, or to nil for an entry without one. The last entry of a value
	// counts.
	Colors map[string]*RGBA
	// Properties holds the properties of values.
	Properties map[string][]json.Member
	// Source is the path of the labelled image, relative to this one.
	Source string
}

// labelOf reads "image-label" without its invalid parts.
func labelOf(p member, d document) *Label {
	label := &Label{Colors: map[string]*RGBA{}, Properties: map[string][]json.Member{}, Source: "../../"}
	if !p.object() {
		return label
	}
	if colors := p.get("colors"); !colors.Exists() {
		colors.should("an `image-label` SHOULD have `colors`")
	} else {
		eachValue(colors, func(value string, item member) { label.Colors[value] = rgbaOf(item.get("rgba")) })
	}
	if properties := p.get("properties"); properties.Exists() {
		eachValue(properties, func(value string, item member) {
			others := []json.Member{}
			for _, m := range item.Members() {
				if m.Name != "label-value" {
					others = append(others, m)
				}
			}
			label.Properties[value] = others
		})
	}
	if source := p.get("source"); source.Exists() {
		source.optional(source.isObject(), "an object")
		image := source.get("image")
		image.optional(image.isText(), "a string")
		if image.text() != "" {
			label.Source = image.text()
		}
	}
	checkVersion(p, d, "an `image-label`")
	return label
}

// eachValue calls take for the items of a list that have a valid label value.
func eachValue(p member, take func(value string, item member)) {
	seen := map[string]bool{}
	for _, item := range p.list() {
		if !item.isObject() {
			item.must("this MUST be an object")
			continue
		}
		at := item.get("label-value")
		value, ok := at.integer()
		switch {
		case !at.Exists():
			at.must("`label-value` is missing")
			continue
		case !ok:
			at.must("`label-value` MUST be an integer")
			continue
		case seen[value]:
			at.must("the values of labels MUST be unique")
		}
		seen[value] = true
		take(value, item)
	}
}

func rgbaOf(p member) *RGBA {
	if !p.Exists() {
		return nil
	}
	var rgba RGBA
	good := len(p.Items()) == len(rgba)
	for i, item := range p.Items() {
		n, ok := item.Int64()
		if good = good && ok && n >= 0 && n <= 255; good {
			rgba[i] = uint8(n)
		}
	}
	if !good {
		p.must("`rgba` MUST be four integers from 0 to 255")
		return nil
	}
	return &rgba
}

// pathsOf returns the paths that a group of labels lists.
func pathsOf(p member) []string {
	paths := []string{}
	if !p.isList() {
		p.must("this MUST be a list of paths")
	}
	for _, item := range p.items() {
		if item.text() == "" {
			item.must("this MUST be a path")
		} else {
			paths = append(paths, item.text())
		}
	}
	return paths
}
