// Package ome reads OME-Zarr, versions 0.1 to 0.5 and the draft of 0.6. It covers multiscale
// images, labels, plates and wells, series of bioformats2raw, and scenes. It locates pixels,
// chooses the resolution to show, and validates documents.
//
//	group, err := h.OpenGroup(ctx, "")
//	image, err := ome.OpenImage(ctx, group, ome.ImageOptions{})
//	level, err := image.LevelFor(ome.View{Viewport: ..., Pixels: ...})
//	array, err := level.Array(ctx)
//
// The functions that open reject documents that do not determine the pixels' positions, with an
// error of package zarr. Other faults are listed in the Problems of the result. [Validate] and
// [ValidateImage] report all faults.
package ome
