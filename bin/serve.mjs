// Answers HTTP requests for the viewer's files and for data. It supports byte ranges, entity tags,
// CORS, lists of folders, and compressed documents. internal/static is the same server in Go. Both
// pass the requests of tests/servers/requests.json.
import { createReadStream } from "node:fs";
import { open, readdir, readFile, realpath, stat } from "node:fs/promises";
import { isIPv4, isIPv6 } from "node:net";
import { basename, extname, join, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const types = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".xml": "application/xml",
  ".zip": "application/zip",
  ".ozx": "application/zip",
};

/** Matches the names with a leading dot that are served. */
const documents = /^\.(zarray|zgroup|zattrs|zmetadata|nczarray|nczgroup|nczattrs?|nczarr)$/;

/** Reports whether a file is text or code. Chunks are already compressed, or are read by range. */
const compressible = (name) => /\.(html|css|m?js|json|map|wasm|svg|txt|md|xml)$/i.test(name) || documents.test(name);

/**
 * The sizes, in bytes, between which files are compressed. Smaller ones save no packet, and larger
 * ones would fill the memory.
 */
const [least, most] = [1024, 64 << 20];

/** Limits for slow clients: a connection without a complete request is closed within 10 seconds. */
export const limits = { headersTimeout: 9000, requestTimeout: 9000, connectionsCheckingInterval: 500 };

/** Reports whether a Host header is localhost or an IP address, with or without a port. */
function isHere(host = "") {
  const name = host.replace(/:[^:\]]*$/, "");
  return name.startsWith("[")
    ? name.endsWith("]") && isIPv6(name.slice(1, -1))
    : isIPv4(name) || /^localhost$/i.test(name);
}

/**
 * Returns the listener of a server. `data` is a folder or file, with the path below which it is
 * served. `pages` are the viewer's addresses for it, relative to the root. Without `complete`, the
 * list of pages says that the folder has more. `local` reports whether the server listens on a
 * loopback address. Such a server without `cors` answers only requests for localhost or an IP
 * address. Otherwise a page could resolve its own name to 127.0.0.1 and be of the same origin.
 */
