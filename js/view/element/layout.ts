import type { Field } from "../../describe/field.js";
import { room } from "../axes/draw.js";
import { aspectOf, periodOf } from "./aspect.js";
import {
  bounded,
  type Eye,
  elementAt,
  fitted,
  type Gaze,
  pointAt,
  type Rectangle,
  seen,
  turned,
  unrolled,
  type Viewport,
  zoomed,
} from "./camera.js";
import type { Place } from "./cursor.js";
import type { Look } from "./look.js";
import type { Positions } from "./positions.js";
import type { Box, PlaneAxis, Scene } from "./scene.js";

/** The initial width of the left axis's texts. */
const LEFT = 64;
/** The width by which texts may become narrower before the picture moves towards them. */
const SLACK = 16;

/** The eye on a picture, and the resulting layout on its stage. */
export class PictureLayout {
  /** The module of projections, once it is loaded. */
  projections: typeof import("../globe/index.js") | null = null;
  /** The size of the stage. */
  size: Viewport = { width: 0, height: 0 };
  /** Null shows the whole picture. */
  #eye: Eye | null = null;
  /** The size of the stage when the eye was set; null before the stage has a size. */
  #of: Viewport | null = null;
  readonly #field: Field;
  readonly #axes: boolean;
  readonly #look: () => Look;
  readonly #positions: Positions;
  #left = LEFT;

  /** `axes` reserves space for axes. */
  constructor(field: Field, axes: boolean, look: () => Look, positions: Positions) {
    this.#field = field;
    this.#axes = axes;
    this.#look = look;
    this.#positions = positions;
  }

  /** The eye on the stage of its current size; null shows the whole picture. */
  get eye(): Eye | null {
    if (!this.#eye || this.size.width === 0) return this.#eye;
    this.#of ??= this.size;
    // A smaller stage still shows all that was chosen.
    const scale = Math.min(this.size.width / this.#of.width, this.size.height / this.#of.height);
    return { ...this.#eye, zoom: this.#eye.zoom * scale };
  }

  set eye(eye: Eye | null) {
    this.#eye = eye;
    this.#of = this.size.width > 0 ? this.size : null;
  }

  /**
   * The chosen part of the picture. It stays the same when the stage changes its size. A part
   * around the seam of a plane that repeats has all columns.
   */
  get chosen(): Rectangle {
    const scene = this.#sceneOf(this.#eye, this.#of ?? this.size);
    const { width, period } = scene.ground;
    const part = seen(scene);
    return period && unrolled(part, period).length > 1 ? { ...part, left: 0, right: width } : part;
  }

  /** The current scene. */
  get scene(): Scene {
    return this.#sceneOf(this.eye, this.size);
  }

  #sceneOf(at: Eye | null, size: Viewport): Scene {
    const look = this.#look();
    const of = (d: number | null): PlaneAxis => ({
      axis: this.#field.axes[d ?? -1] ?? noAxis,
      coordinate: this.#positions.of(d),
    });
    const plane = { x: of(look.x), y: of(look.y) };
    const stage = { ...size, x: 0, y: 0 };
    const globe = look.projection && this.projections?.projected(look.projection, this.#field, plane, at, stage);
    if (globe) {
      const { eye, picture, aspect, up, left } = globe;
      const { period } = this.#period(look, plane);
      const ground = { width: plane.x.axis.length, height: plane.y.axis.length, aspect, up, left, period };
      return { plane, ground, eye, view: stage, picture, globe };
    }
    const view = viewOf(size, this.#axes, this.#left);
    const { up, left } = look;
    const ground = {
      width: plane.x.axis.length,
      height: plane.y.axis.length,
      up,
      left,
      aspect: aspectOf(plane, view),
      ...this.#period(look, plane),
    };
    const eye = at ? bounded(at, ground, view) : fitted(ground, view);
    return { plane, ground, eye, view, picture: pictureOf({ eye, ground, view }, view) };
  }

  #period(look: Look, plane: Scene["plane"]): { readonly period: number | undefined } {
    const around = this.#field.place?.lonLat && look.x === this.#field.plane.value.x;
    return { period: around ? periodOf(plane.x) : undefined };
  }

  /**
   * Sets the width of the left axis's texts. Reports whether the layout has changed. A slightly
   * smaller width keeps the layout, so that the picture rests while it is panned.
   */
  widen(left: number): boolean {
    if (!this.#axes || (left <= this.#left + 1 && left >= this.#left - SLACK)) return false;
    this.#left = left;
    return true;
  }

  /** Resets the width after a change of the axes. */
  reset(): void {
    this.#left = LEFT;
  }

  /** Returns the element at a point of the stage; null if there is none. */
  at(point: Place): Place | null {
    const { scene } = this;
    const { ground, view } = scene;
    const at = elementAt(scene, point.x - view.x, point.y - view.y);
    const { period } = ground;
    if (period && !scene.globe && Math.abs(at.x - scene.eye.x) > period / 2) return null;
    const [x, y] = [Math.floor(period ? turned(at.x, period) : at.x), Math.floor(at.y)];
    return x >= 0 && y >= 0 && x < ground.width && y < ground.height ? { x, y } : null;
  }

  /**
   * Returns the eye after zooming. The element at the point, by default the middle of the view,
   * stays in place.
   */
  zoomed(factor: number, point?: Place): Eye {
    const { scene } = this;
    const { x, y, width, height } = scene.view;
    return point ? zoomed(scene, factor, point.x - x, point.y - y) : zoomed(scene, factor, width / 2, height / 2);
  }
}

/** Returns the view between the axes on the stage. `left` is the width of the left axis's texts. */
function viewOf(stage: Viewport, axes: boolean, left: number): Box {
  if (!axes) return { x: 0, y: 0, ...stage };
  return {
    x: left,
    y: room.top,
    width: Math.max(1, stage.width - left - room.right),
    height: Math.max(1, stage.height - room.top - room.bottom),
  };
}

/** Returns the part of the view that the field covers. */
function pictureOf(gaze: Gaze, view: Box): Box {
  const { ground, eye } = gaze;
  const half = (ground.period ?? 0) / 2;
  const [first, last] = half > 0 ? [eye.x - half, eye.x + half] : [0, ground.width];
  const a = pointAt(gaze, first, 0);
  const b = pointAt(gaze, last, ground.height);
  const left = Math.max(0, Math.min(a.x, b.x));
  const top = Math.max(0, Math.min(a.y, b.y));
  const right = Math.min(view.width, Math.max(a.x, b.x));
  const bottom = Math.min(view.height, Math.max(a.y, b.y));
  return { x: view.x + left, y: view.y + top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

const noAxis: PlaneAxis["axis"] = { name: "", title: "", role: { value: "other" }, length: 1, units: "" };
