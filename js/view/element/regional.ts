import type { Field } from "../../describe/field.js";
import type { Panel } from "../controls/parts.js";
import type { ViewState } from "../state.js";
import type { Wish } from "../take/slice.js";
import type { Pen } from "../take/svg.js";
import type { Canvases } from "./canvases.js";
import type { Scene } from "./scene.js";

/** The picture of a region. */
export interface RegionHost {
  readonly field: Field;
  readonly canvases: Canvases;
  readonly ended: AbortSignal;
  scene(): Scene;
  state(): ViewState;
  /** Returns the shown plane and the part in view. */
  wish(): Wish;
  /** Reports a person's change. */
  changed(change: ViewState): void;
  /** An operation failed; `again` repeats it. */
  failed(error: unknown, again: () => void): void;
}

/** The region over a picture. Its code is loaded with the first region or panel. */
export class Regional {
  readonly #host: RegionHost;
  #loading = false;
  #tools: import("../regions/index.js").RegionTools | undefined;

  constructor(host: RegionHost) {
    this.#host = host;
  }

  /** Draws the region of the state over the picture. */
  draw(): void {
    if (this.#tools) this.#tools.draw();
    else if (this.#host.state().region && !this.#loading) {
      this.#loading = true;
      this.#load().catch((error: unknown) => {
        this.#host.failed(error, () => {
          this.#loading = false;
          this.draw();
        });
      });
    }
  }

  /** Loads the code of regions if the state has a region, so that an export can draw it. */
  async ready(): Promise<void> {
    if (this.#host.state().region) await this.#load();
  }

  /** Draws the region of the drawn plane into an export. */
  paint(pen: Pen): void {
    this.#tools?.paint(pen);
  }

  /** The rectangle of the elements in the drawn region; undefined without a region. */
  get around(): Wish["part"] {
    return this.#tools?.around;
  }

  /** Fills the panel of regions. `drawer` opens and closes the controls around it. */
  async open(panel: Panel, drawer: (open: boolean) => void): Promise<void> {
    await this.#load();
    this.#tools?.open(panel, drawer);
  }

  async #load(): Promise<void> {
    const { RegionTools } = await import("../regions/index.js");
    if (this.#host.ended.aborted) return;
    this.#tools ??= new RegionTools(this.#host);
    this.#tools.draw();
  }
}
