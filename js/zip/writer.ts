import { isDocument } from "../data/documents.js";
import { StoreError, UnsupportedError } from "../errors.js";
import { refuse } from "../shared/arguments.js";
import type { ByteRange } from "../stores/readable.js";
import type { Writable, WriteOptions } from "../stores/writable.js";
import { crc32 } from "./crc32.js";
import { directoryOf, localHeader, type Member } from "./layout.js";

/**
 * An object of the archive, with its bytes while they are in memory, and its place in the stream.
 */
interface Entry {
  readonly name: Uint8Array;
  readonly size: number;
  readonly crc: number;
  /** Undefined after they were written to the stream. */
  readonly bytes: Uint8Array | Blob | undefined;
  readonly offset: number;
}

/** Larger objects are kept as a `Blob`, which a browser need not hold in memory. */
const large = 1 << 16;

/**
 * A new zip archive as a writable store. It does not compress, because chunks are compressed
 * already. Without a stream the archive is kept and can be read, and {@link ZipWriter.blob} returns
 * it any number of times. With a stream, chunks are written to it at once and cannot be read again.
 * Documents are written when {@link ZipWriter.close} ends the archive.
 *
 * @example
 * const zip = new ZipWriter();
 * await zip.set("/zarr.json", new TextEncoder().encode('{"zarr_format":3,"node_type":"group"}'));
 * link.href = URL.createObjectURL(await zip.blob());
 */
export class ZipWriter implements Writable {
  readonly #entries = new Map<string, Entry>();
  readonly #stream: WritableStreamDefaultWriter<Uint8Array> | undefined;
  /** The last operation on the stream. Operations run one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  /** The number of bytes written to the stream. */
  #at = 0;
  /** The reason why nothing more can be written. */
  #over: Error | undefined;

  /**
   * Takes the stream of a file, as its handle's `createWritable()` returns it, or any other stream
   * of bytes.
   */
  constructor(to?: WritableStream<Uint8Array>) {
    if (to !== undefined && typeof to?.getWriter !== "function") refuse("ZipWriter: to", to, "a WritableStream");
    this.#stream = to?.getWriter();
  }

