import type { ViewState } from "../state.js";
import type { Figure } from "../take/figure.js";

/** The element under the pointer. */
export interface PointerDetail {
  /** The index of each axis, by its name. */
  readonly index: Readonly<Record<string, number>>;
  /** The position along each axis that has one, as text. */
  readonly coordinates: Readonly<Record<string, string>>;
  /** The exact stored element; undefined until it arrives. */
  readonly value: unknown;
  /** The value as text, with its units. */
  readonly text: string;
  /** The level of the value; the finest is 0. */
  readonly level: number;
}

/** The progress of reading, in chunks. */
export interface LoadingDetail {
  /** The chunks that arrived. */
  readonly done: number;
  /** The chunks that were requested. */
  readonly total: number;
}

/** Callbacks of a panel to its element. */
export interface PanelEvents {
  /** The person changed the view. The given members replace those of the state. */
  changed(change: ViewState): void;
  /**
   * The element under the pointer changed. `spoken` if a key moved the cursor, so that assistive
   * technology reads it out.
   */
  pointer(detail: PointerDetail | null, spoken: boolean): void;
  /** Reading progressed. */
  loading(detail: LoadingDetail): void;
  /** Everything in view is drawn. */
  ready(): void;
  /** Nothing more is expected, although not everything is drawn, because some of it failed. */
  rests(): void;
  /** An operation failed; `again` repeats it. An error `until` ready ends when all is drawn. */
  failed(error: unknown, again: () => void, until?: "ready"): void;
  /** Asks the person before a large read; null withdraws the question. */
  ask(question: Question | null): void;
  /** The automatic range may differ from before. */
  ranged(): void;
  /** Opens another node of the same store. */
  open(path: string): void;
}

/** A question to the person before a large read. */
export interface Question {
  readonly text: string;
  readonly answers: readonly { readonly label: string; run(): void }[];
}

/** The values drawn with the first and the last colour. */
type ColourRange = readonly [low: number, high: number];

/** A view of one kind of data. */
export interface Panel {
  /** The panel's root. */
  readonly element: HTMLElement;
  /** Shows a state. */
  show(state: ViewState): void;
  /**
   * Whether something in the state is still to be read or drawn, even if no event has reported it
   * yet.
   */
  readonly pending?: boolean;
  /**
   * Returns values that the state leaves open and another view may choose differently: ranges by
   * statistics.
   */
  found?(): ViewState;
  /** Returns the range of the colours by the statistics of this view; null without one. */
  automatic?(): ColourRange | null;
  /** Draws with the range of all synchronised views; null means the view's own. */
  share?(range: ColourRange | null): void;
  /** Draws the view as seen. */
  figure?(): HTMLCanvasElement;
  /** Returns the view as seen, to be drawn with its title and its colours. */
  drawing?(): Figure | Promise<Figure>;
  /** Cancels reads and keeps the drawing. */
  cancel(): void;
  /** Frees all resources. */
  close(): void;
}
