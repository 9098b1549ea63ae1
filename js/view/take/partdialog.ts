import type { Axis, Coordinate, FieldLevel } from "../../describe/field.js";
import { Dialog } from "../controls/dialog.js";
import { choice, labelled, offer, textButton } from "../controls/parts.js";
import { el, fill } from "../dom.js";
import { formatBytes, formatCount } from "../element/messages.js";
import { IndexRange, showTexts, waiting } from "./dialog.js";
import { bytesOf, lengthsOf, mostBytes, type Part } from "./part.js";
import { save } from "./save.js";
import { spanOf, type Wish } from "./slice.js";
import { loadTools, zarrOf } from "./zarr.js";

/** Returns the first and the last element of the finest level that a wish takes along an axis. */
function endsOf({ field, x, y, indices, part, channels }: Wish, d: number): readonly [from: number, to: number] {
  const last = (field.axes[d] as Axis).length - 1;
  const inside = (at: number) => Math.max(0, Math.min(last, at));
  if (channels && d === channels.axis) {
    const drawn = channels.list.map(({ index }) => index);
    return [inside(Math.min(...drawn)), inside(Math.max(...drawn))];
  }
  if (d === field.colourAxis || ((d === x || d === y) && !part)) return [0, last];
  if (part && d === x) return [inside(Math.floor(part.left)), inside(Math.ceil(part.right) - 1)];
  if (part && d === y) return [inside(Math.floor(part.top)), inside(Math.ceil(part.bottom) - 1)];
  return [inside(indices[d] ?? 0), inside(indices[d] ?? 0)];
}

/** Returns the number of chunks that a part touches. */
function chunkCount({ array, reads = 1 }: FieldLevel, ranges: Part["ranges"]): number {
  return ranges.reduce((product, [start, stop], d) => {
    const chunk = Math.max(1, array.chunks[d] ?? 1);
    return product * Math.max(0, Math.ceil(stop / chunk) - Math.floor(start / chunk));
  }, reads);
}

/** One line of the dialog: the elements along an axis, with their positions. */
function lineOf(axis: Axis, ends: readonly [number, number], changed: () => void, signal: AbortSignal) {
  const places = el("span", { class: "zc-note" });
  let coordinate: Coordinate | null = null;
  const say = () => {
    const [from, to] = range.ends;
    places.textContent = coordinate ? `${coordinate.text(from)} to ${coordinate.text(to)}` : "";
    changed();
  };
  const range = new IndexRange(axis.length, ` of ${axis.name}`, `${axis.name} from`, say);
  range.ends = ends;
  const all = textButton("All", () => {
    range.ends = [0, axis.length - 1];
    say();
  });
  all.setAttribute("aria-label", `All of ${axis.name}`);
  // Without positions, the indices are shown alone.
  axis.coordinate(signal).then(
    (found) => {
      coordinate = found;
      say();
    },
    () => {},
  );
  return { range, element: el("div", { class: "zc-line" }, ...range.elements, all, places) };
}

/** Asks for the part of a field, which begins as that of the wish, and saves it as Zarr. */
export function askPart(root: ParentNode & Node, wish: Wish, name: string, signal: AbortSignal): void {
  const { field } = wish;
  const closing = new AbortController();
  const dialog = new Dialog(root, "Take away as Zarr", () => closing.abort());
  const note = el("p", { class: "zc-note", role: "status" });
  let level = wish.level;
  const ends = AbortSignal.any([signal, closing.signal]);
  const lines = new Map(
    field.axes.flatMap((axis, d) => {
      if (axis.length < 2 || d === field.colourAxis) return [];
      return [[d, lineOf(axis, endsOf(wish, d), () => say(), ends)] as const];
    }),
  );
  const part = (): Part => {
    const own = field.levels[level] as FieldLevel;
    const ranges = field.axes.map((_, d) => {
      const line = lines.get(d);
      return line
        ? spanOf(own, d, [line.range.ends[0], line.range.ends[1] + 1])
        : ([0, own.array.shape[d] ?? 0] as const);
    });
    return { field, level, ranges };
  };
  const select = choice("Level", (value) => {
    level = Number(value);
    say();
  });
  offer(
    select,
    field.levels.map(({ array }, k) => [String(k), `${k}: ${array.shape.join(" × ")}`]),
  );
  select.value = String(level);
  const say = () => {
    const { ranges } = part();
    const own = field.levels[level] as FieldLevel;
    const bytes = bytesOf(own.array, ranges);
    const chunks = chunkCount(own, ranges);
    const text = `${lengthsOf(ranges).join(" × ")} elements, ${formatBytes(bytes)}. Reads ${formatCount(chunks)} chunk${chunks === 1 ? "" : "s"}.`;
    note.textContent = bytes > mostBytes ? `${text} A file holds at most ${formatBytes(mostBytes)}.` : text;
    begin.disabled = bytes > mostBytes;
  };
  const begin = textButton("Make the file", () => {
    const wanted = part();
    dialog.close();
    make(root, wanted, name, signal).catch((error: unknown) => {
      if ((error as Error).name === "AbortError") return;
      showTexts(root, "The archive failed", [{ name: "", text: String(error) }]);
    });
  });
  say();
  fill(
    dialog.body,
    ...[...lines.values()].map(({ element }) => element),
    field.levels.length > 1 && labelled("Level", select),
    note,
    el("p", { class: "zc-note" }, "Stored numbers, with their coordinates and attributes."),
    el(
      "div",
      { class: "zc-line" },
      begin,
      textButton("Cancel", () => dialog.close()),
    ),
  );
  begin.focus();
}

async function make(root: ParentNode & Node, part: Part, name: string, signal: AbortSignal): Promise<void> {
  const blob = await waiting(root, "Writing the archive", signal, async (signal, done) =>
    zarrOf(part, await loadTools(), signal, done),
  );
  save(blob, "application/zip", name);
}
