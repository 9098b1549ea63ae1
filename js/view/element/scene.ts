import type { Axis, Coordinate } from "../../describe/field.js";
import type { Reprojected } from "../paint/painter.js";
import type { Theme } from "../plot/theme.js";
import type { Pen } from "../take/svg.js";
import type { Eye, Gaze, Ground, Projected } from "./camera.js";
import type { Coast } from "./coastlines.js";

/** An axis of the plane, and its positions if known. */
export interface PlaneAxis {
  readonly axis: Pick<Axis, "name" | "title" | "length" | "units"> & { readonly role: Pick<Axis["role"], "value"> };
  readonly coordinate: Coordinate | null;
}

/** A rectangle on the stage, in CSS pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The layout of a picture on its stage. */
interface Layout {
  /** The part of the stage that shows elements. */
  readonly view: Box;
  /** The part of `view` that the field covers. */
  readonly picture: Box;
}

/** A map in a projection on the stage. */
export interface Globe extends Projected, Pick<Ground, "aspect" | "left" | "up"> {
  readonly eye: Eye;
  /** The part of the view that the map covers. */
  readonly picture: Box;
  /** The CSS shape of the map within it. */
  readonly clip: string;
  /** The magnification of elements at the middle. */
  readonly detail: number;
  /** Draws coastlines, the graticule and the outline. */
  draw(pen: Pen, coast: Coast | null, theme: Theme): void;
  /** Draws a cross through one element, and frames around others. */
  mark(
    pen: Pen,
    cross: { readonly x: number; readonly y: number } | null,
    framed: readonly { readonly x: number; readonly y: number }[],
  ): void;
  /** Returns the map for a painter, with `ratio` device pixels per CSS pixel. */
  reprojected(ratio: number): Reprojected;
}

/** A gaze with its layout and its axes. */
export interface Scene extends Layout, Gaze {
  readonly view: Box;
  readonly globe?: Globe | undefined;
  /** The axes to the right and downwards. */
  readonly plane: { readonly x: PlaneAxis; readonly y: PlaneAxis };
}
