import { roundText, withUnits } from "../../describe/text.js";
import { choice, labelled, numberIn, offer, type Panel, Field as TextField, textButton } from "../controls/parts.js";
import { el, fill } from "../dom.js";
import { isMuch } from "../element/budget.js";
import { formatBytes, formatCount } from "../element/messages.js";
import type { Wish } from "../take/slice.js";
import type { Summarised } from "../worker/tasks.js";
import { ViewWorker } from "../worker/viewworker.js";
import { type RegionOf, type RegionSummary, regionCost, summaryOf } from "./summary.js";

/** The statistics of a row of the table, with the names of their columns. */
const columns: readonly (readonly [name: string, of: (one: Summarised) => number])[] = [
  ["mean", ({ mean }) => mean],
  ["min", ({ least }) => least],
  ["max", ({ most }) => most],
  ["std", ({ deviation }) => deviation],
  ["count", ({ count }) => count],
];

/** A panel with the statistics of a rectangle: the part in view, unless the person changes it. */
export class RegionPanel {
  readonly #panel: Panel;
  readonly #wish: Wish;
  readonly #ended: AbortSignal;
  readonly #note = el("p", { class: "zc-note", role: "status" });
  readonly #results = el("div");
  readonly #cancel = textButton("Cancel", () => this.#reading?.abort());
  readonly #along = choice("Series along", () => this.#reading?.abort());
  /** Left, right, top and bottom; the ends are inclusive, as people count. */
  readonly #ends: [left: number, right: number, top: number, bottom: number];
  #reading: AbortController | null = null;

  /** Fills the panel. Closing it aborts a read. */
  constructor(panel: Panel, wish: Wish, ended: AbortSignal) {
    this.#panel = panel;
    this.#wish = wish;
    this.#ended = ended;
    const { field, x, y, part } = wish;
    const [width, height] = [this.#lengthOf(x), this.#lengthOf(y)];
    const inside = (at: number, length: number) => Math.max(0, Math.min(length - 1, at));
    this.#ends = [
      inside(Math.floor(part?.left ?? 0), width),
      inside(Math.ceil(part?.right ?? width) - 1, width),
      inside(Math.floor(part?.top ?? 0), height),
      inside(Math.ceil(part?.bottom ?? height) - 1, height),
    ];
    const series = field.axes.flatMap(({ name, length }, d) =>
      length > 1 && d !== x && d !== y && d !== field.colourAxis ? [[String(d), name] as const] : [],
    );
    offer(this.#along, [["", "none"], ...series]);
    this.#cancel.hidden = true;
    this.#note.style.margin = "0";
    this.#results.style.cssText = "max-height: 240px; overflow: auto; white-space: nowrap; font-size: 12px";
    panel.box.addEventListener("beforetoggle", () => this.#reading?.abort(), { once: true });
    fill(
      panel.box,
      this.#line(x, 0, width),
      this.#line(y, 2, height),
      labelled("Series along", this.#along),
      this.#note,
      this.#results,
      el(
        "div",
        { class: "zc-line" },
        textButton("Calculate", () => void this.#run(false)),
        this.#cancel,
      ),
    );
    this.#note.textContent = "The part in view. Indices include both ends.";
  }

  #lengthOf(axis: number | null): number {
    return this.#wish.field.axes[axis ?? -1]?.length ?? 1;
  }

  /** Returns the fields of the first and the last index along an axis, with their positions. */
  #line(axis: number | null, first: 0 | 2, length: number): HTMLElement {
    const { name = "", coordinate } = this.#wish.field.axes[axis ?? -1] ?? {};
    const places = el("span", { class: "zc-note" });
    let show = (): void => {};
    const end = (which: 0 | 1, label: string) => {
      const input = new TextField(
        `${label} index of ${name}`,
        (text) => {
          const at = numberIn(text);
          const other = this.#ends[first + 1 - which] as number;
          const good = Number.isInteger(at) && at >= 0 && at < length && (which === 0 ? at <= other : at >= other);
          if (!good) return `Write a whole number from 0 to ${length - 1}. The first is not after the last.`;
          this.#ends[first + which] = at;
          input.set(String(at));
          show();
          return undefined;
        },
        { inputmode: "numeric" },
      );
      input.set(String(this.#ends[first + which]));
      return input.input;
    };
    // Without positions, the indices are shown alone.
    void coordinate?.(this.#ended).then(
      (positions) => {
        show = () => {
          const [from, to] = [this.#ends[first], this.#ends[first + 1]] as [number, number];
          places.textContent = positions ? `${positions.text(from)} to ${positions.text(to)}` : "";
        };
        show();
      },
      () => {},
    );
    const ends = [labelled(`${name} from`, end(0, "First")), labelled("to", end(1, "Last"))];
    return el("div", { class: "zc-line" }, ...ends, places);
  }

  /** Shows the statistics. Above the budget it asks first, unless the person has agreed. */
  async #run(agreed: boolean): Promise<void> {
    this.#reading?.abort();
    const { field, x, y, indices } = this.#wish;
    if (x === null || y === null) return;
    const [left, right, top, bottom] = this.#ends;
    const region = { left, right: right + 1, top, bottom: bottom + 1 };
    const along = this.#along.value === "" ? null : Number(this.#along.value);
    const of: RegionOf = { field, x, y, indices, region, along };
    fill(this.#results);
    const cost = regionCost(of);
    if (isMuch(cost) && !agreed) {
      const text = `This reads ${formatCount(cost.chunks)} chunks, ${formatBytes(cost.bytes)} when decoded. `;
      fill(
        this.#note,
        text,
        textButton("Read them", () => void this.#run(true)),
      );
      return;
    }
    const reading = new AbortController();
    this.#reading = reading;
    const signal = AbortSignal.any([reading.signal, this.#ended]);
    const worker = new ViewWorker();
    this.#cancel.hidden = false;
    try {
      const say = (done: number, total: number) => {
        this.#note.textContent = total > 1 ? `Reading ${done} of ${total}…` : "Reading…";
      };
      const found = await summaryOf(of, worker, signal, say);
      const units = withUnits("", field.units).trim();
      const weights = found.areas
        ? "Mean and std are weighted by area: the cosine of the latitude."
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

  /** Shows one row for each index of the series. */
  #show({ each, coordinate }: RegionSummary): void {
    const series = each.length > 1 || coordinate !== null;
    const cell = (text: string) => el("td", {}, text);
    const rows = each.map((one, i) => {
      const values = columns.map(([name, of]) => {
        const value = of(one);
        if (name === "count") return cell(`${value} of ${value + one.missing}`);
        return cell(Number.isNaN(value) ? "missing" : roundText(value, 6));
      });
      return el("tr", {}, series && el("th", { scope: "row" }, coordinate?.text(i) ?? String(i)), ...values);
    });
    const heads = columns.map(([name]) => el("th", { scope: "col" }, name));
    const head = el("tr", {}, series && el("th", { scope: "col" }, "at"), ...heads);
    fill(this.#results, el("table", { "aria-label": "Statistics" }, el("thead", {}, head), el("tbody", {}, ...rows)));
  }
}
