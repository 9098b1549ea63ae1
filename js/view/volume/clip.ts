import { own } from "../../shared/attributes.js";
import { textButton } from "../controls/parts.js";
import { append, el, fill } from "../dom.js";
import type { VolumeState } from "../state.js";
import { each, type Solid, type Three } from "./solid.js";

/** The first and the last visible index of each axis, by role. */
export type Ends = Three<readonly [first: number, last: number]>;

/** Returns the visible indices of a state, inside the axes. */
export function endsOf({ names, lengths }: Solid, clip: VolumeState["clip"]): Ends {
  return each(lengths, (length, i) => {
    const [first = 0, last = length - 1] = own(clip, names[i]) ?? [];
    const end = Math.min(length - 1, last);
    return [Math.min(first, end), end] as const;
  });
}

/** Returns the state of visible indices; undefined if nothing is clipped. */
export function clipOf({ names, lengths }: Solid, ends: Ends): VolumeState["clip"] {
  const clipped = names.flatMap((name, i) => {
    const [first, last] = ends[i] as Ends[0];
    return first > 0 || last < (lengths[i] as number) - 1 ? [[name, [first, last]] as const] : [];
  });
  return clipped.length > 0 ? Object.fromEntries(clipped) : undefined;
}

/** Sliders of the first and the last visible index of each axis. */
export class ClipControl {
  readonly element = el("details", { class: "clip" }, el("summary", {}, "Clip"));
  readonly #rows = el("div");
  readonly #change: (ends: Ends) => void;
  #key = "";
  #ends: Ends | null = null;
  #inputs: readonly { first: HTMLInputElement; last: HTMLInputElement; text: HTMLElement }[] = [];

  constructor(change: (ends: Ends) => void) {
    this.#change = change;
    append(this.element, this.#rows);
    // Keys of the view do not act here.
    this.element.addEventListener("keydown", (event) => event.stopPropagation());
  }

  /** Shows the visible indices. */
  show(solid: Solid, ends: Ends): void {
    this.#ends = ends;
    const key = JSON.stringify([solid.names, solid.lengths]);
    if (key !== this.#key) this.#make(solid);
    this.#key = key;
    for (const [i, { first, last, text }] of this.#inputs.entries()) {
      const [from, to] = ends[i] as Ends[0];
      first.value = String(from);
      last.value = String(to);
      text.textContent = `${from} – ${to}`;
    }
  }

  #make(solid: Solid): void {
    const slider = (i: number, end: 0 | 1) => {
      const name = `${end === 0 ? "First" : "Last"} ${solid.names[i]}`;
      const input = el("input", {
        type: "range",
        min: 0,
        max: (solid.lengths[i] ?? 1) - 1,
        step: 1,
        "aria-label": name,
      });
      input.addEventListener("input", () => this.#move(i, end, Number(input.value)));
      return input;
    };
    this.#inputs = solid.names.map((_, i) => ({ first: slider(i, 0), last: slider(i, 1), text: el("span") }));
    const rows = this.#inputs.flatMap(({ first, last, text }, i) => [
      el("span", {}, solid.names[i] ?? ""),
      first,
      last,
      text,
    ]);
    const all = textButton("Show all", () => this.#change(endsOf(solid, undefined)));
    fill(this.#rows, ...rows, all);
  }

  /** Moves one end. The other one stays at its side. */
  #move(i: number, end: 0 | 1, to: number): void {
    const ends = this.#ends;
    if (!ends) return;
    this.#change(
      each(ends, (one, k) => {
        if (k !== i) return one;
        return end === 0 ? ([to, Math.max(to, one[1])] as const) : ([Math.min(to, one[0]), to] as const);
      }),
    );
  }
}
