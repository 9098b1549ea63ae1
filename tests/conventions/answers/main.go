// Command answers answers questions about the conventions by the packages below zarr/convention, so
// that other implementations can be compared with them.
//
// It reads questions from the standard input, one in each line, and writes as many answers. Both
// are JSON as internal/json reads it, with bare NaN and Infinity. A question is an object. Its
// member what names a function in the table questions, and the other members are the arguments. An
// answer has a member error with the name of the error's class, or else value.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/geo"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/nczarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/xarray"
)

// questions maps names to functions.
var questions = map[string]func(ask json.Value) (any, error){
	"cf.date":           dateOf,
	"cf.number":         numberOf,
	"cf.partial":        partial,
	"cf.datetime64":     datetime64,
	"cf.decode":         decode,
	"ome.validate":      validateOME,
	"ome.image":         image,
	"ome.validateImage": validateImage,
	"ome.transform":     transform,
	"ome.series":        series,
	"ome.well":          well,
	"ome.plate":         plate,
	"ome.labels":        labels,
	"geo.layout":        layout,
	"geo.validate":      validateGeo,
	"geo.affine":        affine,
	"geo.georeference":  georeference,
	"geo.pyramid":       pyramid,
	"geo.geotransform":  geoTransform,
	"geo.gridmapping":   gridMapping,
	"geo.mercator":      mercator,
	"model.flatten":     flatten,
	"model.unflatten":   unflatten,
	"model.equal":       equal,
	"model.of":          modelOf,
	"nczarr.hierarchy":  hierarchy,
	"xarray.dataset":    dataset,
	"xarray.select":     selected,
}

func main() {
	in, out := bufio.NewReaderSize(os.Stdin, 1<<20), bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			out.Write(append(answer(line), '\n'))
		}
		if err != nil {
			break
		}
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// answer answers one question.
func answer(line []byte) []byte {
	ask, err := json.Parse(line, json.Limits{Bytes: 64 << 20, Depth: 200})
	if err != nil {
		return encode(map[string]any{"error": "question", "message": err.Error()})
	}
	what, _ := ask.Get("what").Text()
	f, ok := questions[what]
	if !ok {
		return encode(map[string]any{"error": "question", "message": "there is no question " + what})
	}
	value, err := f(ask)
	if err != nil {
		return encode(map[string]any{"error": class(err), "message": err.Error()})
	}
	return encode(map[string]any{"value": value})
}

// class returns the JavaScript package's name for the outermost error that has one.
func class(err error) string {
	for e := err; e != nil; e = errors.Unwrap(e) {
		switch e := e.(type) {
		case *cf.Error:
			return either(e.Unsupported, "UnsupportedError", "InvalidMetadataError")
		case *geo.ArgumentError:
			switch e.Func {
			case "Affine.Inverse":
				return "InvalidMetadataError"
			case "LonLatToWebMercator", "WebMercatorToLonLat":
				return "InvalidSelectionError"
			}
			return "TypeError"
		case *zarr.NotFoundError:
			return "NotFoundError"
		case *zarr.UnsupportedError:
			return "UnsupportedError"
		case *zarr.LimitError:
			return "LimitError"
		case *zarr.InvalidSelectionError, *xarray.SelectionError:
			return "InvalidSelectionError"
		case *zarr.InvalidMetadataError, *geo.Error, *nczarr.Error:
			return "InvalidMetadataError"
		}
	}
	return fmt.Sprintf("%T", err)
}

func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// node opens the node at the member path in a hierarchy. The member documents maps keys to
// metadata, and chunks maps keys to base64.
func node(ask json.Value) (zarr.Node, error) {
	objects := map[string][]byte{}
	for _, m := range ask.Get("documents").Members() {
		objects[m.Name] = m.Value.Raw()
	}
	for _, m := range ask.Get("chunks").Members() {
		text, _ := m.Value.Text()
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, err
		}
		objects[m.Name] = b
	}
	path, _ := ask.Get("path").Text()
	return zarr.New(memstore.New(objects), codecs.Full(), zarr.Options{}).Open(context.Background(), path, zarr.OpenOptions{})
}

// group is node for a group.
func group(ask json.Value) (*zarr.Group, error) {
	n, err := node(ask)
	if err != nil {
		return nil, err
	}
	g, ok := n.(*zarr.Group)
	if !ok {
		return nil, errors.New("no group")
	}
	return g, nil
}

func text(v json.Value) string {
	s, _ := v.Text()
	return s
}

func flag(v json.Value) bool {
	b, _ := v.Bool()
	return b
}

func number(v json.Value) float64 {
	f, _ := v.Float64()
	return f
}

func integer(v json.Value) int64 {
	n, _ := v.Int64()
	return n
}

func numbers(v json.Value) []float64 {
	list := []float64{}
	for _, one := range v.Items() {
		list = append(list, number(one))
	}
	return list
}
