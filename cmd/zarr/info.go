package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/print"
)

// asJSON is the flag of the commands that print information.
func asJSON() *cli.BoolFlag { return &cli.BoolFlag{Name: "json", Usage: "as JSON"} }

func infoCommand() *cli.Command {
	return &cli.Command{
		Name: "info", Usage: "describe a group or an array", ArgsUsage: "ADDRESS [NODE]",
		Flags: accessFlags(
			asJSON(),
			&cli.BoolFlag{Name: "attributes", Aliases: []string{"a"}, Usage: "print the attributes"},
			&cli.BoolFlag{Name: "stored", Usage: "count the stored chunks"},
		),
		Action: info,
	}
}

func info(ctx context.Context, c *cli.Command) error {
	_, n, err := open(ctx, c, c.Args().Slice(), zarr.CacheOptions{})
	if err != nil {
		return err
	}
	stored := int64(-1)
	if array, ok := n.(*zarr.Array); ok && c.Bool("stored") {
		if stored, err = array.StoredChunks(ctx); err != nil {
			return err
		}
	}
	out := c.Root().Writer
	if c.Bool("json") {
		told := described(n)
		if stored >= 0 {
			told.Stored = &stored
		}
		return writeJSON(out, told)
	}
	fmt.Fprintln(out, print.Text(n))
	if stored >= 0 {
		fmt.Fprintln(out, "Chunks stored :", stored)
	}
	if c.Bool("attributes") {
		fmt.Fprintln(out, indented(n.Metadata().Attributes.Raw()))
	}
	return nil
}

// node is the output of --json for a node.
type node struct {
	Path       string            `json:"path"`
	Kind       string            `json:"kind"`
	Format     int               `json:"zarr_format,omitempty"`
	Shape      []int64           `json:"shape,omitempty"`
	Type       string            `json:"data_type,omitempty"`
	Chunks     []int64           `json:"chunk_shape,omitempty"`
	Inner      []int64           `json:"inner_chunk_shape,omitempty"`
	Codecs     []json.RawMessage `json:"codecs,omitempty"`
	Dimensions []*string         `json:"dimension_names,omitempty"`
	Stored     *int64            `json:"stored_chunks,omitempty"`
	Attributes json.RawMessage   `json:"attributes,omitempty"`
	Error      string            `json:"error,omitempty"`
	Members    []node            `json:"members,omitempty"`
}

func described(n zarr.Node) node {
	m := n.Metadata()
	told := node{Path: "/" + n.Path(), Kind: "group", Format: m.Format}
	if raw := m.Attributes.Raw(); json.Valid(raw) {
		told.Attributes = raw
	}
	array, ok := n.(*zarr.Array)
	if !ok {
		return told
	}
	told.Kind, told.Shape, told.Type = "array", array.Shape, array.Type.Name
	told.Chunks = chunkShape(array)
	if inner := array.InnerChunks(); len(inner) == len(told.Chunks) && fmt.Sprint(inner) != fmt.Sprint(told.Chunks) {
		told.Inner = inner
	}
	for _, c := range array.Codecs {
		text := map[string]any{"name": c.Name}
		if raw := c.Config.Raw(); len(raw) > 0 && json.Valid(raw) {
			text["configuration"] = json.RawMessage(raw)
		}
		if b, err := json.Marshal(text); err == nil {
			told.Codecs = append(told.Codecs, b)
		}
	}
	for _, name := range array.DimensionNames {
		if !name.Named {
			told.Dimensions = append(told.Dimensions, nil)
			continue
		}
		told.Dimensions = append(told.Dimensions, &name.Text)
	}
	return told
}

// writeJSON writes one value, indented.
func writeJSON(out interface{ Write([]byte) (int, error) }, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// indented formats JSON for people. It keeps values that strict JSON lacks, such as NaN.
func indented(raw []byte) string {
	var b strings.Builder
	if json.Valid(raw) && writeJSON(&b, json.RawMessage(raw)) == nil {
		return strings.TrimSuffix(b.String(), "\n")
	}
	return string(raw)
}

// onlyArray returns the array that a command requires, or an error.
func onlyArray(n zarr.Node) (*zarr.Array, error) {
	array, ok := n.(*zarr.Array)
	if !ok {
		return nil, usageError{errors.New("/" + n.Path() + " is a group: name an array in it (“zarr tree” lists them)")}
	}
	return array, nil
}
