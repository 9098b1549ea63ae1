import { append, el } from "../dom.js";
import type { Box, Layout } from "./scene.js";

/** The canvases of a picture, one over the other: chequers where nothing is, pixels, and what is drawn over them. */
export class Sheet {
  /** What takes the pointer and the keys. */
  readonly surface = el("div", {
    class: "surface",
    tabindex: "0",
    role: "application",
    "aria-roledescription": "picture",
  });
  /** What is put into the panel. */
  readonly element = el("div", { class: "stage" });
  /** What painters draw on. */
  readonly canvas = el("canvas", { class: "pixels", "aria-hidden": "true" });
  readonly #chequers = el("div", { class: "chequers" });
  readonly #over = el("canvas", { class: "over", "aria-hidden": "true" });
  readonly #badge = el("div", { class: "badge" });
  readonly #note = el("div", { class: "void", "aria-hidden": "true" });

  constructor() {
    append(this.surface, this.#chequers, this.canvas, this.#over);
    append(this.element, this.surface, this.#badge, this.#note);
  }

  /** Device pixels of a CSS pixel. */
  get ratio(): number {
    return globalThis.devicePixelRatio || 1;
  }

  /** The size on the page, in CSS pixels. */
  get size(): { readonly width: number; readonly height: number } {
    return { width: this.surface.clientWidth, height: this.surface.clientHeight };
  }

  /** What is said in the corner; nothing where it is empty. */
  set badge(text: string) {
    this.#badge.textContent = text;
    this.#badge.hidden = text === "";
  }

  /** A sentence in the middle of the picture; nothing where it is empty. The caption says the same. */
  set note(text: string) {
    if (this.#note.textContent !== text) this.#note.textContent = text;
  }

  /** Gives the canvases their size and place. */
  fit({ view, picture }: Layout, ground: { readonly dark: boolean; readonly empty: boolean }): void {
    const { ratio } = this;
    const resize = (canvas: HTMLCanvasElement, box: { width: number; height: number }) => {
      const [width, height] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
    };
    resize(this.canvas, view);
    resize(this.#over, this.size);
    put(this.canvas, view);
    put(this.#chequers, picture);
    this.#chequers.classList.toggle("dark", ground.dark);
    this.#chequers.classList.toggle("empty", ground.empty);
  }

  /** What draws over the pixels, in CSS pixels; nothing is there yet. */
  over(): CanvasRenderingContext2D | null {
    const context = this.#over.getContext("2d");
    context?.setTransform(1, 0, 0, 1, 0, 0);
    context?.clearRect(0, 0, this.#over.width, this.#over.height);
    context?.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    return context;
  }
}

function put(node: HTMLElement, box: Box): void {
  node.style.left = `${box.x}px`;
  node.style.top = `${box.y}px`;
  node.style.width = `${box.width}px`;
  node.style.height = `${box.height}px`;
}
