/**
 * The meaning of OME-Zarr images: versions 0.1 to 0.5, and the draft of 0.6.
 *
 * ```ts
 * import { open } from "zarr-wasm";
 * import { openImage } from "zarr-wasm/ome";
 *
 * const image = await openImage(await open("https://example.org/image.ome.zarr", { kind: "group" }));
 * const level = image.levelFor({ viewport: { y: 100, x: 200 }, pixels: { y: 512, x: 1024 } });
 * ```
 *
 * @module zarr-wasm/ome
 */
export type { Axis, CoordinateSystem } from "./axes.js";
export { type Kind, kindOf, type Version } from "./document.js";
export type { Box, BoxSelector, View } from "./geometry.js";
export { Image, type ImageOptions, Level, type LevelOptions, openImage } from "./image.js";
export type { Label, Rgba } from "./label.js";
export { type Labels, openLabels, sourceOf } from "./labels.js";
export type { Channel, RenderingDefaults, Window } from "./omero.js";
export type { Acquisition, Field, PlateWell } from "./plate.js";
export { openPlate, openWell, type Plate, type Well } from "./plates.js";
export type { Problem, ProblemLevel } from "./problems.js";
export { openScene, type Scene } from "./scenes.js";
export { openSeries, type Series } from "./series.js";
export type { OmeOptions } from "./stored.js";
export { Transform } from "./transform.js";
export type { Reference, Transformation } from "./transformation.js";
export { type Report, type ValidateOptions, validate } from "./validate.js";
export { validateImage } from "./validateimage.js";
