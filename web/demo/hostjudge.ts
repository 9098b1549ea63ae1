// Judges a host's answers for a viewer: what works, what does not, and which setting fixes it.

import { redact } from "../../js/platform/redact.js";
// The command's doctor has the same subjects and cures. It sees more of an answer than a page does.
import rules from "../../zarr/prepare/doctor/hostrules.json" with { type: "json" };
import type { Answer, Probe } from "./hostprobe.js";

/** Good; works, but could be better; does not work; not observable. */
export type Verdict = "good" | "advice" | "bad" | "unknown";

/** The result of one check. */
export interface Finding {
  /** The subject of the check. */
  readonly title: string;
  readonly verdict: Verdict;
  /** The observation and its meaning, in a sentence or two. */
  readonly text: string;
  /** The remedy; empty if none is needed. */
  readonly cure: string;
}

/** Headers that pages of other origins can read only if the host exposes them. */
const EXPOSED = ["content-range", "etag"];

/** Judges a host's answers. Returns the most important findings first. */
export function judge(probe: Probe): Finding[] {
  const findings: Finding[] = [];
  const add = (title: string, verdict: Verdict, text: string, cure = ""): void => {
    findings.push({ title, verdict, text, cure });
  };
  const { found, missing, range, suffix } = probe;
  const cross = new URL(probe.url).origin !== new URL(probe.page).origin;
  if (blockedAsMixed(probe)) {
    add(
      rules["host-http"].subject,
      "bad",
      "This page came by https, and browsers block http addresses from such pages.",
      rules["host-http"].cures.http,
    );
    return findings;
  }
  if (!found) {
    noDocument(probe, cross, add);
  } else {
    const redirected =
      found.from !== found.url ? ` The answer came from ${new URL(found.from).host} by a redirect.` : "";
    if (cross) add(rules["host-cors"].subject, "good", `This page may read ${nameOf(found)}.${redirected}`);
    else
      add(
        rules["host-cors"].subject,
        "unknown",
        `This page is on the same host, so this check cannot see what other origins may read.${redirected}`,
      );
  }
  if (found || missing.status !== 0) absence(probe, cross, add);
  if (found && range) ranges(range, add);
  if (found && cross) exposed(range ?? found, add);
  if (found && suffix && cross) preflight(suffix, add);
  if (probe.listing) {
    if (probe.listing.listed) add("Listing", "good", "The host lists folders, so every node is found.");
    else
      add(
        "Listing",
        "advice",
        `The host does not list folders: ${probe.listing.why}`,
        "Write consolidated metadata (zarr.consolidate_metadata(store) in zarr-python), or let the server list folders.",
      );
  }
  if (found && !probe.object) types(found, add);
  if (found && !probe.object) compression(probe, found, add);
  if (found) changes(found, add);
  if (probe.way?.protocol) {
    const many = /^h[23]/.test(probe.way.protocol);
    add(
      rules["host-http1"].subject,
      many ? "good" : "advice",
      many
        ? `The host speaks ${probe.way.protocol}: requests share one connection.`
        : `The host speaks ${probe.way.protocol}: browsers send at most six requests at once.`,
      many ? "" : rules["host-http1"].cures.version,
    );
  }
  return findings;
}

type Add = (title: string, verdict: Verdict, text: string, cure?: string) => void;

/** Summarises in one line whether pages can read from the host. */
export function summary(findings: readonly Finding[]): { verdict: Verdict; text: string } {
  if (findings.some(({ verdict }) => verdict === "bad"))
    return { verdict: "bad", text: "Pages cannot read from this host." };
  if (findings.some(({ verdict }) => verdict === "advice"))
    return { verdict: "advice", text: "Pages can read from this host; some things could be better." };
  return { verdict: "good", text: "Pages can read from this host." };
}

function noDocument(probe: Probe, cross: boolean, add: Add): void {
  const statuses = [...new Set(probe.documents.map(({ status }) => status))];
  const [refused] = probe.documents.filter(({ status }) => status === 401 || status === 403);
  // A 404 for a missing object is readable, so an unreadable answer means that the object exists.
  if (statuses.includes(0)) {
    if (!probe.alive)
      add(
        rules["host-down"].subject,
        "bad",
        `There is no answer: ${probe.documents.find(({ status }) => status === 0)?.error ?? ""}`,
        rules["host-down"].cures.down,
      );
    else
      add(
        rules["host-cors"].subject,
        "bad",
        cross
          ? "The host answers, but its answers have no Access-Control-Allow-Origin header, so browsers keep them from this page."
          : "The host answers, but the browser keeps its answers from this page.",
        `${rules["host-cors"].cures.header} The lines below do that.`,
      );
  } else if (refused)
    add(
      rules["host-refuses"].subject,
      "bad",
      `The host refuses with status ${refused.status}.`,
      rules["host-refuses"].cures.refused,
    );
  else if (statuses.includes(404) || statuses.includes(410))
    add(
      "Zarr at this address",
      "unknown",
      `There is none of ${probe.documents.map(nameOf).join(", ")}, so checks that need an object were skipped.`,
      "Give the address of a folder with zarr.json, .zgroup or .zarray, or of a zip archive.",
    );
  else
    add(
      rules["host-down"].subject,
      "bad",
      `The host answers with status ${statuses.filter((status) => status !== 0).join(", ")}.`,
      "Look at the host's own log.",
    );
}