export function handler({ viewer, dist, data, pages, complete = true, cors, local }) {
  const compressed = new Map();
  return (request, response) => {
    answer(request, response).catch((error) => {
      if (response.headersSent) response.destroy();
      else say(response, error.code === "EACCES" || error.code === "EPERM" ? 403 : 500, "the file cannot be read");
    });
  };

  async function answer(request, response) {
    const [encoded, query] = split(request.url);
    const path = decoded(encoded);
    if (path === undefined) return say(response, 400, "bad request");
    response.setHeader("X-Content-Type-Options", "nosniff");
    if (!cors && local() && !isHere(request.headers.host)) return say(response, 421, "misdirected request");
    const ofData = data !== undefined && path.startsWith("/data/");
    if (ofData) {
      // A page among the data is not a part of the viewer.
      response.setHeader("Content-Security-Policy", "sandbox");
      if (cors) allow(response);
    }
    if (request.method === "OPTIONS") return preflight(request, response, ofData && cors);
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("Allow", "GET, HEAD, OPTIONS");
      return say(response, 405, "method not allowed");
    }
    if (ofData) return dataAt(path, query, request, response);
    if (path === "/hierarchies.json") return listed(response, pages, complete);
    if (path === "/") {
      // A query leaves the fragment of the request's address in force.
      const page = () => `./index.html?${query || new URL(pages[0], "http://x/").hash.slice(1)}`;
      response.setHeader("Location", pages.length !== 1 && query === "" ? "./folder.html" : page());
      return say(response, 302, "");
    }
    const file = await viewerFile(path.slice(1));
    return file ? send(file, request, response) : say(response, 404, "not found");
  }

  /** A file of the viewer, or one of the package that the viewer names. */
  async function viewerFile(name) {
    if (!/^[\w-]+(\.[\w-]+)+$/.test(name)) return undefined;
    for (const file of [join(viewer, name), join(dist, name)]) {
      if ((await stat(file).catch(() => undefined))?.isFile()) return file;
    }
    return undefined;
  }

  async function dataAt(path, query, request, response) {
    const { root, prefix } = data;
    if (!prefix.endsWith("/")) return path === prefix ? send(root, request, response) : say(response, 404, "not found");
    if (!path.startsWith(prefix)) return say(response, 404, "not found");
    const names = path.slice(prefix.length).split("/");
    const folder = names.at(-1) === "";
    if (folder) names.pop();
    if (names.some((name) => name === "" || hidden(name) || /[\0/\\]/.test(name)))
      return say(response, 404, "not found");
    const [base, file] = await Promise.all([realpath(root), realpath(join(root, ...names)).catch(() => undefined)]);
    // Links may lead to other places of the folder, and not out of it.
    if (file === undefined || (file !== base && !file.startsWith(base.endsWith(sep) ? base : base + sep)))
      return say(response, 404, "not found");
    const info = await stat(file);
    if (info.isDirectory() && folder) return list(file, response);
    if (info.isDirectory()) {
      response.setHeader("Location", `./${encodeURIComponent(names.at(-1) ?? "")}/${query && `?${query}`}`);
      return say(response, 301, "");
    }
    return info.isFile() && !folder ? send(file, request, response) : say(response, 404, "not found");
  }

  /** Sends a file, a range of it, or that it is as it was. */
  async function send(file, request, response) {
    const handle = await open(file);
    try {
      const info = await handle.stat();
      const name = basename(file);
      const ranged = request.headers.range !== undefined;
      let coding = "";
      if (compressible(name) && info.size >= least && info.size <= most) {
        response.setHeader("Vary", "Accept-Encoding");
        if (!ranged) coding = ["br", "gzip"].find((one) => accepts(request.headers["accept-encoding"], one)) ?? "";
      }
      const tag = `"${Math.trunc(info.mtimeMs).toString(36)}-${info.size.toString(36)}${coding && `-${coding}`}"`;
      response.setHeader("ETag", tag);
      response.setHeader("Last-Modified", info.mtime.toUTCString());
      response.setHeader("Cache-Control", "no-cache");
      response.setHeader("Accept-Ranges", "bytes");
      response.setHeader(
        "Content-Type",
        documents.test(name) ? "application/json" : (types[extname(name).toLowerCase()] ?? "application/octet-stream"),
      );
      const status = judged(request.headers, tag, info.mtime);
      if (status === 412) return say(response, 412, "changed");
      if (status === 304) return void response.writeHead(304).end();
      if (coding) {
        const bytes = await encoded(`${file} ${tag}`, () => readFile(file), coding);
        response.writeHead(200, { "Content-Encoding": coding, "Content-Length": bytes.length });
        return void response.end(request.method === "HEAD" ? undefined : bytes);
      }
      const same = ranged && isSame(request.headers["if-range"], tag, info.mtime);
      const range = same ? rangeOf(request.headers.range, info.size) : undefined;
      if (range === null) {
        response.setHeader("Content-Range", `bytes */${info.size}`);
        return say(response, 416, "no such range");
      }
      const [start, end] = range ?? [0, info.size - 1];
      if (range) response.setHeader("Content-Range", `bytes ${start}-${end}/${info.size}`);
      response.writeHead(range ? 206 : 200, { "Content-Length": end - start + 1 });
      if (request.method === "HEAD" || end < start) return void response.end();
      await pipeline(createReadStream(file, { fd: handle, start, end, autoClose: false }), response).catch((error) => {
        if (error.code !== "ERR_STREAM_PREMATURE_CLOSE") throw error; // the request was cancelled
      });
    } finally {
      await handle.close();
    }
  }

  /** Returns compressed bytes and caches them, because compressing the wasm takes long. */
  async function encoded(key, read, coding) {
    let bytes = compressed.get(key);
    if (!bytes) {
      if (compressed.size > 100) compressed.clear();
      const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
      bytes = read().then((plain) =>
        coding === "br" ? promisify(brotliCompress)(plain, { params }) : promisify(gzip)(plain),
      );
      compressed.set(key, bytes);
      bytes.catch(() => compressed.delete(key));
    }
    return bytes;
  }
}

const hidden = (name) => name.startsWith(".") && !documents.test(name);

/** Returns the path and the query of a request's target, which may be an absolute URL. */
function split(target) {
  const [, path, query = ""] = /^(?:https?:\/\/[^/?]*)?([^?]*)(?:\?(.*))?$/i.exec(target);
  return [path, query];
}

/**
 * Decodes a path. Returns undefined for an invalid path. Bytes that are not UTF-8 become a name
 * that no file has.
 */
function decoded(path) {
  if (/%(?![0-9a-f]{2})/i.test(path)) return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    return `${path}\0`;
  }
}

function say(response, status, text) {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" }).end(text && `${text}\n`);
}

function allow(response) {
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.setHeader(
    "Access-Control-Expose-Headers",
    "Content-Range, Content-Length, Content-Encoding, ETag, Accept-Ranges, Retry-After",
  );
  response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
  response.setHeader("Timing-Allow-Origin", "*");
}

