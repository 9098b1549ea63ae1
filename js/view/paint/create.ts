import { CanvasPainter } from "./canvas.js";
import type { Painter } from "./painter.js";
import { WebGlPainter } from "./webgl.js";

/** What {@link createPainter} may be told. */
export interface PainterOptions {
  /** Whether to draw by WebGL2; by default where the browser has it and does not say that it would be slow. */
  readonly webgl?: boolean | undefined;
}

/** Makes what draws on a canvas that nothing was drawn on yet. One canvas is for one painter. */
export function createPainter(canvas: HTMLCanvasElement, { webgl }: PainterOptions = {}): Painter {
  const gl =
    webgl === false
      ? null
      : canvas.getContext("webgl2", {
          antialias: false,
          depth: false,
          stencil: true,
          preserveDrawingBuffer: true,
          // Without a graphics card WebGL is itself a program, and takes three times as long as to set the pixels here.
          failIfMajorPerformanceCaveat: webgl !== true,
        });
  if (gl) return new WebGlPainter(canvas, gl);
  // The pixels are computed here, so that a canvas in the processor's memory is the faster one.
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("This canvas can be drawn on neither by WebGL2 nor in two dimensions: it is in use.");
  return new CanvasPainter(canvas, context);
}
