import { objectAt, storeAt } from "#storeat";
import { describe, type EngineSide, engineSide, engineSideOf } from "../engine/description.js";
import type { StoreDescription } from "../engine/protocol/requests.js";
import { absoluteUrl, lastSegment } from "../platform/url.js";
import { Printed } from "../printed.js";
import { refuse } from "../refuse.js";
import type { Directory } from "./directory.js";
import { DirectoryStore, isDirectory } from "./directorystore.js";
import { EngineStore } from "./enginestore.js";
import { FetchStore, type FetchStoreOptions } from "./fetchstore.js";
import { type ByteRange, checkStore, type Readable, type StoreOptions } from "./readable.js";

/** What a store can stand on: an address, a store, bytes at hand, a directory, or a composition of stores. */
export type StoreSource = string | URL | Blob | Readable | Directory | Composition;

/** Which object of the store that it stands on a container is. An address and a `Blob` are one object, and need no key. */
interface OneObject {
  /** The object's key. */
  key?: string | undefined;
}

/** Stores that stand on others, as plain data: one member has the name of the kind, the others are its settings. */
export type Composition =
  /** A zip archive. */
  | ({ zip: StoreSource } & ZipOptions)
  /** References of kerchunk's. */
  | ({ reference: StoreSource | ReferenceDocument } & ReferenceOptions)
  /** A repository of Icechunk. */
  | ({ icechunk: StoreSource } & IcechunkOptions)
  /** A container of N5. */
  | { n5: StoreSource }
  /** Of stores that lie over each other, the first that has a key counts. */
  | { overlay: StoreSource[] }
  /** What lies below a path. */
  | { prefix: StoreSource; path: string };

/** Settings of a {@link ZipStore}. */
export interface ZipOptions extends OneObject {
  /**
   * The folder of the archive that is the root of the store. Where nothing is said and all lies below one folder that has a
   * document of Zarr, it is that one.
   */
  path?: string | undefined;
}

/** What a zip archive says of itself. */
export interface ZipInfo {
  /** The archive's comment. */
  comment: string;
  /** The folder of the archive that is the root of the store, `""` for the archive's own. */
  root: string;
  /** What the comment of an OME-Zarr archive (`.ozx`) says: its version, and whether all `zarr.json` come first. */
  ome?: { version?: string; zipFile?: { centralDirectory?: { jsonFirst?: boolean } } };
}

/** Settings of a {@link ReferenceStore}. */
export interface ReferenceOptions extends OneObject, TargetOptions {
  /** A URL in the place of the document's: relative ones are relative to it, and references without one are to it. */
  target?: string | URL | undefined;
}

/** References as an object: kerchunk's versions 0 and 1. */
export type ReferenceDocument = { readonly [key: string]: unknown };

/** How the files outside of a container are found that it refers to. */
export interface TargetOptions {
  /**
   * Further translations, from the beginning of an address to what takes its place, as from `"s3://bucket/"` to
   * `"https://minio.example.org/bucket/"`. The longest that fits counts; without one, `s3:`, `gs:` and `az:` are the public endpoints.
   */
  endpoints?: Record<string, string> | undefined;
  /** The origins that are read from besides the container's own, `"same"` for none; any where nothing is said. */
  origins?: "same" | "any" | readonly string[] | undefined;
  /** Is asked once for each origin that is not among `origins`, or without these for each but the container's own. Anything but `true` is a refusal. */
  confirm?: ((origin: string) => boolean | Promise<boolean>) | undefined;
}

/** Settings of an {@link IcechunkStore}: which snapshot is read; the branch `main` where nothing is said. */
export interface IcechunkOptions extends TargetOptions {
  /** The last snapshot of a branch. */
  branch?: string | undefined;
  /** The snapshot of a tag. */
  tag?: string | undefined;
  /** A snapshot's id. */
  snapshot?: string | undefined;
  /** Prefixes of the containers of virtual chunks by their names, in the place of those that the repository has. */
  containers?: Record<string, string> | undefined;
  /** How large a snapshot or a manifest may be, decompressed; 160 MiB by default. */
  tableBytes?: number | undefined;
}

/** A snapshot in the history of a repository of Icechunk. */
export interface IcechunkCommit {
  /** Its id. */
  snapshot: string;
  /** What its author wrote. */
  message: string;
  /** When it was written. */
  time: Date;
}

