import { labelTable } from "../colour/labels.js";
import { type Kind, lineThrough, type Numbers, sorted, validOf } from "./numbers.js";
import type { Pixels, Style } from "./painter.js";
import { fragmentShader, vertexShader } from "./shader.js";

/**
 * WebGL's names for the numbers of each typed array: the type, and the formats for 1, 3 and 4 per
 * pixel.
 */
const formatsOf = (
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

/** Returns the parameters of an upload of pixels. */
export function uploadOf(
  gl: WebGL2RenderingContext,
  { data, parts }: Pick<Pixels, "data" | "parts">,
  { kind }: Pick<Numbers, "kind">,
): { readonly type: number; readonly internal: number; readonly format: number } {
  const [type, ...internal] = formatsOf(gl)[data.constructor.name] as [number, number, number, number];
  const formats = kind === "float" ? [gl.RED, gl.RGB, gl.RGBA] : [gl.RED_INTEGER, gl.RGB_INTEGER, gl.RGBA_INTEGER];
  const which = parts === 1 ? 0 : parts - 2;
  return { type, internal: internal[which] as number, format: formats[which] as number };
}

/** A program and the locations of its uniforms. */
export interface Program {
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

/** A main function of fragment shaders, and its name among the others. */
export interface Main {
  readonly name: string;
  readonly code: string;
}

/** The programs of styles, with their tables as textures. They end with their context. */
export class Programs {
  readonly #gl: WebGL2RenderingContext;
  readonly #programs = new Map<string, Program>();
  /** Keyed by a style's object and a kind of numbers. The least recently used object is first. */
  readonly #known = new Map<object, Map<string, Keys>>();

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
  }

  /** Frees all programs and textures. */
  close(): void {
    for (const owner of [...this.#known.keys()]) this.#forget(owner);
    for (const { program } of this.#programs.values()) this.#gl.deleteProgram(program);
  }

  /** Creates a texture whose pixels are not blended. */
  texture(target: number = this.#gl.TEXTURE_2D): WebGLTexture {
    const gl = this.#gl;
    const texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(target, texture);
    gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    return texture;
  }

  #program(kind: Kind, style: Style["kind"], curve: number, main: Main | undefined): Program {
    const key = kind + style + curve + (main?.name ?? "");
    const known = this.#programs.get(key);
    if (known) return known;
    const gl = this.#gl;
    const program = gl.createProgram();
    for (const [type, source] of [
      [gl.VERTEX_SHADER, vertexShader],
      [gl.FRAGMENT_SHADER, fragmentShader(kind, style, curve, main?.code)],
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
    const texture = this.texture();
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

  /** Returns the texture of numbers in rows of 256. */
  listOf(data: Uint32Array): WebGLTexture | null {
    return this.#keep(data, "", () => ({ count: 0, first: 0, keys: this.#rows(data), colours: null })).keys;
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

  /** Returns the current program of a style for one kind of numbers, with its uniforms set. */
  prepare(style: Style, numbers: Numbers, parts: number, opacity: number, main?: Main): Program {
    const gl = this.#gl;
    const { kind, least, most } = numbers;
    const curve = "curve" in style ? style.curve.kind : "linear";
    const made = this.#program(kind, style.kind, curve === "log" ? 1 : curve === "power" ? 2 : 0, main);
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
