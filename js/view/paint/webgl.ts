import { labelTable } from "../colour/labels.js";
import { type Kind, lineThrough, type Numbers, numbersOf, sorted, validOf } from "./numbers.js";
import type { Painter, Pixels, Placed, Scene, Style, Texture } from "./painter.js";
import { type Piece, place } from "./place.js";
import { fragmentShader, vertexShader } from "./shader.js";

/**
 * WebGL's names for the numbers of each typed array: the type, and the formats for 1, 3 and 4 per
 * pixel.
 */
const formats = (
  gl: WebGL2RenderingContext,
): Record<string, [type: number, one: number, three: number, four: number]> => ({
  Uint8Array: [gl.UNSIGNED_BYTE, gl.R8UI, gl.RGB8UI, gl.RGBA8UI],
  Int8Array: [gl.BYTE, gl.R8I, gl.RGB8I, gl.RGBA8I],
  Uint16Array: [gl.UNSIGNED_SHORT, gl.R16UI, gl.RGB16UI, gl.RGBA16UI],
  Int16Array: [gl.SHORT, gl.R16I, gl.RGB16I, gl.RGBA16I],
  Uint32Array: [gl.UNSIGNED_INT, gl.R32UI, gl.RGB32UI, gl.RGBA32UI],
  Int32Array: [gl.INT, gl.R32I, gl.RGB32I, gl.RGBA32I],
  Float32Array: [gl.FLOAT, gl.R32F, gl.RGB32F, gl.RGBA32F],
});

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

/** A program and the locations of its uniforms. */
interface Program {
  readonly program: WebGLProgram;
  at(name: string): WebGLUniformLocation | null;
}

/** The largest number of remembered objects of styles. */
const remembered = 64;

/** Values to look up, and their colours; a colour table has colours only. */
interface Keys {
  readonly count: number;
  /** The bits of the first value. */
  readonly first: number;
  readonly keys: WebGLTexture | null;
  readonly colours: WebGLTexture | null;
}

/** Draws with WebGL2. It keeps pixels to restore them after a lost context. */
export class WebGlPainter implements Painter {
  readonly kind = "webgl2";
  readonly #gl: WebGL2RenderingContext;
  readonly #taken = new Set<Taken>();
  readonly #listeners = new AbortController();
  #programs = new Map<string, Program>();
  /** Keyed by a style's object and a kind of numbers. The least recently used object is first. */
  #known = new Map<object, Map<string, Keys>>();
  #scene: Scene | null = null;
  #closed = false;

