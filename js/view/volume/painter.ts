// Draws volumes with WebGL2. Their numbers are 3D textures in their stored form.
import { LimitError } from "../../errors.js";
import { type Numbers, numbersOf } from "../paint/numbers.js";
import type { Pixels, Style } from "../paint/painter.js";
import { type Program, Programs, uploadOf } from "../paint/programs.js";
import type { VolumeState } from "../state.js";
import type { Part, Rays } from "./camera.js";
import { density, isOwn, modeMain, sharesMain } from "./shader.js";
import { each, type Three } from "./solid.js";

/** The style of numbers that a range maps to colours. */
type RangedStyle = Extract<Style, { kind: "map" | "channel" }>;

/** A volume in the memory of the graphics processor, as long as its context exists. */
export class Loaded {
  readonly numbers: Numbers;
  texture: WebGLTexture | null = null;
  /** Its shares of a range, for shading, and the range and curve that they belong to. */
  shares: WebGLTexture | null = null;
  ranged = "";

  /** `shape` is that of the fastest, the middle and the slowest axis. */
  constructor(
    readonly shape: Three,
    readonly data: Pixels["data"],
    readonly parts: Pixels["parts"],
  ) {
    this.numbers = numbersOf({ width: shape[0], height: shape[1] * shape[2], parts, data });
  }
}

/** A drawing of volumes of one grid. */
export interface Frame {
  readonly mode: VolumeState["mode"];
  readonly layers: readonly { readonly loaded: Loaded; readonly style: Style }[];
  readonly rays: Rays;
  readonly part: Part;
  /** The middles of the elements of the three slices. */
  readonly slices: Three;
}

/** The distance of samples along a ray, in elements. */
const pacing = 0.7;
const anything: Numbers = { kind: "float", least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };
/** A style of shares themselves. */
const shared = {
  range: [0, 1],
  curve: { kind: "linear" },
  packing: { scale: 1, offset: 0, missing: [], valid: null },
} as const;

/** Draws volumes on a canvas of its own. */
export class VolumePainter {
  readonly canvas: HTMLCanvasElement;
  /** The largest number of elements along an axis. */
  readonly side: number;
  readonly #gl: WebGL2RenderingContext;
  readonly #kept = new Set<Loaded>();
  readonly #listeners = new AbortController();
  #programs: Programs;

  /** Returns a painter, or null without WebGL2. `changed` reports a lost and a returned context. */
  static on(canvas: HTMLCanvasElement, changed: () => void): VolumePainter | null {
    const gl = canvas.getContext("webgl2", { antialias: false, depth: false, preserveDrawingBuffer: true });
    return gl && new VolumePainter(canvas, gl, changed);
  }

