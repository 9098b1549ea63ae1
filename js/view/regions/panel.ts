import type { Coordinate, Field } from "../../describe/field.js";
import { roundText, withUnits } from "../../describe/text.js";
import { classesOf } from "../colour/classes.js";
import { choice, labelled, numberIn, offer, type Panel, Field as TextField, textButton } from "../controls/parts.js";
import { el, fill } from "../dom.js";
import { type Cost, isMuch } from "../element/budget.js";
import { formatBytes, formatCount } from "../element/messages.js";
import type { RegionHost } from "../element/regional.js";
import { hasSeries } from "../element/sideplot.js";
import type { DiagramState, RegionState, ViewState } from "../state.js";
import { ViewWorker } from "../worker/viewworker.js";
import { type Corner, cornersOf, rounded, type Shape } from "./cells.js";
import { canDraw, isContinuous } from "./diagram.js";
import { axesOf, regionOf } from "./plane.js";
import { groundOf } from "./statistics.js";
import { type RegionOf, type RegionSummary, regionCost, type Statistics, summaryOf } from "./summary.js";

/** A column of the table: its name, a number of a row, and the text of the number. */
interface Column {
  readonly name: string;
  of(one: Statistics): number;
  text?(value: number, one: Statistics): string;
}

const countColumn: Column = {
  name: "count",
  of: ({ count }) => count,
  text: (count, { missing }) => `${count} of ${count + missing}`,
};

/** The columns of numbers. */
const numberColumns: readonly Column[] = [
  { name: "mean", of: ({ mean }) => mean },
  { name: "min", of: ({ least }) => least },
  { name: "max", of: ({ most }) => most },
  { name: "std", of: ({ deviation }) => deviation },
  countColumn,
];

/** Returns the columns of a field: shares of the classes that occur, or statistics of numbers. */
function columnsOf(field: Field, each: readonly Statistics[]): readonly Column[] {
  const classes = classesOf(field);
  if (classes.length === 0) return numberColumns;
  const shares = classes.flatMap(({ label }, i): Column[] => {
    const of = ({ shares }: Statistics) => shares[i] ?? Number.NaN;
    const text = (share: number) => `${roundText(100 * share, 4)} %`;
    return each.some((one) => of(one) > 0) ? [{ name: label, of, text }] : [];
  });
  return [...shares, countColumn];
}

/** Changes to a picture of other axes. */
const elsewhere: ViewState = {
  camera: undefined,
  up: undefined,
  left: undefined,
  level: undefined,
  range: undefined,
  series: undefined,
};

/** The panel of a region: its corners, its statistics, its series and its diagrams. */
export class RegionPanel {
  readonly #panel: Panel;
  readonly #host: RegionHost;
  readonly #field: Field;
  readonly #note = el("p", { class: "zc-note", role: "status" });
  readonly #results = el("div", { class: "region-table" });
  readonly #cancel = textButton("Cancel", () => this.#reading?.abort());
  readonly #along = choice("Series along", () => this.#clear());
  readonly #plot = textButton("Plot the series", () => this.#plotted());
  readonly #csv = textButton("Save as CSV", () => void this.#saved());
  readonly #diagram = choice("Diagram", () => {});
  /** The values of a section. */
  readonly #values = choice("Values of the section", () => {});
  #shape: Shape;
  #summary: RegionSummary | null = null;
  #reading: AbortController | null = null;

