import { type Numbers, numbersOf } from "./numbers.js";
import type { Painter, Pixels, Placed, Scene, Style, Texture } from "./painter.js";
import { type Piece, place } from "./place.js";
import { type Program, Programs, uploadOf } from "./programs.js";

/** A texture, and the piece of the pixels in it. */
interface Held extends Piece {
  readonly texture: WebGLTexture;
}

/** Pixels, with their textures as long as the context exists. */
class Taken implements Texture {
  readonly bytes: number;
  readonly numbers: Numbers;
  held: readonly Held[] | null = null;
  constructor(readonly pixels: Pixels) {
    this.bytes = pixels.data.byteLength;
    this.numbers = numbersOf(pixels);
  }
}

/** Draws with WebGL2. It keeps pixels to restore them after a lost context. */
export class WebGlPainter implements Painter {
  readonly kind = "webgl2";
  readonly #gl: WebGL2RenderingContext;
  readonly #taken = new Set<Taken>();
  readonly #listeners = new AbortController();
  #programs: Programs;
  #scene: Scene | null = null;
  #closed = false;

  constructor(
    readonly canvas: HTMLCanvasElement,
    gl: WebGL2RenderingContext,
  ) {
    this.#gl = gl;
    this.#programs = new Programs(gl);
    const { signal } = this.#listeners;
    // Without this the browser does not restore the context.
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault(), { signal });
    canvas.addEventListener("webglcontextrestored", () => this.#restore(), { signal });
    this.#begin();
  }

  load(pixels: Pixels): Texture {
    const taken = new Taken(pixels);
    this.#taken.add(taken);
    this.#upload(taken);
    return taken;
  }

  free(texture: Texture): void {
    if (!(texture instanceof Taken) || !this.#taken.delete(texture)) return;
    for (const { texture: held } of texture.held ?? []) this.#gl.deleteTexture(held);
    texture.held = null;
  }

  paint(scene: Scene): boolean {
    if (this.#closed) return true;
    this.#scene = scene;
    const gl = this.#gl;
    if (gl.isContextLost()) return true;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.disable(gl.SCISSOR_TEST);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.SCISSOR_TEST);
    for (const [n, { tiles, style, opacity }] of scene.layers.entries()) {
      const number = (n % 255) + 1;
      if (n > 0 && number === 1) {
        gl.disable(gl.SCISSOR_TEST);
        gl.clear(gl.STENCIL_BUFFER_BIT);
        gl.enable(gl.SCISSOR_TEST);
      }
      // In overlapping tiles the last one counts, even for missing values. It is drawn first, and
      // the stencil excludes later tiles.
      gl.stencilFunc(gl.NOTEQUAL, number, 255);
      gl.blendFunc(gl.ONE, style.kind === "channel" ? gl.ONE : gl.ONE_MINUS_SRC_ALPHA);
      for (let i = tiles.length - 1; i >= 0; i--) this.#draw(scene, tiles[i] as Placed, style, opacity);
    }
    return true;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#scene = null;
    this.#listeners.abort();
    for (const taken of this.#taken) this.free(taken);
    this.#programs.close();
    // Browsers limit the number of contexts, and beyond it take them from visible canvases.
    this.#gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  #begin(): void {
    const gl = this.#gl;
    gl.enable(gl.BLEND);
    gl.enable(gl.STENCIL_TEST);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.REPLACE);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  }

  #restore(): void {
    for (const taken of this.#taken) taken.held = null;
    this.#programs = new Programs(this.#gl);
    this.#begin();
    if (this.#scene) this.paint(this.#scene);
  }

  #upload(taken: Taken): readonly Held[] {
    const gl = this.#gl;
    if (taken.held || gl.isContextLost()) return taken.held ?? [];
    const { width, height, data } = taken.pixels;
    const { type, internal, format } = uploadOf(gl, taken.pixels, taken.numbers);
    const most: number = gl.getParameter(gl.MAX_TEXTURE_SIZE);
    const held: Held[] = [];
    gl.pixelStorei(gl.UNPACK_ROW_LENGTH, width);
    for (let top = 0; top < height; top += most) {
      for (let left = 0; left < width; left += most) {
        const piece = { left, top, width: Math.min(most, width - left), height: Math.min(most, height - top) };
        const texture = this.#programs.texture();
        gl.pixelStorei(gl.UNPACK_SKIP_PIXELS, left);
        gl.pixelStorei(gl.UNPACK_SKIP_ROWS, top);
        const { width: columns, height: rows } = piece;
        gl.texImage2D(gl.TEXTURE_2D, 0, internal, columns, rows, 0, format, type, data);
        held.push({ ...piece, texture });
      }
    }
    for (const name of [gl.UNPACK_ROW_LENGTH, gl.UNPACK_SKIP_PIXELS, gl.UNPACK_SKIP_ROWS]) gl.pixelStorei(name, 0);
    taken.held = held;
    return held;
  }

  #draw({ camera, globe }: Scene, tile: Placed, style: Style, opacity: number): void {
    const taken = tile.texture;
    if (!(taken instanceof Taken) || !this.#taken.has(taken)) return;
    const gl = this.#gl;
    const { numbers, pixels } = taken;
    let ready: Program | null = null;
    for (const part of this.#upload(taken)) {
      const seen = globe ? null : place(camera, tile, pixels, part, this.canvas);
      if (!seen && !globe) continue;
      ready ??= this.#programs.prepare(style, numbers, pixels.parts, opacity, globe);
      const { at } = ready;
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, part.texture);
      gl.uniform2i(at("size"), part.width, part.height);
      if (globe) {
        globe.draw(gl, at, { tile, pixels, part, edges: this.#programs.listOf(globe.edges) });
      }
      if (!seen) continue;
      const { columns, rows } = seen;
      gl.uniform2f(at("corner"), -0.5 - columns.first, this.canvas.height - 0.5 - rows.first);
      gl.uniform2i(at("base"), columns.base, rows.base);
      gl.uniform2f(at("from"), columns.from, rows.from);
      gl.uniform2f(at("pace"), columns.step, rows.step);
      gl.scissor(columns.first, this.canvas.height - rows.last, columns.last - columns.first, rows.last - rows.first);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
  }
}
