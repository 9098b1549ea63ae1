import type { Packing } from "../../describe/field.js";

/**
 * Numbers of a rectangle, in the form of an upload. They have the stored type, except that 64-bit
 * numbers and half floats are float32, and booleans are uint8.
 */
export interface Pixels {
  /** The number of columns. */
  readonly width: number;
  /** The number of rows. */
  readonly height: number;
  /** Numbers per pixel, side by side: 1, or 3 and 4 for colours. */
  readonly parts: 1 | 3 | 4;
  /** The numbers, row by row. */
  readonly data: Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | Float32Array;
}

/** Pixels that a painter has loaded. */
export interface Texture {
  /** Its size in bytes. */
  readonly bytes: number;
}

/** A texture and its rectangle, in elements of the finest level. */
export interface Placed {
  readonly texture: Texture;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How values map to colours between the ends of a range. */
export type Curve =
  | { readonly kind: "linear" }
  | { readonly kind: "log" }
  | { readonly kind: "power"; readonly exponent: number };

/** How numbers map to colours. Ranges are in the values' own units, after unpacking. */
export type Style =
  /** A table of 256 colours, four bytes each. Missing values are not drawn. */
  | {
      readonly kind: "map";
      readonly table: Uint8Array;
      readonly range: readonly [low: number, high: number];
      readonly curve: Curve;
      readonly packing: Packing;
    }
  /** One channel: the colour times the value, added to the layers below. */
  | {
      readonly kind: "channel";
      readonly colour: readonly [red: number, green: number, blue: number];
      readonly range: readonly [low: number, high: number];
      readonly curve: Curve;
      readonly packing: Packing;
    }
  /** Stored colours: pixels of 3 or 4 parts. */
  | { readonly kind: "colour"; readonly range: readonly [low: number, high: number] }
  /** A colour for each of at most 256 values. Other values are not drawn. */
  | { readonly kind: "category"; readonly values: readonly number[]; readonly colours: Uint8Array }
  /** A colour for each label; 0 is not drawn. One label may be highlighted. */
  | {
      readonly kind: "label";
      readonly chosen: number | null;
      readonly colours: ReadonlyMap<number, readonly [number, number, number, number]>;
    };

/** Tiles of one style, drawn in order. */
export interface Layer {
  readonly tiles: readonly Placed[];
  readonly style: Style;
  /** The opacity, from 0 to 1. */
  readonly opacity: number;
}

/**
 * The visible part: the size of an element of the finest level in device pixels, and the place of a
 * corner.
 */
export interface Camera {
  /** The width of an element in device pixels, negative if the first column is at the right. */
  readonly scaleX: number;
  /** The height of an element in device pixels, negative if the first row is at the bottom. */
  readonly scaleY: number;
  /** The device pixel of the corner of element 0, from the left. */
  readonly originX: number;
  /** The device pixel of the corner of element 0, from the top. */
  readonly originY: number;
}

/** A map in a projection. It replaces the camera. */
export interface Reprojected {
  /** The name of the projection. */
  readonly name: string;
  /** The main function of a fragment shader that finds the element under its pixel. */
  readonly code: string;
  /** The bits of floats that the shader searches. */
  readonly edges: Uint32Array;
  /** Draws a part of a tile with the current program of {@link code} and the texture of `edges`. */
  draw(
    gl: WebGL2RenderingContext,
    at: (name: string) => WebGLUniformLocation | null,
    drawn: {
      readonly tile: Placed;
      readonly pixels: Pixels;
      readonly part: { readonly texture: WebGLTexture; readonly left: number; readonly top: number };
      readonly edges: WebGLTexture | null;
    },
  ): void;
  /**
   * Computes the next slice of the elements under the pixels of a canvas, or with `whole` the rest.
   * After `"blocks"` and `"done"` they can be drawn.
   */
  advance(canvas: HTMLCanvasElement, whole: boolean): "blocks" | "busy" | "done";
  /**
   * Calls `run` for each run of device pixels in one tile, with the tile's number, the first pixel
   * and the places of its numbers. The last of overlapping tiles counts.
   */
  spans(
    canvas: HTMLCanvasElement,
    tiles: readonly { readonly tile: Placed; readonly pixels: Pixels }[],
    run: (tile: number, first: number, sources: Int32Array) => void,
  ): void;
}

/** The drawn layers, from the lowest to the highest. */
export interface Scene {
  readonly globe?: Reprojected | undefined;
  readonly camera: Camera;
  readonly layers: readonly Layer[];
}

/**
 * Draws scenes on a canvas. A change of the style or the camera reads and converts nothing again.
 */
export interface Painter {
  /** The technique. */
  readonly kind: "webgl2" | "canvas";
  /** The canvas; its width and height are device pixels. */
  readonly canvas: HTMLCanvasElement;
  /**
   * Loads pixels. The painter keeps them for the return of a lost context. They must not change or
   * be transferred until they are freed.
   */
  load(pixels: Pixels): Texture;
  /** Frees a texture. */
  free(texture: Texture): void;
  /**
   * Draws a scene over the whole canvas. Pixels without a tile stay transparent. In overlapping
   * tiles of one layer only the last one counts, even for missing values and added colours. The
   * painter identifies tables, colours, values and missing values by their objects and does not
   * notice changes in place. A map in a projection may need several calls: returns whether the
   * drawing is complete, as it always is with `whole`.
   */
  paint(scene: Scene, whole?: boolean): boolean;
  /**
   * Frees all resources. The canvas cannot be drawn on again; another painter needs another canvas.
   */
  close(): void;
}