  constructor(
    readonly canvas: HTMLCanvasElement,
    gl: WebGL2RenderingContext,
  ) {
    this.#gl = gl;
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
    for (const owner of [...this.#known.keys()]) this.#forget(owner);
    for (const { program } of this.#programs.values()) this.#gl.deleteProgram(program);
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
    this.#programs = new Map();
    this.#known = new Map();
    this.#begin();
    if (this.#scene) this.paint(this.#scene);
  }

  #texture(): WebGLTexture {
    const gl = this.#gl;
    const texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    return texture;
  }

  #upload(taken: Taken): readonly Held[] {
    const gl = this.#gl;
    if (taken.held || gl.isContextLost()) return taken.held ?? [];
    const { width, height, parts, data } = taken.pixels;
    const [type, ...internal] = formats(gl)[data.constructor.name] as [number, number, number, number];
    const integer = taken.numbers.kind !== "float";
    const format = integer ? [gl.RED_INTEGER, gl.RGB_INTEGER, gl.RGBA_INTEGER] : [gl.RED, gl.RGB, gl.RGBA];
    const which = parts === 1 ? 0 : parts - 2;
    const most: number = gl.getParameter(gl.MAX_TEXTURE_SIZE);
    const held: Held[] = [];
    gl.pixelStorei(gl.UNPACK_ROW_LENGTH, width);
    for (let top = 0; top < height; top += most) {
      for (let left = 0; left < width; left += most) {
        const piece = { left, top, width: Math.min(most, width - left), height: Math.min(most, height - top) };
        const texture = this.#texture();
        gl.pixelStorei(gl.UNPACK_SKIP_PIXELS, left);
        gl.pixelStorei(gl.UNPACK_SKIP_ROWS, top);
        const { width: columns, height: rows } = piece;
        gl.texImage2D(
          gl.TEXTURE_2D,
          0,
          internal[which] as number,
          columns,
          rows,
          0,
          format[which] as number,
          type,
          data,
        );
        held.push({ ...piece, texture });
      }
    }
    for (const name of [gl.UNPACK_ROW_LENGTH, gl.UNPACK_SKIP_PIXELS, gl.UNPACK_SKIP_ROWS]) gl.pixelStorei(name, 0);
    taken.held = held;
    return held;
  }

  #program(kind: Kind, style: Style["kind"], curve: number, globe: Scene["globe"]): Program {
    const key = kind + style + curve + (globe?.name ?? "");
    const known = this.#programs.get(key);
    if (known) return known;
    const gl = this.#gl;
    const program = gl.createProgram();
    for (const [type, source] of [
      [gl.VERTEX_SHADER, vertexShader],
      [gl.FRAGMENT_SHADER, fragmentShader(kind, style, curve, globe?.code)],
    ] as const) {
      const shader = gl.createShader(type);
      if (!shader) break; // the context was just lost
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      gl.deleteShader(shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      const logs = gl.getAttachedShaders(program)?.map((shader) => gl.getShaderInfoLog(shader)) ?? [];
      throw new Error(
        `This browser cannot draw ${style}s of ${kind} numbers: ${logs.join(" ")} ${gl.getProgramInfoLog(program)}`,
      );
    }
    const places = new Map<string, WebGLUniformLocation | null>();
    const at = (name: string): WebGLUniformLocation | null => {
      if (!places.has(name)) places.set(name, gl.getUniformLocation(program, name));
      return places.get(name) ?? null;
    };
    gl.useProgram(program);
    gl.uniform1i(at("keys"), 1);
    gl.uniform1i(at("colours"), 2);
    gl.uniform1i(at("table"), 3);
    const made = { program, at };
    this.#programs.set(key, made);
    return made;
  }

  /** Creates a texture of numbers or colours in rows of 256. */
  #rows(data: Uint8Array | Uint32Array): WebGLTexture {
    const gl = this.#gl;
    const texture = this.#texture();
    const colours = data instanceof Uint8Array;
    const each = colours ? 4 : 1;
    const height = Math.max(1, Math.ceil(data.length / each / 256));
    const full = colours ? new Uint8Array(height * 1024) : new Uint32Array(height * 256);
    full.set(data);
    if (colours) gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, full);
    else gl.texImage2D(gl.TEXTURE_2D, 0, gl.R32UI, 256, height, 0, gl.RED_INTEGER, gl.UNSIGNED_INT, full);
    return texture;
  }

