import type { Axis, Coordinate } from "../../describe/field.js";
import type { Gaze } from "./camera.js";

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
export interface Layout {
  /** The part of the stage that shows elements. */
  readonly view: Box;
  /** The part of `view` that the field covers. */
  readonly picture: Box;
}

/** A gaze with its layout and its axes. */
export interface Scene extends Layout, Gaze {
  readonly view: Box;
  /** The axes to the right and downwards. */
  readonly plane: { readonly x: PlaneAxis; readonly y: PlaneAxis };
}
