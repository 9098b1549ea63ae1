import type { ViewState } from "../state.js";
import type { Figure } from "../take/figure.js";

/** What is under the pointer. */
export interface PointerDetail {
  /** The index of each axis, by its name. */
  readonly index: Readonly<Record<string, number>>;
  /** The position of each axis that has one, in words. */
  readonly coordinates: Readonly<Record<string, string>>;
  /** The exact stored element; undefined where it is not here yet. */
  readonly value: unknown;
  /** What it means, in words with its units. */
  readonly text: string;
  /** The level that the value is of, the finest is 0. */
  readonly level: number;
}

/** How far reading is: chunks that came, and chunks that are asked for. */
export interface LoadingDetail {
  /** Chunks that came. */
  readonly done: number;
  /** Chunks that are asked for. */
  readonly total: number;
}

/** What a panel tells the element that it is in. */
export interface PanelEvents {
  /** A person changed what is shown: members that are given replace those of the state. */
  changed(change: ViewState): void;
  /** What is under the pointer; `spoken` where a key moved the cursor, so that it is read out. */
  pointer(detail: PointerDetail | null, spoken: boolean): void;
  /** Something is being read. */
  loading(detail: LoadingDetail): void;
  /** All of what is on screen is drawn. */
  ready(): void;
  /** Something failed; `again` tries once more. */
  failed(error: unknown, again: () => void): void;
  /** Asks before much is read; null takes the question back. */
  ask(question: Question | null): void;
  /** Opens another node of the same store. */
  open(path: string): void;
}

/** A question before much is read. */
export interface Question {
  readonly text: string;
  readonly answers: readonly { readonly label: string; run(): void }[];
}

/** What shows one kind of data. */
export interface Panel {
  /** What is put into the element. */
  readonly element: HTMLElement;
  /** Shows a state. */
  show(state: ViewState): void;
  /** Whether what it was told to show is still to be read or drawn, though it has not told so yet. */
  readonly pending?: boolean;
  /** What was found where the state says nothing, and another view may find otherwise: ranges by statistics. */
  found?(): ViewState;
  /** Draws what is seen. */
  figure?(): HTMLCanvasElement;
  /** What is seen, to be drawn with its title and its colours. */
  drawing?(): Figure;
  /** Ends what is under way and keeps what is there. */
  cancel(): void;
  /** Gives everything back. */
  close(): void;
}
