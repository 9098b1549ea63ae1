// Converts the text of the address box to the address of a store, and notes the changes.

import { documentNames, isPlainUrl } from "zarr-wasm";
import { redact } from "../../js/platform/redact.js";

interface Rewritten {
  /** The address of the store: absolute, without a slash at the end. */
  url: string;
  /** The path of the node inside the store, if the pasted address points deeper than the store. */
  node: string;
  /** Changes and doubts, one sentence each, for the person. */
  notes: string[];
}

/** An unusable address. The message says why and what to paste instead. */
export class UrlError extends Error {
  override name = "UrlError";
}

/** The names of metadata documents. */
export const DOCUMENTS: readonly string[] = Object.values(documentNames);

/**
 * Converts a pasted text to the address of a store. Relative addresses are resolved against base,
 * the address of the page. Throws UrlError.
 */
export function rewriteUrl(pasted: string, base: string): Rewritten {
  const notes: string[] = [];
  let text = pasted.trim();
  const bare = text.replace(/^["'<`]+|["'>`,;]+$/g, "").trim();
  if (bare !== text) {
    notes.push("Quotation marks around the address were removed.");
    text = bare;
  }
  if (text === "") throw new UrlError("The address is empty. Paste the https address of a Zarr store.");
  if (/^zarr:\/\//i.test(text)) {
    text = text.slice("zarr://".length);
    notes.push("zarr:// was removed from the start.");
  }
  text = rewriteScheme(text, notes);
  // The package itself reads pipelines and other schemes, and rejects invalid addresses.
  if (!isPlainUrl(text) && (text.includes("|") || !/^https?:/i.test(text))) return { url: text, node: "/", notes };

  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    throw new UrlError(
      `"${clip(redact(text))}" is not an address. Paste one that begins with https://, s3:// or gs://.`,
    );
  }
  if (url.protocol === "file:" && !base.startsWith("file:")) {
    throw new UrlError(
      "A page cannot read files of your disk by address. Serve the folder (for example with “npx http-server --cors”) and paste its http address.",
    );
  }
  if (url.protocol !== "https:" && url.protocol !== "http:" && url.protocol !== "file:") {
    throw new UrlError(`Addresses with ${url.protocol}// cannot be read here. Paste an https, s3 or gs address.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new UrlError(
      "The address holds a user name or password, which browsers refuse to send this way. Use a signed address instead.",
    );
  }
  if (url.hash !== "") {
    notes.push("The part after # was removed.");
    url.hash = "";
  }

  const node = trimPath(url, notes);
  const page = new URL(base);
  if (page.protocol === "https:" && url.protocol === "http:" && !isLocal(url.hostname)) {
    notes.push(
      "This page came by https, and browsers block http addresses from such pages. If loading fails, use the https address of the store.",
    );
  }
  return { url: withoutSlash(url), node, notes };
}

function rewriteScheme(text: string, notes: string[]): string {
  const found = /^(s3a?|gs|gcs):\/\/([^/?#]+)\/?(.*)$/is.exec(text);
  if (!found) {
    if (/^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?\/.+/i.test(text) && !text.startsWith(".") && looksLikeHost(text)) {
      notes.push("https:// was put in front.");
      return `https://${text}`;
    }
    return text;
  }
  const scheme = (found[1] ?? "").toLowerCase();
  const bucket = found[2] ?? "";
  const key = found[3] ?? "";
  let https: string;
  if (scheme.startsWith("s3")) {
    // A dot in the bucket's name does not fit the wildcard certificate of *.s3.amazonaws.com.
    https = bucket.includes(".")
      ? `https://s3.amazonaws.com/${bucket}/${key}`
      : `https://${bucket}.s3.amazonaws.com/${key}`;
  } else {
    https = `https://storage.googleapis.com/${bucket}/${key}`;
  }
  notes.push(`${scheme}:// was rewritten to ${clip(redact(https))}`);
  return https;
}

/**
 * Reports whether "name.tld/…" without a scheme means a host. The first segment must end in a
 * plausible top-level domain and not look like a file's name.
 */
function looksLikeHost(text: string): boolean {
  const host = (text.split("/")[0] ?? "").replace(/:\d+$/, "");
  const last = host.split(".").pop() ?? "";
  return /^[a-z]{2,24}$/i.test(last) && !["zarr", "zip", "json", "icechunk", "parquet"].includes(last.toLowerCase());
}

/**
 * Removes a metadata document and slashes at the end, then splits a path that continues after a
 * ".zarr" folder. Returns the node.
 */
function trimPath(url: URL, notes: string[]): string {
  let path = url.pathname.replace(/\/+$/, "");
  const last = path.slice(path.lastIndexOf("/") + 1);
  if (DOCUMENTS.includes(last)) {
    path = path.slice(0, path.length - last.length).replace(/\/+$/, "");
    notes.push(`“/${last}” at the end was removed: use the address of the folder.`);
  }
  let node = "/";
  const segments = path.split("/");
  let store = -1;
  segments.forEach((segment, i) => {
    if (/\.zarr$/i.test(segment)) store = i;
  });
  if (store >= 0 && store < segments.length - 1) {
    const rest = segments
      .slice(store + 1)
      .map(decode)
      .filter((s) => s !== "");
    // Decoding would hide a slash or a dot segment in a name, so such addresses are not split.
    if (rest.length > 0 && rest.every((s) => s !== "." && s !== ".." && !s.includes("/"))) {
      node = `/${rest.join("/")}`;
      path = segments.slice(0, store + 1).join("/");
      notes.push(`The store was opened at ${clip(segments[store] ?? "")}, the node in it at ${clip(node)}`);
    }
  }
  url.pathname = path === "" ? "/" : path;
  return node;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function withoutSlash(url: URL): string {
  const origin = url.origin === "null" ? `${url.protocol}//` : url.origin;
  return `${origin}${url.pathname.replace(/\/+$/, "")}${url.search}`;
}

function isLocal(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\./.test(host);
}

function clip(text: string): string {
  return text.length > 160 ? `${text.slice(0, 157)}…` : text;
}

/**
 * Returns the address for the page's own link. It is relative for data beside the page, so that a
 * copied folder keeps its links.
 */
export function relativeTo(url: string, base: string): string {
  const folder = new URL(".", base).href;
  return url.startsWith(folder) && url.length > folder.length ? `./${url.slice(folder.length)}` : url;
}

/** Joins and normalises a node's path: "/", "/a/b". Resolves dot segments. */
export function joinPath(parent: string, child: string): string {
  const out: string[] = [];
  const source = child.startsWith("/") ? child : `${parent}/${child}`;
  for (const segment of source.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") out.pop();
    else out.push(segment);
  }
  return `/${out.join("/")}`;
}

/** Returns the path of a node's group; null for the root. */
export function parentPath(path: string): string | null {
  const clean = joinPath("/", path);
  if (clean === "/") return null;
  return joinPath("/", clean.slice(0, clean.lastIndexOf("/")));
}

/** Returns the last segment of a path. */
export function baseName(path: string): string {
  const clean = joinPath("/", path);
  return clean === "/" ? "/" : clean.slice(clean.lastIndexOf("/") + 1);
}
