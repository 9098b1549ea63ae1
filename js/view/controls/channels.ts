import { append, el, fill } from "../dom.js";
import type { Statistics } from "../tiles/tiles.js";
import { Handles } from "./handles.js";
import { Field, numberIn, rangeReason, short, textButton } from "./parts.js";
import { autoRange, type Range } from "./span.js";

/** A channel, drawn or not. */
export interface ChannelRow {
  /** Its index along its axis. */
  readonly index: number;
  /** Its displayed name. */
  readonly label: string;
  /** Its colour: red, green and blue from 0 to 255. */
  readonly colour: readonly [red: number, green: number, blue: number];
  /** The values drawn darkest and brightest; null until statistics arrive. */
  readonly range: Range | null;
  /** Whether it is drawn. */
  readonly visible: boolean;
  /** Statistics of its values; null until they arrive. */
  readonly statistics: Statistics | null;
}

/** Data of a {@link ChannelList}. */
export interface ChannelListData {
  /** All channels. */
  readonly channels: readonly ChannelRow[];
  /** The largest number of channels drawn at once. */
  readonly most: number;
}

/** Events of a {@link ChannelList}. */
export interface ChannelListEvents {
  /** The person showed or hid a channel. */
  visible(index: number, visible: boolean): void;
  /** The person chose a colour. */
  colour(index: number, colour: readonly [red: number, green: number, blue: number]): void;
  /** The person chose a range; `auto` if it follows the data again. */
  range(index: number, range: Range, auto: boolean): void;
}

interface Row {
  data: ChannelRow;
  readonly box: HTMLDivElement;
  readonly visible: HTMLInputElement;
  readonly colour: HTMLInputElement;
  readonly label: HTMLSpanElement;
  readonly handles: Handles;
  readonly low: Field;
  readonly high: Field;
  readonly window: HTMLDivElement;
}

const hex = (colour: readonly number[]) => `#${colour.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/**
 * The list of channels, with their visibility, colours and ranges. A search field filters a long
 * list.
 */
export class ChannelList {
  readonly #host: HTMLElement;
  readonly #events: ChannelListEvents;
  readonly #find = el("input", { type: "search", placeholder: "Find a channel", "aria-label": "Find a channel" });
  readonly #list = el("div", { class: "zc-list" });
  readonly #note = el("div", { class: "zc-note", role: "status" });
  #rows: Row[] = [];
  #most = 8;

  constructor(host: HTMLElement, events: ChannelListEvents) {
    this.#host = host;
    this.#events = events;
    host.classList.add("zc-channels");
    this.#find.addEventListener("input", () => this.#filter());
    this.#find.addEventListener("keydown", (event) => event.stopPropagation());
    fill(host, this.#find, this.#list, this.#note);
  }

  /** Shows channels. */
  show({ channels, most }: ChannelListData): void {
    this.#most = most;
    if (
      this.#rows.length !== channels.length ||
      this.#rows.some(({ data }, i) => data.label !== channels[i]?.label || data.index !== channels[i]?.index)
    ) {
      this.#rows = channels.map((data) => this.#row(data));
      fill(this.#list, ...this.#rows.map(({ box }) => box));
    }
    for (const [i, data] of channels.entries()) {
      const row = this.#rows[i];
      if (row) this.#update(row, data);
    }
    this.#bound();
    this.#find.hidden = channels.length <= 12;
    this.#filter();
  }

  /** Removes the control. */
  close(): void {
    fill(this.#host);
  }

  #row(data: ChannelRow): Row {
    const { index, label } = data;
    const end = (name: string, make: (value: number, range: Range) => Range) =>
      new Field(`${name} of ${label}`, (text) => this.#write(row, make(numberIn(text), row.data.range ?? [0, 1])), {
        inputmode: "decimal",
      });
    const row: Row = {
      data,
      box: el("div", { class: "zc-channel", role: "group", "aria-label": label }),
      visible: el("input", { type: "checkbox" }),
      colour: el("input", { type: "color", "aria-label": `Colour of ${label}` }),
      label: el("span", { title: label }, label),
      handles: new Handles(`value of ${label}`, (range) => this.#set(row, range, false)),
      low: end("Lowest value", (value, [, high]) => [value, high]),
      high: end("Highest value", (value, [low]) => [low, value]),
      window: el("div", { class: "zc-window" }),
    };
    row.visible.addEventListener("change", () => {
      row.data = { ...row.data, visible: row.visible.checked };
      this.#bound();
      this.#events.visible(index, row.visible.checked);
    });
    row.colour.addEventListener("input", () => {
      const n = Number.parseInt(row.colour.value.slice(1), 16);
      this.#events.colour(index, [n >> 16, (n >> 8) & 255, n & 255]);
    });
    const auto = textButton("Auto", () => {
      if (row.data.statistics) this.#set(row, autoRange(row.data.statistics), true);
    });
    auto.setAttribute("aria-label", `Auto range of ${label}`);
    append(row.window, row.handles.box, el("div", { class: "zc-ends" }, row.low.input, row.high.input, auto));
    append(
      row.box,
      el("div", { class: "zc-line" }, row.colour, el("label", { class: "zc-tick" }, row.visible, row.label)),
      row.window,
    );
    return row;
  }

  #update(row: Row, data: ChannelRow): void {
    row.data = data;
    row.visible.checked = data.visible;
    const colour = hex(data.colour);
    if (row.colour.value !== colour) row.colour.value = colour;
    row.handles.box.style.setProperty("--fill", colour);
    row.window.hidden = !data.visible || data.range === null;
    if (data.range === null) return;
    row.handles.show({ range: data.range, curve: { kind: "linear" }, statistics: data.statistics });
    row.low.set(short(data.range[0]));
    row.high.set(short(data.range[1]));
  }

  #write(row: Row, range: Range): string | undefined {
    const reason = rangeReason(range);
    if (reason === undefined) this.#set(row, range, false);
    return reason;
  }

  #set(row: Row, range: Range, auto: boolean): void {
    this.#update(row, { ...row.data, range });
    this.#events.range(row.data.index, range, auto);
  }

  /** Disables unchecked channels while the largest number is drawn. */
  #bound(): void {
    const full = this.#rows.filter(({ data }) => data.visible).length >= this.#most;
    for (const row of this.#rows) {
      row.visible.disabled = full && !row.data.visible;
      row.window.hidden = !row.data.visible || row.data.range === null;
    }
    const note = full && this.#rows.length > this.#most ? `At most ${this.#most} channels are drawn at once.` : "";
    if (this.#note.textContent !== note) this.#note.textContent = note;
  }

  #filter(): void {
    const word = this.#find.hidden ? "" : this.#find.value.trim().toLowerCase();
    for (const { box, data } of this.#rows) box.hidden = !data.label.toLowerCase().includes(word);
  }
}
