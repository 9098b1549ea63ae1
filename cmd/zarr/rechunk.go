package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/rechunk"
)

func rechunkCommand() *cli.Command {
	return &cli.Command{
		Name: "rechunk", Usage: "copy arrays with other chunks, within a bound of memory", ArgsUsage: "FROM TO",
		Description: "FROM is the address of an array, or of a group with all nodes below it. TO is a directory or a URL that accepts PUT. If one pass would read each chunk of FROM many times, two passes go through a temporary array in TO. Chunks are copied as bytes if neither the grid nor the codecs change. After an interruption the same command continues.",
		Flags: append(layoutFlags(),
			&cli.IntFlag{Name: "format", Usage: "the Zarr `VERSION` of the copy, 2 or 3; the default is FROM's"},
			memoryFlag(),
			&cli.BoolFlag{Name: "plan", Usage: "print the passes, the bytes and the temporary space, and do nothing"},
		),
		Action: rechunkNode,
	}
}

func rechunkNode(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() != 2 {
		return usageError{errors.New("expected FROM TO")}
	}
	copying, err := copyOptions(c)
	if err != nil {
		return err
	}
	_, n, err := open(ctx, c, []string{c.Args().Get(0), c.String("node")}, small)
	if err != nil {
		return err
	}
	if err := checkCuts(ctx, c, n); err != nil {
		return err
	}
	to, opt, end, err := working(ctx, c, c.Args().Get(1), copying.IfExists)
	if err != nil {
		return err
	}
	defer end()
	r, err := rechunk.New(ctx, n, to.Hierarchy, c.String("as"), rechunk.Options{
		Options: opt, Format: copying.Format, IfExists: copying.IfExists, Source: c.Args().Get(0),
		Array: copying.Array,
	})
	if err != nil {
		return explained(err)
	}
	if c.Bool("plan") {
		return printPlans(c, r.Plans)
	}
	stats, err := r.Run(ctx)
	end()
	return report(c, stats, r.Skipped, err)
}

func printPlans(c *cli.Command, plans []rechunk.Plan) error {
	out := c.Root().Writer
	if c.Bool("json") {
		return writeJSON(out, plans)
	}
	for _, p := range plans {
		if len(plans) > 1 {
			fmt.Fprintf(out, "%s:\n", p.Path)
		}
		writePlan(out, p)
	}
	return nil
}

func writePlan(out io.Writer, p rechunk.Plan) {
	var read, written int64
	for i, pass := range p.Passes {
		name := pass.Name
		if p.Bytewise {
			name = "copy chunks as bytes"
		}
		fmt.Fprintf(out, "pass %d: %s, %d units of %s elements, %s of memory each\n", i+1, name, pass.Units, fmt.Sprint(pass.Box), sizeText(pass.Memory))
		read, written = read+pass.Read, written+pass.Written
	}
	fmt.Fprintf(out, "reads %s and writes %s of decoded elements; temporary space %s\n", sizeText(read), sizeText(written), sizeText(p.Temporary))
	if len(p.Passes) > 1 {
		fmt.Fprintf(out, "one pass would read each chunk %.1f times\n", p.OnePassReads)
	}
}
