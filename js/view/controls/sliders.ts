import type { Coordinate } from "../../describe/field.js";
import { append, el, fill } from "../dom.js";
import { choice, Field, iconButton, labelled, numberIn, offer, Panel, tick, turn, wholeNumber } from "./parts.js";
import { play } from "./player.js";

/** An axis that is not drawn, and its chosen index. */
export interface SliderAxis {
  /** Its position among the field's axes. */
  readonly axis: number;
  /** Its name. */
  readonly name: string;
  /** Its displayed title. */
  readonly title: string;
  /** Its number of elements. */
  readonly length: number;
  /** The shown index. */
  readonly index: number;
  /** The positions of its indices; null if it has none. */
  readonly coordinate: Coordinate | null;
}

/** Events of {@link Sliders}. */
export interface SlidersEvents {
  /**
   * The person chose an index. `step` is the direction in which the next ones are likely; 0 if
   * unknown.
   */
  index(axis: number, index: number, step: number): void;
  /** Fulfils when the last requested index is painted or has failed. */
  painted(signal: AbortSignal): Promise<void>;
  /** Playing began or ended. */
  playing?(axis: number, playing: boolean): void;
}

interface Row {
  data: SliderAxis;
  readonly box: HTMLDivElement;
  readonly range: HTMLInputElement;
  readonly index: Field;
  readonly position: Field;
  readonly of: HTMLSpanElement;
  readonly title: HTMLSpanElement;
  readonly play: HTMLButtonElement;
  playing: AbortController | null;
}

/** Explains with an example why a text is not a position of an axis. */
function positionReason(text: string, { coordinate, index, length }: SliderAxis): string {
  if (!coordinate) return wholeNumber(length - 1);
  const example = `For example: ${coordinate.text(index)}`;
  if (coordinate.kind === "text") return `No name contains “${text}”. ${example}`;
  return `“${text}” is not a ${coordinate.kind === "time" ? "date" : "number"}. ${example}`;
}

/** Speeds to choose, in steps per second. */
const speeds = [1, 2, 5, 10, 20, 60] as const;

/** One row for each axis that is not drawn: its index, its position, step buttons and play. */
export class Sliders {
  readonly #host: HTMLElement;
  readonly #events: SlidersEvents;
  readonly #rows = new Map<string, Row>();
  // If the system asks for reduced motion, playing starts at one step per second.
  #speed = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ? 1 : 10;
  #loop = true;

  constructor(host: HTMLElement, events: SlidersEvents) {
    this.#host = host;
    this.#events = events;
    host.classList.add("zc-sliders");
  }

