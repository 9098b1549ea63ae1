package meta

import (
	"math"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// parseGrid reads a chunk_grid for an array of that shape.
func parseGrid(v json.Value, shape []int64) (*grid.Grid, error) {
	const field = "chunk_grid"
	e, err := understood(v, field)
	if err != nil {
		return nil, err
	}
	var g *grid.Grid
	switch e.name {
	case "regular", "zarrs.regular_bounded":
		chunks, err := integers(e.config.Get("chunk_shape"), field+".chunk_shape", 0)
		if err != nil {
			return nil, err
		}
		if e.name == "regular" {
			g, err = grid.Regular(shape, chunks)
		} else {
			g, err = grid.RegularBounded(shape, chunks)
		}
		if err != nil {
			return nil, &Error{Field: field, Err: err}
		}
		return g, nil
	case "rectilinear":
		// Leniency: the kind may be missing; "inline" is the only one.
		if kind := e.config.Get("kind"); kind.Exists() {
			if s, _ := kind.Text(); s != "inline" {
				return nil, unsupported(field, "rectilinear grid of kind "+quoted(kind))
			}
		}
		return rectilinear(e.config, "chunk_shapes", shape, true)
	case "rectangular": // the grid's form in ZEP 3
		return rectilinear(e.config, "chunk_shape", shape, false)
	}
	return nil, unsupported(field, "unknown chunk grid "+strconv.Quote(e.name))
}

// rectilinear reads a member with an entry for each dimension. An entry is one repeated length or a
// list of lengths. If runs are allowed, a list may also have entries [length, count].
func rectilinear(config json.Value, member string, shape []int64, runs bool) (*grid.Grid, error) {
	field := "chunk_grid." + member
	v := config.Get(member)
	if v.Kind() != json.Array || v.Len() != len(shape) {
		return nil, fail(field, "is not a list of "+strconv.Itoa(len(shape))+" dimensions' chunks")
	}
	edges := make([][]grid.Run, len(shape))
	for i, item := range v.Items() {
		var err error
		if edges[i], err = parseEdges(item, field, runs); err != nil {
			return nil, err
		}
	}
	g, err := grid.Rectilinear(shape, edges)
	if err != nil {
		return nil, &Error{Field: field, Err: err}
	}
	return g, nil
}

// ParseEdges reads one dimension's entry of a rectilinear grid's chunk_shapes. A repeated length is
// a run without a count. The error is an *[Error].
func ParseEdges(v json.Value) ([]grid.Run, error) { return parseEdges(v, "chunk_shapes", true) }

func parseEdges(v json.Value, field string, runs bool) ([]grid.Run, error) {
	if n, ok := v.Int64(); ok {
		if n < 1 {
			return nil, fail(field, quoted(v)+" is not a chunk length")
		}
		return []grid.Run{{Size: n}}, nil
	}
	if v.Kind() != json.Array {
		return nil, fail(field, quoted(v)+" is neither a chunk length nor a list of them")
	}
	var edges []grid.Run
	for _, item := range v.Items() {
		run, ok := parseRun(item, runs)
		if !ok {
			return nil, fail(field, quoted(item)+" is not a chunk length")
		}
		// Equal neighbours form one run: lists are often long and uniform.
		if last := len(edges) - 1; last >= 0 && edges[last].Size == run.Size && edges[last].Count <= math.MaxInt64-run.Count {
			edges[last].Count += run.Count
			continue
		}
		edges = append(edges, run)
	}
	return edges, nil
}

func parseRun(v json.Value, runs bool) (grid.Run, bool) {
	if n, ok := v.Int64(); ok {
		return grid.Run{Size: n, Count: 1}, n > 0
	}
	if !runs || v.Kind() != json.Array || v.Len() != 2 {
		return grid.Run{}, false
	}
	size, ok1 := v.Items()[0].Int64()
	count, ok2 := v.Items()[1].Int64()
	return grid.Run{Size: size, Count: count}, ok1 && ok2 && size > 0 && count > 0
}
