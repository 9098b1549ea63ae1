// The region over a picture: its drawing, its handles, and the pointer that draws it.
import { type Panel, textButton } from "../controls/parts.js";
import { adoptStyles, append, el, fill } from "../dom.js";
import { elementAt, nearest, pointAt } from "../element/camera.js";
import type { RegionHost } from "../element/regional.js";
import type { Scene } from "../element/scene.js";
import type { RegionState } from "../state.js";
import type { Wish } from "../take/slice.js";
import type { Pen } from "../take/svg.js";
import { type Corner, cornersOf, partsOf, rounded, type Shape } from "./cells.js";
import { RegionPanel } from "./panel.js";
import { axesOf, regionOf } from "./plane.js";
import { css } from "./styles.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * Distances in CSS pixels: within which a press means a corner, a move is no drag, and a handle is
 * shown beside the picture.
 */
const near = { corner: 12, drag: 4, edge: 8 };

/** The number of straight pieces of an edge on a map in a projection. */
const pieces = 48;

const hints: Readonly<Record<RegionState["kind"], string>> = {
  box: "Drag from one corner to the opposite one, or click both.",
  line: "Drag from one end to the other, or click both.",
  polygon: "Click the corners. Click the first one again to close the polygon.",
};

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The drawing under way. */
interface Drawing {
  readonly kind: RegionState["kind"];
  /** The corners so far, without the one under the pointer. */
  points: Corner[];
  /** The position under the pointer; null before it is known. */
  next: Corner | null;
  readonly ended: AbortController;
}

/** Draws regions over a picture, and changes them with the pointer. */
export class RegionTools {
  readonly #host: RegionHost;
  readonly #svg = document.createElementNS(SVG, "svg");
  /** The picture, which clips the lines. */
  readonly #frame = document.createElementNS(SVG, "svg");
  readonly #paths: readonly SVGPathElement[];
  readonly #handles = document.createElementNS(SVG, "g");
  readonly #bar = el("div", { class: "region-bar", role: "group", "aria-label": "Drawing", hidden: true });
  #panel: Panel | null = null;
  #drawer: (open: boolean) => void = () => {};
  #drawing: Drawing | null = null;
  /** The corners while a handle is dragged. */
  #moved: Shape | null = null;

