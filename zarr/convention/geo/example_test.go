package geo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/geo"
)

// images returns a hierarchy with two levels of one image, each an array.
func images() *zarr.Hierarchy {
	s := stored{}
	s.group("", `{"proj:code": "EPSG:32633", "spatial:dimensions": ["y", "x"], "spatial:transform": [10, 0, 500000, 0, -10, 5000000],
		"multiscales": {"layout": [{"asset": "fine"}, {"asset": "coarse", "derived_from": "fine", "transform": {"scale": [2, 2]}}]}}`)
	s.array("fine", []int{100, 200}, []string{"y", "x"}, `{}`)
	s.array("coarse", []int{50, 100}, []string{"y", "x"}, `{}`)
	return s.open()
}

func ExampleOpenPyramid() {
	ctx := context.Background()
	h := images()
	group, err := h.OpenGroup(ctx, "")
	if err != nil {
		log.Fatal(err)
	}
	pyramid, err := geo.OpenPyramid(ctx, group)
	if err != nil {
		log.Fatal(err)
	}
	// The level for a screen pixel of 30 metres, and the part of it that a box touches.
	level, err := pyramid.LevelFor(30)
	if err != nil {
		log.Fatal(err)
	}
	array, err := h.OpenArray(ctx, level.Path)
	if err != nil {
		log.Fatal(err)
	}
	selection, _, err := level.Selection(array, geo.Bounds{500100, 4999500, 500200, 4999700})
	if err != nil {
		log.Fatal(err)
	}
	result, err := array.Read(ctx, selection, zarr.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(level.Path, *level.PixelSize, result.Shape)
	// Output: coarse [20 20] [10 5]
}

func ExampleReadGeoreference() {
	ctx := context.Background()
	array, err := images().OpenArray(ctx, "coarse")
	if err != nil {
		log.Fatal(err)
	}
	found, err := geo.ReadGeoreference(ctx, array)
	if err != nil {
		log.Fatal(err)
	}
	x, y, err := found.PixelToWorld(0, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.CRS.EPSG, *found.Bounds)
	fmt.Println(x, y, found.Stated[geo.FactTransform].Attribute)
	// Output:
	// 32633 [500000 4.999e+06 502000 5e+06]
	// 500010 4.99999e+06 multiscales
}
