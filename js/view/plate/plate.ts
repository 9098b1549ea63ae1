// The wells of a plate as thumbnails in rows and columns.
import type { Field, PlateDescription } from "../../describe/index.js";
import { el, fill } from "../dom.js";
import type { thumbnail } from "./thumbnail.js";

/** Callbacks of a {@link Plate}. */
interface PlateEvents {
  /** Opens the image at a path. Returns its field; null if it is not a picture. */
  image(path: string, signal: AbortSignal): Promise<Field | null>;
  /** Draws a thumbnail. */
  readonly thumbnail: typeof thumbnail;
  /** The person opened a well: the path of its first image, or of the well if it has none. */
  opened(path: string): void;
  /** The pointer or the focus reached a well; null if the pointer left it. */
  pointed?(name: string | null): void;
  /** A well's thumbnail failed. The plate shows the error too. */
  failed?(path: string, error: unknown): void;
}

/** The largest number of wells that are read at once. */
const atOnce = 4;

/** The budget of one well's thumbnail. */
const budget = { chunks: 12, bytes: 6 * 2 ** 20 };

type State = "waiting" | "reading" | "drawn" | "failed" | "none";

interface Well {
  readonly path: string;
  readonly name: string;
  readonly row: number;
  readonly column: number;
  readonly element: HTMLElement;
  readonly button: HTMLButtonElement;
  state: State;
  seen: boolean;
  reading: AbortController | null;
  /** Its first image, once known. */
  image: string | null;
}

/** Wells in rows and columns. Thumbnails are read while they are visible, a few at a time. */
export class Plate {
  readonly #events: PlateEvents;
  readonly #root = el("div", { class: "plate" });
  readonly #watch: IntersectionObserver;
  readonly #byElement = new Map<Element, Well>();
  #wells: Well[] = [];
  #plate: PlateDescription | null = null;
  #closed = false;

  constructor(host: HTMLElement, events: PlateEvents) {
    this.#events = events;
    host.appendChild(this.#root);
    this.#watch = new IntersectionObserver((entries) => this.#seen(entries), { root: this.#root, rootMargin: "80px" });
    this.#root.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Shows a plate. */
  show(plate: PlateDescription): void {
    this.#end();
    this.#plate = plate;
    this.#wells = plate.wells.map(({ row, column, path }): Well => {
      const name = `${plate.rows[row] ?? row}${plate.columns[column] ?? column}`;
      const button: HTMLButtonElement = el("button", {
        type: "button",
        class: "plate-well",
        tabindex: -1,
        "aria-label": `Well ${name}`,
        title: name,
        onclick: () => void this.#open(well),
        onfocus: () => this.#focused(well),
        onpointerenter: () => this.#events.pointed?.(name),
        onpointerleave: () => this.#events.pointed?.(null),
      });
      const element = el("div", { class: "plate-cell", role: "gridcell", "aria-colindex": column + 2 }, button);
      const well: Well = {
        path,
        name,
        row,
        column,
        element,
        button,
        state: "waiting",
        seen: false,
        reading: null,
        image: null,
      };
      return well;
    });
    const at = new Map(this.#wells.map((well) => [`${well.row} ${well.column}`, well]));
    const head = el(
      "div",
      { class: "plate-row", role: "row", "aria-rowindex": 1 },
      el("div", { class: "plate-head", role: "gridcell" }),
      ...plate.columns.map((name) => el("div", { class: "plate-head", role: "columnheader" }, name)),
    );
    const rows = plate.rows.map((name, row) =>
      el(
        "div",
        { class: "plate-row", role: "row", "aria-rowindex": row + 2 },
        el("div", { class: "plate-head", role: "rowheader" }, name),
        ...plate.columns.map(
          (_, column) =>
            at.get(`${row} ${column}`)?.element ??
            el("div", { class: "plate-cell plate-empty", role: "gridcell", "aria-colindex": column + 2 }),
        ),
      ),
    );
    const grid = el(
      "div",
      {
        class: "plate-grid",
        role: "grid",
        "aria-label": `Plate ${plate.title.value}`,
        "aria-rowcount": plate.rows.length + 1,
        "aria-colcount": plate.columns.length + 1,
      },
      head,
      ...rows,
    );
    fill(this.#root, grid);
    const [first] = this.#wells;
    if (first) first.button.tabIndex = 0;
    for (const well of this.#wells) {
      this.#byElement.set(well.element, well);
      this.#watch.observe(well.element);
    }
  }

  /** Cancels reads; wells that become visible later are read again. */
  cancel(): void {
    for (const well of this.#wells) {
      well.reading?.abort();
      well.seen = false;
    }
  }

  /** Ends all work and removes the plate. */
  close(): void {
    this.#closed = true;
    this.#end();
    this.#root.remove();
  }

  #end(): void {
    this.#watch.disconnect();
    this.#byElement.clear();
    for (const { reading } of this.#wells) reading?.abort();
    this.#wells = [];
  }

  #seen(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const well = this.#byElement.get(target);
      if (!well) continue;
      well.seen = isIntersecting;
      if (!isIntersecting) well.reading?.abort();
    }
    this.#fill();
  }

