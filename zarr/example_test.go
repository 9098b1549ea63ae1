package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// temperatures is a hierarchy with one array, "temperature", of 2 rows and 3 columns.
func temperatures() *zarr.Hierarchy {
	return zarr.New(memstore.New(map[string][]byte{
		"zarr.json": []byte(`{"zarr_format": 3, "node_type": "group", "attributes": {"station": "Zermatt"},
			"consolidated_metadata": {"kind": "inline", "must_understand": false, "metadata": {"temperature": ` + temperature + `}}}`),
		"temperature/zarr.json": []byte(temperature),
		"temperature/c/0/0":     {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0},
	}), codecs.Default(), zarr.Options{})
}

const temperature = `{"zarr_format": 3, "node_type": "array", "shape": [2, 3], "data_type": "int16",
	"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
	"chunk_key_encoding": {"name": "default"}, "fill_value": 0, "attributes": {"units": "celsius"},
	"codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}`

func Example() {
	ctx := context.Background()
	array, err := temperatures().OpenArray(ctx, "temperature")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(array.Shape, array.DType().Name)

	// The second row: an integer drops its dimension.
	row, err := array.Read(ctx, []grid.Item{grid.At(1)}, zarr.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(row.Shape, row.Data)
	// Output:
	// [2 3] int16
	// [3] [4 0 5 0 6 0]
}

func ExampleArray_Read() {
	ctx := context.Background()
	array, err := temperatures().OpenArray(ctx, "temperature")
	if err != nil {
		log.Fatal(err)
	}
	for _, selection := range [][]grid.Item{
		nil, // all of it
		{grid.At(-1), grid.At(0)},
		{grid.All(), grid.Range(new(int64(1)), nil, nil)},
		{grid.EllipsisItem(), grid.ListOf([]int64{2, 0})},
		{grid.MaskOf([]bool{false, true})},
	} {
		res, err := array.Read(ctx, selection, zarr.ReadOptions{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(res.Shape, res.Data)
	}
	// Output:
	// [2 3] [1 0 2 0 3 0 4 0 5 0 6 0]
	// [] [4 0]
	// [2 2] [2 0 3 0 5 0 6 0]
	// [2 2] [3 0 1 0 6 0 4 0]
	// [1 3] [4 0 5 0 6 0]
}

func ExampleArray_ReadPoints() {
	ctx := context.Background()
	array, err := temperatures().OpenArray(ctx, "temperature")
	if err != nil {
		log.Fatal(err)
	}
	// The elements (0, 2) and (1, 0).
	res, err := array.ReadPoints(ctx, [][]int64{{0, 1}, {2, 0}}, zarr.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Shape, res.Data)
	// Output: [2] [3 0 4 0]
}

func ExampleGroup_Members() {
	ctx := context.Background()
	group, err := temperatures().OpenGroup(ctx, "")
	if err != nil {
		log.Fatal(err)
	}
	members, err := group.Members(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range members {
		fmt.Println(m.Kind, m.Name)
	}
	// Output: array temperature
}

func ExampleNotFoundError() {
	_, err := temperatures().OpenArray(context.Background(), "pressure")
	var missing *zarr.NotFoundError
	fmt.Println(errors.As(err, &missing), missing.Path)
	// Output: true pressure
}
