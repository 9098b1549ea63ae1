import type { Packing } from "../../describe/field.js";

/** Numbers of a rectangle, as they are uploaded: what is stored, but 64-bit and half floats as float32, bits as uint8. */
export interface Pixels {
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** How many numbers a pixel has, beside each other: 1, or 3 and 4 of colours. */
  readonly parts: 1 | 3 | 4;
  /** The numbers, row by row. */
  readonly data: Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | Float32Array;
}

/** Pixels that a painter has taken. */
export interface Texture {
  /** Bytes that it takes. */
  readonly bytes: number;
}

/** A texture and the rectangle that it covers, in elements of the finest level. */
export interface Placed {
  readonly texture: Texture;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How values run between the ends of a range. */
export type Curve =
  | { readonly kind: "linear" }
  | { readonly kind: "log" }
  | { readonly kind: "power"; readonly exponent: number };

/** How numbers become colours. Ranges are in the values' own units, after unpacking. */
export type Style =
  /** By a table of 256 colours, four bytes each. What is missing is not drawn. */
  | {
      readonly kind: "map";
      readonly table: Uint8Array;
      readonly range: readonly [low: number, high: number];
      readonly curve: Curve;
      readonly packing: Packing;
    }
  /** One channel: the colour times the value, added to what is there. */
  | {
      readonly kind: "channel";
      readonly colour: readonly [red: number, green: number, blue: number];
      readonly range: readonly [low: number, high: number];
      readonly curve: Curve;
      readonly packing: Packing;
    }
  /** Colours as they are stored: pixels of 3 or 4 parts. */
  | { readonly kind: "colour"; readonly range: readonly [low: number, high: number] }
  /** A colour for each of at most 256 values; others are not drawn. */
  | { readonly kind: "category"; readonly values: readonly number[]; readonly colours: Uint8Array }
  /** A colour for each label, 0 is not drawn; one label may be told apart. */
  | {
      readonly kind: "label";
      readonly chosen: number | null;
      readonly colours: ReadonlyMap<number, readonly [number, number, number, number]>;
    };

/** Tiles of one style, drawn in their order. */
export interface Layer {
  readonly tiles: readonly Placed[];
  readonly style: Style;
  /** From 0 to 1. */
  readonly opacity: number;
}

/** Which part is seen: device pixels of an element of the finest level, and where its corner is. */
export interface Camera {
  /** Device pixels an element takes to the right; below 0 where the first column is at the right. */
  readonly scaleX: number;
  /** Device pixels an element takes downwards; below 0 where the first row is at the bottom. */
  readonly scaleY: number;
  /** The device pixel of the corner of element 0, from the left. */
  readonly originX: number;
  /** The device pixel of the corner of element 0, from the top. */
  readonly originY: number;
}

/** What is drawn: layers from the lowest to the highest. */
export interface Scene {
  readonly camera: Camera;
  readonly layers: readonly Layer[];
}

/** Draws scenes on a canvas. Nothing is read or converted when only the style or the camera changes. */
export interface Painter {
  /** What draws. */
  readonly kind: "webgl2" | "canvas";
  /** The canvas that is drawn on; its width and height are device pixels. */
  readonly canvas: HTMLCanvasElement;
  /** Takes pixels. It keeps them, for the time when a lost context comes back: they may not change, nor be transferred, until they are freed. */
  load(pixels: Pixels): Texture;
  /** Gives a texture back. */
  free(texture: Texture): void;
  /**
   * Draws a scene over the whole canvas; what no tile covers stays transparent. Of tiles of one layer that overlap, only the last is seen, also
   * where it has missing values or is added to what is below. Tables, colours, values and missing values are known by their objects: what is
   * changed in place is not seen.
   */
  paint(scene: Scene): void;
  /** Gives everything back. The canvas cannot be drawn on again; another painter needs another canvas. */
  close(): void;
}
