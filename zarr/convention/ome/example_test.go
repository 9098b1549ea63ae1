package ome_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/ome"
)

const attributes = `{"multiscales": [{"version": "0.4", "name": "cells", "type": "mean", "metadata": {},
	"axes": [{"name": "y", "type": "space", "unit": "micrometer"}, {"name": "x", "type": "space", "unit": "micrometer"}],
	"datasets": [
		{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [0.5, 0.5]}]},
		{"path": "1", "coordinateTransformations": [{"type": "scale", "scale": [1, 1]}]}
	]}]}`

// cells returns a group with an image of two levels. The second has 2 by 3 pixels.
func cells() *zarr.Group {
	h := zarr.New(memstore.New(map[string][]byte{
		"zarr.json": []byte(`{"zarr_format": 3, "node_type": "group", "attributes": ` + attributes + `}`),
		"1/zarr.json": []byte(`{"zarr_format": 3, "node_type": "array", "shape": [2, 3], "data_type": "uint8",
			"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
			"chunk_key_encoding": {"name": "default"}, "fill_value": 0, "codecs": [{"name": "bytes"}]}`),
		"1/c/0/0": {1, 2, 3, 4, 5, 6},
	}), codecs.Default(), zarr.Options{})
	group, err := h.OpenGroup(context.Background(), "")
	if err != nil {
		log.Fatal(err)
	}
	return group
}

func Example() {
	ctx := context.Background()
	image, err := ome.OpenImage(ctx, cells(), ome.ImageOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(image)

	// The level for a screen pixel of 1 micrometer, and the part of it that a box touches.
	level, err := image.LevelFor(ome.View{
		Viewport: map[string]float64{"y": 100, "x": 200},
		Pixels:   map[string]float64{"y": 100, "x": 200},
	})
	if err != nil {
		log.Fatal(err)
	}
	selection, err := level.Selection(map[string]ome.Interval{"y": {From: 0.6, To: 5}, "x": {From: 0, To: 1}})
	if err != nil {
		log.Fatal(err)
	}
	array, err := level.Array(ctx)
	if err != nil {
		log.Fatal(err)
	}
	res, err := array.Read(ctx, selection, zarr.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(level.Path, res.Shape, res.Data)
	// Output:
	// <Image / of OME-Zarr 0.4 "cells">
	//   axes      y (micrometer), x (micrometer)
	//   level 0   "0" scale=(0.5, 0.5)
	//   level 1   "1" scale=(1, 1)
	// 1 [1 2] [4 5]
}

func ExampleValidateImage() {
	report, err := ome.ValidateImage(context.Background(), cells(), "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Valid)
	for _, p := range report.Problems {
		fmt.Println(p.Level, p.Path, p.Message)
	}
	// Output:
	// false
	// MUST multiscales[0].datasets[0].path there is no array "0"
}
