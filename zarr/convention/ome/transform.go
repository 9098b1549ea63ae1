package ome

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// Transform is an affine map of points, given by a matrix (section "Matrix transformations"). It
// covers all transformations except fields.
type Transform struct {
	// Matrix has a row for each output coordinate: the factors of the input coordinates, and an
	// offset.
	Matrix [][]float64
	back   [][]float64
}

// inputs returns the number of input coordinates.
func (t Transform) inputs() int {
	if len(t.Matrix) == 0 {
		return 0
	}
	return len(t.Matrix[0]) - 1
}

// Apply maps a point. The error is an [*zarr.InvalidSelectionError] for a point of the wrong
// length.
func (t Transform) Apply(point []float64) ([]float64, error) {
	n := t.inputs()
	if len(point) != n {
		return nil, badSelection("", "expected a point of %d coordinates, not of %d", n, len(point))
	}
	out := make([]float64, len(t.Matrix))
	for r, row := range t.Matrix {
		out[r] = row[n]
		for i, v := range point {
			if row[i] != 0 {
				out[r] += row[i] * v
			}
		}
	}
	return out, nil
}

// Inverse returns the inverse map. A bijection has the one in the document. The error is an
// [*zarr.UnsupportedError] when there is none.
func (t Transform) Inverse() (Transform, error) {
	if t.back != nil {
		return Transform{t.back, t.Matrix}, nil
	}
	back, err := inverted(t.Matrix)
	return Transform{back, t.Matrix}, err
}

// FollowedBy returns the map that applies t and then next.
func (t Transform) FollowedBy(next Transform) (Transform, error) {
	if next.inputs() != len(t.Matrix) {
		return Transform{}, badMetadata("", "a transformation of %d coordinates follows one that gives %d", next.inputs(), len(t.Matrix))
	}
	all := Transform{Matrix: product(t.Matrix, next.Matrix)}
	if t.back != nil || next.back != nil {
		first, err := next.Inverse()
		if err != nil {
			return Transform{}, err
		}
		then, err := t.Inverse()
		if err != nil {
			return Transform{}, err
		}
		all.back = product(first.Matrix, then.Matrix)
	}
	return all, nil
}

// product returns the matrix that applies first and then second.
func product(first, second [][]float64) [][]float64 {
	width := 1
	if len(first) > 0 {
		width = len(first[0])
	}
	all := make([][]float64, len(second))
	for r, row := range second {
		all[r] = make([]float64, width)
		for c := range all[r] {
			if c == width-1 {
				all[r][c] = row[len(first)]
			}
			for i, inner := range first {
				if row[i] != 0 {
					all[r][c] += row[i] * inner[c]
				}
			}
		}
	}
	return all
}

// inverted inverts a matrix by Gaussian elimination with partial pivoting.
func inverted(matrix [][]float64) ([][]float64, error) {
	n := len(matrix)
	fail := &zarr.UnsupportedError{Feature: "the inverse of a transformation that has none"}
	rows := make([][]float64, n)
	for i, row := range matrix {
		if len(row) != n+1 {
			return nil, fail
		}
		rows[i] = make([]float64, 2*n+1)
		copy(rows[i], row[:n])
		rows[i][n+i] = 1
		rows[i][2*n] = -row[n]
	}
	for i := range rows {
		pivot := i
		for r := i + 1; r < n; r++ {
			if math.Abs(rows[r][i]) > math.Abs(rows[pivot][i]) {
				pivot = r
			}
		}
		rows[i], rows[pivot] = rows[pivot], rows[i]
		by := rows[i][i]
		if by == 0 || !finite(by) {
			return nil, fail
		}
		for c := range rows[i] {
			rows[i][c] /= by
		}
		for r := range rows {
			times := rows[r][i]
			if r == i || times == 0 {
				continue
			}
			for c := range rows[r] {
				rows[r][c] -= times * rows[i][c]
			}
		}
	}
	// The factors, and the negated offsets after the same steps.
	for i, row := range rows {
		rows[i] = row[n:]
		if !finite(rows[i]...) {
			return nil, fail
		}
	}
	return rows, nil
}

func finite(all ...float64) bool {
	return !slices.ContainsFunc(all, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// picked returns the map that picks coordinates by index. An index below 0 yields 0.
func picked(n int, axes []int) Transform {
	m := make([][]float64, len(axes))
	for i, axis := range axes {
		m[i] = make([]float64, n+1)
		if axis >= 0 {
			m[i][axis] = 1
		}
	}
	return Transform{Matrix: m}
}

func eye(n int) Transform {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n+1)
		m[i][i] = 1
	}
	return Transform{Matrix: m}
}

