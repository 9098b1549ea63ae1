package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

func catCommand() *cli.Command {
	return &cli.Command{
		Name: "cat", Usage: "write the elements of an array, or of a selection", ArgsUsage: "ADDRESS [NODE]",
		Flags: accessFlags(
			&cli.StringFlag{Name: "at", Usage: "the `SELECTION` in Python's syntax: 0, 10:20:2, ..., [1,5]"},
			&cli.StringFlag{Name: "as", Value: "text", Usage: "the `FORMAT`: text, csv, json, npy, or raw for the bytes, little-endian"},
		),
		Action: cat,
	}
}

// memory bounds the bytes of elements that are read at once.
const memory = 64 << 20

// writers begin a file of a format, and return a function that writes each part of the array in
// order. JSON has none: it is written as a whole.
var writers = map[string]func(a *zarr.Array, shape []int64, out io.Writer) (part func(*zarr.Result) error, err error){
	"text": asText, "csv": asCSV, "npy": asNPY, "raw": asRaw, "json": nil,
}

func cat(ctx context.Context, c *cli.Command) error {
	make, known := writers[c.String("as")]
	if !known {
		return usageError{fmt.Errorf("unknown format %q: use text, csv, json, npy or raw", c.String("as"))}
	}
	items, err := selection(c.String("at"))
	if err != nil {
		return err
	}
	_, n, err := open(ctx, c, c.Args().Slice(), zarr.CacheOptions{})
	if err != nil {
		return err
	}
	array, err := onlyArray(n)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(c.Root().Writer, 1<<16)
	if make == nil {
		res, err := array.Read(ctx, items, zarr.ReadOptions{})
		if err != nil {
			return err
		}
		if err := writeJSON(out, nested(res)); err != nil {
			return err
		}
		return out.Flush()
	}
	axes, err := grid.Resolve(items, array.Shape)
	if err != nil {
		return usageError{err}
	}
	part, err := make(array, grid.OutShape(axes), out)
	if err != nil {
		return err
	}
	if err := inParts(ctx, array, axes, memory, part); err != nil {
		return err
	}
	return out.Flush()
}

// inParts reads a selection in parts along its first dimension. Each has at most most bytes, or one
// position.
func inParts(ctx context.Context, a *zarr.Array, axes []grid.Axis, most int64, part func(*zarr.Result) error) error {
	first, rest := -1, int64(max(a.Type.Size, 32))
	items := make([]grid.Item, len(axes))
	for i, axis := range axes {
		switch {
		case axis.Drop:
			items[i] = grid.At(axis.At(0))
		case first < 0:
			first = i
		default:
			items[i] = positions(axis, 0, axis.Count)
			if axis.Count > 0 {
				rest = min(rest*axis.Count, 2*memory)
			}
		}
	}
	step := int64(1)
	if first >= 0 {
		step = max(most/rest, 1)
	}
	for from := int64(0); ; from += step {
		if first >= 0 {
			if from > 0 && from >= axes[first].Count {
				return nil
			}
			items[first] = positions(axes[first], from, min(from+step, axes[first].Count))
		}
		res, err := a.Read(ctx, items, zarr.ReadOptions{})
		if err != nil {
			return err
		}
		if err := part(res); err != nil || first < 0 {
			return err
		}
	}
}

// positions selects a part of an axis.
func positions(axis grid.Axis, from, to int64) grid.Item {
	if axis.List != nil {
		return grid.ListOf(axis.List[from:to])
	}
	if from >= to {
		return grid.ListOf([]int64{})
	}
	first, last, step := axis.At(from), axis.At(to-1), axis.Step
	if step == 0 {
		step = 1
	}
	if stop := last + step/max(step, -step); stop >= 0 {
		return grid.Range(&first, &stop, &step)
	}
	return grid.Range(&first, nil, &step) // to the beginning, going down
}

// chunkShape returns the declared shape of an array's chunks, or of a sharded array's shards.
func chunkShape(a *zarr.Array) []int64 { return a.Grid.ChunkShapes() }