/** What a repository of Icechunk says of itself, and which snapshot of it is read. */
export interface IcechunkInfo extends IcechunkCommit {
  /** The version of the specification. */
  version: 1 | 2;
  /** Whether it may be written to. */
  status: "online" | "read-only";
  /** Why it is not online. */
  reason?: string;
  /** The branch whose snapshot this is. */
  branch?: string;
  /** The tag whose snapshot this is. */
  tag?: string;
  /** The snapshots of all branches; undefined for a repository of version 1 in a store that cannot list. */
  branches?: Record<string, string>;
  /** The snapshots of all tags, likewise. */
  tags?: Record<string, string>;
  /** The names of tags that were deleted, likewise. */
  deletedTags?: string[];
}

const kinds = ["zip", "reference", "icechunk", "n5", "overlay", "prefix"] as const;
/** Containers that are one object of the store that they stand on. */
const oneObject = new Set<string>(["zip", "reference"]);

/** A store that stands on others. The engine reads it; what lies below it is asked as by itself. */
export class ComposedStore extends EngineStore {
  static {
    Printed.tag(ComposedStore.prototype, "ComposedStore");
  }

  readonly #composition: Composition;
  readonly #kind: (typeof kinds)[number];
  /** What it stands on. */
  readonly #of: Readable[];
  readonly #settings: Record<string, unknown>;

  /** Throws a `TypeError` for what is no composition, and {@link StoreError} for what is no URL. What is wrong with the rest, the first call tells. */
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

  /** @internal Where it is, as it may be shown. */
  override get address(): string {
    const of = this.#of.map((store) => (store as { address?: string }).address ?? store.constructor?.name);
    return `${this.#kind}:${of.join(",")}`;
  }

  /** @internal */
  protected override again(): ComposedStore {
    return new ComposedStore(this.#composition);
  }

  /** @internal Undefined when ways to read have been replaced, by a subclass or on the object. */
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
        // Each shows the snapshot that it found first: equal ones are not one store.
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

  /** The archive is at an address, is a `Blob` or a `File`, or is under the key of another store that the options name. */
  constructor(archive: StoreSource, options?: ZipOptions) {
    super({ ...options, zip: archive });
  }

  /** An archive at an address, with settings of the requests: zarrita's name for that. */
  static fromUrl(url: string | URL, options?: FetchStoreOptions & ZipOptions): ZipStore {
    const { path } = options ?? {};
    return new ZipStore(new FetchStore(url, options, true), { path, key: lastSegment(absoluteUrl(url)) });
  }

  /** An archive at hand: zarrita's name for that. */
  static fromBlob(blob: Blob, options?: ZipOptions): ZipStore {
    return new ZipStore(blob, options);
  }

  /** What the archive says of itself. */
  async info(options?: StoreOptions): Promise<ZipInfo> {
    const info = await this.call<ZipInfo>({ op: "about", about: "info" }, options);
    try {
      const { ome } = JSON.parse(info.comment);
      return ome ? { ...info, ome } : info;
    } catch {
      return info; // most comments are no JSON
    }
  }
}

/** References to parts of files, as kerchunk writes them, as a store. */
export class ReferenceStore extends ComposedStore {
  static {
    Printed.tag(ReferenceStore.prototype, "ReferenceStore");
  }

  /**
   * The document is at an address, is a `Blob` or a `File`, is an object or its JSON text, or is under the key of another store that the
   * options name. An address that ends with `.parq`, `.parquet` or a slash, and a store without a key, is a directory of Parquet files.
   */
  constructor(document: StoreSource | ReferenceDocument, options?: ReferenceOptions) {
    super({ ...options, reference: document });
  }

  /** A document at an address, with settings of the requests to its origin: zarrita's name for that. */
  static fromUrl(url: string | URL, options?: FetchStoreOptions & ReferenceOptions): ReferenceStore {
    const { target, endpoints, origins, confirm } = options ?? {};
    const key = lastSegment(absoluteUrl(url));
    return new ReferenceStore(new FetchStore(url, options, true), { key, target, endpoints, origins, confirm });
  }

