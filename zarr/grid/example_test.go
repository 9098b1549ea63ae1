package grid_test

import (
	"fmt"
	"log"

	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// Which chunks a selection touches, and which elements of each.
func ExampleGrid_Projections() {
	g, err := grid.Regular([]int64{10}, []int64{4})
	if err != nil {
		log.Fatal(err)
	}
	axes, err := grid.Resolve([]grid.Item{grid.Range(new(int64(3)), new(int64(9)), nil)}, []int64{10})
	if err != nil {
		log.Fatal(err)
	}
	projections, err := g.Projections(0, axes[0], 100)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(grid.OutShape(axes), len(projections), "chunks")
	// Output: [6] 3 chunks
}