function preflight(request, response, cors) {
  response.setHeader("Allow", "GET, HEAD, OPTIONS");
  if (cors) {
    response.setHeader("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS");
    const names = request.headers["access-control-request-headers"];
    if (names) response.setHeader("Access-Control-Allow-Headers", names);
    response.setHeader("Access-Control-Max-Age", "600");
    response.setHeader("Vary", "Access-Control-Request-Headers");
  }
  response.writeHead(204).end();
}

/** Reads an Accept-Encoding header. */
function accepts(header = "", coding) {
  return header.split(",").some((item) => {
    const [name, parameter = ""] = item.split(";").map((part) => part.trim());
    return name.toLowerCase() === coding && !/^q=0(\.0*)?$/.test(parameter.replaceAll(" ", ""));
  });
}

/** Whole seconds of a time: HTTP's dates have no more. */
const seconds = (time) => Math.floor(time / 1000);

/** The status that a request's conditions call for (RFC 9110, 13.2.2); undefined is the file's. */
function judged(headers, tag, modified) {
  const lists = (name, of) => {
    const tags = headers[name]?.split(",").map((one) => one.trim());
    return tags?.some((one) => one === "*" || of(one) === tag);
  };
  const since = (name) => seconds(modified) > seconds(Date.parse(headers[name]));
  const has = (name) => !Number.isNaN(Date.parse(headers[name]));
  const match = lists("if-match", (one) => one);
  if (match === false || (match === undefined && has("if-unmodified-since") && since("if-unmodified-since")))
    return 412;
  const other = lists("if-none-match", (one) => one.replace(/^W\//, ""));
  if (other || (other === undefined && has("if-modified-since") && !since("if-modified-since"))) return 304;
  return undefined;
}

/** Whether an If-Range header, if there is one, names the current version of a file. */
function isSame(header, tag, modified) {
  return header === undefined || header === tag || seconds(Date.parse(header)) === seconds(modified);
}

/** Parses a position. All positions beyond the largest possible file are equal. */
const position = (digits) => Math.min(Number(digits), Number.MAX_SAFE_INTEGER);

/**
 * Parses a Range header (RFC 9110, 14.1.2) into the first and the last byte. Returns null for a
 * range beyond the end. Returns undefined for a header to ignore: invalid, in another unit, with
 * several ranges, or for an empty file.
 */
function rangeOf(header, size) {
  const set = /^bytes=(.*)$/i.exec(header)?.[1] ?? "";
  const specs = set.split(",").map((item) => item.trim());
  const [spec, ...more] = specs.filter((item) => item !== "");
  const [, from, to] = /^(\d*)-(\d*)$/.exec(spec) ?? [];
  if (size === 0 || more.length > 0 || from === undefined || from + to === "") return undefined;
  if (from === "") return position(to) === 0 ? null : [Math.max(0, size - position(to)), size - 1];
  const [start, end] = [position(from), to === "" ? size - 1 : position(to)];
  if (to !== "" && end < start) return undefined;
  return start >= size ? null : [start, Math.min(end, size - 1)];
}

const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** Lists a folder, as the package and people read it. */
async function list(dir, response) {
  const names = (await readdir(dir, { withFileTypes: true }))
    .filter(({ name }) => !hidden(name))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort();
  const items = names.map((name) => {
    const to = `./${encodeURIComponent(name.replace(/\/$/, ""))}${name.endsWith("/") ? "/" : ""}`;
    return `<li><a href="${escaped(to)}">${escaped(name)}</a>\n`;
  });
  html(response, "Index", `<ul>\n${items.join("")}</ul>\n`);
}

/** Sends the list of hierarchies, which the page folder.html shows. */
function listed(response, pages, complete) {
  const hierarchies = pages.map((page) => {
    const address = new URLSearchParams(page.slice(page.indexOf("#") + 1)).get("url") ?? "";
    return { name: decodeURIComponent(address).replace(/^data\//, ""), page };
  });
  const text = JSON.stringify({ name: hierarchies[0]?.name.split("/")[0] ?? "", complete, hierarchies });
  const length = Buffer.byteLength(text);
  response
    .writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-cache", "Content-Length": length })
    .end(text);
}

function html(response, title, body) {
  const style = "body{font:16px/1.6 system-ui;max-width:48rem;margin:3rem auto;padding:0 1rem}";
  const head = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${title}</title><style>${style}</style>`;
  const text = `${head}\n${body}`;
  response
    .writeHead(200, { "Content-Type": "text/html; charset=utf-8", "Content-Length": Buffer.byteLength(text) })
    .end(text);
}
