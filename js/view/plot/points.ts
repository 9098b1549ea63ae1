// Points on a canvas, drawn with WebGL2 or as pixels.
import { hasProcessor } from "../paint/processor.js";

/** The placement of points: device pixels are `position * scale + offset`. */
interface PointPlacement {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly offsetX: number;
  readonly offsetY: number;
  /** The diameter of a point in device pixels. */
  readonly size: number;
}

/** Draws points. A change of the placement uploads nothing again. */
export interface PointPainter {
  /** The technique. */
  readonly kind: "webgl2" | "canvas";
  /** Loads the positions of points. */
  points(x: Float32Array, y: Float32Array): void;
  /** Loads their colours: red, green, blue and alpha bytes. Points with alpha 0 are not drawn. */
  colours(colours: Uint8Array): void;
  /** Draws all points on the whole canvas. */
  draw(placement: PointPlacement): void;
  /** Frees all resources. */
  close(): void;
}

/**
 * Creates a painter of points for an unused canvas. It uses WebGL2 if a graphics processor draws
 * it.
 */
export function pointPainter(canvas: HTMLCanvasElement, webgl = hasProcessor()): PointPainter {
  const gl = webgl
    ? canvas.getContext("webgl2", { antialias: false, depth: false, preserveDrawingBuffer: true })
    : null;
  if (gl) return new WebGlPoints(gl);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This canvas supports neither WebGL2 nor 2D drawing, because it is in use.");
  return new CanvasPoints(context);
}

const vertex = `#version 300 es
in float x;
in float y;
in vec4 colour;
uniform vec2 scale, offset;
uniform float size;
out vec4 ink;
void main() {
  gl_Position = vec4(vec2(x, y) * scale + offset, 0.0, 1.0);
  gl_PointSize = colour.a == 0.0 ? 0.0 : size;
  if (colour.a == 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  ink = colour;
}`;

const fragment = `#version 300 es
precision highp float;
in vec4 ink;
uniform float size;
out vec4 result;
void main() {
  float from = length(gl_PointCoord - 0.5) * size;
  float cover = size < 2.5 ? 1.0 : 1.0 - smoothstep(size / 2.0 - 0.8, size / 2.0, from);
  result = vec4(ink.rgb * ink.a, ink.a) * cover;
}`;

class WebGlPoints implements PointPainter {
  readonly kind = "webgl2";
  readonly #gl: WebGL2RenderingContext;
  readonly #program: WebGLProgram;
  readonly #buffers: readonly WebGLBuffer[];
  #count = 0;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.#program = gl.createProgram();
    for (const [type, text] of [
      [gl.VERTEX_SHADER, vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ] as const) {
      const shader = gl.createShader(type);
      if (!shader) throw new Error("WebGL has ended");
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(this.#program, shader);
    }
    gl.linkProgram(this.#program);
    if (!gl.getProgramParameter(this.#program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error(gl.getProgramInfoLog(this.#program) ?? "points cannot be drawn");
    this.#buffers = ["x", "y", "colour"].map((name) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      const at = gl.getAttribLocation(this.#program, name);
      gl.enableVertexAttribArray(at);
      if (name === "colour") gl.vertexAttribPointer(at, 4, gl.UNSIGNED_BYTE, true, 0, 0);
      else gl.vertexAttribPointer(at, 1, gl.FLOAT, false, 0, 0);
      return buffer;
    });
  }

  points(x: Float32Array, y: Float32Array): void {
    this.#count = Math.min(x.length, y.length);
    this.#put(0, x);
    this.#put(1, y);
  }

  colours(colours: Uint8Array): void {
    this.#put(2, colours);
  }

  draw({ scaleX, scaleY, offsetX, offsetY, size }: PointPlacement): void {
    const gl = this.#gl;
    const { width, height } = gl.canvas;
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(this.#program);
    const uniform = (name: string): WebGLUniformLocation | null => gl.getUniformLocation(this.#program, name);
    gl.uniform2f(uniform("scale"), (2 * scaleX) / width, (-2 * scaleY) / height);
    gl.uniform2f(uniform("offset"), (2 * offsetX) / width - 1, 1 - (2 * offsetY) / height);
    gl.uniform1f(uniform("size"), size);
    gl.drawArrays(gl.POINTS, 0, this.#count);
  }

  close(): void {
    for (const buffer of this.#buffers) this.#gl.deleteBuffer(buffer);
    this.#gl.deleteProgram(this.#program);
    this.#gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  #put(buffer: number, data: Float32Array | Uint8Array): void {
    const gl = this.#gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffers[buffer] ?? null);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  }
}

class CanvasPoints implements PointPainter {
  readonly kind = "canvas";
  readonly #context: CanvasRenderingContext2D;
  #x = new Float32Array(0);
  #y = new Float32Array(0);
  #colours = new Uint32Array(0);

  constructor(context: CanvasRenderingContext2D) {
    this.#context = context;
  }

  points(x: Float32Array, y: Float32Array): void {
    this.#x = x as Float32Array<ArrayBuffer>;
    this.#y = y as Float32Array<ArrayBuffer>;
  }

  colours(colours: Uint8Array): void {
    this.#colours = new Uint32Array(colours.slice().buffer);
  }

  draw({ scaleX, scaleY, offsetX, offsetY, size }: PointPlacement): void {
    const { width, height } = this.#context.canvas;
    const image = this.#context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const side = Math.max(1, Math.round(size));
    const half = (side - 1) / 2;
    // The number of pixels outside the disc, in each row of a point's square.
    const beside = Array.from({ length: side }, (_, row) =>
      side < 3 ? 0 : Math.max(0, Math.round(half - Math.sqrt((side / 2) ** 2 - (row - half) ** 2))),
    );
    for (let i = 0; i < this.#x.length; i++) {
      const colour = this.#colours[i] as number;
      const left = Math.round((this.#x[i] as number) * scaleX + offsetX - half);
      const top = Math.round((this.#y[i] as number) * scaleY + offsetY - half);
      if (colour === 0 || !(left > -side && left < width && top > -side && top < height)) continue;
      for (let y = Math.max(0, top); y < Math.min(height, top + side); y++) {
        const cut = beside[y - top] as number;
        const end = Math.min(width, left + side - cut);
        for (let x = Math.max(0, left + cut); x < end; x++) pixels[y * width + x] = colour;
      }
    }
    this.#context.putImageData(image, 0, 0);
  }

  close(): void {
    this.#x = new Float32Array(0);
    this.#y = new Float32Array(0);
  }
}
