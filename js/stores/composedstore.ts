import { objectAt, storeAt } from "#storeat";
import { describe, type EngineSide, engineSide, engineSideOf } from "../engine/description.js";
import type { StoreDescription } from "../engine/protocol/wire.js";
import { absoluteUrl, lastSegment } from "../platform/url.js";
import { refuse } from "../shared/arguments.js";
import { Printed } from "../shared/printed.js";
import type { Directory } from "./directory.js";
import { DirectoryStore, isDirectory } from "./directorystore.js";
import { EngineStore } from "./enginestore.js";
import { FetchStore, type FetchStoreOptions } from "./fetchstore.js";
import { type ByteRange, checkStore, type Readable, type StoreOptions } from "./readable.js";

/**
 * A source of a store: an address, a store, bytes in memory, a directory, or a composition of
 * stores.
 */
export type StoreSource = string | URL | Blob | Readable | Directory | Composition;

/**
 * The object of the underlying store that is the container. An address and a `Blob` are one object,
 * and need no key.
 */
interface OneObject {
  /** The object's key. */
  key?: string | undefined;
}

/**
 * A composition of stores as plain data. One member has the name of the kind, the others are its
 * settings.
 */
export type Composition =
  /** A zip archive. */
  | ({ zip: StoreSource } & ZipOptions)
  /** References in kerchunk's format. */
  | ({ reference: StoreSource | ReferenceDocument } & ReferenceOptions)
  /** An Icechunk repository. */
  | ({ icechunk: StoreSource } & IcechunkOptions)
  /** An N5 container. */
  | { n5: StoreSource }
  /** Layers of stores. The first that has a key is read. */
  | { overlay: StoreSource[] }
  /** The part of a store below a path. */
  | { prefix: StoreSource; path: string };

/** Settings of a {@link ZipStore}. */
export interface ZipOptions extends OneObject {
  /**
   * The folder of the archive that is the root of the store. By default it is the archive's only
   * top folder, if that contains all files and has a Zarr document.
   */
  path?: string | undefined;
}

/** A zip archive's description of itself. */
export interface ZipInfo {
  /** The archive's comment. */
  comment: string;
  /** The folder of the archive that is the root of the store; `""` for the archive's own root. */
  root: string;
  /**
   * The comment of an OME-Zarr archive (`.ozx`): its version, and whether all `zarr.json` come
   * first.
   */
  ome?: { version?: string; zipFile?: { centralDirectory?: { jsonFirst?: boolean } } };
}

/** Settings of a {@link ReferenceStore}. */
export interface ReferenceOptions extends OneObject, TargetOptions {
  /**
   * A URL that replaces the document's. Relative URLs are relative to it, and references without a
   * URL refer to it.
   */
  target?: string | URL | undefined;
}

/** References as an object: kerchunk's versions 0 and 1. */
export type ReferenceDocument = { readonly [key: string]: unknown };

/** The resolution of the files outside of a container that it refers to. */
export interface TargetOptions {
  /**
   * Further translations of the beginnings of addresses, such as `"s3://bucket/"` to
   * `"https://minio.example.org/bucket/"`. The longest match counts. Without a match, `s3:`, `gs:`
   * and `az:` use the public endpoints.
   */
  endpoints?: Record<string, string> | undefined;
  /**
   * The origins that may be read in addition to the container's own; `"same"` for none. The default
   * is any.
   */
  origins?: "same" | "any" | readonly string[] | undefined;
  /**
   * Called once for each origin that is not among `origins`. Without `origins`, called for each
   * origin but the container's own. Any result but `true` is a refusal.
   */
  confirm?: ((origin: string) => boolean | Promise<boolean>) | undefined;
}

/**
 * Settings of an {@link IcechunkStore}: the snapshot to read, by default that of the branch `main`.
 */
export interface IcechunkOptions extends TargetOptions {
  /** The last snapshot of a branch. */
  branch?: string | undefined;
  /** The snapshot of a tag. */
  tag?: string | undefined;
  /** A snapshot's id. */
  snapshot?: string | undefined;
  /**
   * Prefixes of the containers of virtual chunks by their names. They replace those of the
   * repository.
   */
  containers?: Record<string, string> | undefined;
  /**
   * The maximum size of a snapshot or a manifest after decompression, in bytes; 160 MiB by default.
   */
  tableBytes?: number | undefined;
}

