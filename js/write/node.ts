import type { ZarrArray } from "../api/array.js";
import type { Group } from "../api/group.js";
import type { DataType } from "../data/types.js";
import type { Readable } from "../stores/readable.js";

/** An array or a group. */
export type Node<S extends Readable = Readable> = ZarrArray<DataType, S> | Group<S>;
