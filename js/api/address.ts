import { StoreError } from "../errors.js";
import type { Composition } from "../stores/composedstore.js";

/** @internal What an address names: a store by its URL or as a composition, a node in it, and the version that the address tells. */
export interface Address {
  store: string | Composition;
  path: string;
  format?: 2 | 3;
  /** That it is no plain address shows by the ending of its name only. */
  guessed: boolean;
}

/** A container, or a version of Zarr, and what is meant in it. */
type Step = [kind: string, inside: string];

/** Words of ZEP 8, neuroglancer and fsspec, and what they mean here. */
const words: Record<string, string> = {
  zip: "zip",
  reference: "reference",
  kerchunk: "reference",
  icechunk: "icechunk",
  n5: "n5",
  zarr: "zarr",
  zarr2: "zarr2",
  zarr3: "zarr3",
  simplecache: "",
  filecache: "",
  blockcache: "",
  cached: "",
};

/** A URL's part that names a container by its ending, the ending, what lies inside of it, and the query. */
const container =
  /^((?:[\w+.-]+:\/\/[^/?#]*\/|(?![\w+.-]+:\/\/))[^?#]*?\.(zip|ozx|json|parq|parquet))(?:\/([^?#]*))?([?#].*)?$/is;

/** What stands before a URL, as fsspec writes it. */
const chained = /^([a-z]\w*)(?::\/\/([^|[]*?))?::(.+)$/is;

/**
 * @internal Reads an address: a URL; a pipeline (`URL|zip:inner/|zarr3:`); prefixes (`zip://inner::URL`, `reference::URL`,
 * `zarr3://URL`). A container that the text does not name is told by its ending, or is the one that is known to be there.
 */
export function locate(text: string, endpoints: Record<string, string> = {}, known = ""): Address {
  const steps: Step[] = [];
  const add = (name: string, inside: string, at = steps.length) => {
    const word = words[name.toLowerCase()];
    if (word === undefined)
      throw new StoreError(`${JSON.stringify(text)}: there is no kind of container ${JSON.stringify(name)}`);
    if (word) steps.splice(at, 0, [word, inside]);
  };
  let url = text.trim();
  for (let chain = chained.exec(url); chain; chain = chained.exec(url)) {
    add(chain[1] as string, chain[2] ?? "", 0);
    url = chain[3] as string;
  }
  const prefix = /^(zarr[23]?|n5|icechunk):\/\/(?=[a-z][\w+.-]*:)/i.exec(url);
  if (prefix) {
    url = url.slice(prefix[0].length);
    add(prefix[1] as string, "");
  }
  const [first = "", ...pipeline] = url.split(/\|(?=\w+:)/);
  for (const one of pipeline) {
    const colon = one.indexOf(":");
    add(one.slice(0, colon), decoded(one.slice(colon + 1)));
  }
  const guessed = steps.length === 0;
  url = translated(first, endpoints);
  if (steps.every(([kind]) => kind.startsWith("zarr"))) {
    const [, name, ending, inside = "", query = ""] = container.exec(url) ?? [];
    const kind = ending ? (/^(zip|ozx)$/i.test(ending) ? "zip" : "reference") : "";
    if (known && known !== kind) {
      if (known === "parquet") url = url.replace(/\/?(?=[?#]|$)/, "/");
      steps.unshift([known === "parquet" ? "reference" : known, ""]);
    } else if (kind && (known || (!inside && !isDocument(url)))) {
      url = `${name}${query}`;
      steps.unshift([kind, decoded(inside)]);
    }
  }
  let store: string | Composition = url;
  let path = "";
  let format: 2 | 3 | undefined;
  for (const [kind, more] of steps) {
    const inside = more.replace(/^\/+|\/+$/g, "");
    if (kind.startsWith("zarr")) {
      if (kind !== "zarr") format = kind === "zarr2" ? 2 : 3;
      path = [path, inside].filter(Boolean).join("/");
      continue;
    }
    const below: string | Composition = path ? { prefix: store, path } : store;
    if (kind === "icechunk") {
      const [, ref, rest = ""] = /^@([^/]*)\/?(.*)$/s.exec(inside) ?? [undefined, undefined, inside];
      store = { icechunk: below, ...revision(ref) };
      path = rest;
      continue;
    }
    const folder = kind === "n5" || (kind === "reference" && /\.parq(uet)?$/i.test(path));
    store = { [kind]: folder ? below : store, ...(folder || !path ? {} : { key: path }) } as unknown as Composition;
    path = inside;
  }
  return format ? { store, path, format, guessed } : { store, path, guessed };
}

/** Which snapshot a pipeline means: `@branch.NAME`, `@tag.NAME`, or `@` and an id. */
function revision(ref: string | undefined): { branch?: string; tag?: string; snapshot?: string } {
  if (!ref) return {};
  const [, kind, name] = /^(branch|tag)\.(.*)$/s.exec(ref) ?? [];
  return kind ? { [kind]: name } : { snapshot: ref };
}

/** An address with what the user has for its beginning; the longest counts. */
function translated(url: string, endpoints: Record<string, string>): string {
  const [longest] = Object.keys(endpoints)
    .filter((prefix) => url.startsWith(prefix))
    .sort((a, b) => b.length - a.length);
  return longest === undefined ? url : `${endpoints[longest]}${url.slice(longest.length)}`;
}

/** Tells whether a URL is that of a document of metadata. */
const isDocument = (url: string) => /\/(zarr|attributes)\.json(?:[?#]|$)/i.test(url);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
