import { CanvasPainter } from "./canvas.js";
import type { Painter } from "./painter.js";
import { hasProcessor } from "./processor.js";
import { WebGlPainter } from "./webgl.js";

/** Options of {@link createPainter}. */
interface PainterOptions {
  /** Whether to draw with WebGL2. The default is true if a graphics processor draws it. */
  readonly webgl?: boolean | undefined;
}

/** Creates a painter for an unused canvas. Each painter needs its own canvas. */
export function createPainter(canvas: HTMLCanvasElement, { webgl = hasProcessor() }: PainterOptions = {}): Painter {
  const gl = webgl
    ? canvas.getContext("webgl2", { antialias: false, depth: false, stencil: true, preserveDrawingBuffer: true })
    : null;
  if (gl) return new WebGlPainter(canvas, gl);
  // The pixels are computed on the CPU, so a canvas in main memory is faster.
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("This canvas supports neither WebGL2 nor 2D drawing, because it is in use.");
  return new CanvasPainter(canvas, context);
}
