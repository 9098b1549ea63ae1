import { CanvasPainter } from "./canvas.js";
import type { Painter } from "./painter.js";
import { hasProcessor } from "./processor.js";
import { WebGlPainter } from "./webgl.js";

/** What {@link createPainter} may be told. */
interface PainterOptions {
  /** Whether to draw by WebGL2; by default where a graphics processor does it. */
  readonly webgl?: boolean | undefined;
}

/** Makes what draws on a canvas that nothing was drawn on yet. One canvas is for one painter. */
export function createPainter(canvas: HTMLCanvasElement, { webgl = hasProcessor() }: PainterOptions = {}): Painter {
  const gl = webgl
    ? canvas.getContext("webgl2", { antialias: false, depth: false, stencil: true, preserveDrawingBuffer: true })
    : null;
  if (gl) return new WebGlPainter(canvas, gl);
  // The pixels are computed here, so that a canvas in the processor's memory is the faster one.
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("This canvas can be drawn on neither by WebGL2 nor in two dimensions: it is in use.");
  return new CanvasPainter(canvas, context);
}
