// Arrows over a picture, of two variables that are the components of a vector. This module is
// loaded when arrows are shown or chosen.
import type { ZarrArray } from "../../api/array.js";
import type { AnyData, Chunk, DataType } from "../../data/types.js";
import type { Description } from "../../describe/description.js";
import type { Field } from "../../describe/field.js";
import { withUnits } from "../../describe/text.js";
import { openFrom } from "../../shared/openfrom.js";
import { refusal } from "../computed/align.js";
import { fieldAt, parentOf } from "../computed/siblings.js";
import { choice, labelled, offer } from "../controls/parts.js";
import { el, fill } from "../dom.js";
import { chunksAlong, costOf, isMuch } from "../element/budget.js";
import type { Look } from "../element/look.js";
import type { Scene } from "../element/scene.js";
import type { Theme } from "../plot/theme.js";
import type { ViewState } from "../state.js";
import { isMissing } from "../take/slice.js";
import type { Pen } from "../take/svg.js";
import { numbersOf, takenFor } from "../tiles/elements.js";
import { type Arrow, arrowsOf, countOf, roundUp, type Sampled, type Strided, samplesOf, spacing } from "./arrows.js";
import { type Candidate, pairsOf } from "./pairs.js";

export { arrowsOf, roundUp, samplesOf } from "./arrows.js";
export { pairsOf, partnerName } from "./pairs.js";

/** The paths of the components along x and y. */
type Paths = NonNullable<ViewState["arrows"]>;

/** The largest number of arrays that are opened to find pairs. */
const mostOpened = 64;

/** Returns the arrays of a node's group. */
async function candidates({ node, path }: Description, signal: AbortSignal): Promise<Candidate[]> {
  const group = await openFrom(node, node.resolve(parentOf(path)), { kind: "group", signal });
  const members = (await group.members({ signal })).filter(({ kind }) => kind === "array").slice(0, mostOpened);
  const opened = await Promise.all(
    members.map(async (member) => {
      const known = member.node ?? (await openFrom(node, member, { kind: "array", signal }).catch(() => undefined));
      return known?.kind === "array" ? [known as ZarrArray] : [];
    }),
  );
  signal.throwIfAborted();
  return opened.flat().map(({ path, attrs, shape, dimensionNames }) => {
    return { path, attrs, shape, names: dimensionNames ?? shape.map(() => null) };
  });
}

