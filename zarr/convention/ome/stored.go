package ome

import (
	"context"
	"encoding/binary"
	"math"
	"path"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// maxAxes bounds the size of stored parameters.
const maxAxes = 32

// resolve resolves a path relative to a group's. ".." goes up, but not beyond the root.
func resolve(g *zarr.Group, to string) string {
	return strings.TrimPrefix(path.Join("/", g.Path(), to), "/")
}

// withParameters completes a transformation with parameters from arrays below the group.
func withParameters(ctx context.Context, g *zarr.Group, t Transformation) (Transformation, error) {
	if t.Path != "" {
		rank := map[string]int{"scale": 1, "translation": 1, "affine": 2, "rotation": 2}[t.Type]
		if rank == 0 {
			return t, nil
		}
		values, err := parameters(ctx, g, t.Path, rank)
		if err != nil {
			return t, err
		}
		switch t.Type {
		case "scale":
			t.Scale = values[0]
		case "translation":
			t.Translation = values[0]
		case "affine":
			t.Affine = values
		case "rotation":
			if !isRotation(values) {
				return t, badMetadata(resolve(g, t.Path), "this is not a rotation matrix")
			}
			t.Rotation = values
		}
		t.Path = ""
		return t, nil
	}
	var err error
	inner := func(t Transformation) Transformation {
		if err == nil {
			t, err = withParameters(ctx, g, t)
		}
		return t
	}
	all := make([]Transformation, len(t.Transformations))
	for i, one := range t.Transformations {
		all[i] = inner(one)
	}
	dimensions := make([]DimensionTransformation, len(t.Dimensions))
	for i, one := range t.Dimensions {
		dimensions[i] = DimensionTransformation{inner(one.Transformation), one.InputAxes, one.OutputAxes}
	}
	t.Transformations, t.Dimensions = all, dimensions
	if t.Forward != nil {
		forward, inverse := inner(*t.Forward), inner(*t.Inverse)
		t.Forward, t.Inverse = &forward, &inverse
	}
	return t, err
}

// parameters reads the rows of an array.
func parameters(ctx context.Context, g *zarr.Group, at string, rank int) ([][]float64, error) {
	at = resolve(g, at)
	array, err := g.Hierarchy().OpenArray(ctx, at)
	if err != nil {
		return nil, err
	}
	good := len(array.Shape) == rank
	for _, length := range array.Shape {
		good = good && length > 0 && length <= maxAxes+1
	}
	if !good {
		return nil, badMetadata(at, "the parameters of a transformation have the shape %v", array.Shape)
	}
	res, err := array.Read(ctx, nil, zarr.ReadOptions{})
	if err != nil {
		return nil, err
	}
	width := int(array.Shape[rank-1])
	var rows [][]float64
	size := array.Type.Size
	for data := res.Data; len(data) > 0; {
		row := make([]float64, width)
		for i := range row {
			v, ok := float64Of(array.Type, data[:size])
			if !ok || !finite(v) {
				return nil, badMetadata(at, "the parameters of a transformation are not finite numbers")
			}
			row[i], data = v, data[size:]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// float64Of converts an element's little-endian bytes to a number.
func float64Of(t *dtype.Type, b []byte) (float64, bool) {
	var whole [8]byte
	if copy(whole[:], b) != len(b) {
		return 0, false
	}
	bits := binary.LittleEndian.Uint64(whole[:])
	switch t.Kind {
	case dtype.Float:
		return t.Float64(bits), true
	case dtype.Uint:
		return float64(bits), true
	case dtype.Int:
		shift := 64 - 8*len(b)
		return float64(int64(bits<<shift) >> shift), true
	}
	return math.NaN(), false
}
