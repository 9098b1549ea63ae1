package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// cuts is an option's division of arrays into chunks or shards: a shape, or the edges of a
// rectilinear grid.
type cuts struct {
	shape []int64
	edges [][]grid.Run
}

// fit reports whether the cuts have as many dimensions as an array.
func (c cuts) fit(spec *zarr.ArraySpec) bool {
	return (c.shape != nil || c.edges != nil) && len(c.shape)+len(c.edges) == len(spec.Shape)
}

// cutsOf parses an option: a shape as text, or JSON.
func cutsOf(c *cli.Command, name string) (of cuts, err error) {
	text := strings.TrimSpace(c.String(name))
	if !strings.HasPrefix(text, "[") {
		of.shape, err = lengths(text)
		return of, err
	}
	if of.shape, of.edges, err = zarr.ParseChunks([]byte(text)); err != nil {
		err = usageError{fmt.Errorf("--%s: %w", name, err)}
	}
	return of, err
}

// lengths parses a shape.
func lengths(text string) ([]int64, error) {
	if text == "" {
		return nil, nil
	}
	var shape []int64
	for _, one := range strings.Split(text, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(one), 10, 64)
		if err != nil || n < 1 {
			return nil, usageError{fmt.Errorf("the shape %q: %q is not a length", text, one)}
		}
		shape = append(shape, n)
	}
	return shape, nil
}

// mostNamed is the number of arrays that a message names.
const mostNamed = 10

// checkCuts checks --chunks and --shards against the array, or the arrays of a group. It prints the
// arrays of a group to which an option does not apply. An option that applies to none is an error.
func checkCuts(ctx context.Context, c *cli.Command, n zarr.Node) error {
	for _, name := range []string{"chunks", "shards"} {
		of, err := cutsOf(c, name)
		if err != nil {
			return err
		}
		rank := len(of.shape) + len(of.edges)
		if rank == 0 {
			continue
		}
		option := "--" + name + " " + c.String(name)
		fitting, others := 0, []*zarr.Array{}
		err = zarr.Each(ctx, n, func(n zarr.Node, _ string) error {
			if a, ok := n.(*zarr.Array); ok && len(a.Shape) == rank {
				fitting++
			} else if ok {
				others = append(others, a)
			}
			return nil
		})
		switch {
		case err != nil:
			return err
		case fitting == 0 && len(others) == 0:
			return usageError{fmt.Errorf("%s: the group %q has no arrays", option, "/"+n.Path())}
		case fitting == 0:
			most := slices.MaxFunc(others, func(a, b *zarr.Array) int { return len(a.Shape) - len(b.Shape) })
			if len(others) > 1 {
				option += fmt.Sprintf(" applies to none of %d arrays", len(others))
			}
			return usageError{fmt.Errorf("%s: %s", option, expectedCuts(most))}
		case len(others) > 0:
			fmt.Fprintf(c.Root().ErrWriter, "zarr: %s does not apply to %s\n", option, named(others))
		}
	}
	return nil
}

// expectedCuts returns the reason why a shape does not fit an array, and one that fits.
func expectedCuts(a *zarr.Array) string {
	if len(a.Shape) == 0 {
		return fmt.Sprintf("the array %q has the shape [] without dimensions: omit the option", "/"+a.Path())
	}
	example := strings.Trim(strings.ReplaceAll(fmt.Sprint(a.ChunkGrid().ChunkShapes()), " ", ","), "[]")
	return fmt.Sprintf("the array %q has the shape %v: expected a length for each dimension, such as %s", "/"+a.Path(), a.Shape, example)
}

// named lists arrays with their shapes.
func named(arrays []*zarr.Array) string {
	var names []string
	for _, a := range arrays[:min(len(arrays), mostNamed)] {
		names = append(names, fmt.Sprintf("%q of shape %v", "/"+a.Path(), a.Shape))
	}
	if more := len(arrays) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