  /** A document at hand: zarrita's name for that. */
  static fromSpec(document: ReferenceDocument, options?: ReferenceOptions): ReferenceStore {
    return new ReferenceStore(document, options);
  }
}

/** A repository of Icechunk as a store. */
export class IcechunkStore extends ComposedStore {
  static {
    Printed.tag(IcechunkStore.prototype, "IcechunkStore");
  }

  /**
   * The repository is at an address or in another store. The snapshot is found when the store is first read, and stays
   * the same: another store of the same repository reads the branch's newest.
   */
  constructor(repository: StoreSource, options?: IcechunkOptions) {
    super({ ...options, icechunk: repository });
  }

  /** Which snapshot is read, and what the repository says of itself. */
  async info(options?: StoreOptions): Promise<IcechunkInfo> {
    return dated(await this.call<IcechunkInfo>({ op: "about", about: "info" }, options));
  }

  /** The snapshot and those before it, the newest first, at most so many. */
  async history({ most = 0, ...options }: StoreOptions & { most?: number } = {}): Promise<IcechunkCommit[]> {
    type Answer = { commits: IcechunkCommit[] };
    const { commits } = await this.call<Answer>({ op: "about", about: "history", most }, options);
    return commits.map(dated);
  }
}

/** A container of N5 as a store. */
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

/** An answer whose time is a number, with it as a date. */
const dated = <T extends { time: Date }>(answer: T): T => ({ ...answer, time: new Date(answer.time) });

/** The kind that a composition names, if it is one. */
function kindOf(target: unknown): (typeof kinds)[number] | undefined {
  const plain = target !== null && typeof target === "object" && !("get" in target);
  return plain ? kinds.find((kind) => Object.hasOwn(target, kind)) : undefined;
}

/** @internal Tells whether a target is a composition of stores. */
export const isComposition = (target: unknown): target is Composition => kindOf(target) !== undefined;

/** The class of the store that a composition is. */
export type StoreOf<C> = C extends { zip: unknown }
  ? ZipStore
  : C extends { reference: unknown }
    ? ReferenceStore
    : C extends { icechunk: unknown }
      ? IcechunkStore
      : C extends { n5: unknown }
        ? N5Store
        : ComposedStore;

/** The classes of the kinds that have one of their own. */
const classes: Record<string, new (of: StoreSource, options: object) => ComposedStore> = {
  zip: ZipStore,
  reference: ReferenceStore,
  icechunk: IcechunkStore,
  n5: N5Store,
};

/** @internal The store of a composition, of the class of its kind. */
export function composed<C extends Composition>(composition: C): StoreOf<C> {
  const kind = kindOf(composition) ?? "";
  const Kind = classes[kind];
  const { [kind]: of, ...options } = composition as Record<string, unknown>;
  return (Kind ? new Kind(of as StoreSource, options) : new ComposedStore(composition)) as StoreOf<C>;
}

/** @internal The store that a source is. */
function storeOf(source: StoreSource): Readable {
  if (typeof source === "string" || source instanceof URL) return storeAt(source);
  if (source instanceof Blob) return new BlobStore(source);
  if (isComposition(source)) return composed(source);
  if (isDirectory(source)) return new DirectoryStore(source);
  return checkStore("a store", source as Readable, "an address, a store, a Blob or a composition");
}

/** Tells whether references are a directory of Parquet files. */
function isFolder(source: unknown): boolean {
  if (typeof source === "string" || source instanceof URL)
    return /^[^{?#]*(\.parq(uet)?\/?|\/)($|[?#])/.test(String(source));
  return !(source instanceof Blob || isDocument(source));
}

/** Tells whether references are at hand. */
function isDocument(source: unknown): boolean {
  if (typeof source === "string") return /^\s*\{/.test(source);
  const plain = typeof source === "object" && source !== null && !(source instanceof URL || source instanceof Blob);
  return plain && !("get" in source || isComposition(source));
}

/** The object that a source is. */
function objectOf(kind: string, source: StoreSource): { store: Readable; key: string } {
  if (kind === "reference" && isDocument(source)) {
    const text = typeof source === "string" ? source : JSON.stringify(source);
    return { store: new Map([["/refs.json", new TextEncoder().encode(text)]]), key: "refs.json" };
  }
  if (source instanceof Blob) return { store: new BlobStore(source), key: "blob" };
  if (typeof source === "string" || source instanceof URL) return objectAt(source);
  return refuse(`${kind}: key`, undefined, "the key of an object of the store");
}