  /** Starts reading visible wells, in their order. */
  #fill(): void {
    if (this.#closed) return;
    let free = atOnce - this.#wells.filter(({ state }) => state === "reading").length;
    for (const well of this.#wells) {
      if (free <= 0) return;
      if (!well.seen || well.state !== "waiting") continue;
      free--;
      void this.#read(well);
    }
  }

  async #read(well: Well): Promise<void> {
    const reading = new AbortController();
    well.reading = reading;
    this.#mark(well, "reading");
    const { signal } = reading;
    try {
      const path = await this.#imageOf(well, signal);
      const field = path === null ? null : await this.#events.image(path, signal);
      const canvas = el("canvas", { class: "plate-picture" });
      const drawn = field ? await this.#events.thumbnail(field, canvas, { signal, size: 96, ...budget }) : null;
      signal.throwIfAborted();
      fill(well.button, drawn ? canvas : el("span", { class: "plate-note" }, field ? "large" : "empty"));
      if (!drawn) well.button.title = field ? `${well.name}: its picture would exceed the budget` : well.name;
      this.#mark(well, drawn ? "drawn" : "none");
    } catch (error) {
      if (signal.aborted) this.#mark(well, "waiting");
      else {
        fill(well.button, el("span", { class: "plate-note" }, "not read"));
        well.button.title = `${well.name}: ${error instanceof Error ? error.message : String(error)}`;
        this.#mark(well, "failed");
        this.#events.failed?.(well.path, error);
      }
    } finally {
      well.reading = null;
      this.#fill();
    }
  }

  #mark(well: Well, state: State): void {
    well.state = state;
    well.button.dataset.state = state;
  }

  /** Returns the path of a well's first image; null if it has none. */
  async #imageOf(well: Well, signal?: AbortSignal): Promise<string | null> {
    const [first = null] = well.image ? [well.image] : ((await this.#plate?.images(well.path, signal)) ?? []);
    well.image = first;
    return first;
  }

  async #open(well: Well): Promise<void> {
    let path: string | null = well.image;
    try {
      path ??= await this.#imageOf(well);
    } catch {
      // On an error the well itself is opened and shows it.
    }
    if (!this.#closed) this.#events.opened(path ?? well.path);
  }

  /** Tab reaches one well, and the arrow keys the others. */
  #focused(well: Well): void {
    for (const other of this.#wells) other.button.tabIndex = other === well ? 0 : -1;
    this.#events.pointed?.(well.name);
  }

  #key(event: KeyboardEvent): void {
    const root = this.#root.getRootNode() as Document | ShadowRoot;
    const from = this.#wells.find(({ button }) => button === root.activeElement);
    if (!from || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: Record<string, readonly [row: number, column: number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    };
    const move = moves[event.key];
    const inRow = this.#wells.filter(({ row }) => row === from.row).sort((a, b) => a.column - b.column);
    let to: Well | undefined;
    if (event.key === "Home") to = inRow[0];
    else if (event.key === "End") to = inRow.at(-1);
    else if (move) {
      // The nearest well in the direction, past places without one.
      const [down, right] = move;
      const ahead = this.#wells
        .map((well) => ({ well, dr: (well.row - from.row) * down, dc: (well.column - from.column) * right }))
        .filter(({ well, dr, dc }) =>
          down !== 0 ? dr > 0 && well.column === from.column : dc > 0 && well.row === from.row,
        )
        .sort((a, b) => a.dr + a.dc - b.dr - b.dc);
      to = ahead[0]?.well;
    } else return;
    event.preventDefault();
    to?.button.focus();
  }
}
