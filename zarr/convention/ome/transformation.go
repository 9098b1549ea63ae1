package ome

import (
	"math"
	"slices"
	"strconv"
)

// Reference is an input or output of a transformation (0.6). It is an array, or a named coordinate
// system of this group or of the group at a path. Name is "" for an array, and Path is "" for the
// document's own systems.
type Reference struct {
	Name, Path string
}

// Transformation is a transformation, as in the document (section "coordinateTransformations").
// Type selects the fields that apply. They have the document's names.
type Transformation struct {
	Type, Name string
	// Input and Output are its systems (0.6), or nil.
	Input, Output *Reference

	Scale, Translation            []float64
	Affine, Rotation              [][]float64
	MapAxis                       []int
	DroppedInputs, CreatedOutputs []int
	// Transformations belong to a sequence, Dimensions to a byDimension.
	Transformations []Transformation
	Dimensions      []DimensionTransformation
	Forward         *Transformation
	Inverse         *Transformation
	// Path is the array of parameters, or "" for parameters in the document.
	Path          string
	Interpolation string
}

// DimensionTransformation transforms some axes to others.
type DimensionTransformation struct {
	Transformation        Transformation
	InputAxes, OutputAxes []int
}

// deepest bounds the nesting of transformations.
const deepest = 16

// stored reads parameters that may be in an array. It returns that array's path.
func stored(p member, name string, read func(member) bool) (path string, ok bool) {
	values, at := p.get(name), p.get("path")
	switch {
	case !at.Exists():
		return "", read(values)
	case values.Exists():
		at.must("a transformation MUST have `" + name + "` or `path`, not both")
		return "", false
	}
	path = at.needed()
	return path, path != ""
}

// matrixOf returns the rows of a matrix, all of one length, or nil for an invalid one.
func matrixOf(p member, square bool) [][]float64 {
	rows := p.list()
	if len(rows) == 0 {
		return nil
	}
	if len(rows) > maxAxes {
		p.must("a matrix of " + strconv.Itoa(len(rows)) + " rows: no image has that many axes")
		return nil
	}
	width := len(rows[0].Items())
	if square {
		width = len(rows)
	}
	var m [][]float64
	good := true
	for _, row := range rows {
		numbers, ok := row.numbers(anyNumber)
		if ok && (len(numbers) != width || width == 0) {
			if square {
				row.must("the matrix MUST have as many columns as rows")
			} else {
				row.must("all rows of the matrix MUST have one length")
			}
			ok = false
		}
		good = good && ok
		m = append(m, numbers)
	}
	if !good {
		return nil
	}
	return m
}

// isRotation reports whether the rows are orthonormal with determinant 1. It tolerates rounding to
// seven digits.
func isRotation(rows [][]float64) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6 }
	for i, a := range rows {
		for j, b := range rows {
			dot, want := 0.0, 0.0
			for k := range a {
				dot += a[k] * b[k]
			}
			if i == j {
				want = 1
			}
			if len(a) != len(rows) || !near(dot, want) {
				return false
			}
		}
	}
	return near(determinant(rows), 1)
}

func determinant(rows [][]float64) float64 {
	m := make([][]float64, len(rows))
	for i, row := range rows {
		m[i] = slices.Clone(row)
	}
	det := 1.0
	for i := range m {
		pivot := i
		for r := i + 1; r < len(m); r++ {
			if math.Abs(m[r][i]) > math.Abs(m[pivot][i]) {
				pivot = r
			}
		}
		if m[pivot][i] == 0 {
			return 0
		}
		if pivot != i {
			m[i], m[pivot] = m[pivot], m[i]
			det = -det
		}
		det *= m[i][i]
		for r := i + 1; r < len(m); r++ {
			by := m[r][i] / m[i][i]
			for c := i; c < len(m); c++ {
				m[r][c] -= by * m[i][c]
			}
		}
	}
	return det
}

// indices returns indices of axes: distinct non-negative integers.
func indices(p member, needed bool) ([]int, bool) {
	if !p.Exists() && !needed {
		return nil, true
	}
	items := p.list()
	if len(items) == 0 {
		return nil, false
	}
	var axes []int
	seen := map[int]bool{}
	for _, item := range items {
		n, ok := item.Int64()
		if !ok || n < 0 || n > math.MaxInt32 {
			item.must("the index of an axis MUST be an integer of at least 0")
			return nil, false
		}
		if seen[int(n)] {
			item.must("the indices of axes MUST be unique")
			return nil, false
		}
		seen[int(n)] = true
		axes = append(axes, int(n))
	}
	return axes, true
}

// transformationOf reads a transformation, or records a problem and returns nil. It checks lengths
// against the number of axes unless that is anyNumber.
func transformationOf(p member, axes, depth int) *Transformation {
	if depth > deepest {
		p.must("transformations in transformations, more than " + strconv.Itoa(deepest) + " deep")
		return nil
	}
	if !p.isObject() {
		p.must("a transformation MUST be an object")
		return nil
	}
	t := &Transformation{Type: p.get("type").needed()}
	if t.Type == "" {
		return nil
	}
	ok := t.parameters(p, axes, depth)
	name := p.get("name")
	name.optional(name.isText(), "a string")
	t.Name = name.text()
	if !ok {
		return nil
	}
	return t
}