// asText writes a line for each row, its elements separated by spaces, and an empty line between
// matrices.
func asText(_ *zarr.Array, shape []int64, out io.Writer) (func(*zarr.Result) error, error) {
	columns, rows := int64(1), int64(1)
	if n := len(shape); n > 0 {
		columns = shape[n-1]
		if n > 1 {
			rows = shape[n-2]
		}
	}
	count := int64(0)
	return func(res *zarr.Result) error {
		for i := range res.Len() {
			separator := " "
			switch {
			case count == 0:
				separator = ""
			case len(shape) > 2 && count%(rows*columns) == 0:
				separator = "\n\n"
			case count%columns == 0:
				separator = "\n"
			}
			count++
			if _, err := io.WriteString(out, separator+text(value(res.Type, res.Block, i))); err != nil {
				return err
			}
		}
		if count > 0 && count == product(shape) {
			_, err := io.WriteString(out, "\n")
			return err
		}
		return nil
	}, nil
}

func product(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

// asCSV writes a record for each row of the last dimension. For structs it writes one for each
// element, after the fields' names.
func asCSV(a *zarr.Array, shape []int64, out io.Writer) (func(*zarr.Result) error, error) {
	w := csv.NewWriter(out)
	var names []string
	for _, f := range a.Type.Fields {
		names = append(names, f.Name)
	}
	if names != nil {
		if err := w.Write(names); err != nil {
			return nil, err
		}
	}
	columns := 1
	if n := len(shape); n > 0 && names == nil {
		columns = int(max(shape[n-1], 1))
	}
	var record []string
	return func(res *zarr.Result) error {
		for i := range res.Len() {
			v := value(res.Type, res.Block, i)
			if fields, ok := v.(map[string]any); ok {
				for _, name := range names {
					record = append(record, text(fields[name]))
				}
			} else {
				record = append(record, text(v))
			}
			if len(record) < columns && names == nil {
				continue
			}
			if err := w.Write(record); err != nil {
				return err
			}
			record = record[:0]
		}
		w.Flush()
		return w.Error()
	}, nil
}

// asRaw writes the elements as stored in memory.
func asRaw(a *zarr.Array, _ []int64, out io.Writer) (func(*zarr.Result) error, error) {
	if a.Type.Variable() {
		return nil, usageError{errors.New("elements of " + a.Type.Name + " have no fixed size: use text, csv or json")}
	}
	return func(res *zarr.Result) error {
		_, err := out.Write(res.Data)
		return err
	}, nil
}

// asNPY writes a NumPy file in version 1.0 of its format.
func asNPY(a *zarr.Array, shape []int64, out io.Writer) (func(*zarr.Result) error, error) {
	descr, err := numpyType(a.Type)
	if err != nil {
		return nil, err
	}
	header := fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': %s, }", descr, tuple(shape))
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	head := append([]byte("\x93NUMPY\x01\x00"), binary.LittleEndian.AppendUint16(nil, uint16(len(header)))...)
	if _, err := out.Write(append(head, header...)); err != nil {
		return nil, err
	}
	return asRaw(a, shape, out)
}

// numpyType returns NumPy's notation of a type, with quotes.
func numpyType(t *dtype.Type) (string, error) {
	switch s := little(t).V2String(); {
	case t.Variable() || t.Kind == dtype.MiniFloat || t.Kind == dtype.Optional || t.Bits > 0:
		return "", usageError{errors.New("NumPy has no type for " + t.Name + ": use text, csv or json")}
	case strings.HasPrefix(s, "["):
		return s, nil
	default:
		return "'" + strings.Trim(s, "\"") + "'", nil
	}
}

// little returns the type of the elements in memory.
func little(t *dtype.Type) *dtype.Type {
	if t == nil {
		return nil
	}
	out := *t
	if out.Order == dtype.Big {
		out.Order = dtype.Little
	}
	out.Elem, out.Fields = little(t.Elem), nil
	for _, f := range t.Fields {
		f.Type = little(f.Type)
		out.Fields = append(out.Fields, f)
	}
	return &out
}
