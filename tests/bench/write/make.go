//go:build !js

package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// made holds the arrays to copy: a gigabyte of float32 each.
var made = map[string]zarr.ArraySpec{
	"slices": {Format: 2, Shape: []int64{256, 1024, 1024}, Chunks: []int64{1, 1024, 1024}, DType: "<f4"},
	"cubes":  {Format: 3, Shape: []int64{256, 1024, 1024}, Chunks: []int64{64, 128, 128}, DType: "float32"},
	"shards": {Format: 3, Shape: []int64{256, 1024, 1024}, Chunks: []int64{32, 64, 64}, Shards: []int64{64, 256, 256}, DType: "float32"},
}

// makeArrays writes them into a directory. A name such as slices:0.5 selects another number of
// gigabytes.
func makeArrays(ctx context.Context, dir string, names []string) error {
	for _, name := range names {
		name, size, sized := strings.Cut(name, ":")
		spec := made[name]
		if sized {
			gigabytes, err := strconv.ParseFloat(size, 64)
			if err != nil {
				return err
			}
			spec.Shape = append([]int64{int64(gigabytes * float64(spec.Shape[0]))}, spec.Shape[1:]...)
		}
		d, err := filestore.MakeDir(dir+"/"+name, filestore.DirOptions{})
		if err != nil {
			return err
		}
		a, err := zarr.New(d, writing.Codecs(), zarr.Options{}).Create(ctx, "", spec)
		if err != nil {
			return err
		}
		deep := a.Grid.ChunkShapes()[0]
		shape := []int{int(deep), 1024, 1024}
		for at := int64(0); at < a.Shape[0]; at += deep {
			to := at + deep
			block := ndarray.Block{Shape: shape, Size: 4, Data: field(shape[0]*shape[1]*shape[2], int(at)<<20)}
			if err := a.Set(ctx, []grid.Item{grid.Range(&at, &to, nil)}, block, zarr.WriteOptions{}); err != nil {
				return err
			}
		}
		if err := d.Close(); err != nil {
			return err
		}
	}
	return nil
}