// transform returns the map of a transformation for points of n coordinates. Its parameters must be
// loaded.
func (t Transformation) transform(n int) (Transform, error) {
	if n > maxAxes {
		return Transform{}, badMetadata("", "points of %d coordinates: no image has that many axes", n)
	}
	count := n
	all := eye(n)
	switch t.Type {
	case "identity":
	case "scale":
		if count = len(t.Scale); count == n {
			for i, v := range t.Scale {
				all.Matrix[i][i] = v
			}
		}
	case "translation":
		if count = len(t.Translation); count == n {
			for i, v := range t.Translation {
				all.Matrix[i][n] = v
			}
		}
	case "affine":
		count = -1
		if len(t.Affine) > 0 {
			count = len(t.Affine[0]) - 1
		}
		all = Transform{Matrix: t.Affine}
	case "rotation":
		if count = len(t.Rotation); count == n {
			for i, row := range t.Rotation {
				copy(all.Matrix[i], row)
			}
		}
	case "mapAxis":
		if count = len(t.MapAxis); count == n {
			all = picked(n, t.MapAxis)
		}
	case "projectAxis":
		return t.project(n)
	case "sequence":
		for _, next := range t.Transformations {
			step, err := next.transform(len(all.Matrix))
			if err != nil {
				return Transform{}, err
			}
			if all, err = all.FollowedBy(step); err != nil {
				return Transform{}, err
			}
		}
	case "byDimension":
		return t.dimensions(n)
	case "bijection":
		forward, err := t.Forward.transform(n)
		if err != nil {
			return Transform{}, err
		}
		back, err := t.Inverse.transform(len(forward.Matrix))
		if err != nil {
			return Transform{}, err
		}
		if len(back.Matrix) != n {
			return Transform{}, badMetadata("", "the inverse of a bijection has another number of coordinates")
		}
		return Transform{forward.Matrix, back.Matrix}, nil
	default:
		return Transform{}, &zarr.UnsupportedError{Feature: "transformations of type " + t.Type}
	}
	if count != n {
		return Transform{}, badMetadata("", "the %s has %d coordinates, but points have %d", t.Type, count, n)
	}
	return all, nil
}

func (t Transformation) project(n int) (Transform, error) {
	if len(t.DroppedInputs) > 0 && slices.Max(t.DroppedInputs) >= n {
		return Transform{}, badMetadata("", "a projectAxis drops an axis that %d coordinates do not have", n)
	}
	length := n - len(t.DroppedInputs) + len(t.CreatedOutputs)
	if length > maxAxes {
		return Transform{}, badMetadata("", "points of %d coordinates: no image has that many axes", length)
	}
	if len(t.CreatedOutputs) > 0 && slices.Max(t.CreatedOutputs) >= length {
		return Transform{}, badMetadata("", "a projectAxis makes an axis beyond its %d", length)
	}
	axes := make([]int, length)
	from := 0
	for i := range axes {
		if axes[i] = -1; slices.Contains(t.CreatedOutputs, i) {
			continue
		}
		for slices.Contains(t.DroppedInputs, from) {
			from++
		}
		axes[i] = from
		from++
	}
	return picked(n, axes), nil
}

func (t Transformation) dimensions(n int) (Transform, error) {
	count := 0
	for _, one := range t.Dimensions {
		count += len(one.OutputAxes)
	}
	if count > maxAxes {
		return Transform{}, badMetadata("", "points of %d coordinates: no image has that many axes", count)
	}
	rows := make([][]float64, count)
	for _, one := range t.Dimensions {
		if slices.Max(one.InputAxes) >= n {
			return Transform{}, badMetadata("", "a byDimension takes an axis that %d coordinates do not have", n)
		}
		inner, err := one.Transformation.transform(len(one.InputAxes))
		if err != nil {
			return Transform{}, err
		}
		if len(inner.Matrix) != len(one.OutputAxes) {
			return Transform{}, badMetadata("", "a byDimension gives another number of coordinates than it has outputAxes")
		}
		for i, row := range inner.Matrix {
			wide := make([]float64, n+1)
			for c, axis := range one.InputAxes {
				wide[axis] = row[c]
			}
			wide[n] = row[len(one.InputAxes)]
			rows[one.OutputAxes[i]] = wide
		}
	}
	return Transform{Matrix: rows}, nil
}

// needsArray reports whether a transformation, or one inside it, has parameters in an array.
func (t Transformation) needsArray() bool {
	return t.Path != "" || slices.ContainsFunc(t.Transformations, Transformation.needsArray) ||
		slices.ContainsFunc(t.Dimensions, func(d DimensionTransformation) bool { return d.Transformation.needsArray() }) ||
		t.Forward != nil && (t.Forward.needsArray() || t.Inverse.needsArray())
}

// misfit explains why a transformation cannot map points with from coordinates to points with to
// coordinates, or returns "". It ignores parameters in arrays.
func (t Transformation) misfit(from, to int) string {
	if t.needsArray() {
		return ""
	}
	all, err := t.transform(from)
	var metadata *zarr.InvalidMetadataError
	if errors.As(err, &metadata) {
		return metadata.Err.Error()
	}
	if n := len(all.Matrix); err == nil && n != to {
		return fmt.Sprintf("the transformation gives %d coordinates for %d axes", n, to)
	}
	return ""
}

func badMetadata(path, format string, args ...any) error {
	return &zarr.InvalidMetadataError{Path: path, Err: fmt.Errorf(format, args...)}
}

func badSelection(path, format string, args ...any) error {
	return &zarr.InvalidSelectionError{Path: path, Err: fmt.Errorf(format, args...)}
}

// isMissing reports whether an error means that a node is missing.
func isMissing(err error) bool {
	var missing *zarr.NotFoundError
	return errors.As(err, &missing)
}