/** A snapshot in the history of an Icechunk repository. */
export interface IcechunkCommit {
  /** Its id. */
  snapshot: string;
  /** The author's message. */
  message: string;
  /** The time of the commit. */
  time: Date;
}

/** An Icechunk repository's description of itself, and of the snapshot that is read. */
export interface IcechunkInfo extends IcechunkCommit {
  /** The version of the specification. */
  version: 1 | 2;
  /** `"read-only"` if the repository must not be written to. */
  status: "online" | "read-only";
  /** The reason of the status, if the repository is not online. */
  reason?: string;
  /** The branch of the snapshot. */
  branch?: string;
  /** The tag of the snapshot. */
  tag?: string;
  /**
   * The snapshots of all branches; undefined for a repository of version 1 in a store that cannot
   * list.
   */
  branches?: Record<string, string>;
  /** The snapshots of all tags; undefined in the same case. */
  tags?: Record<string, string>;
  /** The names of deleted tags; undefined in the same case. */
  deletedTags?: string[];
}

const kinds = ["zip", "reference", "icechunk", "n5", "overlay", "prefix"] as const;
/** Containers that are one object of the underlying store. */
const oneObject = new Set<string>(["zip", "reference"]);

/**
 * A store built on other stores. The engine reads it, and reads each underlying store by its own
 * rules.
 */
export class ComposedStore extends EngineStore {
  static {
    Printed.tag(ComposedStore.prototype, "ComposedStore");
  }

  readonly #composition: Composition;
  readonly #kind: (typeof kinds)[number];
  /** The underlying stores. */
  readonly #of: Readable[];
  readonly #settings: Record<string, unknown>;

  /**
   * @throws `TypeError` for an invalid composition, and {@link StoreError} for an invalid URL. The
   * first call reports other errors.
   */
  constructor(composition: Composition) {
    super();
    const kind = kindOf(composition);
    if (!kind) refuse("ComposedStore", composition, `an object with one of ${kinds.join(", ")}`);
    const { [kind]: on, ...settings } = { ...composition } as Record<string, unknown>;
    this.#composition = composition;
    this.#kind = kind;
    this.#settings = settings;
    if (typeof (settings.confirm ?? refuse) !== "function") refuse(`${kind}: confirm`, settings.confirm, "a function");
    if (kind === "overlay") this.#of = (Array.isArray(on) ? on : refuse(kind, on, "a list of stores")).map(storeOf);
    else if (oneObject.has(kind) && settings.key === undefined && !(kind === "reference" && isFolder(on))) {
      const { store, key } = objectOf(kind, on as StoreSource);
      this.#of = [store];
      settings.key = key;
    } else this.#of = [storeOf(on as StoreSource)];
  }

  /** @internal The address in a form that may be shown. */
  override get address(): string {
    const of = this.#of.map((store) => (store as { address?: string }).address ?? store.constructor?.name);
    return `${this.#kind}:${of.join(",")}`;
  }

