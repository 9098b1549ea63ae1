// Explains errors: what happened, why, and what helps.

import { redact } from "../../js/platform/redact.js";
import { DOCUMENTS } from "./url.js";

interface ErrorContext {
  /** The failed action, such as "opening the store" or "reading t2m". */
  action: string;
  /** The store's address. */
  url: string;
  /** The node's path. */
  node: string;
  /** The link to the shown state, to detect mixed-content blocking and for the details. */
  page: string;
}

interface Described {
  title: string;
  /** The explanation of the error. */
  text: string;
  /** Possible remedies, one sentence each. */
  cures: string[];
  /** The address of a host to check; empty if the host is not the cause. */
  host: string;
  /** The full report as plain text. */
  details: string;
}

/**
 * The properties of this package's errors. Any object may be thrown, so all of them are checked.
 */
interface Parts {
  name: string;
  message: string;
  code?: string;
  path?: string;
  key?: string;
  codec?: string;
  status?: number;
  url?: string;
  hint?: string;
  limit?: string;
  max?: string;
  feature?: string;
  found?: string;
  tried?: string[];
  cause?: Parts;
}

/** Reports whether an error only reports a cancelled call. */
export function isAbort(error: unknown): boolean {
  return typeof error === "object" && error !== null && "name" in error && error.name === "AbortError";
}

/** Describes an error. */
export function describeError(error: unknown, full: ErrorContext): Described {
  const context = { ...full, url: redact(full.url) };
  const parts = partsOf(error, 0);
  // The cause is in the wrapped transport error, so that one is described.
  const http = findHttp(parts);
  const described =
    http && parts.name !== "NotFoundError" ? describeHttp(http, context) : describeByName(parts, context);
  // A host whose answers are correct needs no check.
  const host = http && /^https?:/.test(full.url) ? full.url : "";
  return { ...described, host, details: detailsOf(parts, described.title, context) };
}

function describeByName(e: Parts, context: ErrorContext): Omit<Described, "details" | "host"> {
  switch (e.name) {
    case "UrlError":
      return { title: "This address cannot be used", text: e.message, cures: [] };
    case "NotFoundError":
      return notFound(e, context);
    case "InvalidMetadataError":
      return {
        title: "The metadata is not valid",
        text: sentence(
          `${e.key ? `The document ${e.key}` : `The metadata of ${nodeName(e, context)}`} cannot be understood: ${e.message}`,
        ),
        cures: ["The author of the store must correct the document. Other nodes of the store may still open."],
      };
    case "UnknownCodecError":
      return {
        title: e.codec ? `Unknown codec “${e.codec}”` : "Unknown codec",
        text: sentence(
          `${nodeName(e, context)} is stored with ${e.codec ? `“${e.codec}”` : "a codec"}, which this viewer cannot decode: ${e.message.replace(/ \(known: [^)]*\)/, "")}`,
        ),
        cures: [
          "Rewrite the array with a codec of the Zarr specification (zstd, blosc, gzip), or report the codec so that it can be added.",
        ],
      };
    case "CodecPipelineError":
      return {
        title: "A chunk cannot be decoded",
        text: sentence(
          `${e.key ? `The chunk ${e.key}` : "A chunk"}${e.codec ? ` failed in the codec “${e.codec}”` : " is damaged"}: ${e.message}`,
        ),
        cures: [
          "The stored bytes are damaged or truncated: upload the chunk again. Slices without this chunk can still be read.",
        ],
      };
    case "InvalidSelectionError":
      return {
        title: "The slice does not fit the array",
        text: sentence(e.message),
        cures: ["Set the indices back to 0 and try again."],
      };
    case "UnsupportedError":
      return {
        title: e.feature && e.feature.length <= 40 ? `Not supported: ${e.feature}` : "Not supported",
        text: sentence(e.message),
        cures: ["The data may be valid. Report the feature so that it can be added."],
      };
    case "StoreError":
      return {
        title: "The store failed",
        text: sentence(`${e.key ? `${e.key}: ` : ""}${e.message}`),
        cures: ["A container (such as a zip file) is damaged or of a kind that cannot be read."],
      };
    case "LimitError":
      return {
        title: e.limit ? `More than the limit “${e.limit}” allows` : "More than a limit allows",
        text: sentence(`${e.message}${e.max !== undefined && !e.message.includes(e.max) ? ` (at most ${e.max})` : ""}`),
        cures: ["Choose a smaller slice, a coarser level of the image, or an array with smaller chunks."],
      };
    case "EngineError":
      return {
        title: "The decoder stopped",
        text: sentence(e.message),
        cures: [
          "It restarts with the next read: press Retry.",
          "If it stops again, the slice may need more memory than the browser allows: choose a smaller one. A page with a content security policy must allow 'wasm-unsafe-eval'.",
        ],
      };
    case "AbortError":
      return { title: "Cancelled", text: "The read was cancelled.", cures: ["Press Retry to read it."] };
    default:
      return {
        title: "Something went wrong",
        text: sentence(`${context.action}: ${e.message || e.name}`),
        cures: ["This is probably a defect of the viewer. Copy the details and report them."],
      };
  }
}

