// The Go side of the benchmark: decode.wasm and its exported functions, which work
// on buffers in its own memory.
import { createGo } from "#wasm-exec";

/** Starts decode.wasm. */
export async function startCore(wasm) {
  const { Go } = createGo();
  const go = new Go();
  const { instance } = await WebAssembly.instantiate(wasm, go.importObject);
  go.run(instance);
  return new Core(instance.exports);
}

/** A buffer in wasm's memory. */
class Buffer {
  constructor(core, length) {
    this.core = core;
    this.length = length;
    this.at = core.go.alloc(length);
  }

  /** The bytes; the view is invalid once the memory has grown. */
  view() {
    return new Uint8Array(this.core.go.mem.buffer, this.at, this.length);
  }
}

class Core {
  constructor(exports) {
    this.go = exports;
  }

  /** Copies bytes into wasm's memory. */
  put(bytes) {
    const b = new Buffer(this, bytes.length);
    b.view().set(bytes);
    return b;
  }

  buffer(length) {
    return new Buffer(this, length);
  }

  /** Frees all buffers. */
  free() {
    this.go.free();
  }

  fail(what) {
    const at = this.go.message();
    const text = new TextDecoder().decode(new Uint8Array(this.go.mem.buffer, at, this.go.messageLen()));
    throw new Error(`${what}: ${text}`);
  }

  /** Returns the number of the metadata's chain of codecs. */
  plan(meta) {
    const doc = this.put(new TextEncoder().encode(JSON.stringify(meta)));
    const n = this.go.plan(doc.at, doc.length, meta.zarr_format);
    if (n < 0) this.fail("plan");
    return n;
  }

  /** Decodes a chunk from one buffer into another. */
  decode(plan, dst, src) {
    if (this.go.decode(plan, dst.at, dst.length, src.at, src.length) !== 0) this.fail("decode");
  }

  /** Opens the array in a Map of keys and bytes. */
  open(objects) {
    for (const [key, bytes] of objects) {
      const k = this.put(new TextEncoder().encode(key.slice(1)));
      const b = this.put(bytes);
      this.go.object(k.at, k.length, b.at, b.length);
    }
    const n = this.go.open();
    if (n < 0) this.fail("open");
    return n;
  }

  /** Reads every step-th element of an array, and copies the result into a new ArrayBuffer. */
  read(array, step) {
    const at = this.go.read(array, step);
    if (at === 0) this.fail("read");
    return new Uint8Array(this.go.mem.buffer, at, this.go.resultLen()).slice();
  }
}