  /** @internal */
  protected override again(): ComposedStore {
    return new ComposedStore(this.#composition);
  }

  /** @internal Undefined if a subclass or the object overrides get or getRange. */
  override get [engineSide](): EngineSide | undefined {
    const { get, getRange } = EngineStore.prototype;
    if (this.get !== get || this.getRange !== getRange) return undefined;
    const tell = this.#of.flatMap((store) => engineSideOf(store)?.tell ?? []);
    const confirm = this.#settings.confirm as TargetOptions["confirm"];
    return {
      describe: (number) => {
        const of = this.#of.map((store) => describe(store, number));
        const host = confirm && { host: number(this) };
        const settings = this.#kind === "overlay" ? of : { ...this.#settings, ...host, of: of[0] };
        // Each store reads the snapshot that it found first: stores with equal settings are not one
        // store.
        if (this.#kind === "icechunk") Object.assign(settings, { own: number(this) });
        return { [this.#kind]: settings } as unknown as StoreDescription;
      },
      confirm,
      tell: tell.length > 0 ? (event) => void tell.map((one) => one(event)) : undefined,
    };
  }
}

/** A zip archive as a store. */
export class ZipStore extends ComposedStore {
  static {
    Printed.tag(ZipStore.prototype, "ZipStore");
  }

  /**
   * The archive is at an address, is a `Blob` or a `File`, or is an object of another store. The
   * options then name its key.
   */
  constructor(archive: StoreSource, options?: ZipOptions) {
    super({ ...options, zip: archive });
  }

  /**
   * Returns the store of an archive at an address, with settings of the requests. The name is
   * zarrita's.
   */
  static fromUrl(url: string | URL, options?: FetchStoreOptions & ZipOptions): ZipStore {
    const { path } = options ?? {};
    return new ZipStore(new FetchStore(url, options, true), { path, key: lastSegment(absoluteUrl(url)) });
  }

  /** Returns the store of an archive in memory. The name is zarrita's. */
  static fromBlob(blob: Blob, options?: ZipOptions): ZipStore {
    return new ZipStore(blob, options);
  }

  /** Returns the archive's description of itself. */
  async info(options?: StoreOptions): Promise<ZipInfo> {
    const info = await this.about<ZipInfo>("info", options ?? {});
    try {
      const { ome } = JSON.parse(info.comment);
      return ome ? { ...info, ome } : info;
    } catch {
      return info; // most comments are not JSON
    }
  }
}

/** References to parts of files, in kerchunk's format, as a store. */
export class ReferenceStore extends ComposedStore {
  static {
    Printed.tag(ReferenceStore.prototype, "ReferenceStore");
  }

  /**
   * The document is at an address, is a `Blob` or a `File`, or is an object or its JSON text. It
   * can also be an object of another store; the options then name its key. An address that ends
   * with `.parq`, `.parquet` or a slash, and a store without a key, is a directory of Parquet
   * files.
   */
  constructor(document: StoreSource | ReferenceDocument, options?: ReferenceOptions) {
    super({ ...options, reference: document });
  }

  /**
   * Returns the store of a document at an address, with settings of the requests to its origin. The
   * name is zarrita's.
   */
  static fromUrl(url: string | URL, options?: FetchStoreOptions & ReferenceOptions): ReferenceStore {
    const { target, endpoints, origins, confirm } = options ?? {};
    const key = lastSegment(absoluteUrl(url));
    return new ReferenceStore(new FetchStore(url, options, true), { key, target, endpoints, origins, confirm });
  }

  /** Returns the store of a document in memory. The name is zarrita's. */
  static fromSpec(document: ReferenceDocument, options?: ReferenceOptions): ReferenceStore {
    return new ReferenceStore(document, options);
  }
}

/** An Icechunk repository as a store. */
export class IcechunkStore extends ComposedStore {
  static {
    Printed.tag(IcechunkStore.prototype, "IcechunkStore");
  }

  /**
   * The repository is at an address or in another store. The first read selects the snapshot, which
   * then stays the same. A new store of the same repository reads the branch's newest snapshot.
   */
  constructor(repository: StoreSource, options?: IcechunkOptions) {
    super({ ...options, icechunk: repository });
  }

  /** Returns the snapshot that is read, and the repository's description of itself. */
  async info(options?: StoreOptions): Promise<IcechunkInfo> {
    return dated(await this.about<IcechunkInfo>("info", options ?? {}));
  }

  /**
   * Returns the snapshot and its ancestors, the newest first, at most `most` of them; 0 for all.
   */
  async history({ most = 0, ...options }: StoreOptions & { most?: number } = {}): Promise<IcechunkCommit[]> {
    type Answer = { commits: IcechunkCommit[] };
    const { commits } = await this.about<Answer>("history", options, most);
    return commits.map(dated);
  }
}

/** An N5 container as a store. */
export class N5Store extends ComposedStore {
  static {
    Printed.tag(N5Store.prototype, "N5Store");
  }

  /** The container is at an address or in another store. */
  constructor(container: StoreSource) {
    super({ n5: container });
  }
}

/** A `Blob` as a store with one object. */
class BlobStore implements Readable {
  readonly #blob: Blob;

  constructor(blob: Blob) {
    this.#blob = blob;
  }

  get address(): string {
    return (this.#blob as Partial<File>).name ?? "Blob";
  }

  async get(): Promise<Uint8Array> {
    return new Uint8Array(await this.#blob.arrayBuffer());
  }

  async getRange(_: string, range: ByteRange): Promise<Uint8Array> {
    const { size } = this.#blob;
    const [from, to] =
      "suffixLength" in range
        ? [Math.max(0, size - range.suffixLength), size]
        : [range.offset, Math.min(size, range.offset + range.length)];
    return new Uint8Array(await this.#blob.slice(from, to).arrayBuffer());
  }
}

/** Returns an answer with its time, a number, as a date. */
const dated = <T extends { time: Date }>(answer: T): T => ({ ...answer, time: new Date(answer.time) });

/** Returns the kind of a composition; undefined for any other value. */
function kindOf(target: unknown): (typeof kinds)[number] | undefined {
  const plain = target !== null && typeof target === "object" && !("get" in target);
  return plain ? kinds.find((kind) => Object.hasOwn(target, kind)) : undefined;
}

/** @internal Reports whether a target is a composition of stores. */
export const isComposition = (target: unknown): target is Composition => kindOf(target) !== undefined;

/** The class of a composition's store. */
export type StoreOf<C> = C extends { zip: unknown }
  ? ZipStore
  : C extends { reference: unknown }
    ? ReferenceStore
    : C extends { icechunk: unknown }
      ? IcechunkStore
      : C extends { n5: unknown }
        ? N5Store
        : ComposedStore;

/** The store classes of the kinds that have one. */
const classes: Record<string, new (of: StoreSource, options: object) => ComposedStore> = {
  zip: ZipStore,
  reference: ReferenceStore,
  icechunk: IcechunkStore,
  n5: N5Store,
};

/** @internal Returns the store of a composition, of the class of its kind. */
export function composed<C extends Composition>(composition: C): StoreOf<C> {
  const kind = kindOf(composition) ?? "";
  const Kind = classes[kind];
  const { [kind]: of, ...options } = composition as Record<string, unknown>;
  return (Kind ? new Kind(of as StoreSource, options) : new ComposedStore(composition)) as StoreOf<C>;
}

/** @internal Returns the store of a source. */
function storeOf(source: StoreSource): Readable {
  if (typeof source === "string" || source instanceof URL) return storeAt(source);
  if (source instanceof Blob) return new BlobStore(source);
  if (isComposition(source)) return composed(source);
  if (isDirectory(source)) return new DirectoryStore(source);
  return checkStore("a store", source as Readable, "an address, a store, a Blob or a composition");
}

/** Reports whether references are a directory of Parquet files. */
function isFolder(source: unknown): boolean {
  if (typeof source === "string" || source instanceof URL)
    return /^[^{?#]*(\.parq(uet)?\/?|\/)($|[?#])/.test(String(source));
  return !(source instanceof Blob || isDocument(source));
}

/** Reports whether references are in memory. */
function isDocument(source: unknown): boolean {
  if (typeof source === "string") return /^\s*\{/.test(source);
  const plain = typeof source === "object" && source !== null && !(source instanceof URL || source instanceof Blob);
  return plain && !("get" in source || isComposition(source));
}

/** Returns the store and key of a source that is one object. */
function objectOf(kind: string, source: StoreSource): { store: Readable; key: string } {
  if (kind === "reference" && isDocument(source)) {
    const text = typeof source === "string" ? source : JSON.stringify(source);
    return { store: new Map([["/refs.json", new TextEncoder().encode(text)]]), key: "refs.json" };
  }
  if (source instanceof Blob) return { store: new BlobStore(source), key: "blob" };
  if (typeof source === "string" || source instanceof URL) return objectAt(source);
  return refuse(`${kind}: key`, undefined, "the key of an object of the store");
}
