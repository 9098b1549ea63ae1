import type { Field } from "../../describe/field.js";
import type { Painter } from "../paint/painter.js";
import type { ViewState } from "../state.js";
import type { Cost, Wanted } from "../tiles/tiles.js";
import { isMuch, questionOf } from "./budget.js";
import { type Eye, seen, unrolled } from "./camera.js";
import { Contrast, type Seen } from "./contrast.js";
import { TileLayer } from "./layer.js";
import type { Look } from "./look.js";
import type { LabelsOverlay } from "./overlay.js";
import type { PanelEvents } from "./panel.js";
import type { Scene } from "./scene.js";

/** The picture that elements are read for. */
interface Read {
  readonly field: Field;
  readonly painter: Painter;
  readonly labels: LabelsOverlay;
  readonly ended: AbortSignal;
  /** Returns the current scene. */
  scene(): Scene;
  /** Device pixels per CSS pixel. */
  ratio(): number;
}

/** Events of {@link Reading}. */
interface ReadingEvents extends Pick<PanelEvents, "ask"> {
  /** Elements or ranges arrived, or the person agreed to a large read. */
  changed(): void;
  /** A range by statistics arrived. */
  ranged(): void;
  /** The person asked for the middle of a large picture. */
  moved(eye: Eye): void;
  /** The picture waits for the person's answer. */
  waits(): void;
  /** A read failed. */
  failed(error: unknown): void;
  /** The answer to the question failed; `again` repeats it. */
  unanswered(error: unknown, again: () => void): void;
}

/** Requests the elements in view and their ranges. It asks the person before a large read. */
export class Reading {
  readonly #of: Read;
  readonly #events: ReadingEvents;
  #layer: TileLayer;
  #contrast: Contrast;
  /** The look of the requested tiles. A new look takes effect when it is drawn. */
  #look: Look;
  #wanted: Wanted | null = null;
  #agreed = false;
  #asking = false;
  /** The axis and the distance of the expected next steps. */
  heading: Wanted["heading"];
  /** Whether the person cancelled the reads. */
  cancelled = false;

  constructor(of: Read, state: ViewState, look: Look, events: ReadingEvents) {
    this.#of = of;
    this.#events = events;
    this.#look = look;
    this.#layer = this.#makeLayer(state);
    this.#contrast = this.#makeContrast();
  }

  /** The layer of available tiles. */
  get layer(): TileLayer {
    return this.#layer;
  }

  /** The ranges by statistics. */
  get contrast(): Contrast {
    return this.#contrast;
  }

  /** The look of the requested tiles. */
  get look(): Look {
    return this.#look;
  }

  /** Whether elements have been requested. */
  get requested(): boolean {
    return this.#wanted !== null;
  }

  /** The slice and the view of the requested tiles. */
  get seen(): Seen {
    const { x, y, indices } = this.#look;
    return { slice: JSON.stringify([x, y, indices]), view: JSON.stringify(seen(this.#of.scene())) };
  }

  /** The picture below the labels. */
  get below() {
    const { width, height } = this.#of.scene().ground;
    return { field: this.#of.field, width, height };
  }

  /** Requests the elements in view of a look. Reports whether they differ from the last request. */
  want(look: Look, scene: Scene): boolean {
    if (look.x === null || look.y === null || this.cancelled) return false;
    const per = 1 / (scene.eye.zoom * this.#of.ratio() * (scene.globe?.detail ?? 1));
    const { period } = scene.ground;
    const [here, beyond] = period ? unrolled(seen(scene), period) : [seen(scene)];
    const wanted: Wanted = {
      x: look.x,
      y: look.y,
      indices: look.indices,
      ...here,
      beyond,
      perPixelX: per,
      perPixelY: per / scene.ground.aspect,
      level: look.level,
      channels: look.read,
      heading: this.heading,
    };
    if (this.#wanted && JSON.stringify(wanted) === JSON.stringify(this.#wanted)) {
      this.#look = look;
      return false;
    }
    const cost = this.#layer.cost(wanted);
    if (isMuch(cost) && !this.#agreed) {
      this.#ask(cost, wanted);
      return false;
    }
    if (this.#asking) this.#events.ask(null);
    this.#asking = false;
    this.#wanted = wanted;
    this.#look = look;
    this.#layer.tiles.want(wanted);
    this.#of.labels.want(wanted, this.below);
    return true;
  }

  /** Makes the next request a new one. */
  renew(): void {
    this.#wanted = null;
  }

  /** Asks again before a large read, after a change of the plane. */
  disagree(): void {
    this.#agreed = false;
  }

  /** Reads other numbers of the same elements. */
  restart(state: ViewState): void {
    this.close();
    this.#layer = this.#makeLayer(state);
    this.#contrast = this.#makeContrast();
    this.#wanted = null;
  }

  /** Retries failed reads. */
  retry(): void {
    this.cancelled = false;
    this.#wanted = null;
    this.#layer.tiles.retry();
    this.#contrast.retry();
    this.#of.labels.retry();
  }

  /** Aborts the reads under way. Reports false if nothing was requested. */
  cancel(): boolean {
    if (!this.#wanted) return false;
    this.cancelled = true;
    // An empty rectangle aborts the reads under way.
    this.#layer.tiles.want({ ...this.#wanted, right: this.#wanted.left, bottom: this.#wanted.top });
    this.#wanted = null;
    return true;
  }

  /** Ends all reads and frees the textures. */
  close(): void {
    this.#contrast.close();
    this.#layer.close();
  }

  #makeLayer({ member, component }: ViewState): TileLayer {
    const { field, painter } = this.#of;
    const { changed, failed } = this.#events;
    return new TileLayer(field, painter, { changed, failed }, { member, part: component });
  }

  #makeContrast(): Contrast {
    const { changed, ranged, failed } = this.#events;
    return new Contrast(this.#of.field, changed, ranged, failed);
  }

  #ask(cost: Cost, wanted: Wanted): void {
    if (this.#asking) return;
    this.#asking = true;
    const answered = () => {
      this.#asking = false;
      this.#events.ask(null);
    };
    const middle = async () => {
      try {
        const { middleOf } = await import("../options/index.js");
        if (this.#of.ended.aborted) return;
        answered();
        const { ground, view } = this.#of.scene();
        this.#events.moved(middleOf(wanted, (part) => this.#layer.cost(part), ground, view, this.#of.ratio()));
      } catch (error) {
        this.#events.unanswered(error, () => void middle());
      }
    };
    const all = () => {
      this.#agreed = true;
      answered();
      this.#events.changed();
    };
    this.#events.ask(questionOf(cost, () => void middle(), all));
    this.#events.waits();
  }
}
