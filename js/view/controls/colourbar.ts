import { dateTicks } from "../axes/dates.js";
import { logTicks, numberTicks, type Ticks } from "../axes/ticks.js";
import { axisTitle } from "../axes/titles.js";
import { shareOf } from "../colour/curve.js";
import { append, el, fill } from "../dom.js";
import type { ColourOptions } from "../options/index.js";
import type { Curve } from "../paint/painter.js";
import { attempt, type Failed } from "../task.js";
import type { ColourBarData } from "./data.js";
import { Handles } from "./handles.js";
import { iconButton, Panel, short } from "./parts.js";
import type { Range } from "./span.js";

/** Events of a {@link ColourBar}. */
export interface ColourBarEvents {
  /** The person chose a range; `auto` if it follows the data again. */
  range(range: Range, auto: boolean): void;
  /** The person chose a curve. */
  curve(curve: Curve): void;
  /** The person chose a colour map. */
  colormap(name: string): void;
  /** The panel failed to load, or the bar to be drawn. */
  readonly failed: Failed;
}

/** The colour bar: title, ticks, a histogram with range handles, and a panel of maps and curves. */
export class ColourBar {
  readonly #host: HTMLElement;
  readonly #events: ColourBarEvents;
  readonly #title = el("span", { class: "zc-title" });
  readonly #strip = el("canvas", { class: "zc-strip", width: 256, height: 1, role: "img" });
  readonly #ticks = el("div", { class: "zc-ticks", "aria-hidden": "true" });
  readonly #handles: Handles;
  readonly #panel: Panel;
  #options: ColourOptions | null = null;
  #data: ColourBarData | null = null;
  #size: ResizeObserver;

  constructor(host: HTMLElement, events: ColourBarEvents) {
    this.#host = host;
    this.#events = events;
    host.classList.add("zc-bar");
    host.setAttribute("role", "group");
    this.#handles = new Handles("value drawn", (range) => this.#range(range));
    const button = iconButton("options", "Colours and range", () => {}, true);
    this.#panel = new Panel(button, "Colours and range", () => void this.#open());
    fill(
      host,
      el("div", { class: "zc-head" }, this.#title, button),
      this.#handles.box,
      this.#strip,
      this.#ticks,
      this.#panel.box,
    );
    this.#size = new ResizeObserver(() => attempt(() => this.#label(), events.failed));
    this.#size.observe(host);
  }

  /** Shows colours and a range. */
  show(data: ColourBarData): void {
    this.#data = data;
    const { range, curve, statistics, text } = data;
    this.#handles.show({ range, curve, statistics, text });
    this.#paint();
    this.#label();
    if (this.#panel.open) this.#options?.show(data);
  }

  /** Removes the control. */
  close(): void {
    this.#size.disconnect();
    fill(this.#host);
  }

  #range(range: Range, auto = false): void {
    if (this.#data) this.show({ ...this.#data, range });
    this.#events.range(range, auto);
  }

  /** Loads and fills the panel. */
  async #open(): Promise<void> {
    try {
      const { ColourOptions } = await import("../options/index.js");
      if (!this.#data) return;
      if (this.#options) this.#options.show(this.#data);
      else
        this.#options = new ColourOptions(this.#panel.box, this.#data, {
          range: (range, auto) => this.#range(range, auto),
          curve: (curve, range) => {
            const before = this.#data;
            if (before) this.show({ ...before, curve, range });
            this.#events.curve(curve);
            if (before && range !== before.range) this.#events.range(range, false);
          },
          colormap: (name) => this.#events.colormap(name),
        });
      this.#panel.place();
    } catch (error) {
      this.#events.failed(error, () => void this.#open());
    }
  }

  #paint(): void {
    const data = this.#data;
    const context = this.#strip.getContext("2d");
    if (!data || !context) return;
    const reversed = data.colormap.endsWith("-r");
    const table = data.table(reversed ? data.colormap.slice(0, -2) : data.colormap);
    const image = context.createImageData(256, 1);
    const span = this.#handles.span;
    for (let i = 0; i < 256; i++) {
      const at = Math.round(255 * shareOf(span.value((i + 0.5) / 256), data.range, data.curve));
      const from = 4 * (reversed ? 255 - at : at);
      image.data.set(table.subarray(from, from + 4), 4 * i);
    }
    context.putImageData(image, 0, 0);
    const text = data.text ?? short;
    const [low, high] = data.range;
    const values = low === high ? `only ${text(low)}` : `from ${text(low)} to ${text(high)}`;
    this.#strip.setAttribute("aria-label", `${data.colormap}, ${values}, ${data.curve.kind}`);
  }

  #label(): void {
    const data = this.#data;
    if (!data) return;
    const width = this.#ticks.clientWidth;
    const span = this.#handles.span;
    const [low, high] = span.ends;
    const one = low === high;
    const ticksOf = data.times ? dateTicks : data.curve.kind === "log" && !one ? logTicks : numberTicks;
    let wanted = Math.max(2, Math.floor(width / 72));
    let ticks: Ticks;
    // One text shows no scale.
    do ticks = ticksOf(low, high, wanted++);
    while (ticks.list.length < 2 && wanted < 9);
    const name = axisTitle(data.title, data.units, ticks.common);
    this.#title.textContent = name;
    this.#title.title = name;
    this.#host.setAttribute("aria-label", `Colours of ${name}`);
    fill(this.#ticks);
    let right = Number.NEGATIVE_INFINITY;
    for (const { position, text } of ticks.list) {
      const at = span.at(position);
      // Skips texts that would overlap a neighbour or leave the bar.
      const half = 3.6 * text.length;
      if (!(at >= -0.001 && at <= 1.001) || at * width - half < right + 4) continue;
      const label = el("span", {}, text);
      const shift = Math.max(half, Math.min(width - half, at * width));
      right = shift + half;
      label.style.left = `${shift}px`;
      const mark = el("i", {});
      mark.style.left = `${100 * at}%`;
      append(this.#ticks, mark, label);
    }
  }
}
