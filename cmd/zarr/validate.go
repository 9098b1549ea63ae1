package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/geo"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/ome"
)

func validateCommand() *cli.Command {
	return &cli.Command{
		Name: "validate", Usage: "check a hierarchy for errors", ArgsUsage: "ADDRESS [NODE]",
		Description: "Opens every node, and checks OME-Zarr and GeoZarr attributes against their specifications. --data also reads and decodes every chunk. --schema checks the hierarchy's metadata, as one document (ZEP 6), by a JSON Schema.",
		Flags: accessFlags(
			asJSON(),
			&cli.BoolFlag{Name: "data", Usage: "read every chunk"},
			&cli.StringFlag{Name: "schema", Usage: "check the metadata by the JSON Schema in `FILE`"},
			&cli.IntFlag{Name: "most", Value: 1_000_000, Usage: "with --data, read at most `N` chunks of an array"},
		),
		Action: validate,
	}
}

// finding is a fault of a node.
type finding struct {
	Path string `json:"path"`
	// Level is "error" for a violation, and "warning" for a departure from a recommendation.
	Level   string `json:"level"`
	Message string `json:"message"`
}

// check is one run of the command.
type check struct {
	data  bool
	most  int64 // the largest number of chunks of an array to read
	nodes int
	found []finding
}

func validate(ctx context.Context, c *cli.Command) error {
	var schema *jsonschema.Schema
	if file := c.String("schema"); file != "" {
		var err error
		if schema, err = compileSchema(file); err != nil {
			return err
		}
	}
	_, n, err := open(ctx, c, c.Args().Slice(), zarr.CacheOptions{})
	if err != nil {
		return err
	}
	k := &check{data: c.Bool("data"), most: int64(c.Int("most"))}
	if err := k.node(ctx, n); err != nil {
		return err
	}
	if schema != nil {
		if err := k.schema(ctx, n, schema); err != nil {
			return err
		}
	}
	errs := 0
	for _, f := range k.found {
		if f.Level == "error" {
			errs++
		}
	}
	out := c.Root().Writer
	if c.Bool("json") {
		report := struct {
			Nodes    int       `json:"nodes"`
			Valid    bool      `json:"valid"`
			Findings []finding `json:"findings"`
		}{k.nodes, errs == 0, append([]finding{}, k.found...)}
		if err := writeJSON(out, report); err != nil {
			return err
		}
	} else {
		for _, f := range k.found {
			fmt.Fprintf(out, "%s: %s: %s\n", f.Path, f.Level, f.Message)
		}
		fmt.Fprintf(out, "%d nodes, %d errors, %d warnings\n", k.nodes, errs, len(k.found)-errs)
	}
	if errs > 0 {
		return invalidError{fmt.Errorf("not valid: %d errors", errs)}
	}
	return nil
}

func (k *check) wrong(path, level, message string) {
	k.found = append(k.found, finding{"/" + strings.TrimPrefix(path, "/"), level, message})
}

// node checks a node and those below it. An error stops the whole check.
func (k *check) node(ctx context.Context, n zarr.Node) error {
	k.nodes++
	attributes := n.Metadata().Attributes
	for _, v := range geo.Validate(attributes, n) {
		k.wrong(n.Path(), v.Level, v.Convention+", "+v.Attribute+": "+v.Message)
	}
	if array, ok := n.(*zarr.Array); ok {
		if !k.data {
			return ctx.Err()
		}
		return k.chunks(ctx, array)
	}
	group, ok := n.(*zarr.Group)
	if !ok {
		return nil
	}
	// Only OME-Zarr's multiscales are a list; LayoutOf reads the others.
	if layout, err := geo.LayoutOf(n.Path(), attributes); (err != nil || layout == nil) && ome.KindOf(attributes) != "" {
		report, err := ome.ValidateImage(ctx, group, "")
		if err != nil {
			k.wrong(n.Path(), "error", err.Error())
		}
		for _, p := range report.Problems {
			level := "warning"
			if p.Level == ome.Must {
				level = "error"
			}
			k.wrong(n.Path(), level, p.Path+": "+p.Message)
		}
	}
	members, err := group.Members(ctx)
	var unlisted *zarr.UnsupportedError
	if errors.As(err, &unlisted) {
		k.wrong(n.Path(), "warning", "its members were not checked: "+err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Node == nil {
			if m.Err != nil {
				k.wrong(n.Path()+"/"+m.Name, "error", m.Err.Error())
			}
			continue
		}
		if err := k.node(ctx, m.Node); err != nil {
			return err
		}
	}
	return nil
}

// chunks reads every chunk of an array, and reports each that does not decode. After a hundred it
// reports only their number.
func (k *check) chunks(ctx context.Context, a *zarr.Array) error {
	counts := a.ChunkGrid().Counts()
	at := make([]int64, len(counts))
	for _, n := range counts {
		if n == 0 {
			return nil
		}
	}
	const mostFound = 100
	for looked, bad := int64(0), 0; ; looked++ {
		if looked == k.most {
			k.wrong(a.Path(), "warning", "the first "+strconv.FormatInt(looked, 10)+" chunks were read, the others were not")
			return nil
		}
		_, err := a.ReadInnerChunk(ctx, at, zarr.ReadOptions{})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			k.wrong(a.Path(), "error", err.Error())
			if bad++; bad == mostFound {
				k.wrong(a.Path(), "error", "further chunks were not read")
				return nil
			}
		}
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < counts[i] {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return nil
		}
	}
}
