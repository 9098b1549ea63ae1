// What the view says in words of what it shows.

import type { Range } from "./contrast.js";
import { el } from "./dom.js";
import { formatCount, formatShort } from "./format.js";
import type { Plan } from "./slice.js";
import type { ArrayNode } from "./store.js";
import type { Shown, Subject } from "./subject.js";

/** What of the array is missing from the picture. */
export function noteOf(subject: Subject, plan: Plan): string {
  const parts: string[] = [];
  if (subject.window && !plan.y) {
    parts.push(`Only the middle is shown: ${formatCount(plan.x.count)} elements from ${formatCount(plan.x.start)}.`);
  } else if (subject.window && plan.y) {
    parts.push(
      `Only the middle is shown: ${formatCount(plan.y.count)} × ${formatCount(plan.x.count)} elements from row ${formatCount(plan.y.start)}, column ${formatCount(plan.x.start)}.`,
    );
  }
  if (plan.note) parts.push(`Large array: ${plan.note}.`);
  return parts.join(" ");
}

/** What has been read, and how long it took. */
export function summaryOf(subject: Subject, plan: Plan | null, ms: number): string {
  const time = ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
  if (plan === null) return `${subject.name} read in ${time}.`;
  const elements = plan.y ? `${formatCount(plan.y.count)} × ${formatCount(plan.x.count)}` : formatCount(plan.x.count);
  return `${subject.name}: ${elements} elements read in ${time}.`;
}

/** The text alternative of the picture or the line. */
export function labelOf(subject: Subject, { plan, elements }: Shown, range: Range): string {
  const { dimensions, axes } = subject;
  if (!plan.y) return `${subject.name}: a line of ${formatCount(plan.x.count)} ${elements.what}`;
  const at = dimensions
    .map((dimension, d) => {
      if (d === axes.x || d === axes.y) return "";
      const index = subject.indices[d] ?? 0;
      const meaning = subject.coordinates[d]?.text(index);
      return `${dimension.name} ${index}${meaning ? ` (${meaning})` : ""}`;
    })
    .filter((text) => text !== "");
  const where = at.length > 0 ? ` at ${at.join(", ")}` : "";
  const size = `${formatCount(plan.y.count)} rows (${dimensions[axes.y]?.name ?? ""}) by ${formatCount(plan.x.count)} columns (${dimensions[axes.x]?.name ?? ""})`;
  const colours = `colours from ${formatShort(range.min)} to ${formatShort(range.max)}`;
  return `${subject.name}${where}: ${size}, ${elements.what}, ${colours}`;
}

/** What is under the pointer: where that is, and its value. */
export function readoutOf(
  subject: Subject,
  { plan, elements, whole, meant }: Shown,
  point: [number, number],
): HTMLElement[] {
  const at = point[0] * plan.strideX + point[1] * plan.strideY;
  const items: HTMLElement[] = [];
  const drawn = plan.y
    ? [axisAt(plan.y, point[1], subject.axes.y), axisAt(plan.x, point[0], subject.axes.x)]
    : [axisAt(plan.x, point[0], 0)];
  for (const { d, index } of drawn.sort((a, b) => a.d - b.d)) {
    const meaning = subject.coordinates[d]?.text(index);
    items.push(
      pair(subject.dimensions[d]?.name ?? "", `${formatCount(index)}${meaning ? ` = ${meaning}` : ""}`, "index"),
    );
  }
  const value = elements.numbers?.[at] ?? Number.NaN;
  const fillValue = subject.array.type.kind === "struct" ? null : fillNumber(subject.array);
  const decoded = meant?.text(at) ?? null;
  const isFill = fillValue !== null && (Object.is(fillValue, value) || fillValue === value) && decoded !== "missing";
  const units = decoded === null && subject.meaning.units !== "" ? ` ${subject.meaning.units}` : "";
  const text = elements.text(at) + units;
  const magnitude = elements.what.startsWith("magnitudes") ? ` (magnitude ${formatShort(value)})` : "";
  items.push(
    pair(
      subject.field || "value",
      `${text}${magnitude}${decoded ? ` = ${decoded}` : ""}${isFill ? " (fill value)" : ""}`,
      "value",
    ),
  );
  if (whole) items.push(pair("all fields", whole.text(at), "fields"));
  return items;
}

function axisAt(window: { start: number; step: number }, i: number, d: number): { d: number; index: number } {
  return { d, index: window.start + i * window.step };
}

function pair(name: string, value: string, kind: string): HTMLElement {
  return el(
    "span",
    { class: `pair ${kind}`, "data-testid": `readout-${kind}` },
    el("span", { class: "muted" }, name),
    " ",
    el("b", {}, value),
  );
}

function fillNumber(array: ArrayNode): number | null {
  try {
    const value: unknown = array.fillValue;
    return typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : null;
  } catch {
    return null;
  }
}
