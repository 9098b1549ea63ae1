import type { Eye, Rectangle, Viewport } from "../element/camera.js";
import type { Box, Globe } from "../element/scene.js";
import type { Reprojected } from "../paint/painter.js";
import type { Projection } from "../state.js";
import { draw, mark, type Shown } from "./draw.js";
import { type Earth, elementOf } from "./earth.js";
import { type Middle, middleAt, type Point, projections } from "./projections.js";
import { Raster } from "./raster.js";
import { globeShader } from "./shader.js";

const degree = Math.PI / 180;
/** The largest width of an element, in CSS pixels. */
const most = 256;
/** The margin around the whole map, as a share of its size. */
const margin = 0.97;
/** The number of samples across a view that find the elements in it. */
const samples = 48;

const clamp = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));
/** Returns an angle from -π to π. */
const around = (angle: number) => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

/** A map in a projection: the elements at points of its view, and their points. */
export class ProjectedMap implements Globe {
  readonly eye: Eye;
  readonly name: Projection;
  readonly #earth: Earth;
  readonly #view: Box;
  readonly #middle: Middle;
  readonly #radius: number;
  #sight: { readonly seen: Rectangle; readonly shown: Shown } | undefined;
  #outline: readonly Point[] | undefined;

  /** A null eye shows the whole map. */
  constructor(name: Projection, earth: Earth, eye: Eye | null, view: Box) {
    this.name = name;
    this.#earth = earth;
    this.#view = view;
    this.eye = eye ? bounded(name, earth, eye, view) : fitted(name, earth, view);
    this.#middle = middleOf(name, earth, this.eye);
    this.#radius = radiusOf(earth, this.eye.zoom);
  }

