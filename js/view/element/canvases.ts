import { append, el } from "../dom.js";
import type { Box, Scene } from "./scene.js";

/** The margin around a picture that is not clipped, so that no pixel of its edge is lost. */
const EDGE = 0.5;

/** The stacked canvases of a picture: chequers, pixels, and decoration. */
export class Canvases {
  /** The target of pointer and keys. */
  readonly surface = el("div", {
    class: "surface",
    tabindex: "0",
    role: "application",
    "aria-roledescription": "picture",
  });
  /** The root, for the panel. */
  readonly element = el("div", { class: "stage" });
  /** The canvas of painters. */
  readonly canvas = el("canvas", { class: "pixels", "aria-hidden": "true" });
  readonly #chequers = el("div", { class: "chequers" });
  readonly #over = el("canvas", { class: "over", "aria-hidden": "true" });
  readonly #badge = el("div", { class: "badge" });
  readonly #note = el("div", { class: "void", "aria-hidden": "true" });

  constructor() {
    append(this.surface, this.#chequers, this.canvas, this.#over);
    for (const part of [this.#chequers, this.canvas, this.#over]) part.hidden = true;
    append(this.element, this.surface, this.#badge, this.#note);
  }

  /** Device pixels per CSS pixel. */
  get ratio(): number {
    return globalThis.devicePixelRatio || 1;
  }

  /** The size in CSS pixels. */
  get size(): { readonly width: number; readonly height: number } {
    return { width: this.surface.clientWidth, height: this.surface.clientHeight };
  }

  /** The text in the corner; hidden if empty. */
  set badge(text: string) {
    this.#badge.textContent = text;
    this.#badge.hidden = text === "";
  }

  /** A sentence in the middle of the picture; hidden if empty. The caption contains it too. */
  set note(text: string) {
    if (this.#note.textContent !== text) this.#note.textContent = text;
  }

  /** Sets the size and the place of the canvases. */
  fit(
    { view, picture, globe }: Pick<Scene, "view" | "picture" | "globe">,
    ground: { readonly dark: boolean; readonly empty: boolean },
  ): void {
    const { ratio } = this;
    const resize = (canvas: HTMLCanvasElement, box: { width: number; height: number }) => {
      const [width, height] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
    };
    for (const part of [this.#chequers, this.canvas, this.#over]) part.hidden = false;
    resize(this.canvas, view);
    resize(this.#over, this.size);
    put(this.canvas, view);
    // A plane that repeats is drawn beyond its edges.
    const beside = [
      picture.y - view.y,
      view.x + view.width - picture.x - picture.width,
      view.y + view.height - picture.y - picture.height,
      picture.x - view.x,
    ];
    this.canvas.style.clipPath = `inset(${beside.map((gap) => `${Math.max(0, gap - EDGE)}px`).join(" ")})`;
    put(this.#chequers, picture);
    this.#chequers.style.clipPath = globe?.clip ?? "";
    this.#chequers.classList.toggle("dark", ground.dark);
    this.#chequers.classList.toggle("empty", ground.empty);
  }

  /** Returns the context of the upper canvas, such as for measuring texts. */
  pen(): CanvasRenderingContext2D | null {
    return this.#over.getContext("2d");
  }

  /** Clears the upper canvas and returns its context, in CSS pixels. */
  over(): CanvasRenderingContext2D | null {
    const context = this.pen();
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
