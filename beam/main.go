// Command beam runs the long work of the command zarr on Apache Beam.
//
//	beam copy FROM TO [--node PATH] [--as PATH] [--format VERSION]
//	beam rechunk FROM TO --chunks SHAPE [--node PATH] [--as PATH]
//	beam pyramid FROM TO [--levels N] [--method RULE]
//	beam validate FROM TO [--node PATH] [--most N]
//
// FROM and TO are addresses that each worker reaches. A check reads every chunk, and writes the
// object findings.json into TO. The flag --runner selects where the pipeline runs. The default is
// prism, in this process. Others take Beam's own flags.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/zarr-wasm/zarr-wasm/beam/pipeline"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "beam:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var w pipeline.Work
	flag.StringVar(&w.Node, "node", "", "the path of the node in FROM")
	flag.StringVar(&w.As, "as", "", "the path of the output in TO")
	flag.StringVar(&w.Endpoint, "store_endpoint", "", "the URL of the server of s3://, gs:// or az://")
	flag.Int64Var(&w.Memory, "memory", 1<<30, "the most memory of a worker, in bytes")
	flag.IntVar(&w.Units, "units", 1, "the units that a worker runs at once")
	flag.BoolVar(&w.TwoPasses, "two_passes", false, "let a rechunk go through a temporary array")
	flag.IntVar(&w.Format, "format", 0, "the Zarr version of a copy, 2 or 3; 0 is that of FROM")
	flag.Int64Var(&w.Most, "most", 0, "the most chunks of an array that a check reads; 0 is no limit")
	flag.IntVar(&w.Levels, "levels", 0, "the number of levels with the first")
	flag.StringVar(&w.Method, "method", "", "the rule of a pyramid")
	chunks := flag.String("chunks", "", "the shape of chunks")
	shards := flag.String("shards", "", "the shape of shards")
	// The flags follow the arguments, as those of zarr may.
	n := 0
	for n < len(args) && !strings.HasPrefix(args[n], "-") {
		n++
	}
	if err := flag.CommandLine.Parse(args[n:]); err != nil {
		return err
	}
	beam.Init() // in a worker, this runs its part and never returns
	if n != 3 {
		return errors.New("expected copy, rechunk, pyramid or validate, FROM, TO, and then the flags")
	}
	w.Kind, w.From, w.To = args[0], args[1], args[2]
	var err error
	if w.Chunks, err = shape(*chunks); err != nil {
		return err
	}
	if w.Shards, err = shape(*shards); err != nil {
		return err
	}
	if err := w.Absent(ctx); err != nil {
		return err
	}
	job, err := w.Plan(ctx)
	if err != nil {
		return err
	}
	remove, err := pipeline.Temporary()
	if err != nil {
		return err
	}
	p := beam.NewPipeline()
	pipeline.Build(p.Root(), w, job, 1)
	if err := errors.Join(beamx.Run(ctx, p), remove()); err != nil || w.Kind != "validate" {
		return err
	}
	r, err := w.Report(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Printf("%d nodes, %d chunks, %d errors, %d warnings\n", r.Nodes, r.Chunks, r.Errors(), len(r.Findings)-r.Errors())
	if r.Errors() > 0 {
		return fmt.Errorf("not valid: %d errors", r.Errors())
	}
	return nil
}

func shape(text string) (all []int64, err error) {
	for one := range strings.SplitSeq(text, ",") {
		if text == "" {
			return nil, nil
		}
		n, err := strconv.ParseInt(strings.TrimSpace(one), 10, 64)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("the shape %q: %q is not a length", text, one)
		}
		all = append(all, n)
	}
	return all, nil
}