func (t *Transformation) parameters(p member, axes, depth int) (ok bool) {
	inner := func(p member) *Transformation { return transformationOf(p, anyNumber, depth+1) }
	numbers := func(to *[]float64) func(member) bool {
		return func(values member) (ok bool) {
			*to, ok = values.numbers(axes)
			return ok
		}
	}
	switch t.Type {
	case "identity":
		return true
	case "scale":
		t.Path, ok = stored(p, t.Type, numbers(&t.Scale))
	case "translation":
		t.Path, ok = stored(p, t.Type, numbers(&t.Translation))
	case "affine":
		t.Path, ok = stored(p, t.Type, func(values member) bool {
			t.Affine = matrixOf(values, false)
			return t.Affine != nil
		})
	case "rotation":
		t.Path, ok = stored(p, t.Type, func(values member) bool {
			t.Rotation = matrixOf(values, true)
			if t.Rotation != nil && !isRotation(t.Rotation) {
				values.must("a rotation MUST have orthonormal rows and the determinant 1")
				return false
			}
			return t.Rotation != nil
		})
	case "mapAxis":
		if t.MapAxis, ok = indices(p.get(t.Type), true); ok && slices.Max(t.MapAxis) >= len(t.MapAxis) {
			p.get(t.Type).must("`mapAxis` MUST hold every index from 0 on once")
			ok = false
		}
	case "projectAxis":
		dropped, created := p.get("droppedInputs"), p.get("createdOutputs")
		if !dropped.Exists() && !created.Exists() {
			p.must("a `projectAxis` MUST have `droppedInputs` or `createdOutputs`")
			return false
		}
		var more bool
		t.DroppedInputs, ok = indices(dropped, false)
		t.CreatedOutputs, more = indices(created, false)
		ok = ok && more
	case "sequence":
		items := p.get("transformations").list()
		ok = len(items) > 0
		for _, item := range items {
			if one := inner(item); one != nil {
				t.Transformations = append(t.Transformations, *one)
			} else {
				ok = false
			}
		}
	case "byDimension":
		ok = t.byDimension(p.get("transformations"), inner)
	case "bijection":
		for _, one := range []struct {
			name string
			to   **Transformation
		}{{"forward", &t.Forward}, {"inverse", &t.Inverse}} {
			if at := p.get(one.name); at.Exists() {
				*one.to = inner(at)
			} else {
				at.must("`" + one.name + "` is missing")
			}
		}
		ok = t.Forward != nil && t.Inverse != nil
	case "displacements", "coordinates":
		at := p.get("interpolation")
		t.Path = p.get("path").needed()
		t.Interpolation = "linear"
		at.optional(slices.Contains([]string{"nearest", "linear", "cubic"}, at.text()), "nearest, linear or cubic")
		if at.text() != "" {
			t.Interpolation = at.text()
		}
		ok = t.Path != ""
	default:
		p.get("type").must(quote(t.Type) + " is not a type of transformation")
	}
	return ok
}

func (t *Transformation) byDimension(p member, inner func(member) *Transformation) bool {
	items := p.list()
	good := len(items) > 0
	outputs := map[int]bool{}
	for _, item := range items {
		if !item.object() {
			good = false
			continue
		}
		var one *Transformation
		if at := item.get("transformation"); at.Exists() {
			one = inner(at)
		} else {
			at.must("`transformation` is missing")
		}
		inputAxes, okIn := indices(item.get("inputAxes"), true)
		outputAxes, okOut := indices(item.get("outputAxes"), true)
		twice := false
		for _, axis := range outputAxes {
			twice = twice || outputs[axis]
			outputs[axis] = true
		}
		if twice {
			item.get("outputAxes").must("an axis MUST be the output of one transformation only")
		}
		if one == nil || !okIn || !okOut || twice {
			good = false
			continue
		}
		t.Dimensions = append(t.Dimensions, DimensionTransformation{*one, inputAxes, outputAxes})
	}
	if !good {
		return false
	}
	for axis := range outputs {
		if axis >= len(outputs) {
			p.must("every axis from 0 on MUST be the output of a transformation")
			return false
		}
	}
	return true
}

// referenceOf returns an input or output of a transformation. Drafts before the first candidate of
// 0.6 have a string in place of an object.
func referenceOf(p member, draft bool) *Reference {
	if draft && p.isText() {
		return &Reference{Name: p.text()}
	}
	if !p.object() {
		return nil
	}
	name, path := p.get("name"), p.get("path")
	if !name.isNull() {
		name.optional(name.isText(), "a string")
	}
	if !path.isNull() {
		path.optional(path.isText(), "a string")
	}
	return &Reference{name.text(), path.text()}
}
