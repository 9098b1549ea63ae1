import { isObject, member, number, text } from "../shared/attributes.js";

/**
 * A coordinate reference system as written, with its identifiers. Nothing is looked up or derived.
 */
export interface Crs {
  /** An authority's code as written, like `"EPSG:32633"` (`proj:code`). */
  code?: string;
  /** WKT2 as written (`proj:wkt2`). */
  wkt2?: string;
  /** WKT of any version, as written (`crs_wkt`, `spatial_ref`). */
  wkt?: string;
  /** PROJJSON as written (`proj:projjson`). */
  projjson?: Record<string, unknown>;
  /** The EPSG code, if `code` or the identifier in the WKT or PROJJSON states one. */
  epsg?: number;
  /** The name in the WKT or PROJJSON. */
  name?: string;
}

/** @internal Builds a reference system from its written forms. Undefined if there are none. */
export function crsOf(written: Pick<Crs, "code" | "wkt2" | "wkt" | "projjson">): Crs | undefined {
  const crs: Crs = {};
  for (const field of ["code", "wkt2", "wkt", "projjson"] as const) {
    if (written[field] !== undefined) Object.assign(crs, { [field]: written[field] });
  }
  if (Object.keys(crs).length === 0) return undefined;
  const [epsg] = epsgCodes(crs);
  const name = wktRoot(crs.wkt2 ?? crs.wkt ?? "").name ?? text(member(crs.projjson, "name"));
  if (epsg !== undefined) crs.epsg = epsg;
  if (name !== undefined) crs.name = name;
  return crs;
}

/**
 * @internal The EPSG codes that the written forms state. If they differ, that of the WKT2 "takes
 * precedence" (proj, "For readers").
 */
export function epsgCodes({ wkt2, code, wkt, projjson }: Crs): number[] {
  const id = member(projjson, "id");
  const all = [
    epsgOf(wktRoot(wkt2 ?? "").id),
    epsgOfCode(code),
    epsgOf(wktRoot(wkt ?? "").id),
    epsgOf([text(member(id, "authority")), String(member(id, "code"))]),
  ];
  return [...new Set(all.filter((one) => one !== undefined))];
}

/** @internal Parses the EPSG code in a text like `"EPSG:4326"`, or in an OGC URL or URN. */
export function epsgOfCode(code: string | undefined): number | undefined {
  const pattern =
    /^(?:EPSG:|https?:\/\/www\.opengis\.net\/def\/crs\/EPSG\/[^/]*\/|urn:ogc:def:crs:EPSG:[^:]*:)([0-9]{1,9})$/i;
  const [, digits] = pattern.exec(code ?? "") ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function epsgOf(id: readonly (string | undefined)[] | undefined): number | undefined {
  return id?.[0] === undefined ? undefined : epsgOfCode(`${id[0]}:${id[1]}`);
}

/**
 * @internal The properties of the outermost WKT node: keyword, name, and its own AUTHORITY (WKT1)
 * or ID (WKT2).
 */
function wktRoot(wkt: string): { keyword?: string; name?: string; id?: [authority: string, code: string] } {
  const root: ReturnType<typeof wktRoot> = {};
  let depth = 0;
  let word = "";
  let child = "";
  let values: string[] = [];
  const value = (found: string) => {
    if (depth === 1) root.name ??= found;
    else if (depth === 2) values.push(found);
  };
  for (let i = 0; i < wkt.length; ) {
    const char = wkt[i] as string;
    let end = i + 1;
    if (char === '"') {
      // A quote inside a string is doubled.
      let content = "";
      for (end = i + 1; end < wkt.length && (wkt[end] !== '"' || wkt[end + 1] === '"'); end++) {
        content += wkt[end];
        if (wkt[end] === '"') end++;
      }
      value(content);
      end++;
    } else if (char === "[" || char === "(") {
      depth++;
      if (depth === 1) root.keyword ??= word;
      if (depth === 2) [child, values] = [word.toUpperCase(), []];
    } else if (char === "]" || char === ")") {
      const [authority, code] = values;
      const identifies = depth === 2 && (child === "AUTHORITY" || child === "ID");
      if (identifies && authority !== undefined && code !== undefined) root.id ??= [authority, code];
      depth--;
    } else if (!/[\s,]/.test(char)) {
      while (end < wkt.length && !/[\s,"[\]()]/.test(wkt[end] as string)) end++;
      word = wkt.slice(i, end);
      // A word before a bracket is the keyword of a node.
      let next = end;
      while (/\s/.test(wkt[next] ?? "")) next++;
      if (wkt[next] !== "[" && wkt[next] !== "(") value(word);
    }
    i = end;
  }
  return root;
}

/** @internal The reference system in GDAL's `_CRS`: an object with `url`, `wkt` or `projjson`. */
export function crsOfGdal(value: unknown): Crs | undefined {
  const [url, wkt, projjson] = ["url", "wkt", "projjson"].map((name) => member(value, name));
  const code = epsgOfCode(text(url));
  return crsOf({
    ...(code !== undefined && { code: `EPSG:${code}` }),
    ...(typeof wkt === "string" && { wkt }),
    ...(isObject(projjson) && { projjson }),
  });
}

/**
 * @internal The reference system in a grid mapping variable's attributes, apart from CF parameters.
 */
export function crsOfGridMapping(attributes: Record<string, unknown>): [crs: Crs | undefined, attribute: string] {
  for (const attribute of ["crs_wkt", "spatial_ref"]) {
    const written = text(member(attributes, attribute));
    if (!written) continue;
    // Some writers put a code in place of WKT.
    if (/^[A-Za-z_0-9]+:[A-Za-z_0-9]+$/.test(written)) return [crsOf({ code: written }), attribute];
    return [crsOf({ wkt: written }), attribute];
  }
  const code = member(attributes, "epsg_code");
  const digits = text(code) ?? (number(code) === undefined ? "" : `EPSG:${number(code)}`);
  return [digits ? crsOf({ code: /^[0-9]+$/.test(digits) ? `EPSG:${digits}` : digits }) : undefined, "epsg_code"];
}
