package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
)

// memoryFlag is the flag of the commands that work in units.
func memoryFlag() cli.Flag {
	return &cli.StringFlag{Name: "memory", Value: "1GiB", Usage: "the most memory to use, such as 512MiB or 4GB, as `SIZE`"}
}

// sizeOf parses a size in bytes, with or without a unit.
func sizeOf(text string) (int64, error) {
	number, unit := strings.TrimSpace(text), int64(1)
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12}, {"b", 1}} {
		if before, ok := strings.CutSuffix(strings.ToLower(number), u.name); ok {
			number, unit = strings.TrimSpace(before), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if bytes := n * float64(unit); err != nil || !(bytes >= 1) || bytes >= 1<<62 {
		return 0, usageError{fmt.Errorf("the size %q is not a number of bytes such as 512MiB", text)}
	}
	return int64(n * float64(unit)), nil
}

// working prepares a command that works in units: its options by --memory, its destination, and a
// bar of progress. The caller calls end.
func working(ctx context.Context, c *cli.Command, to string, there zarr.IfExists) (target *destination, opt units.Options, end func(), err error) {
	memory, err := sizeOf(c.String("memory"))
	if err != nil {
		return nil, opt, nil, err
	}
	if isArchive(to) {
		return nil, opt, nil, usageError{fmt.Errorf("%s: an archive cannot be written in units; write a directory, and copy it into the archive with zarr copy", to)}
	}
	var how access
	if c.Args().Len() == 2 {
		if how, err = targetAccess(ctx, c); err != nil {
			return nil, opt, nil, err
		}
	}
	opt = units.Options{Memory: units.Within(memory)}
	if c.Bool("plan") { // nothing is written, not even the directory
		return &destination{Hierarchy: zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})}, opt, func() {}, nil
	}
	if to == c.Args().Get(0) && c.Args().Len() == 1 { // in place
		target = &destination{}
	} else if target, err = destinationOf(ctx, to, how, there); err != nil {
		return nil, opt, nil, err
	}
	// Remove the leftovers of an earlier run that was killed. A failure does not affect this run.
	_, _ = swept(ctx, to, c.String("as"), 0)
	restore := units.LimitProcess(memory)
	bar := newProgress(c.Root().ErrWriter)
	opt.Progress = bar.made
	return target, opt, func() { bar.end(); restore() }, nil
}

// explained explains how to continue, or how much memory is needed.
func explained(err error) error {
	var few *units.MemoryError
	if errors.As(err, &few) {
		return fmt.Errorf("%w; --memory %dMiB suffices", err, units.Needed(few.Need)>>20+1)
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted: the same command continues the work: %w", err)
	}
	return err
}

// worked is the output of --json of a command that works in units.
type worked struct {
	Units   int64  `json:"units"`
	Resumed int64  `json:"resumed"`
	Bytes   int64  `json:"bytes"`
	Skipped bool   `json:"skipped,omitempty"`
	Error   string `json:"error,omitempty"`
}

// report prints the result of work in units, and returns its error.
func report(c *cli.Command, stats units.Stats, skipped bool, err error) error {
	out := c.Root().Writer
	if c.Bool("json") {
		told := worked{Units: stats.Units, Resumed: stats.Resumed, Bytes: stats.Bytes, Skipped: skipped}
		if err != nil {
			told.Error = shown(err, c.Args().Slice())
		}
		return errors.Join(err, writeJSON(out, told))
	}
	if skipped {
		fmt.Fprintln(out, "skipped: the target exists")
		return nil
	}
	fmt.Fprintf(out, "%d units done, %d done before, %s of elements read\n", stats.Units, stats.Resumed, sizeText(stats.Bytes))
	return explained(err)
}

// sizeText formats a size in bytes.
func sizeText(n int64) string {
	if n < 1<<10 {
		return strconv.FormatInt(n, 10) + " B"
	}
	x, unit := float64(n)/(1<<10), 0
	for ; x >= 1023.95 && unit < 4; unit++ {
		x /= 1 << 10
	}
	return fmt.Sprintf("%.1f %ciB", x, "KMGTP"[unit])
}
