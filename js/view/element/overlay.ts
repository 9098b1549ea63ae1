import type { Field } from "../../describe/field.js";
import type { Layer, Painter } from "../paint/painter.js";
import type { Wanted } from "../tiles/tiles.js";
import { TileLayer } from "./layer.js";
import { labelStyleOf } from "./styling.js";

/** The elements of the picture below the labels. */
interface Below {
  readonly field: Field;
  readonly width: number;
  readonly height: number;
}

/** Events of labels. */
interface LabelsEvents {
  /** A label image was opened. */
  opened(): void;
  /** Tiles arrived. */
  changed(): void;
  /** An operation failed; `again` repeats it. */
  failed(error: unknown, again: () => void): void;
}

/**
 * A label image over a picture. It opens the image by name and requests its tiles beside the
 * picture's.
 */
export class LabelsOverlay {
  readonly #painter: Painter;
  readonly #open: (name: string, signal: AbortSignal) => Promise<Field>;
  readonly #events: LabelsEvents;
  #here: { readonly name: string; readonly layer: TileLayer } | null = null;
  #asked: AbortController | null = null;
  #opening = false;

  constructor(painter: Painter, open: (name: string, signal: AbortSignal) => Promise<Field>, events: LabelsEvents) {
    this.#painter = painter;
    this.#open = open;
    this.#events = events;
  }

  /** Whether all labels in view are available. */
  get complete(): boolean {
    return !this.#opening && (this.#here?.layer.tiles.complete ?? true);
  }

  /** Whether labels in view are still expected; failed ones are not. */
  get busy(): boolean {
    return this.#opening || this.#here?.layer.tiles.busy === true;
  }

  /** Opens the label image of a name, unless it is open; undefined removes it. */
  show(name: string | undefined): void {
    if (this.#here && this.#here.name !== name) {
      this.#here.layer.close();
      this.#here = null;
    }
    this.#asked?.abort();
    this.#opening = false;
    if (name === undefined || this.#here) return;
    const asked = new AbortController();
    this.#asked = asked;
    this.#opening = true;
    const failed = (error: unknown) => {
      if (!asked.signal.aborted) this.#opening = false;
      if (!asked.signal.aborted) this.#events.failed(error, () => this.show(name));
    };
    this.#open(name, asked.signal).then((field) => {
      if (asked.signal.aborted) return;
      const layer = new TileLayer(field, this.#painter, { changed: () => this.#events.changed(), failed });
      this.#here = { name, layer };
      this.#opening = false;
      this.#events.opened();
    }, failed);
  }

  /** Requests the labels in view. Their elements may be larger or smaller than those below. */
  want(wanted: Wanted, below: Below): void {
    const layer = this.#here?.layer;
    if (!layer) return;
    const labels = layer.field;
    const { x, y } = labels.plane.value;
    const [sx, sy] = scaleOf(labels, below);
    layer.tiles.want({
      ...wanted,
      x: x ?? 0,
      y,
      indices: labels.axes.map(({ name, length }, d) => {
        const own = below.field.axes.findIndex((axis) => axis.name === name);
        return own < 0 ? (labels.indices[d] ?? 0) : Math.min(length - 1, wanted.indices[own] ?? 0);
      }),
      left: wanted.left / sx,
      right: wanted.right / sx,
      top: wanted.top / sy,
      bottom: wanted.bottom / sy,
      perPixelX: wanted.perPixelX / sx,
      perPixelY: wanted.perPixelY / sy,
      beyond: undefined,
      level: undefined,
      channels: [],
      heading: undefined,
    });
  }

  /** Returns the layers of available tiles. */
  layers(opacity: number, chosen: number | null, below: Below): Layer[] {
    const layer = this.#here?.layer;
    if (!layer) return [];
    const style = labelStyleOf(layer.field, chosen);
    return layer.layers([{ channel: 0, style }], opacity, ...scaleOf(layer.field, below));
  }

  /** Returns the label over an element below; undefined if it is not available. */
  at(x: number, y: number, below: Below): unknown {
    const layer = this.#here?.layer;
    if (!layer) return undefined;
    const [sx, sy] = scaleOf(layer.field, below);
    return layer.tiles.value((x + 0.5) / sx, (y + 0.5) / sy, 0)?.value;
  }

  /** Retries failed reads. */
  retry(): void {
    this.#here?.layer.tiles.retry();
  }

  /** Ends all reads and frees the textures. */
  close(): void {
    this.#asked?.abort();
    this.#here?.layer.close();
    this.#here = null;
  }
}

/** Returns how many elements below one label element covers. */
function scaleOf(labels: Field, { width, height }: Below): readonly [number, number] {
  const { x, y } = labels.plane.value;
  return [width / (labels.axes[x ?? -1]?.length || 1), height / (labels.axes[y ?? -1]?.length || 1)];
}
