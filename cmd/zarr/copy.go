package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
)

func copyCommand() *cli.Command {
	return &cli.Command{
		Name: "copy", Usage: "copy a node and all nodes below it", ArgsUsage: "FROM TO",
		Description: "FROM is an address. TO is a directory, a new .zip file, or a URL: s3://, gs://, az://, or one that accepts PUT. Chunks are copied as bytes unless the grid or the codecs change; then elements are decoded and encoded again. Attributes are copied. An interrupted copy continues with --if-exists skip.",
		Flags: append(layoutFlags(),
			&cli.IntFlag{Name: "format", Usage: "the Zarr `VERSION` of the copy, 2 or 3; the default is FROM's"},
			&cli.BoolFlag{Name: "recode", Usage: "decode and encode all chunks, even if they could be copied as bytes"},
		),
		Action: copyNode,
	}
}

// layoutFlags are the flags of the commands that write arrays with other chunks.
func layoutFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "header", Usage: "send a header, `NAME: VALUE`, with requests to FROM; may be repeated"},
		endpointFlag("endpoint", "FROM"),
		endpointFlag("to-endpoint", "TO"),
		anonymousFlag(), subdomainsFlag(),
		&cli.StringSliceFlag{Name: "to-header", Usage: "send a header, `NAME: VALUE`, with requests to TO; may be repeated"},
		asJSON(),
		&cli.StringFlag{Name: "node", Usage: "the `PATH` of the node in FROM"},
		&cli.StringFlag{Name: "as", Usage: "the `PATH` of the copy in TO"},
		&cli.StringFlag{Name: "chunks", Usage: "the `SHAPE` of chunks, for arrays of that rank: 10,100,100, or JSON with lists of lengths such as [[3,3,4],[[50,2]],100]"},
		&cli.StringFlag{Name: "shards", Usage: "the `SHAPE` of shards, for arrays of that rank, in the same form"},
		&cli.StringFlag{Name: "codecs", Usage: "the codecs as `JSON`, a list as in zarr.json; [] for none"},
		&cli.StringFlag{Name: "if-exists", Value: "raise", Usage: "`WHAT` to do with existing nodes: raise, replace or skip"},
	}
}

// ifExists are the words of --if-exists.
var ifExists = map[string]zarr.IfExists{"raise": zarr.IfExistsRaise, "replace": zarr.IfExistsReplace, "skip": zarr.IfExistsSkip}

func copyNode(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() != 2 {
		return usageError{errors.New("expected FROM TO")}
	}
	opt, err := copyOptions(c)
	if err != nil {
		return err
	}
	how, err := targetAccess(ctx, c)
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
	to, err := destinationOf(ctx, c.Args().Get(1), how, opt.IfExists)
	if err != nil {
		return err
	}
	// Remove the leftovers of an earlier copy that was killed. A failure does not affect this copy.
	_, _ = swept(ctx, c.Args().Get(1), c.String("as"), 0)
	defer units.LimitProcess(copyMemory)()
	bar := newProgress(c.Root().ErrWriter)
	opt.Progress = bar.told
	stats, err := zarr.Copy(ctx, n, to.Hierarchy, c.String("as"), opt)
	bar.end()
	whole := err == nil
	if failed := to.close(whole); failed != nil {
		err = errors.Join(err, failed)
	}
	if !whole && isArchive(c.Args().Get(1)) {
		stats = zarr.CopyStats{} // an incomplete archive is discarded
	}
	out := c.Root().Writer
	if c.Bool("json") {
		told := copied{Copied: stats.Copied, Skipped: stats.Skipped, Bytes: stats.Bytes}
		if err != nil {
			told.Error = shown(err, c.Args().Slice())
		}
		return errors.Join(err, writeJSON(out, told))
	}
	fmt.Fprintf(out, "%d nodes copied, %d skipped, %d bytes of elements\n", stats.Copied, stats.Skipped, stats.Bytes)
	if errors.Is(err, context.Canceled) {
		if isArchive(c.Args().Get(1)) {
			return fmt.Errorf("interrupted: %s was not created: %w", c.Args().Get(1), err)
		}
		return fmt.Errorf("interrupted: all written objects are complete; continue with --if-exists skip: %w", err)
	}
	return err
}

