import type { Coordinate, Field } from "../../describe/field.js";
import { own } from "../../shared/attributes.js";
import { el } from "../dom.js";
import { cellsOf } from "../mesh/cells.js";
import type { Tiles } from "../tiles/tiles.js";
import type { Look } from "./look.js";
import type { PointerDetail } from "./panel.js";

/** Describes an element of the plane. */
export function detailAt(
  field: Field,
  look: Look,
  layer: { readonly tiles: Pick<Tiles, "level" | "value"> },
  coordinates: readonly (Coordinate | null | undefined)[],
  point: { readonly x: number; readonly y: number },
): PointerDetail {
  const index: Record<string, number> = Object.create(null);
  const words: Record<string, string> = Object.create(null);
  const cells = cellsOf(field);
  const cell = cells?.at(point.x, point.y);
  field.axes.forEach((axis, d) => {
    if (d === field.colourAxis || (look.channels.length > 0 && d === field.channels?.axis)) return;
    // On a map, the readout describes the cell and not the pixel.
    if (cells && (d === look.x || d === look.y)) {
      if (cell) index[d === look.x ? cells.x.name : cells.y.name] = d === look.x ? cell.x : cell.y;
      else if (coordinates[d]) words[axis.name] = coordinates[d].text(d === look.x ? point.x : point.y);
      return;
    }
    const at = d === look.x ? point.x : d === look.y ? point.y : (look.indices[d] ?? 0);
    index[axis.name] = at;
    const text = coordinates[d]?.text(at);
    if (text) words[axis.name] = text;
  });
  const place = { index: { ...index }, coordinates: { ...words, ...cell?.coordinates } };
  const found = (channel: number) => layer.tiles.value(point.x + 0.5, point.y + 0.5, channel);
  if (look.channels.length > 0) {
    const each = look.channels.map((channel) => ({ channel, at: found(channel.index) }));
    const text = each.map(({ channel, at }) => `${channel.label} ${at ? field.text(at.value) : "…"}`).join(", ");
    return { ...place, value: each.map(({ at }) => at?.value), text, level: each[0]?.at?.level ?? 0 };
  }
  const at = found(look.read[0] ?? 0);
  const text =
    at === undefined ? "…" : Array.isArray(at.value) ? at.value.map(field.text).join(", ") : field.text(at.value);
  return { ...place, value: at?.value, text, level: at?.level ?? layer.tiles.level };
}

/** Returns the readout as elements: each axis, and the value. */
export function readoutOf(field: Field, detail: PointerDetail): HTMLElement[] {
  const at = (name: string, index: string, words: string | undefined) =>
    el(
      "span",
      { class: "at" },
      el("span", { class: "name" }, name),
      index,
      words !== undefined && el("span", { class: "words" }, words),
    );
  const axes = Object.entries(detail.index).map(([name, i]) => at(name, ` ${i}`, own(detail.coordinates, name)));
  const places = Object.entries(detail.coordinates).flatMap(([name, words]) =>
    Object.hasOwn(detail.index, name) ? [] : [at(name, "", words)],
  );
  const level =
    detail.level > 0 && el("span", { class: "words" }, `level ${detail.level + 1} of ${field.levels.length}`);
  return [...axes, ...places, el("span", { class: "value" }, detail.text, level)];
}