  get #projection() {
    return projections[this.name];
  }

  /** The middle of the view. */
  get middle(): Middle {
    return this.#middle;
  }

  /** The height of an element divided by its width at the equator. */
  get aspect(): number {
    return Math.abs(this.#earth.down.step / this.#earth.across.step);
  }

  get left(): boolean {
    return this.#earth.across.step < 0;
  }

  get up(): boolean {
    return this.#earth.down.step > 0;
  }

  /** The magnification at the middle. */
  get detail(): number {
    return this.name === "mercator" ? 1 / Math.max(0.05, this.#middle.cosine) : 1;
  }

  /** Returns the point of the view at a place, in CSS pixels; null if it is not shown. */
  pointOf(longitude: number, latitude: number): Point | null {
    return this.pointAtTurn(around(longitude * degree - this.#middle.longitude), latitude * degree);
  }

  /** Returns the point of the view at a turn from the middle and a latitude, in radians. */
  pointAtTurn(turn: number, latitude: number): Point | null {
    const found = this.#projection.forward(this.#middle, turn, latitude);
    return found && this.#onScreen(found);
  }

  #onScreen([x, y]: Point): Point {
    return [this.#view.width / 2 + x * this.#radius, this.#view.height / 2 - y * this.#radius];
  }

  #inverse(px: number, py: number): readonly [turn: number, rise: number] | null {
    const { width, height } = this.#view;
    return this.#projection.inverse(this.#middle, (px - width / 2) / this.#radius, (height / 2 - py) / this.#radius);
  }

  elementAt(px: number, py: number): { x: number; y: number } {
    const found = this.#inverse(px, py);
    if (!found) return { x: Number.NaN, y: Number.NaN };
    const { longitude, latitude } = this.#middle;
    return elementOf(this.#earth, (longitude + found[0]) / degree, (latitude + found[1]) / degree);
  }

  pointAt(x: number, y: number): { x: number; y: number } {
    const { across, down } = this.#earth;
    const found = this.pointOf(across.at(x), clamp(down.at(y), -90, 90));
    return found ? { x: found[0], y: found[1] } : { x: Number.NaN, y: Number.NaN };
  }

  get seen(): Rectangle {
    return this.#look().seen;
  }

  get shown(): Shown {
    return this.#look().shown;
  }

  /** Samples the view. A pole in view has all longitudes around it. */
  #look() {
    if (this.#sight) return this.#sight;
    const { width, height } = this.#view;
    const { latitude } = this.#middle;
    let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity];
    const add = (turn: number, at: number) => {
      west = Math.min(west, turn);
      east = Math.max(east, turn);
      south = Math.min(south, at);
      north = Math.max(north, at);
    };
    for (let j = 0; j <= samples; j++)
      for (let i = 0; i <= samples; i++) {
        const found = this.#inverse((i / samples) * width, (j / samples) * height);
        if (found) add(found[0], latitude + found[1]);
      }
    for (const pole of [Math.PI / 2, -Math.PI / 2]) {
      const point = this.pointAtTurn(0, pole);
      if (!point || point[0] < 0 || point[1] < 0 || point[0] > width || point[1] > height) continue;
      add(-Math.PI, pole);
      add(Math.PI, pole);
    }
    // A sample's neighbour may lie in the next element.
    const [x, y] = [(2 * (east - west)) / samples, (2 * (north - south)) / samples];
    const shown = {
      west: Math.max(-Math.PI, west - x),
      east: Math.min(Math.PI, east + x),
      south: Math.max(-Math.PI / 2, south - y),
      north: Math.min(Math.PI / 2, north + y),
    };
    this.#sight = { shown, seen: this.#rectangle(shown) };
    return this.#sight;
  }

  #rectangle({ west, east, south, north }: Shown): Rectangle {
    const { across, down, around } = this.#earth;
    if (!(west <= east)) return { left: 0, top: 0, right: 0, bottom: 0 };
    const rows = [south, north].map((at) => down.position(at / degree));
    const [top, bottom] = [Math.min(...rows), Math.max(...rows)] as [number, number];
    const whole = across.edges !== null || around < across.length + 0.5;
    if (across.edges) return { left: 0, right: across.length, top, bottom };
    const columns = [west, east].map((turn) => this.eye.x + turn / degree / across.step);
    const [left, right] = [Math.min(...columns), Math.max(...columns)] as [number, number];
    if (whole || right - left >= around) {
      return right - left >= around ? { left: 0, right: across.length, top, bottom } : { left, right, top, bottom };
    }
    // A region is at one side of its opposite meridian, or at both.
    const shift = around * Math.round(((left + right) / 2 - across.length / 2) / around);
    const [a, b] = [left - shift, right - shift];
    const parts = [-around, 0, around].map(
      (turn) => [Math.max(0, a + turn), Math.min(across.length, b + turn)] as const,
    );
    const inside = parts.filter(([from, to]) => from < to);
    if (inside.length === 0) return { left: 0, top: 0, right: 0, bottom: 0 };
    return {
      left: Math.min(...inside.map(([from]) => from)),
      right: Math.max(...inside.map(([, to]) => to)),
      top,
      bottom,
    };
  }

  /** The edge of the map in the view, in CSS pixels. */
  get outline(): readonly Point[] {
    if (this.#outline) return this.#outline;
    const { cut, south, north } = this.#projection;
    const parts = 90;
    const points: Point[] = [];
    if (cut) {
      for (const side of [1, -1])
        for (let k = 0; k <= parts; k++) {
          const share = side > 0 ? k / parts : 1 - k / parts;
          const found = this.#projection.forward(this.#middle, side * Math.PI, south + share * (north - south));
          if (found) points.push(found);
        }
    } else {
      const [, , x0 = 0, y0 = 0] = this.#middle.more;
      const size = this.name === "orthographic" ? 1 : 2;
      for (let k = 0; k < 2 * parts; k++) {
        const angle = (k * Math.PI) / parts;
        points.push([size * Math.cos(angle) - x0, size * Math.sin(angle) - y0]);
      }
    }
    this.#outline = points.map((point) => this.#onScreen(point));
    return this.#outline;
  }

  get picture(): Box {
    const { x, y, width, height } = this.#view;
    const [xs, ys] = [this.outline.map(([x]) => x), this.outline.map(([, y]) => y)];
    const left = clamp(Math.min(...xs), 0, width);
    const top = clamp(Math.min(...ys), 0, height);
    const right = clamp(Math.max(...xs), 0, width);
    const bottom = clamp(Math.max(...ys), 0, height);
    return { x: x + left, y: y + top, width: right - left, height: bottom - top };
  }

  get clip(): string {
    const { picture } = this;
    const [dx, dy] = [picture.x - this.#view.x, picture.y - this.#view.y];
    const points = this.outline.map(([x, y]) => `${(x - dx).toFixed(1)}px ${(y - dy).toFixed(1)}px`);
    return `polygon(${points.join(",")})`;
  }

  panned(dx: number, dy: number): Eye {
    const { across, down } = this.#earth;
    const { longitude, latitude, cosine } = this.#middle;
    const [x, y] = [dx / this.#radius, dy / this.#radius];
    // The globe keeps north up, so it turns about its axis and towards a pole.
    const [turn, rise] =
      this.name === "orthographic"
        ? [-x / Math.max(0.2, cosine), y]
        : (this.#projection.inverse(this.#middle, -x, y) ?? [0, 0]);
    const to = clamp(latitude + rise, -Math.PI / 2, Math.PI / 2);
    const moved = {
      x: across.position((longitude + turn) / degree),
      y: down.position(to / degree),
      zoom: this.eye.zoom,
    };
    return bounded(this.name, this.#earth, moved, this.#view);
  }

  zoomed(factor: number, px: number, py: number): Eye {
    const eye = bounded(this.name, this.#earth, { ...this.eye, zoom: this.eye.zoom * factor }, this.#view);
    const { width, height } = this.#view;
    const grown = eye.zoom / this.eye.zoom - 1;
    if (!this.#inverse(px, py) || grown === 0) return eye;
    const there = new ProjectedMap(this.name, this.#earth, eye, this.#view);
    return there.panned((width / 2 - px) * grown, (height / 2 - py) * grown);
  }

  readonly draw: Globe["draw"] = (pen, coast, theme) => draw(this, this.#view, pen, coast, theme);

  readonly mark: Globe["mark"] = (pen, cross, framed) => mark(this, this.#earth, this.#view, pen, cross, framed);

  /** The state of a drawing: equal texts draw equal pictures of equal tiles. */
  get key(): string {
    return JSON.stringify([this.name, this.eye, this.#view]);
  }

  /** Returns what painters need to draw this map with `ratio` device pixels per CSS pixel. */
  reprojected(ratio: number): Reprojected {
    const { across, down, around } = this.#earth;
    const { longitude, latitude, sine, cosine, more } = this.#middle;
    const { width, height } = this.#view;
    const raster = (canvas: HTMLCanvasElement) => Raster.of(canvas, this, this.#earth, ratio);
    return {
      name: this.name,
      code: globeShader(this.name),
      edges: edgesOf(this.#earth),
      advance: (canvas, whole) => raster(canvas).advance(whole),
      spans: (canvas, tiles, run) => raster(canvas).spans(tiles, run),
      draw: (gl, at, { tile, pixels, part, edges }) => {
        const { canvas } = gl;
        const floats: Record<string, readonly number[]> = {
          place: [(width / 2) * ratio, canvas.height - (height / 2) * ratio, this.#radius * ratio],
          m: [sine, cosine],
          home: [longitude / degree, latitude / degree],
          eye: [this.eye.x - tile.x, this.eye.y - tile.y],
          pace: [1 / degree / across.step, 1 / degree / down.step],
          tile: [tile.x, tile.y],
          box: [tile.width, tile.height],
          scaling: [pixels.width / tile.width, pixels.height / tile.height],
          signs: [Math.sign(across.step), Math.sign(down.step)],
          latitude: [latitude],
          around: [around],
        };
        for (const [name, numbers] of Object.entries(floats))
          gl[`uniform${numbers.length as 1 | 2 | 3}fv`](at(name), numbers);
        gl.uniform1fv(
          at("more"),
          Array.from({ length: 10 }, (_, i) => more[i] ?? 0),
        );
        gl.uniform2i(at("counts"), across.edges ? across.length : 0, down.edges ? down.length : 0);
        gl.uniform2i(at("extent"), pixels.width, pixels.height);
        gl.uniform2i(at("piece"), part.left, part.top);
        gl.uniform1i(at("edges"), 4);
        for (const [unit, texture] of [
          [4, edges],
          [0, part.texture],
        ] as const) {
          gl.activeTexture(gl.TEXTURE0 + unit);
          gl.bindTexture(gl.TEXTURE_2D, texture);
        }
        gl.scissor(0, 0, canvas.width, canvas.height);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
      },
    };
  }
}

const tables = new WeakMap<Earth, Uint32Array>();

/** Returns the bits of the edges of uneven columns and rows. */
function edgesOf(earth: Earth): Uint32Array {
  const found =
    tables.get(earth) ??
    new Uint32Array(Float32Array.from([...(earth.across.edges ?? []), ...(earth.down.edges ?? [])]).buffer);
  tables.set(earth, found);
  return found;
}

const radiusOf = ({ across }: Earth, zoom: number) => zoom / Math.abs(across.step * degree);

function middleOf(name: Projection, { across, down }: Earth, { x, y }: Eye): Middle {
  const { south, north } = projections[name];
  return middleAt(projections[name], around(across.at(x) * degree), clamp(down.at(y) * degree, south, north));
}

/** Returns the eye that sees the whole grid, or as much of it as the projection shows. */
function fitted(name: Projection, earth: Earth, view: Viewport): Eye {
  const { across, down, around: columns } = earth;
  const projection = projections[name];
  const ends = [down.at(0), down.at(down.length)].map((at) => clamp(at * degree, projection.south, projection.north));
  const [south, north] = [Math.min(...ends), Math.max(...ends)] as [number, number];
  const whole = across.length > columns - 1.5;
  const polar = name === "north-polar" ? Math.PI / 2 : name === "south-polar" ? -Math.PI / 2 : null;
  const near = polar !== null && (south === north || (polar > 0 ? north > 1.5 : south < -1.5));
  const latitude = near ? (polar ?? 0) : (south + north) / 2;
  const x = across.length / 2;
  const longitude = polar !== null && whole ? 0 : across.at(x) * degree;
  const middle = middleAt(projection, around(longitude), latitude);
  let [width, height] = [0, 0];
  const parts = 32;
  for (let j = 0; j <= parts; j++)
    for (let i = 0; i <= parts; i++) {
      const turn = whole
        ? ((i / parts) * 2 - 1) * Math.PI
        : around(across.at((i / parts) * across.length) * degree - middle.longitude);
      const point = projection.forward(middle, turn, south + (j / parts) * (north - south));
      if (!point) continue;
      width = Math.max(width, Math.abs(point[0]));
      height = Math.max(height, Math.abs(point[1]));
    }
  if (width < 1e-6 || height < 1e-6) [width, height] = [2, 2];
  const radius = Math.min(view.width / 2 / width, view.height / 2 / height) * margin;
  return {
    x: polar !== null && whole ? across.position(0) : x,
    y: down.position(latitude / degree),
    zoom: Math.max(1e-9, radius * Math.abs(across.step) * degree),
  };
}

/** Returns the nearest eye with an allowed zoom and a latitude that the projection shows. */
function bounded(name: Projection, earth: Earth, eye: Eye, view: Viewport): Eye {
  const { across, down, around: columns } = earth;
  const { zoom: fit } = fitted(name, earth, view);
  const zoom = clamp(eye.zoom, fit / 2, Math.max(fit * 4, most));
  const { south, north } = projections[name];
  const latitude = clamp(down.at(eye.y) * degree, south, north);
  const half = across.length / 2;
  return {
    x: eye.x - columns * Math.round((eye.x - half) / columns),
    y: Math.abs(latitude - down.at(eye.y) * degree) < 1e-12 ? eye.y : down.position(latitude / degree),
    zoom,
  };
}
