package main

import (
	"context"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/validate"
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
		Action: validateNodes,
	}
}

func validateNodes(ctx context.Context, c *cli.Command) error {
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
	most := int64(c.Int("most"))
	if most < 1 {
		return usageError{fmt.Errorf("--most %d: give a number of chunks", most)}
	}
	bar := newProgress(c.Root().ErrWriter)
	check, err := validate.New(ctx, n, validate.Options{Options: units.Options{Progress: bar.made}, Data: c.Bool("data"), Most: most})
	if err != nil {
		return err
	}
	report, err := check.Run(ctx)
	bar.end()
	if err != nil {
		return err
	}
	if schema != nil {
		found, err := bySchema(ctx, n, schema)
		if err != nil {
			return err
		}
		report.Findings = append(report.Findings, found...)
	}
	errs := report.Errors()
	out := c.Root().Writer
	if c.Bool("json") {
		if err := writeJSON(out, struct {
			validate.Report
			Valid bool `json:"valid"`
		}{report, errs == 0}); err != nil {
			return err
		}
	} else {
		for _, f := range report.Findings {
			fmt.Fprintf(out, "%s: %s: %s\n", f.Path, f.Level, f.Message)
		}
		fmt.Fprintf(out, "%d nodes, %d errors, %d warnings\n", report.Nodes, errs, len(report.Findings)-errs)
	}
	if errs > 0 {
		return invalidError{fmt.Errorf("not valid: %d errors", errs)}
	}
	return nil
}
