// Package ome reads OME-Zarr, of the versions 0.1 to 0.5 and of 0.6's draft: images in several resolutions with axes, units and
// channels, labels, plates and wells, series of bioformats2raw, and scenes. It says where the pixels are, which resolution to
// show, and what is wrong with a document.
//
//	group, err := h.OpenGroup(ctx, "")
//	image, err := ome.OpenImage(ctx, group, ome.ImageOptions{})
//	level, err := image.LevelFor(ome.View{Viewport: ..., Pixels: ...})
//	array, err := level.Array(ctx)
//
// Functions that open reject documents that leave open where pixels are, by an error of package zarr; what else is wrong is a
// [Problem] of what was opened. [Validate] and [ValidateImage] tell all of it.
package ome
