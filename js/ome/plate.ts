import { checkVersion, type Rules, type Version } from "./document.js";
import type { CheckedValue } from "./problems.js";

/** An imaging run of a plate (section "plate", `acquisitions`). */
export interface Acquisition {
  /** The id by which wells refer to it. */
  id: number;
  /** The name. */
  name: string | undefined;
  /** The description. */
  description: string | undefined;
  /** The largest number of fields of view of a well in this run. */
  maximumfieldcount: number | undefined;
  /** The start, in seconds since 1970. */
  starttime: number | undefined;
  /** The end, in seconds since 1970. */
  endtime: number | undefined;
}

/** The position of a well (section "plate", `wells`). */
export interface PlateWell {
  /** The path of its group, relative to the plate. */
  path: string;
  /** The row index. */
  rowIndex: number;
  /** The column index. */
  columnIndex: number;
}

/** A plate as stated in the document. */
interface PlateDocument {
  name: string | undefined;
  fieldCount: number | undefined;
  rows: string[];
  columns: string[];
  acquisitions: Acquisition[];
  wells: PlateWell[];
}

/** An image of a well (section "well", `images`). */
export interface Field {
  /** The path of its group, relative to the well. */
  path: string;
  /** The acquisition that it belongs to. */
  acquisition: number | undefined;
}

const count = (part: CheckedValue, least: number): number | undefined => (part.exists ? part.index(least) : undefined);

const textMember = (part: CheckedValue): string | undefined => {
  part.optional(part.text !== undefined, "a string");
  return part.text;
};

/** Reads `plate`. */
export function plateOf(part: CheckedValue, rules: Rules): PlateDocument {
  const { version } = rules;
  const plate: PlateDocument = {
    name: undefined,
    fieldCount: undefined,
    rows: [],
    columns: [],
    acquisitions: [],
    wells: [],
  };
  if (!part.object()) return plate;
  const [name, fieldCount] = [part.get("name"), part.get("field_count")];
  if (version >= "0.4") {
    if (!name.exists) name.should("a plate SHOULD have a `name`");
    if (!fieldCount.exists) fieldCount.should("a plate SHOULD have a `field_count`");
  }
  // The text of 0.5 demands a version with MUST; its schema and examples omit it, as `ome` has it.
  checkVersion(part, rules, "a plate");
  plate.name = textMember(name);
  plate.fieldCount = count(fieldCount, 1);
  plate.rows = namesOf(part.get("rows"), version);
  plate.columns = namesOf(part.get("columns"), version);
  plate.acquisitions = acquisitionsOf(part.get("acquisitions"), version);
  const [rows, columns] = [plate.rows, plate.columns].map(
    (names) => new Map(names.map((one, i) => [one, i] as const).reverse()),
  );
  const paths = new Set<string>();
  for (const item of part.get("wells").list() ?? []) {
    if (!item.isObject) {
      item.must("a well MUST be an object");
      continue;
    }
    const at = item.get("path");
    const path = at.name();
    const given = version >= "0.4";
    const rowIndex = given || item.get("rowIndex").exists ? item.get("rowIndex").index(0) : undefined;
    const columnIndex = given || item.get("columnIndex").exists ? item.get("columnIndex").index(0) : undefined;
    if (path === undefined) continue;
    if (paths.has(path)) at.report("warning", "another well has this path");
    paths.add(path);
    const names = path.split("/");
    const [row, column] = [rows?.get(names[0] as string), columns?.get(names[1] ?? "")];
    const unknown = (plate.rows.length > 0 && row === undefined) || (plate.columns.length > 0 && column === undefined);
    if (names.length !== 2 || unknown) {
      at.report(given ? "MUST" : "warning", "the path MUST be the name of a row, a slash, and the name of a column");
    } else {
      if (row !== undefined && rowIndex !== undefined && rowIndex !== row) {
        item.get("rowIndex").must(`\`rowIndex\` MUST be that of the path, ${row}`);
      }
      if (column !== undefined && columnIndex !== undefined && columnIndex !== column) {
        item.get("columnIndex").must(`\`columnIndex\` MUST be that of the path, ${column}`);
      }
    }
    // The path locates the images. It also gives the position if the indices are missing.
    const place = [rowIndex ?? row, columnIndex ?? column];
    plate.wells.push({ path, rowIndex: place[0] ?? -1, columnIndex: place[1] ?? -1 });
  }
  return plate;
}

/** Reads the names of rows or columns, in order. A missing name is empty. */
function namesOf(part: CheckedValue, version: Version): string[] {
  const seen = new Set<string>();
  const folded = new Set<string>();
  return (part.list() ?? []).map((item) => {
    const at = item.get("name");
    const name = item.isObject ? at.name() : item.must("this MUST be an object");
    if (name === undefined) return "";
    if (version >= "0.4" && !/^[A-Za-z0-9]+$/.test(name)) at.must("a name MUST have letters and digits only");
    const same = name.toLowerCase();
    if (seen.has(name)) at.must("names MUST be unique");
    else if (folded.has(same)) at.should("names SHOULD differ by more than upper and lower case");
    seen.add(name);
    folded.add(same);
    return name;
  });
}

function acquisitionsOf(part: CheckedValue, version: Version): Acquisition[] {
  if (!part.exists) return [];
  if (!globalThis.Array.isArray(part.value)) part.must("`acquisitions` MUST be a list");
  const seen = new Set<number>();
  const acquisitions: Acquisition[] = [];
  for (const item of part.items) {
    if (!item.isObject) {
      item.must("an acquisition MUST be an object");
      continue;
    }
    const [name, most] = [item.get("name"), item.get("maximumfieldcount")];
    if (!name.exists) name.should("an acquisition SHOULD have a `name`");
    if (version >= "0.4" && !most.exists) most.should("an acquisition SHOULD have a `maximumfieldcount`");
    const id = item.get("id").index(0);
    const read = {
      name: textMember(name),
      description: textMember(item.get("description")),
      maximumfieldcount: count(most, 1),
      starttime: count(item.get("starttime"), 0),
      endtime: count(item.get("endtime"), 0),
    };
    if (id === undefined) continue;
    if (seen.has(id)) item.get("id").must("the ids of acquisitions MUST be unique");
    seen.add(id);
    acquisitions.push({ id, ...read });
  }
  return acquisitions;
}

/** Reads `well`. */
export function wellOf(part: CheckedValue, rules: Rules): Field[] {
  const { version } = rules;
  if (!part.object()) return [];
  checkVersion(part, rules, "a well");
  const seen = new Set<string>();
  const fields: Field[] = [];
  for (const item of part.get("images").list() ?? []) {
    if (!item.isObject) {
      item.must("an image MUST be an object");
      continue;
    }
    const at = item.get("path");
    const path = at.name();
    const acquisition = count(item.get("acquisition"), Number.NEGATIVE_INFINITY);
    if (path === undefined) continue;
    if (version >= "0.6" ? !isNodeName(path) : version >= "0.4" && !/^[A-Za-z0-9]+$/.test(path)) {
      at.must(
        version >= "0.6"
          ? "the path MUST be a name of letters, digits, -, _ and ."
          : "the path MUST have letters and digits only",
      );
    }
    if (seen.has(path)) at.must("paths MUST be unique");
    seen.add(path);
    fields.push({ path, acquisition });
  }
  return fields;
}

/** Reports whether Zarr recommends a name for nodes. */
const isNodeName = (name: string) => /^[A-Za-z0-9_.-]+$/.test(name) && !/^\.+$|^__/.test(name);