  /**
   * Fills the panel. Closing it aborts a read. `draw` begins to draw with the pointer, and `type`
   * begins a region whose corners are typed.
   */
  constructor(
    panel: Panel,
    host: RegionHost,
    draw: (kind: RegionState["kind"]) => void,
    type: (kind: RegionState["kind"], from: Shape) => void,
  ) {
    this.#panel = panel;
    this.#host = host;
    const { field, x, y, part } = host.wish();
    this.#field = field;
    const [width, height] = [this.#lengthOf(x), this.#lengthOf(y)];
    const region = regionOf(host);
    const inside = (at: number, length: number) => Math.max(0, Math.min(length, at));
    this.#shape = region ?? {
      kind: "box",
      points: [
        [inside(Math.floor(part?.left ?? 0), width), inside(Math.floor(part?.top ?? 0), height)],
        [inside(Math.ceil(part?.right ?? width), width), inside(Math.ceil(part?.bottom ?? height), height)],
      ],
    };
    this.#cancel.hidden = true;
    this.#note.style.margin = "0";
    panel.box.addEventListener("beforetoggle", () => this.#reading?.abort(), { once: true });
    if (host.state().diagram) {
      this.#back();
      return;
    }
    this.#offer(x, y);
    const { kind } = this.#shape;
    const drawing = (kind: RegionState["kind"], text: string) => {
      const button = textButton(text, () => {});
      button.onclick = ({ detail }) => {
        this.#reading?.abort();
        // A key presses the button without a pointer.
        if (detail === 0) type(kind, this.#shape);
        else draw(kind);
      };
      return button;
    };
    const remove = textButton("Remove", () => {
      panel.close();
      host.changed({ region: undefined });
    });
    remove.hidden = !host.state().region;
    fill(
      panel.box,
      el(
        "div",
        { class: "zc-line" },
        drawing("box", "Draw a box"),
        drawing("polygon", "Draw a polygon"),
        drawing("line", "Draw a line"),
        remove,
      ),
      ...(kind === "box" ? [this.#line(x, 0, width), this.#line(y, 1, height)] : [this.#corners()]),
      kind !== "line" && labelled("Series along", this.#along),
      this.#note,
      this.#results,
      el(
        "div",
        { class: "zc-line" },
        kind !== "line" && textButton("Calculate", () => void this.#run(false)),
        this.#cancel,
        this.#plot,
        this.#csv,
      ),
      this.#diagram.options.length > 0 &&
        el(
          "div",
          { class: "zc-line" },
          labelled("Diagram", this.#diagram),
          kind === "line" && isContinuous(this.#field) && labelled("Values", this.#values),
          textButton("Show the diagram", () => this.#drawn()),
        ),
    );
    this.#clear();
    this.#note.textContent = region ? hintOf(kind) : `${hidden(host)}The part in view. Indices include both ends.`;
    if (region && kind !== "line") void this.#run(false);
  }

  #lengthOf(axis: number | null): number {
    return this.#field.axes[axis ?? -1]?.length ?? 1;
  }

  /** Offers the axes of series, and the diagrams. */
  #offer(x: number | null, y: number | null): void {
    const { axes, colourAxis } = this.#field;
    const free = axes.filter(({ length }, d) => length > 1 && d !== x && d !== y && d !== colourAxis);
    offer(this.#along, [["", "none"], ...free.map(({ name }) => [name, name] as const)]);
    const across = [x, y].flatMap((d) => axes[d ?? -1]?.name ?? []);
    const pairs = free.flatMap(({ name }): [value: string, text: string][] =>
      this.#shape.kind === "line"
        ? [[name, `${name} × distance`]]
        : across.map((other) => [`${name}\n${other}`, `${name} × ${other}`]),
    );
    offer(this.#diagram, canDraw(this.#field, this.#shape.kind === "line") ? pairs : []);
    offer(this.#values, [
      ["", "of the elements under the line"],
      ["linear", "interpolated linearly"],
    ]);
  }

  /** Fills the panel beside a diagram: it only leads back. */
  #back(): void {
    const { region, diagram } = this.#host.state();
    const text =
      diagram?.across === undefined
        ? `The section along a line: ${diagram?.along} and distance${diagram?.linear ? ", interpolated linearly" : ""}.`
        : `Means over ${region?.axes.find((name) => name !== diagram.across) ?? ""} in the region, for each ${diagram.along} and ${diagram.across}.`;
    const back = textButton("Back to the picture", () => {
      this.#panel.close();
      this.#host.changed({ ...elsewhere, diagram: undefined, axes: region?.axes });
    });
    this.#note.textContent = text;
    fill(this.#panel.box, this.#note, el("div", { class: "zc-line" }, back));
  }

  /** Forgets the results of another region or another series. */
  #clear(): void {
    this.#reading?.abort();
    this.#summary = null;
    fill(this.#results);
    this.#csv.hidden = true;
    const { kind } = this.#shape;
    this.#plot.hidden = kind === "line" || this.#along.value === "" || !hasSeries(this.#field);
  }

  /** Takes other corners from a field. */
  #take(points: readonly Corner[]): void {
    this.#shape = { kind: this.#shape.kind, points };
    this.#clear();
    this.#store();
  }

  /** Stores the region in the state of the view. */
  #store(): void {
    const { kind, points } = this.#shape;
    this.#host.changed({ region: { kind, axes: axesOf(this.#host), points } });
  }

  /** Returns the field of the corners of a polygon or a line. */
  #corners(): HTMLElement {
    const least = this.#shape.kind === "polygon" ? 3 : 2;
    const input = new TextField(
      "Corners",
      (text) => {
        const points = text
          .split(/[\s;]+/)
          .filter(Boolean)
          .map((pair) => pair.split(/[:,]/).map(numberIn));
        const good = points.length >= least && points.length <= 1000;
        if (!good || points.some((pair) => pair.length !== 2 || pair.some((n) => !Number.isFinite(n))))
          return `Write ${least} or more pairs of column and row, as in 3:5 20:4 12:9.`;
        this.#take(points.map(([x = 0, y = 0]) => rounded([x, y])));
        input.set(cornersText(this.#shape));
        return undefined;
      },
      { class: "region-corners" },
    );
    input.set(cornersText(this.#shape));
    return el("div", { class: "zc-line" }, labelled("Corners", input.input));
  }

  /** Returns the fields of the first and the last index of a box along an axis. */
  #line(axis: number | null, d: 0 | 1, length: number): HTMLElement {
    const { name = "", coordinate } = this.#field.axes[axis ?? -1] ?? {};
    const places = el("span", { class: "zc-note" });
    let show = (): void => {};
    // The last index is in the box. A box across the seam of the Earth has columns beyond the ends.
    const ends = (): [first: number, last: number] => {
      const [first, , last] = cornersOf(this.#shape) as [Corner, Corner, Corner];
      return [first[d], last[d] - 1];
    };
    // The last column before the seam is followed by the first one.
    const period = d === 0 ? this.#host.scene().ground.period : undefined;
    const around = period ?? length;
    const turned = (at: number) => ((at % around) + around) % around;
    const end = (which: 0 | 1, label: string) => {
      const input = new TextField(
        `${label} index of ${name}`,
        (text) => {
          const at = numberIn(text);
          const now = ends().map(turned) as [number, number];
          now[which] = at;
          const good = Number.isInteger(at) && at >= 0 && at < length && (period || now[0] <= now[1]);
          if (!good) return `Write a whole number from 0 to ${length - 1}. The first is not after the last.`;
          if (now[0] > now[1]) now[1] += around;
          const [first, , last] = cornersOf(this.#shape) as [Corner, Corner, Corner];
          const [from, to] = [[...first], [...last]] as [[number, number], [number, number]];
          [from[d], to[d]] = [now[0], now[1] + 1];
          this.#take([from, to]);
          input.set(String(at));
          show();
          return undefined;
        },
        { inputmode: "numeric" },
      );
      input.set(String(turned(ends()[which])));
      return input.input;
    };
    // Without positions, the indices are shown alone.
    void coordinate?.(this.#host.ended).then(
      (positions: Coordinate | null) => {
        show = () => {
          const [from, to] = ends().map(turned) as [number, number];
          places.textContent = positions ? `${positions.text(from)} to ${positions.text(to)}` : "";
        };
        show();
      },
      () => {},
    );
    const fields = [labelled(`${name} from`, end(0, "First")), labelled("to", end(1, "Last"))];
    return el("div", { class: "zc-line" }, ...fields, places);
  }

  /** Shows the statistics. Above the budget it asks first, unless the person has agreed. */
  async #run(agreed: boolean): Promise<void> {
    this.#clear();
    const { x, y, indices } = this.#host.wish();
    if (x === null || y === null) return;
    if (!regionOf(this.#host)) this.#store();
    const reading = new AbortController();
    this.#reading = reading;
    const signal = AbortSignal.any([reading.signal, this.#host.ended]);
    const along = this.#field.axes.findIndex(({ name }) => name === this.#along.value);
    const worker = new ViewWorker();
    try {
      const ground = await groundOf(this.#field, x, y, signal);
      const of: RegionOf = { ground, shape: this.#shape, indices, along: along < 0 ? null : along };
      const cost = regionCost(of);
      if (isMuch(cost) && !agreed) {
        this.#ask(cost);
        return;
      }
      this.#cancel.hidden = false;
      const say = (done: number, total: number) => {
        this.#note.textContent = total > 1 ? `Reading ${done} of ${total}…` : "Reading…";
      };
      const found = await summaryOf(of, worker, signal, say);
      const units = withUnits("", this.#field.units).trim();
      const measures = classesOf(this.#field).length > 0 ? "Shares" : "Mean and std";
      const weights = found.areas
        ? `${measures} are weighted by area: the cosine of the latitude.`
        : "All elements have the same weight.";
      this.#note.textContent = units ? `In ${units}. ${weights}` : weights;
      this.#show(found);
    } catch (error) {
      if (this.#reading === reading) this.#note.textContent = signal.aborted ? "Cancelled." : String(error);
    } finally {
      worker.close();
      if (this.#reading === reading) this.#cancel.hidden = true;
      if (this.#panel.open) this.#panel.place();
    }
  }

  #ask({ chunks, bytes }: Cost): void {
    fill(
      this.#note,
      `This reads ${formatCount(chunks)} chunks, ${formatBytes(bytes)} when decoded. `,
      textButton("Read them", () => void this.#run(true)),
    );
  }

  /** Shows one row for each index of the series. */
  #show(summary: RegionSummary): void {
    const { each, coordinate } = summary;
    const columns = columnsOf(this.#field, each);
    this.#summary = summary;
    const series = each.length > 1 || coordinate !== null;
    this.#csv.hidden = false;
    const cell = (text: string) => el("td", {}, text);
    const rows = each.map((one, i) => {
      const values = columns.map(({ of, text = (value) => roundText(value, 6) }) => {
        const value = of(one);
        return cell(Number.isNaN(value) ? "missing" : text(value, one));
      });
      return el("tr", {}, series && el("th", { scope: "row" }, coordinate?.text(i) ?? String(i)), ...values);
    });
    const heads = columns.map(({ name }) => el("th", { scope: "col" }, name));
    const head = el("tr", {}, series && el("th", { scope: "col" }, "at"), ...heads);
    fill(this.#results, el("table", { "aria-label": "Statistics" }, el("thead", {}, head), el("tbody", {}, ...rows)));
  }

  /** Plots the mean along the axis of the series, beside the series of points. */
  #plotted(): void {
    const { series, region } = this.#host.state();
    if (!region) this.#store();
    this.#panel.close();
    const points = series?.profile ? [] : (series?.points ?? []);
    this.#host.changed({ series: { along: this.#along.value, points, log: series?.log, region: true } });
  }

  /** Saves the statistics as a table. */
  async #saved(): Promise<void> {
    const summary = this.#summary;
    if (!summary) return;
    try {
      const { csvTable, fileName, save } = await import("../take/index.js");
      const { each, coordinate } = summary;
      const columns = columnsOf(this.#field, each);
      const along = this.#along.value;
      const cells = each.map((one, i) => [
        ...(along ? [coordinate?.text(i) ?? String(i)] : []),
        ...columns.map(({ of }) => (Number.isNaN(of(one)) ? "" : String(of(one)))),
        String(one.missing),
      ]);
      const heads = [...(along ? [along] : []), ...columns.map(({ name }) => name), "missing"];
      save(csvTable([heads, ...cells]), "text/csv", fileName([this.#field.name, "region"], "csv"));
    } catch (error) {
      this.#note.textContent = String(error);
    }
  }

  /** Shows the chosen diagram in place of the picture. */
  #drawn(): void {
    const [along = "", across] = this.#diagram.value.split("\n");
    if (!regionOf(this.#host)) this.#store();
    this.#panel.close();
    const linear = this.#values.value === "linear" ? { linear: true as const } : {};
    const diagram: DiagramState = across === undefined ? { along, ...linear } : { along, across };
    this.#host.changed({ ...elsewhere, diagram, axes: undefined });
  }
}

const cornersText = ({ points }: Shape): string => points.map((point) => point.join(":")).join(" ");

const hintOf = (kind: RegionState["kind"]): string =>
  kind === "line" ? "A section shows the values along the line." : "Indices include both ends.";

/** Says that the region of the state belongs to other axes; `""` if it does not. */
function hidden(host: RegionHost): string {
  const { region } = host.state();
  if (!region || regionOf(host)) return "";
  return `The region of ${region.axes.join(" and ")} is hidden, because the picture has other axes. `;
}
