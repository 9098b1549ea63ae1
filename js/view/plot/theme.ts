// The page's colours, for drawings on a canvas.
import type { AxisLook } from "../axes/draw.js";

/** The current colours of an element's theme: light or dark, with the page's own settings. */
export interface Theme extends AxisLook {
  /** The background. */
  readonly paper: string;
  /** The accent colour. */
  readonly accent: string;
}

/** Reads the colours of the theme at an element. */
export function themeOf(element: HTMLElement): Theme {
  const probe = document.createElement("span");
  probe.hidden = true;
  element.appendChild(probe);
  const style = getComputedStyle(probe);
  // The browser resolves a custom property only as the colour of an element.
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return style.color;
  };
  const theme = {
    ink: colour("ink"),
    muted: colour("muted"),
    line: colour("line"),
    paper: colour("paper"),
    accent: colour("accent"),
    font: style.fontFamily,
  };
  probe.remove();
  return theme;
}

/** Calls a function when the page's colour scheme changes. */
export function onScheme(change: () => void, signal: AbortSignal): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", change, { signal });
}

/** Sizes a canvas to its place in device pixels, and returns its context in CSS pixels. */
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

/** Parses a resolved colour into red, green and blue. */
export function rgbOf(colour: string): readonly [red: number, green: number, blue: number] {
  const [red = 128, green = 128, blue = 128] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}

/**
 * Copies a canvas onto a new one with a background. `layers` lie below it, at their places in
 * device pixels.
 */
export function copied(
  canvas: HTMLCanvasElement,
  ground: string,
  layers: readonly { readonly canvas: HTMLCanvasElement; readonly x: number; readonly y: number }[] = [],
): HTMLCanvasElement {
  const { width, height } = canvas;
  const copy = document.createElement("canvas");
  copy.width = width;
  copy.height = height;
  const context = copy.getContext("2d");
  if (!context) return copy;
  context.fillStyle = ground;
  context.fillRect(0, 0, width, height);
  for (const layer of layers) context.drawImage(layer.canvas, layer.x, layer.y);
  context.drawImage(canvas, 0, 0);
  return copy;
}