// targetAccess checks the place of TO, and returns the access to it. Headers and endpoints for a
// path are misplaced.
func targetAccess(ctx context.Context, c *cli.Command) (access, error) {
	for flag, address := range map[string]string{"header": c.Args().Get(0), "to-header": c.Args().Get(1), "endpoint": c.Args().Get(0), "to-endpoint": c.Args().Get(1)} {
		if c.IsSet(flag) && !remote(address) {
			return access{}, usageError{fmt.Errorf("--%s: %s is not a URL (--%[3]s applies to FROM, --to-%[3]s to TO)", flag, address, strings.TrimPrefix(flag, "to-"))}
		}
	}
	if err := checkPlaces(ctx, c); err != nil {
		return access{}, err
	}
	return accessOf(c, "to-")
}

// copied is the output of --json for a copy.
type copied struct {
	Copied  int    `json:"copied"`
	Skipped int    `json:"skipped"`
	Bytes   int64  `json:"bytes"`
	Error   string `json:"error,omitempty"`
}

// copyMemory is the most memory that a copy takes.
const copyMemory = 200 << 20

func copyOptions(c *cli.Command) (zarr.CopyOptions, error) {
	opt := zarr.CopyOptions{Format: int(c.Int("format")), Recode: c.Bool("recode")}
	var known bool
	if opt.IfExists, known = ifExists[c.String("if-exists")]; !known {
		return opt, usageError{fmt.Errorf("--if-exists %q: use raise, replace or skip", c.String("if-exists"))}
	}
	if opt.Format != 0 && opt.Format != 2 && opt.Format != 3 {
		return opt, usageError{fmt.Errorf("--format %d: use 2 or 3", opt.Format)}
	}
	chunks, err := cutsOf(c, "chunks")
	if err != nil {
		return opt, err
	}
	shards, err := cutsOf(c, "shards")
	if err != nil {
		return opt, err
	}
	if chunks.edges != nil && c.IsSet("shards") {
		return opt, usageError{errors.New("--chunks: all inner chunks of a shard have one shape")}
	}
	chain, err := chainOf(c.String("codecs"))
	if err != nil {
		return opt, err
	}
	opt.Array = func(_ string, spec *zarr.ArraySpec) {
		if chunks.fit(spec) {
			spec.Chunks, spec.ChunkEdges, spec.Shards, spec.ShardEdges = chunks.shape, chunks.edges, nil, nil
		}
		if shards.fit(spec) {
			spec.Shards, spec.ShardEdges = shards.shape, shards.edges
		}
		if chain != nil {
			spec.Codecs = chain
		}
	}
	return opt, nil
}

// chainOf parses a list of codecs. Each is a name, or an object as in metadata of version 3 or,
// with "id", of version 2.
func chainOf(text string) ([]zarr.Codec, error) {
	if text == "" {
		return nil, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // a level of 3 must not become 3.0
	var items []any
	if err := d.Decode(&items); err != nil {
		return nil, usageError{fmt.Errorf("--codecs: %w", err)}
	}
	chain := []zarr.Codec{}
	for i, item := range numbers(items).([]any) {
		one := zarr.Codec{}
		switch item := item.(type) {
		case string:
			one.Name = item
		case map[string]any:
			if id, ok := item["id"].(string); ok {
				delete(item, "id")
				one.Name, one.Config = id, item
				break
			}
			one.Name, _ = item["name"].(string)
			one.Config, _ = item["configuration"].(map[string]any)
		}
		if one.Name == "" {
			return nil, usageError{fmt.Errorf("--codecs: entry %d has no name", i)}
		}
		chain = append(chain, one)
	}
	return chain, nil
}

// numbers converts decoded numbers to integers where they are integers.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		x, _ := v.Float64()
		return x
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = numbers(v[name])
		}
	}
	return v
}