  constructor(host: RegionHost) {
    this.#host = host;
    const { surface, element } = host.canvases;
    adoptStyles(surface, css);
    this.#svg.setAttribute("class", "region");
    this.#svg.setAttribute("aria-hidden", "true");
    this.#paths = ["inside", "under", "line"].map((name) => {
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("class", name);
      this.#frame.append(path);
      return path;
    });
    this.#svg.append(this.#frame, this.#handles);
    append(surface, this.#svg);
    append(element, this.#bar);
    host.ended.addEventListener("abort", () => this.#end(), { once: true });
  }

  /** Fills the panel of regions. `drawer` opens and closes the controls around it. */
  open(panel: Panel, drawer: (open: boolean) => void): void {
    this.#panel = panel;
    this.#drawer = drawer;
    new RegionPanel(
      panel,
      this.#host,
      (kind) => this.#begin(kind),
      (kind, from) => this.#type(panel, kind, from),
    );
  }

  /** Begins a region around another one, and shows the fields of its corners. */
  #type(panel: Panel, kind: RegionState["kind"], { points }: Shape): void {
    const box = boxAround(points);
    const corners = cornersOf(box) as [Corner, Corner, Corner, Corner];
    const own = { box: box.points, polygon: corners, line: [corners[0], corners[2]] };
    this.#keep({ kind, points: own[kind] }, false);
    this.open(panel, this.#drawer);
    panel.place();
    panel.box.querySelector("input")?.focus();
  }

  /** Draws the region of the state, or the one that is being drawn. */
  draw(): void {
    const shape = this.#shape();
    const scene = this.#host.scene();
    const { picture } = scene;
    const corners = shape ? this.#placed(scene, shape) : [];
    const closed = shape !== null && shape.kind !== "line" && !(this.#drawing?.kind === "polygon");
    const path = corners.length > 1 ? traced(scene, corners, closed) : "";
    const { x, y, width, height } = picture;
    for (const [name, value] of Object.entries({ x, y, width, height })) this.#frame.setAttribute(name, String(value));
    this.#frame.setAttribute("viewBox", [x, y, width, height].join(" "));
    // An outline that a projection cuts has no inside.
    for (const [i, one] of this.#paths.entries())
      one.setAttribute("d", i === 0 && (scene.globe || !closed) ? "" : path);
    this.#svg.style.display = shape || this.#drawing ? "" : "none";
    this.#place(scene, corners);
  }

  /** The rectangle of the elements in the region of the state; undefined if there are none. */
  get around(): Wish["part"] {
    const shape = regionOf(this.#host);
    const parts = shape ? partsOf(shape, this.#host.scene().ground) : [];
    if (parts.length === 0) return undefined;
    const of = (end: keyof (typeof parts)[0]) => parts.map((part) => part[end]);
    return {
      left: Math.min(...of("left")),
      top: Math.min(...of("top")),
      right: Math.max(...of("right")),
      bottom: Math.max(...of("bottom")),
    };
  }

  /** Draws the region of the state into an export, without its handles. */
  paint(pen: Pen): void {
    const shape = regionOf(this.#host);
    if (!shape) return;
    const scene = this.#host.scene();
    const { picture } = scene;
    const closed = shape.kind !== "line";
    const path = traced(scene, this.#placed(scene, shape), closed);
    pen.save();
    pen.beginPath();
    pen.rect(picture.x, picture.y, picture.width, picture.height);
    pen.clip();
    pen.beginPath();
    for (const [, letter, x, y] of path.matchAll(/([MLZ])(?:(-?[\d.]+) (-?[\d.]+))?/g)) {
      if (letter === "M") pen.moveTo(Number(x), Number(y));
      else if (letter === "L") pen.lineTo(Number(x), Number(y));
      else pen.closePath();
    }
    pen.lineJoin = "round";
    for (const [colour, width] of [
      ["rgb(0 0 0 / 0.8)", 3.5],
      ["#fff", 1.5],
    ] as const) {
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.stroke();
    }
    pen.restore();
  }

  /** The shape to draw; null if there is none. */
  #shape(): Shape | null {
    const drawing = this.#drawing;
    if (!drawing) return this.#moved ?? regionOf(this.#host) ?? null;
    const points = drawing.next ? [...drawing.points, drawing.next] : drawing.points;
    if (points.length === 0) return null;
    return drawing.kind === "box" && points.length > 1 ? boxAround(points) : { kind: drawing.kind, points };
  }

  /** Returns the corners of a shape, in the turn of the plane that is nearest to the view. */
  #placed({ ground, eye, globe }: Scene, shape: Shape): readonly Corner[] {
    const corners = shape.points.length > 1 ? cornersOf(shape) : shape.points;
    const { period } = ground;
    if (!period || globe) return corners;
    const xs = corners.map(([x]) => x);
    const shift = period * Math.round((eye.x - (Math.min(...xs) + Math.max(...xs)) / 2) / period);
    return corners.map(([x, y]) => [x + shift, y]);
  }

  /** Places the handles at the corners. */
  #place(scene: Scene, corners: readonly Corner[]): void {
    while (this.#handles.childElementCount > corners.length) this.#handles.lastElementChild?.remove();
    for (const [i, [x, y]] of corners.entries()) {
      const handle = (this.#handles.children[i] as SVGElement | undefined) ?? this.#handle(i);
      const at = stageAt(scene, scene.globe ? x : nearest(scene, x), y);
      const { picture } = scene;
      const beside = Math.max(picture.x - at.x, at.x - picture.x - picture.width);
      const above = Math.max(picture.y - at.y, at.y - picture.y - picture.height);
      // A corner outside the map or the picture has no handle.
      const shown = Math.max(beside, above) < near.edge;
      handle.style.display = shown ? "" : "none";
      if (!shown) continue;
      handle.setAttribute("cx", at.x.toFixed(2));
      handle.setAttribute("cy", at.y.toFixed(2));
    }
  }

  /** Makes a handle that moves a corner. */
  #handle(i: number): SVGElement {
    const handle = document.createElementNS(SVG, "circle");
    handle.setAttribute("r", "7");
    const { ended } = this.#host;
    let open = false;
    let before: Shape | null = null;
    const stop = (event: PointerEvent) => event.stopPropagation();
    handle.addEventListener(
      "pointerdown",
      (event) => {
        stop(event);
        if (event.button !== 0 || this.#drawing) return;
        handle.setPointerCapture(event.pointerId);
        before = regionOf(this.#host) ?? null;
        open = this.#panel?.open === true;
      },
      { signal: ended },
    );
    handle.addEventListener(
      "pointermove",
      (event) => {
        if (!before) return;
        stop(event);
        const to = this.#at(event, cornersOf(before)[i]);
        if (!to) return;
        this.#moved = movedCorner(before, i, to);
        this.draw();
      },
      { signal: ended },
    );
    const up = (event: PointerEvent) => {
      stop(event);
      const moved = this.#moved;
      before = null;
      this.#moved = null;
      if (moved && event.type === "pointerup") this.#keep(moved, open);
      else this.draw();
    };
    handle.addEventListener("pointerup", up, { signal: ended });
    handle.addEventListener("pointercancel", up, { signal: ended });
    this.#handles.append(handle);
    return handle;
  }

  /**
   * Returns the position under the pointer, inside the plane; null outside a map. A plane that
   * repeats has several, and the one nearest to `other` is returned.
   */
  #at(event: MouseEvent, other: Corner | undefined): Corner | null {
    const scene = this.#host.scene();
    const { ground, view } = scene;
    const { x, y } = this.#stage(event);
    const at = elementAt(scene, x - view.x, y - view.y);
    if (!Number.isFinite(at.x) || !Number.isFinite(at.y)) return null;
    const row = Math.max(0, Math.min(ground.height, at.y));
    const { period } = ground;
    if (!period) return rounded([Math.max(0, Math.min(ground.width, at.x)), row]);
    const turns = other ? Math.round((other[0] - at.x) / period) : 0;
    return rounded([at.x + turns * period, row]);
  }

  #stage({ clientX, clientY }: MouseEvent): Point {
    const box = this.#host.canvases.surface.getBoundingClientRect();
    return { x: clientX - box.left, y: clientY - box.top };
  }

  /** Stores a region. With `open` the panel opens and calculates. */
  #keep(shape: Shape, open: boolean): void {
    this.#host.changed({ region: { kind: shape.kind, axes: axesOf(this.#host), points: shape.points } });
    this.draw();
    const panel = this.#panel;
    if (!open || !panel) return;
    // The press that ends the drawing would close a panel that is open already.
    setTimeout(() => {
      if (this.#host.ended.aborted || panel.open) return;
      this.#drawer(true);
      // Escape closes a panel if its button has the focus, and not the picture.
      panel.button.focus();
      panel.box.showPopover();
    });
  }

  /** Begins to draw with the pointer. */
  #begin(kind: RegionState["kind"]): void {
    this.#end();
    this.#panel?.close();
    this.#drawer(false);
    const ended = new AbortController();
    const drawing: Drawing = { kind, points: [], next: null, ended };
    this.#drawing = drawing;
    const { signal } = ended;
    const svg = this.#svg;
    svg.setAttribute("data-drawing", kind);
    const done = () => this.#finish(drawing);
    const undo = () => {
      this.#end();
      this.#panel?.button.focus();
    };
    fill(
      this.#bar,
      el("span", { role: "status" }, hints[kind]),
      kind === "polygon" && textButton("Done", done),
      textButton("Cancel", undo),
    );
    this.#bar.hidden = false;
    this.#host.canvases.surface.focus();
    let pressed: Point | null = null;
    let presses = 0;
    const far = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y);
    const on = <K extends "pointerdown" | "pointermove" | "pointerup" | "dblclick">(
      type: K,
      run: (event: SVGElementEventMap[K]) => void,
    ) => svg.addEventListener(type, run as EventListener, { signal });
    on("pointerdown", (event) => {
      if (event.button !== 0 || !event.isPrimary) return;
      // The picture does not move while a region is drawn.
      event.stopPropagation();
      svg.setPointerCapture(event.pointerId);
      const at = this.#at(event, drawing.points[0]);
      if (!at) return;
      pressed = this.#stage(event);
      presses++;
      if (kind !== "polygon" && drawing.points.length === 0) drawing.points = [at];
      drawing.next = at;
      this.draw();
    });
    on("pointermove", (event) => {
      if (!event.isPrimary || (drawing.points.length === 0 && !pressed)) return;
      const at = this.#at(event, drawing.points[0]);
      if (at) drawing.next = at;
      this.draw();
    });
    on("pointerup", (event) => {
      if (!pressed || !event.isPrimary) return;
      event.stopPropagation();
      const here = this.#stage(event);
      const dragged = far(here, pressed) > near.drag;
      pressed = null;
      const at = this.#at(event, drawing.points[0]) ?? drawing.next;
      if (!at) return;
      const [first] = drawing.points;
      if (kind !== "polygon") {
        // A click without a drag is the first corner; the next one is the second.
        drawing.next = at;
        if (dragged || presses > 1) done();
        return;
      }
      const scene = this.#host.scene();
      const distance = (corner: Corner | undefined) => {
        const [placed] = corner ? this.#placed(scene, { kind, points: [corner] }) : [];
        return placed ? far(here, stageAt(scene, ...placed)) : Number.POSITIVE_INFINITY;
      };
      if (drawing.points.length > 2 && distance(first) < near.corner) return done();
      // A double click ends at its first click.
      if (distance(drawing.points.at(-1)) > near.drag) drawing.points.push(at);
      this.draw();
    });
    on("dblclick", (event) => {
      event.stopPropagation();
      if (drawing.points.length > 2) done();
    });
    document.addEventListener(
      "keydown",
      (event) => {
        if (event.key === "Escape") undo();
        else if (event.key === "Enter" && !(event.composedPath()[0] instanceof HTMLButtonElement)) done();
        else if (event.key === "Backspace") drawing.points.pop();
        else return;
        event.preventDefault();
        event.stopPropagation();
        this.draw();
      },
      { signal, capture: true },
    );
    this.draw();
  }

  /** Keeps the drawn region, if it has enough corners. */
  #finish(drawing: Drawing): void {
    const { kind, points, next } = drawing;
    const all = kind !== "polygon" && next ? [...points, next] : points;
    const few = all.length < (kind === "polygon" ? 3 : 2);
    const shape = kind === "box" && !few ? boxAround(all) : { kind, points: all };
    if (few || (kind === "line" && String(all[0]) === String(all[1]))) return;
    this.#end();
    this.#keep(shape, true);
  }

  /** Ends the drawing without a result. */
  #end(): void {
    this.#drawing?.ended.abort();
    this.#drawing = null;
    this.#svg.removeAttribute("data-drawing");
    this.#bar.hidden = true;
    if (!this.#host.ended.aborted) this.draw();
  }
}

/** Returns the point of the stage at an element's corner. */
function stageAt(scene: Scene, x: number, y: number): Point {
  const at = pointAt(scene, x, y);
  return { x: scene.view.x + at.x, y: scene.view.y + at.y };
}

/** Returns the box of whole elements that contains some points. */
function boxAround(points: readonly Corner[]): Shape {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, top] = [Math.floor(Math.min(...xs)), Math.floor(Math.min(...ys))];
  return {
    kind: "box",
    points: [
      [left, top],
      [Math.max(left + 1, Math.ceil(Math.max(...xs))), Math.max(top + 1, Math.ceil(Math.max(...ys)))],
    ],
  };
}

/** Returns a shape with corner `i` at another place. The opposite corner of a box stays. */
function movedCorner(shape: Shape, i: number, to: Corner): Shape {
  if (shape.kind !== "box") {
    return { kind: shape.kind, points: shape.points.map((point, k) => (k === i ? to : point)) };
  }
  const opposite = cornersOf(shape)[(i + 2) % 4] as Corner;
  return boxAround([opposite, [Math.round(to[0]), Math.round(to[1])]]);
}

/**
 * Returns the path of a region: straight lines between columns and rows. On a map in a projection
 * they bend, and end where they leave the map. A plane that repeats shows its turns.
 */
function traced(scene: Scene, corners: readonly Corner[], closed: boolean): string {
  const { ground, globe, picture } = scene;
  if (!globe) {
    const turns = ground.period ? [-ground.period, 0, ground.period] : [0];
    return turns
      .map((turn) => {
        const points = corners.map(([x, y]) => stageAt(scene, x + turn, y));
        return `M${points.map(({ x, y }) => `${x.toFixed(2)} ${y.toFixed(2)}`).join("L")}${closed ? "Z" : ""}`;
      })
      .join("");
  }
  const edges = corners.flatMap((corner, i) => {
    const next = corners[i + 1] ?? (closed ? corners[0] : undefined);
    return next ? [[corner, next] as const] : [];
  });
  const longest = Math.max(picture.width, picture.height) / 3;
  let path = "";
  let last: Point | null = null;
  for (const [from, to] of edges)
    for (let k = 0; k <= pieces; k++) {
      const share = k / pieces;
      const at = stageAt(scene, from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1]));
      if (!Number.isFinite(at.x) || !Number.isFinite(at.y)) {
        last = null;
        continue;
      }
      const joined = last && Math.hypot(at.x - last.x, at.y - last.y) < longest;
      path += `${joined ? "L" : "M"}${at.x.toFixed(2)} ${at.y.toFixed(2)}`;
      last = at;
    }
  return path;
}
