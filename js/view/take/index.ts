// Downloads and copies of a view. This module is loaded at the first one.
export { codeOf, type Language, type Program } from "./code.js";
export { csvLines, csvOf, csvTable } from "./csv.js";
export { type Figure, type FigureBar, type FigureLook, figureCanvas, figureSvg, pngOf } from "./figure.js";
export { type Film, filmOf, makesFilms } from "./film.js";
export { type Elsewhere, elsewhere, embedOf } from "./links.js";
export { npyOf } from "./npy.js";
export { fileName, save } from "./save.js";
export { elementCount, mostElements, readSlice, type Slice, type SliceAxis, selectionOf, type Wish } from "./slice.js";
export { type Pen, SvgPen } from "./svg.js";
export { addressOf, programs, take } from "./taking.js";
export { type Georeference, georeferenceOf, tiffOf } from "./tiff.js";
export { type Tools, zarrOf } from "./zarr.js";