  /**
   * Writes or replaces the bytes of a key.
   *
   * @throws `StoreError` for an invalid key, and after the stream has failed.
   */
  async set(key: `/${string}`, bytes: Uint8Array, options: WriteOptions = {}): Promise<void> {
    const path = memberPath("set", key);
    if (!(bytes instanceof Uint8Array)) refuse("set: bytes", bytes, "a Uint8Array");
    options.signal?.throwIfAborted();
    if (this.#over) throw failed(path, this.#over);
    const name = new TextEncoder().encode(path);
    if (name.length > 65535)
      throw new StoreError(`${path.slice(0, 50)}…: a name of more than 65535 bytes`, { key: path });
    const about = { name, size: bytes.length, crc: crc32(bytes) };
    // Documents are rewritten often, and readers request them first when they open an archive.
    if (!this.#stream || isDocument(path)) {
      // A copy, never a part of a buffer that others use.
      const own = bytes.slice();
      this.#entries.set(path, { ...about, bytes: own.length < large ? own : new Blob([own]), offset: 0 });
      return;
    }
    await this.#send(path, async () => {
      const offset = this.#at;
      await this.#write(localHeader(about));
      await this.#write(bytes);
      this.#entries.set(path, { ...about, bytes: undefined, offset });
    });
  }

  /** Removes a key from the archive. An absent key is not an error. */
  async delete(key: `/${string}`, options: WriteOptions = {}): Promise<void> {
    const path = memberPath("delete", key);
    options.signal?.throwIfAborted();
    await this.#drop((one) => one === path);
  }

  /** Removes all keys below a folder, `""` or `"a/b"`, from the archive. */
  async deleteFolder(path: string, options: WriteOptions = {}): Promise<void> {
    if (typeof path !== "string") refuse("deleteFolder: path", path, "a string");
    const prefix = path && `${memberPath("deleteFolder", `/${path}`)}/`;
    options.signal?.throwIfAborted();
    await this.#drop((key) => key.startsWith(prefix));
  }

  /**
   * Reads the bytes of a key.
   *
   * @throws `UnsupportedError` if they were written to the stream.
   */
  async get(key: `/${string}`): Promise<Uint8Array | undefined> {
    return this.getRange(key, { offset: 0, length: Number.MAX_SAFE_INTEGER });
  }

  /** Reads a range of a key, cut off at its end. Rejects as {@link get} does. */
  async getRange(key: `/${string}`, range: ByteRange): Promise<Uint8Array | undefined> {
    const path = memberPath("get", key);
    await this.#last.catch(() => undefined);
    const entry = this.#entries.get(path);
    if (!entry) return undefined;
    const { bytes, size } = entry;
    if (!bytes) {
      throw new UnsupportedError(
        `${path} was written to the stream and cannot be read again: write whole chunks, each once, or make the archive without a stream`,
        { key: path, feature: "reading a stream" },
      );
    }
    const from = "suffixLength" in range ? Math.max(0, size - range.suffixLength) : Math.min(size, range.offset);
    const part = bytes.slice(from, "suffixLength" in range ? size : Math.min(size, range.offset + range.length));
    return part instanceof Blob ? new Uint8Array(await part.arrayBuffer()) : part;
  }

  /**
   * Lists the names directly below a folder, `""` or `"a/b"`. Names of folders have a trailing
   * slash.
   */
  async listFolder(path: string): Promise<string[]> {
    const prefix = path && `${path}/`;
    const names = new Set<string>();
    for (const key of this.#entries.keys()) {
      if (key.startsWith(prefix)) names.add(key.slice(prefix.length).replace(/\/.*/, "/"));
    }
    return [...names].sort();
  }

  /**
   * Returns the archive with its current objects, documents first.
   *
   * @throws `UnsupportedError` if the archive has a stream.
   */
  async blob(): Promise<Blob> {
    if (this.#stream) throw new UnsupportedError("the archive goes to a stream", { feature: "reading a stream" });
    const parts: BlobPart[] = [];
    const members: Member[] = [];
    let offset = 0;
    for (const { bytes, ...entry } of this.#documentsFirst()) {
      const header = localHeader(entry);
      members.push({ ...entry, offset });
      parts.push(header, bytes as BlobPart);
      offset += header.length + entry.size;
    }
    return new Blob([...parts, ...directoryOf(members, offset)], { type: "application/zip" });
  }

  /** Ends an archive with a stream, and closes the stream. The archive is not valid before. */
  async close(): Promise<void> {
    const stream = this.#stream;
    if (!stream) return;
    await this.#send("", async () => {
      const members: Member[] = [];
      for (const entry of this.#documentsFirst()) {
        const offset = entry.bytes ? this.#at : entry.offset;
        if (entry.bytes) {
          await this.#write(localHeader(entry));
          await this.#write(
            entry.bytes instanceof Blob ? new Uint8Array(await entry.bytes.arrayBuffer()) : entry.bytes,
          );
        }
        members.push({ ...entry, offset });
      }
      for (const part of directoryOf(members, this.#at)) await this.#write(part);
      await stream.close();
      this.#over = new Error("the archive is closed");
    });
  }

  /**
   * Removes matching keys from the archive. Waits for objects that are being written to the stream.
   */
  async #drop(one: (key: string) => boolean): Promise<void> {
    const drop = (streamed: boolean) => {
      for (const [key, { bytes }] of [...this.#entries]) {
        if (one(key) && (bytes === undefined) === streamed) this.#entries.delete(key);
      }
    };
    drop(false);
    if (!this.#stream) return;
    const turn = this.#last.catch(() => undefined).then(() => drop(true));
    this.#last = turn;
    await turn;
  }

  #documentsFirst(): Entry[] {
    const all = [...this.#entries];
    return [true, false].flatMap((first) => all.filter(([key]) => isDocument(key) === first).map(([, entry]) => entry));
  }

  /**
   * Runs an operation on the stream after the earlier ones. After a failure it rejects all, because
   * their offsets would be wrong.
   */
  async #send(key: string, act: () => Promise<void>): Promise<void> {
    const turn = this.#last
      .catch(() => undefined)
      .then(async () => {
        if (this.#over) throw failed(key, this.#over);
        try {
          await act();
        } catch (cause) {
          this.#over = cause instanceof Error ? cause : new Error(String(cause));
          await this.#stream?.abort(cause).catch(() => undefined);
          throw failed(key, this.#over);
        }
      });
    this.#last = turn;
    return turn;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#stream?.ready;
    await this.#stream?.write(bytes);
    this.#at += bytes.length;
  }
}

function failed(key: string, cause: Error): StoreError {
  return new StoreError(`${key || "the archive"}: ${cause.message}`, key ? { key, cause } : { cause });
}

/** Returns a key without its slash, as in archives. */
function memberPath(what: string, key: string): string {
  if (typeof key !== "string") refuse(`${what}: key`, key, "a string");
  const [first, ...names] = key.split("/");
  if (first !== "" || names.length === 0 || names.some((name) => name === "" || name === "." || name === "..")) {
    throw new StoreError(`${JSON.stringify(key)} is not a key of an archive`, { key: key.replace(/^\//, "") });
  }
  return names.join("/");
}