  private constructor(canvas: HTMLCanvasElement, gl: WebGL2RenderingContext, changed: () => void) {
    this.canvas = canvas;
    this.#gl = gl;
    this.#programs = new Programs(gl);
    this.side = gl.getParameter(gl.MAX_3D_TEXTURE_SIZE);
    const { signal } = this.#listeners;
    const lost = (event: Event) => {
      // Without this the browser does not restore the context.
      event.preventDefault();
      changed();
    };
    canvas.addEventListener("webglcontextlost", lost, { signal });
    const restore = () => {
      for (const loaded of this.#kept) Object.assign(loaded, { texture: null, shares: null, ranged: "" });
      this.#programs = new Programs(gl);
      changed();
    };
    canvas.addEventListener("webglcontextrestored", restore, { signal });
  }

  /** Whether the context is lost. */
  get lost(): boolean {
    return this.#gl.isContextLost();
  }

  /** Loads a volume. It keeps its numbers for the return of a lost context. */
  load(shape: Three, data: Pixels["data"], parts: Pixels["parts"]): Loaded {
    const loaded = new Loaded(shape, data, parts);
    this.#kept.add(loaded);
    this.#upload(loaded);
    return loaded;
  }

  /** Frees a volume. */
  free(loaded: Loaded): void {
    this.#kept.delete(loaded);
    this.#gl.deleteTexture(loaded.texture);
    this.#gl.deleteTexture(loaded.shares);
    Object.assign(loaded, { texture: null, shares: null });
  }

  /** Draws a frame on the whole canvas. Pixels without values stay transparent. */
  paint({ mode, layers, rays, part, slices }: Frame): void {
    const gl = this.#gl;
    if (gl.isContextLost()) return;
    const shares = (style: Style): style is RangedStyle => mode === "shaded" && !isOwn(style);
    const textures = layers.map(({ loaded, style }) =>
      shares(style) ? this.#sharesOf(loaded, style) : this.#upload(loaded),
    );
    const { width, height } = this.canvas;
    gl.viewport(0, 0, width, height);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.BLEND);
    const stride = pacing / Math.max(...rays.into.map(Math.abs));
    for (const [i, { loaded, style }] of layers.entries()) {
      const { numbers, parts, shape } = loaded;
      const shaded = shares(style);
      const { at } = shaded
        ? this.#programs.prepare({ ...style, ...shared }, anything, 1, 1, modeMain(mode, "float", style))
        : this.#programs.prepare(style, numbers, parts, 1, modeMain(mode, numbers.kind, style));
      gl.blendFunc(gl.ONE, style.kind === "channel" ? gl.ONE : gl.ONE_MINUS_SRC_ALPHA);
      const vectors = { ...rays, ...part, middle: slices, cells: shape };
      for (const [name, vector] of Object.entries(vectors)) gl.uniform3f(at(name), ...vector);
      gl.uniform1f(at("rows"), height);
      gl.uniform1f(at("stride"), stride);
      gl.uniform1f(at("density"), density);
      const falls = "packing" in style && style.curve.kind !== "log" && style.packing.scale < 0;
      gl.uniform1f(at("way"), falls ? -1 : 1);
      const across = Math.hypot(...each(shape, (length, k) => length / rays.pace[k]));
      gl.uniform1i(at("steps"), 3 + Math.ceil(shaded ? across / stride : shape[0] + shape[1] + shape[2]));
      this.#bind(at, textures[i] ?? null);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
  }

  /** Frees all resources. */
  close(): void {
    this.#listeners.abort();
    for (const loaded of [...this.#kept]) this.free(loaded);
    this.#programs.close();
    // Browsers limit the number of contexts, and beyond it take them from visible canvases.
    this.#gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  #bind(at: Program["at"], texture: WebGLTexture | null): void {
    const gl = this.#gl;
    gl.activeTexture(gl.TEXTURE4);
    gl.bindTexture(gl.TEXTURE_3D, texture);
    gl.uniform1i(at("volume"), 4);
  }

  #upload(loaded: Loaded): WebGLTexture | null {
    const gl = this.#gl;
    if (loaded.texture || gl.isContextLost()) return loaded.texture;
    const { data, shape, numbers, parts } = loaded;
    const { type, internal, format } = uploadOf(gl, { data, parts }, numbers);
    loaded.texture = this.#programs.texture(gl.TEXTURE_3D);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texImage3D(gl.TEXTURE_3D, 0, internal, ...shape, 0, format, type, data);
    this.#check(loaded);
    return loaded.texture;
  }

  /** Throws if the graphics processor has no room for a texture, and frees it: it draws nothing. */
  #check(loaded: Loaded): void {
    if (this.#gl.getError() !== this.#gl.OUT_OF_MEMORY) return;
    this.free(loaded);
    throw new LimitError(`the graphics processor has no room for a volume of ${loaded.shape.join(" × ")} elements`, {
      limit: "graphics memory",
    });
  }

  /** Returns the shares of a volume in the range of a style, which shading interpolates. */
  #sharesOf(loaded: Loaded, style: RangedStyle): WebGLTexture | null {
    const gl = this.#gl;
    const { range, curve, packing } = style;
    const ranged = JSON.stringify([range, curve, packing.scale, packing.offset]);
    if (loaded.shares && loaded.ranged === ranged) return loaded.shares;
    const { shape, numbers } = loaded;
    const [width, height, depth] = shape;
    const source = this.#upload(loaded);
    if (!loaded.shares) {
      loaded.shares = this.#programs.texture(gl.TEXTURE_3D);
      gl.texStorage3D(gl.TEXTURE_3D, 1, gl.RG8, width, height, depth);
      for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
        gl.texParameteri(gl.TEXTURE_3D, filter, gl.LINEAR);
      for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T, gl.TEXTURE_WRAP_R])
        gl.texParameteri(gl.TEXTURE_3D, wrap, gl.CLAMP_TO_EDGE);
      this.#check(loaded);
    }
    loaded.ranged = ranged;
    const { at } = this.#programs.prepare(style, numbers, 1, 1, sharesMain(numbers.kind));
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.viewport(0, 0, width, height);
    gl.disable(gl.BLEND);
    this.#bind(at, source);
    for (let layer = 0; layer < depth; layer++) {
      gl.framebufferTextureLayer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, loaded.shares, 0, layer);
      gl.uniform1i(at("layer"), layer);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteFramebuffer(frame);
    return loaded.shares;
  }
}
