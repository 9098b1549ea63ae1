package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

func ExampleHierarchy_Create() {
	ctx := context.Background()
	h := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
	array, err := h.Create(ctx, "station/temperature", zarr.ArraySpec{
		Shape:          []int64{2, 3},
		DType:          "int16",
		Fill:           -1,
		DimensionNames: []string{"day", "hour"},
		Attributes:     map[string]any{"units": "celsius"},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := array.Set(ctx, []grid.Item{grid.At(0)}, []int16{20, 21, 22}, zarr.WriteOptions{}); err != nil {
		log.Fatal(err)
	}
	res, err := array.Read(ctx, nil, zarr.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Shape, res.Data)
	// Output: [2 3] [20 0 21 0 22 0 255 255 255 255 255 255]
}

// numbers is an array of version 3 of 10 bytes, in chunks of 4.
func numbers(ctx context.Context) *zarr.Array {
	h := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
	array, err := h.Zeros(ctx, "numbers", zarr.ArraySpec{Shape: []int64{10}, Chunks: []int64{4}, DType: "uint8"})
	if err != nil {
		log.Fatal(err)
	}
	return array
}

func ExampleArray_Set() {
	ctx := context.Background()
	array := numbers(ctx)
	from, step := int64(1), int64(2)
	for _, w := range []struct {
		selection []grid.Item
		value     any
	}{
		{nil, 1}, // all elements
		{[]grid.Item{grid.At(-1)}, 9},
		{[]grid.Item{grid.Range(&from, nil, &step)}, 2},
		{[]grid.Item{grid.ListOf([]int64{4, 0})}, []uint8{7, 8}},
	} {
		if err := array.Set(ctx, w.selection, w.value, zarr.WriteOptions{}); err != nil {
			log.Fatal(err)
		}
	}
	res, err := array.Read(ctx, nil, zarr.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Data)

	// A value that the type does not have is an error, and nothing is written.
	err = array.Set(ctx, nil, 256, zarr.WriteOptions{})
	var invalid *zarr.InvalidValueError
	fmt.Println(errors.As(err, &invalid))
	// Output:
	// [8 2 1 2 7 2 1 2 1 2]
	// true
}

func ExampleArray_Append() {
	ctx := context.Background()
	array := numbers(ctx)
	array, err := array.Append(ctx, []uint8{1, 2, 3}, 0, zarr.WriteOptions{})
	if err != nil {
		log.Fatal(err)
	}
	array, err = array.Resize(ctx, 12)
	if err != nil {
		log.Fatal(err)
	}
	res, err := array.Read(ctx, nil, zarr.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Data)
	// Output: [0 0 0 0 0 0 0 0 0 0 1 2]
}

func ExampleUpdateAttributes() {
	ctx := context.Background()
	array := numbers(ctx)
	array, err := zarr.UpdateAttributes(ctx, array, map[string]any{"units": "m"})
	if err != nil {
		log.Fatal(err)
	}
	units, _ := array.Metadata().Attributes.Get("units").Text()
	fmt.Println(units)
	// Output: m
}

func ExampleCopy() {
	ctx := context.Background()
	array := numbers(ctx)
	to := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
	stats, err := zarr.Copy(ctx, array, to, "numbers", zarr.CopyOptions{
		Format: 2,
		Array:  func(_ string, spec *zarr.ArraySpec) { spec.Chunks = []int64{5} },
	})
	if err != nil {
		log.Fatal(err)
	}
	copied, err := to.OpenArray(ctx, "numbers")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stats.Copied, copied.Metadata().Format, copied.Grid.ChunkShapes())
	// Output: 1 2 [5]
}
