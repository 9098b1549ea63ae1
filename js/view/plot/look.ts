// Colours of the page for what is drawn on a canvas.
import type { AxisLook } from "../axes/draw.js";

/** The colours of an element's theme as they are now: in light or dark, and as a page may have set them. */
export interface Look extends AxisLook {
  /** What is behind all. */
  readonly paper: string;
  /** What stands out. */
  readonly accent: string;
}

/** Reads the colours of a theme where an element stands. */
export function lookOf(element: HTMLElement): Look {
  const probe = document.createElement("span");
  probe.hidden = true;
  element.appendChild(probe);
  const style = getComputedStyle(probe);
  // A colour of the theme is resolved when it is the colour of an element.
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return style.color;
  };
  const look = {
    ink: colour("ink"),
    muted: colour("muted"),
    line: colour("line"),
    paper: colour("paper"),
    accent: colour("accent"),
    font: style.fontFamily,
  };
  probe.remove();
  return look;
}

/** Calls a function when the page's scheme changes. */
export function onScheme(change: () => void, signal: AbortSignal): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", change, { signal });
}

/** Makes a canvas as large as its place, in device pixels, and gives its context in CSS pixels. */
export function fitted(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const context = canvas.getContext("2d");
  if (!context || width === 0 || height === 0) return null;
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across) canvas.width = across;
  if (canvas.height !== down) canvas.height = down;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
