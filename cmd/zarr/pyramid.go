package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/pyramid"
)

func pyramidCommand() *cli.Command {
	return &cli.Command{
		Name: "pyramid", Usage: "make the levels of an image, a grid or a plain array", ArgsUsage: "FROM [TO]",
		Description: "FROM is the address of an array, of a dataset (a group of arrays with dimension names), or of an OME-Zarr image. The levels become members of the group TO, a directory or a URL that accepts PUT, with a copy of FROM as the first. Without TO, levels are added to the image. Each level halves y and x of the level before. Means ignore missing elements. After an interruption the same command continues.",
		Flags: append(layoutFlags(),
			&cli.IntFlag{Name: "format", Usage: "the Zarr `VERSION` of TO, 2 or 3; the default is FROM's"},
			memoryFlag(),
			&cli.StringFlag{Name: "method", Usage: "the `RULE`: mean, mode, max, min or nearest; the default is mode for labels and flags, else mean"},
			&cli.StringSliceFlag{Name: "axis", Usage: "halve the dimension `NAME or NUMBER`; may be repeated; the default is y and x, or the last two"},
			&cli.IntFlag{Name: "levels", Usage: "make `N` levels with the first; the default ends at one chunk"},
			&cli.BoolFlag{Name: "area", Usage: "weigh means by the cosine of the latitude"},
			&cli.BoolFlag{Name: "ome", Usage: "write OME-Zarr metadata for an array"},
			&cli.BoolFlag{Name: "no-shards", Usage: "write no shards, which levels of version 3 have by default"},
			&cli.BoolFlag{Name: "plan", Usage: "print the levels and the units, and do nothing"},
		),
		Action: makePyramid,
	}
}

func makePyramid(ctx context.Context, c *cli.Command) error {
	if n := c.Args().Len(); n != 1 && n != 2 {
		return usageError{errors.New("expected FROM [TO]")}
	}
	copying, err := copyOptions(c)
	if err != nil {
		return err
	}
	from, to := c.Args().Get(0), c.Args().Get(1)
	where := to
	if to == "" {
		where = from
	}
	source, err := pyramidSource(ctx, c)
	if err != nil {
		return err
	}
	target, opt, end, err := working(ctx, c, where, copying.IfExists)
	if err != nil {
		return err
	}
	defer end()
	options := pyramid.Options{
		Options: opt, Method: pyramid.Method(c.String("method")), Levels: int(c.Int("levels")), OME: c.Bool("ome"), Area: c.Bool("area"),
		Format: copying.Format, NoShards: c.Bool("no-shards"), IfExists: copying.IfExists, Source: from,
		Array: func(_ int, spec *zarr.ArraySpec) { copying.Array("", spec) },
	}
	if c.IsSet("axis") {
		options.Axes = c.StringSlice("axis")
	}
	dst := target.Hierarchy
	if to == "" {
		if source, err = inPlace(ctx, c, from); err != nil {
			return err
		}
		dst = nil
	}
	p, err := pyramid.New(ctx, source, dst, c.String("as"), options)
	if err != nil {
		return explained(err)
	}
	if c.Bool("plan") {
		return printLevels(c, p)
	}
	stats, err := p.Run(ctx)
	end()
	if err := report(c, stats, p.Skipped, err); err != nil || p.Skipped || c.Bool("json") {
		return err
	}
	writeLevels(c, p)
	return nil
}

// writeLevels prints the levels, or the reason why there is none.
func writeLevels(c *cli.Command, p *pyramid.Pyramid) {
	out := c.Root().Writer
	for _, l := range p.Levels {
		fmt.Fprintf(out, "level %s: %v\n", l.Path, l.Shape)
	}
	if len(p.Levels) == 1 && !c.IsSet("levels") {
		fmt.Fprintf(out, "no further level: the array has one chunk along dimensions %v; set --levels or smaller --chunks\n", p.Axes)
	}
}

// pyramidSource opens FROM. Without TO it must be an image.
func pyramidSource(ctx context.Context, c *cli.Command) (zarr.Node, error) {
	from, inPlace := c.Args().Get(0), c.Args().Get(1) == ""
	if inPlace && (c.IsSet("as") || c.IsSet("format")) {
		return nil, usageError{errors.New("--as and --format apply to TO")}
	}
	_, n, err := open(ctx, c, []string{from, c.String("node")}, small)
	if err != nil {
		return nil, err
	}
	levels, err := pyramid.Source(ctx, n)
	if err != nil {
		return nil, err
	}
	if inPlace && levels == n {
		return nil, usageError{fmt.Errorf("only an OME-Zarr image takes levels in place: name the new group as TO, as in: zarr pyramid %s %s", shellWord(from), shellWord(levelsName(from)))}
	}
	return n, checkCuts(ctx, c, levels)
}

// levelsName returns the name of a new group for the levels of an array, in the working directory.
func levelsName(from string) string {
	place, _, _ := strings.Cut(filepath.ToSlash(from), "?")
	name := strings.TrimSuffix(path.Base(place), ".zarr")
	if strings.Trim(name, "./") == "" || strings.Contains(name, "|") {
		return "../levels.zarr"
	}
	return name + "-levels.zarr"
}

// inPlace opens a group for changes.
func inPlace(ctx context.Context, c *cli.Command, from string) (zarr.Node, error) {
	how, err := accessOf(c, "")
	if err != nil {
		return nil, err
	}
	h, err := writable(ctx, from, how)
	if err != nil {
		return nil, err
	}
	return h.Open(ctx, c.String("node"), zarr.OpenOptions{})
}

func printLevels(c *cli.Command, p *pyramid.Pyramid) error {
	out := c.Root().Writer
	stages := p.Job().Stages
	if c.Bool("json") {
		type stage struct {
			Name   string `json:"name"`
			Units  int64  `json:"units"`
			Read   int64  `json:"read"`
			Memory int64  `json:"memory"`
		}
		all := []stage{}
		for _, s := range stages {
			all = append(all, stage{s.Name, s.Count, s.Bytes, s.Memory})
		}
		return writeJSON(out, struct {
			Method pyramid.Method  `json:"method"`
			Axes   []int           `json:"axes"`
			Levels []pyramid.Level `json:"levels"`
			Stages []stage         `json:"stages"`
		}{p.Method, p.Axes, p.Levels, all})
	}
	writeLevels(c, p)
	fmt.Fprintf(out, "method %s along dimensions %v\n", p.Method, p.Axes)
	for _, s := range stages {
		fmt.Fprintf(out, "%s: %d units, reads %s, %s of memory each\n", s.Name, s.Count, sizeText(s.Bytes), sizeText(s.Memory))
	}
	return nil
}