  /** Returns the cached lookup of an object for a kind of numbers, or creates it. */
  #keep(owner: object, kind: string, make: () => Keys): Keys {
    const kinds = this.#known.get(owner) ?? new Map<string, Keys>();
    this.#known.delete(owner);
    this.#known.set(owner, kinds);
    const keys = kinds.get(kind) ?? make();
    kinds.set(kind, keys);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= remembered) break;
      this.#forget(oldest);
    }
    return keys;
  }

  #forget(owner: object): void {
    for (const { keys, colours } of this.#known.get(owner)?.values() ?? []) {
      this.#gl.deleteTexture(keys);
      this.#gl.deleteTexture(colours);
    }
    this.#known.delete(owner);
  }

  #table(colours: Uint8Array): WebGLTexture | null {
    return this.#keep(colours, "", () => ({ count: 0, first: 0, keys: null, colours: this.#rows(colours) })).colours;
  }

  /** Returns the lookup of a style. */
  #lookup(style: Style, numbers: Numbers): Keys | null {
    if (style.kind === "colour") return null;
    const [owner, values, colours]: [object, Iterable<number | bigint>, ((i: number) => Iterable<number>) | null] =
      style.kind === "category"
        ? [style.values, style.values, (i) => style.colours.subarray(i * 4, i * 4 + 4)]
        : style.kind === "label"
          ? [style.colours, style.colours.keys(), (i) => own[i] ?? []]
          : [style.packing.missing, style.packing.missing, null];
    const own = style.kind === "label" ? [...style.colours.values()] : [];
    return this.#keep(owner, numbers.kind + numbers.most, () => {
      const order = sorted(values, numbers);
      const keys = new Uint32Array(order.map(([value]) => bitsOf(value, numbers.kind)));
      return {
        count: order.length,
        first: keys[0] ?? 0,
        keys: this.#rows(keys),
        colours: colours && this.#rows(new Uint8Array(order.flatMap(([, i]) => [...colours(i)]))),
      };
    });
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
      ready ??= this.#prepare(style, numbers, pixels, opacity, globe);
      const { at } = ready;
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, part.texture);
      gl.uniform2i(at("size"), part.width, part.height);
      if (globe) {
        const { edges } = globe;
        const { keys } = this.#keep(edges, "", () => ({ count: 0, first: 0, keys: this.#rows(edges), colours: null }));
        globe.draw(gl, at, { tile, pixels, part, edges: keys });
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

  /** Sets the uniforms of a style for one kind of numbers. */
  #prepare(style: Style, numbers: Numbers, { parts }: Pixels, opacity: number, globe: Scene["globe"]): Program {
    const gl = this.#gl;
    const { kind, least, most } = numbers;
    const curve = "curve" in style ? style.curve.kind : "linear";
    const made = this.#program(kind, style.kind, curve === "log" ? 1 : curve === "power" ? 2 : 0, globe);
    const { program, at } = made;
    const keys = this.#lookup(style, numbers);
    const table =
      style.kind === "map" ? this.#table(style.table) : style.kind === "label" ? this.#table(labelTable()) : null;
    gl.useProgram(program);
    for (const [i, texture] of [keys?.keys, keys?.colours, table].entries()) {
      gl.activeTexture(gl.TEXTURE1 + i);
      gl.bindTexture(gl.TEXTURE_2D, texture ?? null);
    }
    gl.uniform1f(at("opacity"), opacity);
    gl.uniform1i(at("count"), keys?.count ?? 0);
    if (style.kind === "category") return made;
    if (style.kind === "label") {
      const chosen = style.chosen === null ? [] : sorted([style.chosen], numbers);
      gl.uniform1i(at("chosen"), style.chosen === null ? 0 : 1);
      gl.uniform4ui(at("limits"), bitsOf(chosen[0]?.[0] ?? 0, kind), 0, 0, 0);
      return made;
    }
    const { from, by, plus } = lineThrough(style, numbers);
    // Scaling by a power of two keeps all differences within single precision.
    const large = Math.max(Math.abs(from), plus === 0.5 ? 0 : Math.abs(1 / by));
    const magnitude = large > 1e30 ? 2 ** -60 : large < 1e-30 && large > 0 ? 2 ** 60 : 1;
    const start =
      curve === "log"
        ? 0
        : kind === "float"
          ? Math.fround(from * magnitude)
          : Math.min(most, Math.max(least, Math.floor(from)));
    const [low, high] = style.kind === "colour" ? [0, 0] : validOf(style.packing, numbers);
    gl.uniform1f(at("magnitude"), kind === "float" ? magnitude : 1);
    const scale = kind === "float" && curve !== "log" ? magnitude : 1;
    gl.uniform3f(at("slope"), from * scale - start, by / scale, plus);
    gl.uniform4ui(at("limits"), bitsOf(start, kind), bitsOf(low, kind), bitsOf(high, kind), keys?.first ?? 0);
    if (style.kind === "colour") {
      gl.uniform1i(at("parts"), parts);
      gl.uniform1f(at("full"), kind === "float" ? 1 : 1 / most);
      return made;
    }
    if (style.curve.kind === "power") gl.uniform1f(at("exponent"), style.curve.exponent);
    gl.uniform2f(at("unpack"), style.packing.scale, style.packing.offset);
    if (style.kind === "channel") {
      const [red, green, blue] = style.colour;
      gl.uniform3f(at("tint"), red / 255, green / 255, blue / 255);
    }
    return made;
  }
}

/** Returns the bits of a number in the form of textures and shaders. */
const bitsOf = (value: number, kind: Kind): number =>
  kind === "float" ? (new Uint32Array(Float32Array.of(value).buffer)[0] as number) : value >>> 0;