  /** Shows axes. A row keeps its focus and playing as long as its axis is shown. */
  show(axes: readonly SliderAxis[]): void {
    const kept = new Set<Row>();
    for (const data of axes) {
      const key = `${data.axis} ${data.name} ${data.length}`;
      let row = this.#rows.get(key);
      if (!row) {
        row = this.#row(data);
        this.#rows.set(key, row);
      }
      kept.add(row);
      row.data = data;
      this.#update(row);
    }
    for (const [key, row] of this.#rows) {
      if (kept.has(row)) continue;
      row.playing?.abort();
      row.box.remove();
      this.#rows.delete(key);
    }
    const boxes = [...kept].map(({ box }) => box);
    if (boxes.some((box, i) => this.#host.children[i] !== box)) fill(this.#host, ...boxes);
    this.#host.hidden = boxes.length === 0;
  }

  /** Ends playing and removes the rows. */
  close(): void {
    this.show([]);
  }

  /** The played axis, by its position among the field's axes; null if there is none. */
  get playing(): number | null {
    for (const row of this.#rows.values()) if (row.playing) return row.data.axis;
    return null;
  }

  /** Ends playing. */
  pause(): void {
    for (const row of this.#rows.values()) row.playing?.abort();
  }

  /** Begins or ends playing along an axis. */
  toggle(axis: number): void {
    for (const row of this.#rows.values()) if (row.data.axis === axis) this.#toggle(row);
  }

  #row(data: SliderAxis): Row {
    const { name } = data;
    const row: Row = {
      data,
      box: el("div", { class: "zc-row", role: "group", "aria-label": data.title }),
      range: el("input", { type: "range", min: 0, max: data.length - 1, step: 1, "aria-label": name }),
      index: new Field(
        `Index of ${name}`,
        (text) => (this.#go(row, numberIn(text)) ? undefined : wholeNumber(row.data.length - 1)),
        {
          inputmode: "numeric",
          class: "zc-index",
        },
      ),
      position: new Field(
        `Position of ${name}`,
        (text) => (this.#go(row, row.data.coordinate?.find(text)) ? undefined : positionReason(text, row.data)),
        {
          class: "zc-position",
        },
      ),
      of: el("span", { class: "zc-of" }, `/ ${data.length - 1}`),
      title: el("span", { class: "zc-name" }),
      play: iconButton("play", `Play ${name}`, () => this.#toggle(row)),
      playing: null,
    };
    row.range.addEventListener("input", () => {
      const index = Number(row.range.value);
      this.#set(row, index, Math.sign(index - row.data.index));
    });
    const by = (step: number) => () => this.#set(row, row.data.index + step, step);
    const options = new Panel(
      iconButton("options", `Playback of ${name}`, () => {}),
      `Playback of ${name}`,
      () => {
        const speed = choice("Speed", (value) => {
          this.#speed = Number(value);
        });
        offer(
          speed,
          speeds.map((n) => [String(n), n === 60 ? "as fast as possible" : `${n} per second`]),
        );
        speed.value = String(this.#speed);
        const loop = tick("Repeat", (on) => {
          this.#loop = on;
        });
        loop.box.checked = this.#loop;
        fill(options.box, labelled("Speed", speed), loop.label);
      },
    );
    append(
      row.box,
      row.title,
      el(
        "span",
        { class: "zc-steps" },
        iconButton("previous", `Previous ${name}`, by(-1)),
        row.play,
        iconButton("next", `Next ${name}`, by(1)),
      ),
      row.range,
      el("span", { class: "zc-at" }, row.index.input, row.of),
      row.position.input,
      options.button,
      options.box,
    );
    return row;
  }

  #update(row: Row): void {
    const { title, name, length, index, coordinate } = row.data;
    const text = coordinate?.text(index) ?? "";
    row.title.textContent = name;
    row.title.title = title;
    row.range.value = String(index);
    row.range.setAttribute("aria-valuetext", text === "" ? `${index} of ${length - 1}` : text);
    row.index.set(String(index));
    row.position.set(text);
    row.position.input.title = text;
    row.position.input.hidden = coordinate === null;
    // An axis of one element has nothing to choose: the row shows only its position.
    row.box.hidden = length < 2 && coordinate === null;
    row.box.classList.toggle("zc-one", length < 2);
    row.position.input.readOnly = length < 2;
    // The field is as wide as its text, within 8 and 24 characters.
    row.position.input.size = Math.min(24, Math.max(8, text.length));
    turn(row.play, row.playing ? "pause" : "play", row.playing ? `Pause ${name}` : `Play ${name}`);
  }

  /** Goes to an index that a person wrote. Reports whether the axis has it. */
  #go(row: Row, index: number | undefined): boolean {
    if (index === undefined || !Number.isInteger(index) || index < 0 || index >= row.data.length) return false;
    this.#set(row, index, 0);
    return true;
  }

  #set(row: Row, index: number, step: number): void {
    row.playing?.abort();
    this.#step(row, Math.min(row.data.length - 1, Math.max(0, index)), step);
  }

  #step(row: Row, index: number, step: number): void {
    const changed = index !== row.data.index;
    row.data = { ...row.data, index };
    this.#update(row);
    if (changed) this.#events.index(row.data.axis, index, step);
  }

  #toggle(row: Row): void {
    const { playing } = row;
    this.pause();
    if (playing) return;
    const control = new AbortController();
    row.playing = control;
    const { axis } = row.data;
    this.#events.playing?.(axis, true);
    this.#update(row);
    void play(
      {
        from: row.data.index,
        length: row.data.length,
        speed: () => this.#speed,
        loop: () => this.#loop,
        step: (index) => this.#step(row, index, 1),
        painted: (signal) => this.#events.painted(signal),
      },
      control.signal,
    ).finally(() => {
      if (row.playing !== control) return;
      row.playing = null;
      this.#update(row);
      this.#events.playing?.(axis, false);
    });
  }
}
