import type { VolumeHost, VolumeShown, VolumeView } from "../volume/view.js";
import { depthAxis } from "./look.js";

/** The volume over a picture. Its code is loaded when the first one is shown. */
export class VolumeSlot {
  readonly #host: VolumeHost;
  readonly #closed: () => void;
  #shown: VolumeShown | null = null;
  #view: VolumeView | null = null;
  #loading = false;

  /** `closed` runs when the picture is uncovered. */
  constructor(host: VolumeHost, closed: () => void) {
    this.#host = host;
    this.#closed = closed;
  }

  /** Whether nothing of a volume is to be read or drawn. */
  get settled(): boolean {
    return !this.#loading && this.#view?.settled !== false;
  }

  /** Whether the volume is drawn as requested, or none is. */
  get complete(): boolean {
    return !this.#loading && this.#view?.complete !== false;
  }

  /** Whether a volume covers the picture, or will. */
  get covers(): boolean {
    return this.#shown !== null;
  }

  /** The shown volume. */
  get view(): VolumeView | null {
    return this.#view;
  }

  /** Shows the volume of a state, or uncovers the picture. */
  show(shown: VolumeShown): void {
    const wanted = shown.state.volume && depthAxis(this.#host.field, shown.look) !== null;
    this.#shown = wanted ? shown : null;
    if (!wanted) this.close();
    else if (this.#view) this.#view.show(shown);
    else void this.#load();
  }

  /** Removes the volume. */
  close(): void {
    this.#shown = null;
    if (!this.#view) return;
    this.#view.close();
    this.#view = null;
    this.#closed();
  }

  async #load(): Promise<void> {
    if (this.#loading) return;
    this.#loading = true;
    try {
      const { VolumeView } = await import("../volume/index.js");
      if (this.#shown) this.#view = new VolumeView(this.#host, this.#shown);
    } catch (error) {
      if (this.#shown) this.#host.failed(error, () => void this.#load());
    } finally {
      this.#loading = false;
    }
  }
}
