package ome

import (
	"math"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// dataset is a resolution of an image, as in the document.
type dataset struct {
	path string
	// transformations map the dataset's indices to physical coordinates, in order; nil before 0.4.
	transformations []Transformation
}

// multiscale is an image, as in the document (section "multiscales").
type multiscale struct {
	name, kind string
	metadata   json.Value
	axes       []Axis
	datasets   []dataset
	// intrinsic is, since 0.6, the coordinate system of the levels.
	intrinsic string
	systems   []CoordinateSystem
	// transformations are, since 0.6, the image's further transformations.
	transformations []Transformation
}

// multiscaleOf reads an image. It returns nil when the document does not determine the pixels'
// positions.
func multiscaleOf(p member, d document) *multiscale {
	if !p.isObject() {
		p.must("a multiscale MUST be an object")
		return nil
	}
	name, kind, metadata := p.get("name"), p.get("type"), p.get("metadata")
	for _, one := range []member{name, kind} {
		if one.Exists() && !one.isNull() {
			one.optional(one.isText(), "a string")
		}
	}
	for _, one := range []struct {
		member
		what string
	}{{name, "a `name`"}, {kind, "a `type`"}, {metadata, "`metadata`"}} {
		if d.version >= "0.2" && !one.Exists() {
			one.should("a multiscale SHOULD have " + one.what)
		}
	}
	checkVersion(p, d, "a multiscale")
	m := &multiscale{name: name.text(), kind: kind.text(), metadata: metadata.Value}
	if d.version >= "0.6" {
		if !m.systemsAndDatasets(p, d.draft()) {
			return nil
		}
		return m
	}
	if d.version < "0.4" {
		m.axes = axesBefore04(p.get("axes"), d.version)
	} else {
		m.axes = imageAxes(p.get("axes"))
	}
	items := p.get("datasets").list()
	good := m.axes != nil && len(items) > 0
	count := anyNumber
	if m.axes != nil {
		count = len(m.axes)
	}
	var shared []Transformation
	broken := false
	if more := p.get("coordinateTransformations"); d.version >= "0.4" && more.Exists() {
		shared = scaleAndTranslation(more, count)
		broken = shared == nil
	}
	for _, item := range items {
		one := dataset{path: pathOf(item)}
		if d.version >= "0.4" && item.isObject() {
			own := scaleAndTranslation(item.get("coordinateTransformations"), count)
			if own != nil && one.path != "" && !broken {
				one.transformations = slices.Concat(own, shared)
			}
		}
		good = good && one.path != "" && (d.version < "0.4" || one.transformations != nil)
		m.datasets = append(m.datasets, one)
	}
	if d.version >= "0.4" {
		finestFirst(items, m.datasets)
	}
	if !good {
		return nil
	}
	return m
}

func pathOf(p member) string {
	if !p.isObject() {
		p.must("a dataset MUST be an object")
		return ""
	}
	return p.get("path").needed()
}

// scaleAndTranslation returns the transformations of one level or of all levels, in 0.4 and 0.5:
// one scale, optionally followed by one translation.
func scaleAndTranslation(p member, axes int) []Transformation {
	items := p.list()
	if len(items) == 0 {
		return nil
	}
	isScale := func(item member) bool { return item.get("type").text() == "scale" }
	firstScale := slices.IndexFunc(items, isScale)
	scales, translations, good := 0, 0, true
	var read []Transformation
	for i, item := range items {
		kind := item.get("type")
		if item.isObject() && kind.isText() && kind.text() != "scale" && kind.text() != "translation" {
			kind.must("the type MUST be scale or translation, not " + kind.text())
			good = false
			continue
		}
		one := transformationOf(item, axes, 0)
		if one != nil {
			read = append(read, *one)
			checkScale(item, *one)
		}
		good = good && one != nil && isScaled(*one)
		if isScale(item) {
			if scales++; scales > 1 {
				item.must("there MUST be exactly one scale")
			}
		}
		if kind.text() != "translation" {
			continue
		}
		if translations++; translations > 1 {
			item.must("there MUST be no more than one translation")
		} else if i < firstScale {
			item.must("a translation MUST come after the scale")
		}
	}
	if scales == 0 {
		p.must("there MUST be exactly one scale")
	}
	if !good || scales == 0 {
		return nil
	}
	return read
}

// isScaled returns false for a scale with a 0, which maps different points to one.
func isScaled(t Transformation) bool { return t.Type != "scale" || !slices.Contains(t.Scale, 0) }

func checkScale(p member, t Transformation) {
	if t.Type != "scale" {
		return
	}
	if !isScaled(t) {
		p.get("scale").must("a scale of 0 is not the size of a pixel")
	} else if len(t.Scale) > 0 && slices.Min(t.Scale) < 0 {
		p.get("scale").report(Warning, "a negative scale flips an axis")
	}
}

// finestFirst reports a level that is finer than the previous one, by the document's scales.
func finestFirst(items []member, datasets []dataset) {
	var before []float64
	for i, one := range datasets {
		all := one.transformations
		if len(all) == 1 && all[0].Type == "sequence" {
			all = all[0].Transformations
		}
		first := slices.IndexFunc(all, func(t Transformation) bool { return t.Type == "scale" })
		if first < 0 || all[first].Scale == nil {
			continue
		}
		scale := all[first].Scale
		if before != nil {
			for axis := range min(len(scale), len(before)) {
				if math.Abs(scale[axis]) < math.Abs(before[axis])*(1-1e-9) {
					items[i].get("path").must("the datasets MUST be ordered from the highest resolution to the lowest")
					break
				}
			}
		}
		before = scale
	}
}

// systemsAndDatasets reads 0.6's coordinate systems, and the levels, which all map to one of them.
func (m *multiscale) systemsAndDatasets(p member, draft bool) bool {
	m.systems = coordinateSystems(p.get("coordinateSystems"), true)
	byName := map[string]CoordinateSystem{}
	for _, system := range m.systems {
		byName[system.Name] = system
	}
	items := p.get("datasets").list()
	good := len(items) > 0
	for _, item := range items {
		one := dataset{path: pathOf(item)}
		if t := m.levelOf(item, one.path, byName, draft); t != nil && one.path != "" {
			one.transformations = []Transformation{*t}
		}
		good = good && one.path != "" && one.transformations != nil
		m.datasets = append(m.datasets, one)
	}
	finestFirst(items, m.datasets)
	m.furtherTransformations(p.get("coordinateTransformations"), byName, draft)
	if m.intrinsic == "" {
		return false
	}
	connected(p.get("coordinateSystems"), m.intrinsic, m.transformations)
	m.axes = byName[m.intrinsic].Axes
	return good
}

// levelOf returns the transformation of a level in 0.6, or nil.
func (m *multiscale) levelOf(item member, path string, byName map[string]CoordinateSystem, draft bool) *Transformation {
	if !item.isObject() {
		return nil
	}
	list := item.get("coordinateTransformations")
	all := list.list()
	if len(all) == 0 {
		return nil
	}
	first := all[0]
	if len(all) > 1 {
		list.must("there MUST be a single scale, identity or sequence of a scale and a translation")
	}
	output := first.get("output")
	to := referenceOf(output, draft)
	from := referenceOf(first.get("input"), draft)
	if from != nil && path != "" {
		is := from.Path
		if draft && is == "" {
			is = from.Name
		}
		if is != path {
			first.get("input").must("the input MUST be the dataset's `path`")
		}
	}
	if !draft && from != nil && from.Name != "" {
		first.get("input").get("name").should("the input of a dataset SHOULD have no `name`")
	}
	if !draft && to != nil && to.Path != "" {
		output.get("path").should("the output of a dataset SHOULD have no `path`")
	}
	var system CoordinateSystem
	known := false
	if to != nil {
		if system, known = byName[to.Name]; !known && len(byName) > 0 {
			output.must("the output MUST be the name of a coordinate system of this multiscale")
		}
	}
	axes := anyNumber
	if known {
		axes = len(system.Axes)
		if m.intrinsic == "" {
			m.intrinsic = system.Name
		} else if m.intrinsic != system.Name {
			output.must("the output MUST be the same for all datasets")
		}
	}
	one := levelTransformation(first, axes)
	if len(all) > 1 || one == nil || from == nil || !known || system.Name != m.intrinsic {
		return nil
	}
	one.Input, one.Output = &Reference{Path: path}, &Reference{Name: system.Name}
	return one
}

func levelTransformation(p member, axes int) *Transformation {
	const what = "the transformation of a dataset MUST be a scale, an identity or a sequence of a scale and a translation"
	kind := p.get("type")
	if kind.isText() && !slices.Contains([]string{"scale", "identity", "sequence"}, kind.text()) {
		kind.must(what)
		return nil
	}
	one := transformationOf(p, axes, 0)
	if one == nil {
		return nil
	}
	if one.Type != "sequence" {
		checkScale(p, *one)
		if !isScaled(*one) {
			return nil
		}
		return one
	}
	list := p.get("transformations")
	if len(one.Transformations) != 2 || one.Transformations[0].Type != "scale" || one.Transformations[1].Type != "translation" {
		list.must(what)
		return nil
	}
	good := true
	// The second pass checks the lengths inside the sequence.
	for i, item := range list.items() {
		inner := transformationOf(item, axes, 0)
		good = good && inner != nil && isScaled(*inner)
		checkScale(item, one.Transformations[i])
	}
	if !good {
		return nil
	}
	return one
}

// furtherTransformations reads 0.6's transformations between an image's systems, or to those of its
// labels.
func (m *multiscale) furtherTransformations(p member, byName map[string]CoordinateSystem, draft bool) {
	if !p.Exists() {
		return
	}
	for _, item := range p.list() {
		one := referring(item, draft)
		if one == nil {
			continue
		}
		linked, away := false, false
		for _, end := range []struct {
			name string
			*Reference
		}{{"input", one.Input}, {"output", one.Output}} {
			if end.Name == "" {
				item.get(end.name).get("name").must("`name` MUST name a coordinate system")
			} else if _, known := byName[end.Name]; end.Path == "" && !known {
				item.get(end.name).must("there is no coordinate system " + quote(end.Name) + " in this multiscale")
			}
			linked = linked || end.Path == "" && end.Name == m.intrinsic
			away = away || end.Path != ""
		}
		if m.intrinsic != "" && !linked {
			item.must("the input or the output MUST be " + quote(m.intrinsic) + ", the output of the datasets")
		}
		if away && !slices.Contains([]string{"identity", "scale", "translation", "sequence"}, one.Type) {
			item.get("type").must("to the coordinate system of a label image the type MUST be identity, scale or translation")
		}
		checkAxes(item, *one, byName)
		m.transformations = append(m.transformations, *one)
	}
}

// checkAxes reports a transformation whose parameters do not match the axes of its systems, if
// known.
func checkAxes(p member, t Transformation, byName map[string]CoordinateSystem) {
	from, known := byName[t.Input.Name]
	to, alsoKnown := byName[t.Output.Name]
	if !known || !alsoKnown || t.Input.Path != "" || t.Output.Path != "" {
		return
	}
	// More axes are reported elsewhere. Multiplying their matrices could be slow.
	if len(from.Axes) > 8 || len(to.Axes) > 8 {
		return
	}
	if why := t.misfit(len(from.Axes), len(to.Axes)); why != "" {
		p.must(why)
	}
}

// referring returns a transformation between two systems, or nil.
func referring(p member, draft bool) *Transformation {
	one := transformationOf(p, anyNumber, 0)
	if !p.isObject() {
		return nil
	}
	input, output := referenceOf(p.get("input"), draft), referenceOf(p.get("output"), draft)
	if one == nil || input == nil || output == nil {
		return nil
	}
	one.Input, one.Output = input, output
	return one
}

// connected reports the systems that no transformation links to the intrinsic one.
func connected(systems member, intrinsic string, transformations []Transformation) {
	linked := map[string][]string{}
	for _, t := range transformations {
		if from, to := t.Input, t.Output; from.Name != "" && to.Name != "" && from.Path == "" && to.Path == "" {
			linked[from.Name] = append(linked[from.Name], to.Name)
			linked[to.Name] = append(linked[to.Name], from.Name)
		}
	}
	reached := map[string]bool{intrinsic: true}
	for queue := []string{intrinsic}; len(queue) > 0; queue = queue[1:] {
		for _, other := range linked[queue[0]] {
			if !reached[other] {
				reached[other] = true
				queue = append(queue, other)
			}
		}
	}
	for _, item := range systems.items() {
		if name := item.get("name").text(); name != "" && !reached[name] {
			item.must("a transformation MUST link " + quote(name) + " with the other coordinate systems")
		}
	}
}