function absence({ missing, found }: Probe, cross: boolean, add: Add): void {
  const title = rules["host-missing"].subject;
  const { status } = missing;
  if (status === 404 || status === 410) {
    add(title, "good", `A missing object is answered by ${status}${cross ? ", which this page may read" : ""}.`);
  } else if (status === 0) {
    add(
      title,
      "bad",
      "A missing object is answered without CORS headers, so it looks like a host that is down. Zarr omits chunks and documents, so viewers must recognise absence.",
      rules["host-cors-missing"].cures.header,
    );
  } else if (status === 403) {
    add(
      title,
      "bad",
      "A missing object is answered by 403, as in buckets without listing permission. It looks like a forbidden one.",
      rules["host-missing"].cures.forbidden,
    );
  } else if (status === 200) {
    add(
      title,
      "bad",
      `A missing object is answered by 200${looksLikePage(missing) ? " and a web page" : ""}, so missing chunks look present.`,
      rules["host-missing"].cures.page,
    );
  } else {
    add(
      title,
      found ? "advice" : "bad",
      `A missing object is answered by ${status}.`,
      rules["host-missing"].cures.status,
    );
  }
}

function ranges(range: Answer, add: Add): void {
  const title = rules["host-ranges"].subject;
  if (range.status === 206 && range.bytes === 10) add(title, "good", "Ten bytes were requested, and ten arrived.");
  else if (range.status === 206)
    add(
      title,
      "bad",
      `Ten bytes were requested, and ${range.bytes} arrived${range.headers["content-encoding"] ? ` (${range.headers["content-encoding"]})` : ""}.`,
      rules["host-ranges"].cures.compressed,
    );
  else if (range.status === 200)
    add(
      title,
      "bad",
      "The host ignores the header Range and sends whole objects. Shards and archives are then loaded whole.",
      rules["host-ranges"].cures.ignored,
    );
  else if (range.status === 0)
    add(title, "bad", `A ranged request failed: ${range.error}`, rules["host-ranges"].cures.failed);
  else add(title, "bad", `A ranged request is answered by ${range.status}.`, rules["host-ranges"].cures.status);
}

function exposed(answer: Answer, add: Add): void {
  const hidden = EXPOSED.filter(
    (name) => !(name in answer.headers) && (name !== "content-range" || answer.status === 206),
  );
  if (hidden.length === 0) add(rules["host-exposed"].subject, "good", "Content-Range and ETag can be read.");
  else
    add(
      rules["host-exposed"].subject,
      "advice",
      `${hidden.map(title).join(" and ")} cannot be read: sizes then take extra requests, and replaced objects may go unnoticed.`,
      rules["host-exposed"].cures.header,
    );
}

function preflight(suffix: Answer, add: Add): void {
  const title = rules["host-preflight"].subject;
  if (suffix.status === 206 || suffix.status === 200)
    add(title, "good", "The host answers OPTIONS, so requests with headers such as Authorization work.");
  else
    add(
      title,
      "advice",
      "The host does not allow preflight requests. Only requests with custom headers need them.",
      rules["host-preflight"].cures.answer,
    );
}

function types(found: Answer, add: Add): void {
  const type = (found.headers["content-type"] ?? "").split(";")[0] ?? "";
  if (/json/.test(type)) add(rules["host-type"].subject, "good", `${nameOf(found)} comes as ${type}.`);
  else if (/html/.test(type))
    add(rules["host-type"].subject, "bad", `${nameOf(found)} comes as ${type}.`, rules["host-type"].cures.page);
  else
    add(
      rules["host-type"].subject,
      "advice",
      `${nameOf(found)} comes ${type ? `as ${type}` : "without a type"}, which viewers accept; but servers compress by type.`,
      rules["host-type"].cures.type,
    );
}

function compression({ way }: Probe, found: Answer, add: Add): void {
  const said = found.headers["content-encoding"];
  const { encoded = 0, decoded = 0 } = way ?? {};
  const saved = encoded > 0 && decoded > encoded;
  if (said || saved)
    add(
      rules["host-plain"].subject,
      "good",
      `${nameOf(found)} is compressed on its way${said ? ` (${said})` : ""}${saved ? `: ${encoded} of ${decoded} bytes` : ""}.`,
    );
  else if (encoded === 0)
    add(rules["host-plain"].subject, "unknown", "The browser does not report the transferred bytes.");
  else if (found.bytes < 4096)
    add(rules["host-plain"].subject, "good", `${nameOf(found)} has ${found.bytes} bytes: compression saves nothing.`);
  else
    add(
      rules["host-plain"].subject,
      "advice",
      `${nameOf(found)} is not compressed: ${found.bytes} bytes.`,
      rules["host-plain"].cures.compress,
    );
}

function changes(found: Answer, add: Add): void {
  const by = ["etag", "last-modified"].filter((name) => name in found.headers);
  if (by.length > 0)
    add(
      rules["host-changes"].subject,
      "good",
      `${by.map(title).join(" and ")} ${by.length > 1 ? "tell" : "tells"} when an object is replaced.`,
    );
  else
    add(
      rules["host-changes"].subject,
      "advice",
      "Neither ETag nor Last-Modified can be read: an object replaced during a read may go unnoticed.",
      rules["host-changes"].cures.tag,
    );
}

function blockedAsMixed({ url, page }: Probe): boolean {
  const { protocol, hostname } = new URL(url);
  return page.startsWith("https:") && protocol === "http:" && !/^(localhost|127\.|\[::1\])/.test(hostname);
}

const title = (name: string): string =>
  name === "etag" ? "ETag" : name.replace(/(^|-)\w/g, (text) => text.toUpperCase());

function nameOf({ url }: Answer): string {
  return new URL(url).pathname.split("/").at(-1) || redact(url);
}

function looksLikePage({ begins, headers }: Answer): boolean {
  return /^\s*<(!doctype|html)/i.test(begins) || /html/.test(headers["content-type"] ?? "");
}