/** Fills a panel with the vectors beside a node. */
export async function openArrows(
  host: HTMLElement,
  base: Description,
  shown: Paths | undefined,
  chosen: (paths: Paths | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  const found = pairsOf(await candidates(base, signal));
  const name = (path: string) => path.split("/").at(-1) ?? path;
  const select = choice("Components of the arrows", (value) => {
    const pair = found[Number(value)];
    chosen(value === "" || !pair ? undefined : [pair.x, pair.y]);
  });
  offer(select, [["", "none"], ...found.map(({ x, y }, i) => [String(i), `${name(x)}, ${name(y)}`] as const)]);
  const at = found.findIndex(({ x, y }) => x === shown?.[0] && y === shown?.[1]);
  select.value = at < 0 ? "" : String(at);
  const text =
    found.length === 0
      ? "No two variables here are components of a vector by their standard names, or by names such as u and v."
      : "An arrow points along x or east, and y or north, as they run in the picture.";
  fill(host, labelled("Arrows of", select), el("p", { class: "zc-note" }, text));
}

/** One component: its field, and its axes by the roles that they have in the picture. */
interface Component {
  readonly field: Field;
  readonly x: number;
  readonly y: number;
}

/** Returns the component of a path for the plane of a picture. Throws if it has another grid. */
function componentOf(field: Field, over: Field, { x, y }: Look): Component {
  const at = (axis: number | null): number => {
    const own = over.axes[axis ?? -1];
    const found = field.axes.findIndex(({ name, length }) => name === own?.name && length === own.length);
    if (found < 0) throw refusal(field.path, `${field.path} has no axis ${own?.name} of ${own?.length} elements`);
    return found;
  };
  if (field.values !== "number") throw refusal(field.path, `${field.path} has no numbers, so it is no component`);
  return { field, x: at(x), y: at(y) };
}

/** Returns the cost of a strided read. */
function sampledCost({ field, x, y }: Component, { columns, rows }: Pick<Sampled, "columns" | "rows">) {
  const level = field.levels[0] as Field["levels"][number];
  const touched = (axis: number, range: Sampled["columns"]) =>
    Math.min(chunksAlong(level, axis, range.start, range.stop), countOf(range));
  return costOf(level, touched(x, columns) * touched(y, rows));
}

/** Reads the sampled values of a component, rows of columns. */
async function read(
  { field, x, y }: Component,
  over: Field,
  { indices }: Look,
  { columns, rows }: Pick<Sampled, "columns" | "rows">,
  signal: AbortSignal,
): Promise<Float64Array> {
  const { array } = field.levels[0] as Field["levels"][number];
  const { packing } = field;
  const selection = field.axes.map(({ name, length }, d): Strided | number => {
    if (d === x) return columns;
    if (d === y) return rows;
    const own = over.axes.findIndex((axis) => axis.name === name);
    return Math.min(length - 1, own < 0 ? (field.indices[d] ?? 0) : (indices[own] ?? 0));
  });
  const { data, stride } = (await array.get(selection, { signal })) as Chunk<DataType>;
  const numbers = numbersOf(array.type, data as AnyData, undefined);
  if (!numbers) throw refusal(field.path, `${field.path} has no numbers, so it is no component`);
  const taken = takenFor(numbers, packing.type);
  const [down = 0, across = 0] = y < x ? stride : [...stride].reverse();
  const [width, height] = [countOf(columns), countOf(rows)];
  return Float64Array.from({ length: width * height }, (_, i) => {
    const stored = taken[Math.floor(i / width) * down + (i % width) * across] as number | bigint;
    return isMissing(packing, stored) ? Number.NaN : Number(stored) * packing.scale + packing.offset;
  });
}

/** The arrows over a picture. */
export class Vectors {
  readonly #over: Field;
  readonly #fields: Promise<readonly [Field, Field]>;
  readonly #changed: () => void;
  readonly #failed: (error: unknown) => void;
  readonly #ended = new AbortController();
  /** The last request, and the part of the picture that it reads. */
  #reading: AbortController | null = null;
  #wanted = "";
  #sampled: Sampled | null = null;
  #units = "";
  /** Why no arrows are drawn; `""` if they are. */
  #note = "";

  /** Opens the components beside a node. `failed` takes errors of reads. */
  constructor(base: Description, over: Field, [x, y]: Paths, changed: () => void, failed: (error: unknown) => void) {
    this.#over = over;
    this.#changed = changed;
    this.#failed = failed;
    const { signal } = this.#ended;
    this.#fields = Promise.all([fieldAt(base.node, x, signal), fieldAt(base.node, y, signal)]);
    // The first request reports why they cannot be opened.
    this.#fields.catch(() => {});
  }

  /** Identifies what `draw` draws. */
  get drawn(): unknown {
    return this.#sampled ?? this.#note;
  }

  /** Whether the arrows of the last request are available. */
  get complete(): boolean {
    return this.#reading === null && this.#wanted !== "";
  }

  /** Requests the arrows in view. */
  want(look: Look, scene: Scene): void {
    const samples = samplesOf(scene);
    const wanted = JSON.stringify([samples, look.x, look.y, look.indices]);
    if (wanted === this.#wanted || this.#ended.signal.aborted) return;
    this.#wanted = wanted;
    this.#reading?.abort();
    const reading = new AbortController();
    this.#reading = reading;
    this.#read(look, samples, reading.signal).then(
      () => {
        if (this.#reading !== reading) return;
        this.#reading = null;
        this.#changed();
      },
      (error: unknown) => {
        if (this.#reading !== reading) return;
        this.#reading = null;
        this.#fail(error);
        this.#changed();
      },
    );
  }

  async #read(look: Look, samples: Pick<Sampled, "columns" | "rows">, signal: AbortSignal): Promise<void> {
    const parts = (await this.#fields).map((field) => componentOf(field, this.#over, look));
    const [first] = parts as [Component, Component];
    if (this.#over.place && !this.#over.place.lonLat && /northward|eastward/.test(String(attrsOf(first).standard_name)))
      throw refusal(first.field.path, `${first.field.path} points east, which is not along an axis of this grid`);
    this.#units = first.field.units;
    if (parts.some((part) => isMuch(sampledCost(part, samples)))) {
      this.#sampled = null;
      this.#note = "Zoom in for arrows";
      return;
    }
    const [x, y] = await Promise.all(parts.map((part) => read(part, this.#over, look, samples, signal)));
    signal.throwIfAborted();
    this.#note = "";
    this.#sampled = { ...samples, x: x as Float64Array, y: y as Float64Array };
  }

  /** Draws the arrows, and one with its magnitude in the corner. */
  draw(pen: Pen, scene: Scene, { font }: Theme): void {
    const arrows = this.#sampled ? arrowsOf(scene, this.#sampled) : [];
    const most = arrows.reduce((most, { magnitude }) => Math.max(most, magnitude), 0);
    const { picture } = scene;
    pen.save();
    pen.beginPath();
    pen.rect(picture.x, picture.y, picture.width, picture.height);
    pen.clip();
    pen.lineCap = "round";
    pen.lineJoin = "round";
    const full = most > 0 ? roundUp(most) : 1;
    trace(pen, arrows, full);
    const text = this.#note || (most > 0 ? withUnits(String(full), this.#units) : "");
    if (text) this.#key(pen, picture, text, font);
    pen.restore();
  }

  #key(pen: Pen, picture: Scene["picture"], text: string, font: string): void {
    pen.font = `600 12px ${font}`;
    pen.textBaseline = "middle";
    const width = pen.measureText(text).width;
    const [right, y] = [picture.x + picture.width - 10, picture.y + 16];
    pen.lineWidth = 3;
    pen.strokeStyle = "rgb(0 0 0 / 0.7)";
    pen.fillStyle = "#fff";
    pen.strokeText(text, right - width, y);
    pen.fillText(text, right - width, y);
    if (this.#note) return;
    trace(pen, [{ x: right - width - 8 - spacing / 2, y, dx: 1, dy: 0, magnitude: 1 }], 1);
  }

  #fail(error: unknown): void {
    if (!this.#ended.signal.aborted && (error as Error).name !== "AbortError") this.#failed(error);
  }

  /** Ends all reads. */
  close(): void {
    this.#ended.abort();
    this.#reading?.abort();
  }
}

const attrsOf = ({ field }: Component) => (field.levels[0] as Field["levels"][number]).array.attrs;

/**
 * Strokes arrows in black with a white border. An arrow of the magnitude `full` covers the spacing.
 */
function trace(pen: Pen, arrows: readonly Arrow[], full: number): void {
  pen.beginPath();
  for (const { x, y, dx, dy, magnitude } of arrows) {
    const half = (spacing * magnitude) / full / 2;
    const head = Math.min(half, 5);
    const [tx, ty] = [x + dx * half, y + dy * half];
    pen.moveTo(x - dx * half, y - dy * half);
    pen.lineTo(tx, ty);
    pen.moveTo(tx - head * (dx + dy * 0.6), ty - head * (dy - dx * 0.6));
    pen.lineTo(tx, ty);
    pen.lineTo(tx - head * (dx - dy * 0.6), ty - head * (dy + dx * 0.6));
  }
  for (const [colour, width] of [
    ["rgb(255 255 255 / 0.8)", 3],
    ["#000", 1.25],
  ] as const) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.stroke();
  }
}
