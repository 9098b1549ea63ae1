import type { Curve } from "./paint/painter.js";

/** What a view shows, as plain data: attributes of the element, a link, a file. What is undefined, the view chooses. */
export interface ViewState {
  /** The path of the node; `"/"` is the root. */
  readonly node?: string | undefined;
  /** The index of each axis, by its name. */
  readonly index?: Readonly<Record<string, number>> | undefined;
  /** The names of the axes drawn downwards and to the right. */
  readonly axes?: readonly [y: string, x: string] | undefined;
  /** The colour map's name; with `-r` at its end it is reversed. */
  readonly colormap?: string | undefined;
  /** The values drawn with the first and the last colour. */
  readonly range?: readonly [low: number, high: number] | undefined;
  /** How values run between them. */
  readonly curve?: Curve | undefined;
  /** The middle of the picture in elements of the finest level, and device-independent pixels of an element. */
  readonly camera?: { readonly x: number; readonly y: number; readonly zoom: number } | undefined;
  /** Whether the first row is at the bottom. */
  readonly up?: boolean | undefined;
  /** The level that is drawn, the finest is 0; undefined: the one that fits. */
  readonly level?: number | undefined;
  /** The channels that are drawn: the index of each, its colour as `rrggbb`, its range. */
  readonly channels?:
    | readonly {
        readonly index: number;
        readonly colour?: string;
        readonly range?: readonly [low: number, high: number];
      }[]
    | undefined;
  /** The image of labels over the picture, by its name, and how opaque it is. */
  readonly labels?: { readonly name: string; readonly opacity: number } | undefined;
  /** The field of a struct that is drawn. */
  readonly member?: string | undefined;
  /** Complex numbers by their magnitude, phase, real or imaginary part. */
  readonly part?: "magnitude" | "phase" | "real" | "imaginary" | undefined;
}