function notFound(e: Parts, context: ErrorContext): Omit<Described, "details" | "host"> {
  const where = joinUrl(context.url, e.path ?? context.node);
  const tried = e.tried?.length
    ? e.tried.map((k) => k.slice(k.startsWith(`${where}/`) ? where.length + 1 : 0).replace(/^\//, ""))
    : DOCUMENTS;
  const found = e.found ? ` There is ${e.found === "array" ? "an array" : `a ${e.found}`} instead.` : "";
  return {
    title: "Nothing found at this address",
    text: `There is no Zarr array or group at ${where}.${found} These keys were tried: ${tried.join(", ")}.`,
    cures: [
      "Check the address: it must name the folder with zarr.json, .zgroup or .zarray.",
      "Some servers also answer 404 for files that are not public.",
    ],
  };
}

function describeHttp(e: Parts, context: ErrorContext): Omit<Described, "details" | "host"> {
  const target = e.url ?? context.url;
  const what = e.key ? `${e.key} (${target})` : target;
  const status = e.status ?? 0;
  if (status === 0) {
    const policy = /Content-Security-Policy/.test(e.message);
    if (policy) {
      return {
        title: "This page may not read from that address",
        text: sentence(e.message),
        cures: ["Open the store in a viewer whose policy allows it, such as your own."],
      };
    }
    const mixed =
      context.page.startsWith("https:") && target.startsWith("http:") && !/^http:\/\/(localhost|127\.)/.test(target);
    if (mixed) {
      return {
        title: "The browser blocks this address",
        text: `This page came by https, and browsers do not load http addresses from such pages: ${what}.`,
        cures: ["Use the https address of the store, or open this viewer by http."],
      };
    }
    const cross = !sameOrigin(target, context.page);
    const cures = cross
      ? [
          "Usually the server does not allow other pages to read (CORS). Its answers need the header “Access-Control-Allow-Origin: *”.",
          "Some servers omit that header with status 404. Pages then cannot see that a document or a chunk is missing, which is common in Zarr. “Check the host” shows the cause and the settings.",
          "For byte ranges the server should also send “Access-Control-Expose-Headers: Content-Range, Content-Length, ETag”.",
          "Otherwise the server's name is misspelt, its certificate is not valid, the server is down, or this machine is offline.",
        ]
      : ["The server is down or this machine is offline."];
    return {
      title: "The server gave no readable answer",
      text: sentence(`No readable answer from ${what}`),
      cures,
    };
  }
  if (status === 401 || status === 403) {
    return {
      title: `The server refuses access (HTTP ${status})`,
      text: `HTTP ${status} from ${what}.`,
      cures: [
        "The data is private, or a signed address has expired.",
        "Without listing permission, S3 answers 403 instead of 404 for absent objects: the address may also be wrong.",
      ],
    };
  }
  if (status === 404 || status === 410) {
    return { title: `Not found (HTTP ${status})`, text: `HTTP ${status} from ${what}.`, cures: ["Check the address."] };
  }
  if (status === 416) {
    return {
      title: "The server refuses the byte range (HTTP 416)",
      text: `HTTP 416 from ${what}: the object is shorter than the metadata states, or the server cannot serve ranges.`,
      cures: ["Upload the object again, or serve the store from a server that supports Range requests."],
    };
  }
  if (status === 429 || status >= 500) {
    return {
      title: `The server cannot answer now (HTTP ${status})`,
      text: sentence(`HTTP ${status} from ${what}, after several attempts: ${e.message}`),
      cures: ["Wait a moment and press Retry."],
    };
  }
  if (status >= 200 && status < 300) {
    return {
      title: "The server sent something else",
      text: sentence(`HTTP ${status} from ${what}: ${e.message}`),
      cures: [
        "The server may send a web page for absent objects, or ignore byte ranges. Serve the store as plain files.",
      ],
    };
  }
  return {
    title: `The server answered HTTP ${status}`,
    text: sentence(`HTTP ${status} from ${what}: ${e.message}`),
    cures: [],
  };
}

function findHttp(e: Parts): Parts | null {
  for (let at: Parts | undefined = e; at; at = at.cause) {
    if (at.name === "HttpError") return at;
  }
  return null;
}

function partsOf(error: unknown, depth: number): Parts {
  if (typeof error !== "object" || error === null) return { name: "Error", message: String(error) };
  const read = (name: string): unknown => (name in error ? (error as Record<string, unknown>)[name] : undefined);
  // The package's hints are for programmers, so only the details contain them.
  const message = (text(read("message")) ?? "").replace(`; ${read("hint")}`, "");
  const parts: Parts = { name: text(read("name")) ?? "Error", message };
  for (const name of ["code", "path", "key", "codec", "url", "hint", "limit", "feature", "found"] as const) {
    const value = text(read(name));
    if (value !== undefined) parts[name] = value;
  }
  const status = read("status");
  if (typeof status === "number") parts.status = status;
  const max = read("max");
  if (typeof max === "number" || typeof max === "bigint") parts.max = String(max);
  const tried = read("tried");
  if (Array.isArray(tried)) parts.tried = tried.filter((k): k is string => typeof k === "string");
  const cause = read("cause");
  if (cause !== undefined && cause !== null && depth < 8) parts.cause = partsOf(cause, depth + 1);
  return parts;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function detailsOf(e: Parts, title: string, context: ErrorContext): string {
  const lines = [
    title,
    `while: ${context.action}`,
    `store: ${context.url}`,
    `node: ${context.node}`,
    `page: ${context.page}`,
  ];
  let indent = "";
  for (let at: Parts | undefined = e; at; at = at.cause) {
    lines.push(`${indent}${at.name}: ${at.message}`);
    for (const name of [
      "code",
      "path",
      "key",
      "codec",
      "status",
      "url",
      "hint",
      "limit",
      "max",
      "feature",
      "found",
    ] as const) {
      if (at[name] !== undefined) lines.push(`${indent}  ${name}: ${at[name]}`);
    }
    if (at.tried) lines.push(`${indent}  tried: ${at.tried.join(", ")}`);
    if (at.cause) {
      lines.push(`${indent}  caused by`);
      indent += "    ";
    }
  }
  return lines.join("\n");
}

function nodeName(e: Parts, context: ErrorContext): string {
  return `“${e.path || context.node || "/"}”`;
}

function sameOrigin(a: string, b: string): boolean {
  try {
    return new URL(a, b).origin === new URL(b).origin;
  } catch {
    return false;
  }
}

function joinUrl(url: string, path: string): string {
  if (path === "" || path === "/") return url;
  const at = url.indexOf("?");
  const base = at < 0 ? url : url.slice(0, at);
  return `${base.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`;
}

/** Capitalises a message and adds a full stop. */
function sentence(message: string): string {
  const trimmed = message.trim();
  if (trimmed === "") return "";
  const start = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?…]$/.test(start) ? start : `${start}.`;
}
