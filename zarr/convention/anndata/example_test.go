package anndata_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/anndata"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

func Example() {
	ctx := context.Background()
	root, err := fixtures.Root()
	if err != nil {
		log.Fatal(err)
	}
	dir, err := fixtures.Unpack(root)
	if err != nil {
		log.Fatal(err)
	}
	h := zarr.New(filestore.New(os.DirFS(dir+"/conventions/anndata/dense_f4.zarr")), codecs.Default(), zarr.Options{})
	defer h.Close()
	group, err := h.OpenGroup(ctx, "")
	if err != nil {
		log.Fatal(err)
	}
	adata, err := anndata.Open(ctx, group)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(adata)

	stop := int64(3)
	table, err := adata.Obs.Read(ctx, grid.Range(nil, &stop, nil), nil, zarr.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(table)

	block, err := adata.X.Read(ctx, []grid.Item{grid.Range(nil, &stop, nil)}, zarr.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(block.Shape, block.Type.Name)
	// Output:
	// AnnData object with n_obs × n_vars = 23 × 11
	//     obs: 'cell_type'
	//     var: 'biotype'
	//     layers: 'counts'
	//       cell_type
	// c013         NK
	// c001     B cell
	// c021     T cell
	// [3 of 23 rows × 1 columns]
	// [3 11] float32
}
