/**
 * Describes a node: an image, a dataset, a table, a plate, or one array. Metadata conventions
 * decide; rules fill the gaps.
 *
 * ```ts
 * import { open } from "zarr-wasm";
 * import { describe } from "zarr-wasm/describe";
 *
 * const it = await describe(await open("https://example.org/image.ome.zarr"));
 * if (it.kind === "image") console.log(it.field.channels?.list.map(({ label }) => label));
 * ```
 *
 * @module zarr-wasm/describe
 */
export { type DescribeOptions, describe, labelsOf } from "./describe.js";
export type {
  ArrayDescription,
  Convention,
  DatasetDescription,
  Described,
  Description,
  GroupDescription,
  ImageDescription,
  PlateDescription,
  Problem,
  TableColumn,
  TableDescription,
  Variable,
} from "./description.js";
export type { Fact } from "./fact.js";
export type {
  Axis,
  Category,
  Channel,
  Coordinate,
  Curvilinear,
  Field,
  FieldLevel,
  Packing,
  Place,
  Plane,
  Role,
  Values,
} from "./field.js";
