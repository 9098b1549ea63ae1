// OME-Zarr images and their levels.
import type { ZarrArray } from "../../api/array.js";
import type { Group } from "../../api/group.js";
import type { Image, Level, Axis as OmeAxis } from "../../ome/index.js";
import { member, text } from "../../shared/attributes.js";
import { assemble, type Found, nameOf } from "../array.js";
import { linearCoordinate, textCoordinate } from "../coordinate.js";
import type { Problem } from "../description.js";
import { type Fact, guessed, stated } from "../fact.js";
import type { Axis, Category, Field, FieldLevel, Role } from "../field.js";
import { attempt, loadOme, messageOf } from "../load.js";
import { meaningOf } from "../meaning.js";
import { planeOf } from "../plane.js";
import { roleNamed } from "../roles.js";
import { unitText } from "../text.js";
import { channelsOf } from "./channels.js";
import { factorOf, mostLevels, startOf } from "./levels.js";

/** @internal An opened image. */
interface FoundImage extends Found {
  readonly image: Image;
}

/**
 * @internal Describes an image of a group, with all levels or the named one. Rejects if no level
 * can be read.
 */
export async function imageOf(
  group: Group,
  signal: AbortSignal | undefined,
  { multiscale = 0, only, level }: { multiscale?: number | string; only?: string; level?: ZarrArray } = {},
): Promise<FoundImage> {
  const image = await (await loadOme()).openImage(group, { signal, multiscale });
  const problems: Problem[] = [];
  const report = (message: string) => problems.push({ path: group.path, message });
  for (const { level, path, message } of image.problems) {
    if (level !== "SHOULD") report(path === "" ? message : `${path}: ${message}`);
  }
  const wanted = image.levels.filter(({ path }) => only === undefined || path === only);
  if (wanted.length > mostLevels) report(`${wanted.length} levels: the first ${mostLevels} are shown`);
  let failure: unknown;
  const opened = await Promise.all(
    wanted.slice(0, mostLevels).map(async (one, i) => {
      const array =
        level && level.shape.length === image.axes.length
          ? level
          : await attempt(
              signal,
              // The attributes of the finest level apply to all levels.
              () => one.array({ signal, bare: i > 0 }),
              (error) => {
                failure = error;
                report(`the level ${one.path} cannot be opened: ${messageOf(error)}`);
              },
            );
      return array ? [{ level: one, array }] : [];
    }),
  );
  const levels = opened.flat();
  const [finest] = levels;
  if (!finest) throw failure ?? new Error("there is no level");
  const field = await imageField(image, finest, levelsOf(levels, report), signal);
  const conventions = [
    { name: "OME-Zarr", version: text(member(member(group.attrs, "ome"), "version")) ?? image.version },
  ];
  return { field, image, conventions, problems };
}

type Opened = { readonly level: Level; readonly array: ZarrArray };

/** The levels with their positions over the finest. */
function levelsOf(opened: readonly Opened[], report: (message: string) => void): FieldLevel[] {
  const [finest] = opened as [Opened, ...Opened[]];
  const seen = new Set<string>();
  return opened.flatMap(({ level, array }) => {
    if (seen.has(array.path)) return [];
    seen.add(array.path);
    if (array.dtype !== finest.array.dtype) {
      report(`the level ${level.path} has the type ${array.dtype}, but the finest has ${finest.array.dtype}`);
    }
    const places = array.shape.map((length, d) => {
      const full = finest.array.shape[d] as number;
      const ratio = Math.abs((level.scale[d] as number) / (finest.level.scale[d] as number));
      const factor = factorOf(full, length, ratio);
      if (Math.abs(full / ratio - length) > 1.5) {
        report(
          `the level ${level.path} has ${length} elements along dimension ${d}, but its scale implies ${Math.round(full / ratio)}`,
        );
      }
      const moved =
        ((level.translation[d] as number) - (finest.level.translation[d] as number)) /
        (finest.level.scale[d] as number);
      return { factor, start: startOf(moved, factor, full) };
    });
    return [{ array, factor: places.map(({ factor }) => factor), start: places.map(({ start }) => start) }];
  });
}

async function imageField(
  image: Image,
  { level, array }: Opened,
  levels: readonly FieldLevel[],
  signal: AbortSignal | undefined,
): Promise<Field> {
  const { shape } = array;
  const meaning = await meaningOf(array, signal, true);
  const roles = image.axes.map((axis, d) => roleOfAxis(axis, d, image.axes));
  // An image below `labels` is a label image even without stating it.
  const among = /(^|\/)labels\//.test(image.group.path) && /^u?int$/.test(array.type.kind);
  const isLabel = image.label !== undefined || among;
  const channelAxis = roles.findIndex(({ value }) => value === "channel");
  const channels = isLabel ? null : channelsOf(image, array, channelAxis);
  const axes = image.axes.map((axis, d): Axis => {
    const length = shape[d] as number;
    const units = unitText(axis.unit ?? "");
    const [scale, start] = [level.scale[d] as number, level.translation[d] as number];
    const told = scale !== 1 || start !== 0 || units !== "";
    const { list } = channels && d === channelAxis ? channels : { list: null };
    const coordinate = list?.some(({ label }, i) => label !== `Channel ${i}`)
      ? textCoordinate(axis.name, length, (i) => list[i]?.label ?? String(i))
      : told && axis.type !== "channel"
        ? linearCoordinate(axis.name, units, length, [scale, start])
        : null;
    return {
      name: axis.name,
      title: axis.longName ?? axis.name,
      role: roles[d] as Fact<Role>,
      length,
      units,
      coordinate: async (signal) => {
        signal?.throwIfAborted();
        return coordinate;
      },
    };
  });
  const plane = planeOf(shape.map((length, d) => ({ length, role: roles[d] })));
  const categories = isLabel ? labelCategories(image) : [];
  const only = channelAxis < 0 ? image.channels[0]?.window : undefined;
  const name = image.name?.trim();
  const field = assemble(array, meaning, {
    axes,
    plane: { ...plane, value: { ...plane.value, up: false, left: false } },
    colourAxis: null,
    place: null,
    levels,
    channels,
    path: image.group.path,
    name: nameOf(image.group.path),
    title:
      name && name !== "/" ? stated(name, "the image's name") : guessed(nameOf(image.group.path), "the group's path"),
  });
  const indices = field.indices.map((index, d) => {
    const { defaultT, defaultZ } = image.rdefs ?? {};
    const given = roles[d]?.value === "time" ? defaultT : roles[d]?.value === "z" ? defaultZ : undefined;
    return given !== undefined && given < (shape[d] as number) && d !== plane.value.x && d !== plane.value.y
      ? given
      : index;
  });
  if (isLabel) {
    const scale = image.label
      ? stated("categorical" as const, "the attribute image-label")
      : guessed("categorical" as const, "its place among the labels");
    return { ...field, indices, labels: true, categories, scale, range: null };
  }
  const range =
    only && only.start < only.end ? stated([only.start, only.end] as const, "the attribute omero") : field.range;
  return { ...field, indices, range };
}

/** The role of an image axis. The last space axes are y and x if their names state no role. */
function roleOfAxis({ name, type }: OmeAxis, d: number, axes: readonly OmeAxis[]): Fact<Role> {
  if (type === "time" || type === "channel") return stated(type, "the image's axes");
  if (type === "space") {
    const named = /^[xyz]$/i.test(name) ? (name.toLowerCase() as Role) : roleNamed(name)?.value;
    if (named === "x" || named === "y" || named === "z") return stated(named, "the image's axes");
    const after = axes.slice(d + 1).filter((one) => one.type === "space").length;
    return guessed(after === 0 ? "x" : after === 1 ? "y" : "z", "its place among the axes of space");
  }
  return type === null ? (roleNamed(name) ?? guessed("other", "not stated")) : stated("other", "the image's axes");
}

/** The most labels listed. Labels beyond the limit still have their own colours. */
const mostCategories = 10_000;

/** The labels with a stated colour or name. */
function labelCategories({ label }: Image): Category[] {
  const colours = label?.colors ?? new Map<number | bigint, null>();
  const properties = label?.properties ?? new Map<number | bigint, Record<string, unknown>>();
  const values = [...new Set([...colours.keys(), ...properties.keys()])].slice(0, mostCategories);
  return values.map((value) => {
    const known = properties.get(value);
    const named = ["name", "label", "class"].map((key) => text(member(known, key))).find((one) => one !== undefined);
    const rgba = colours.get(value);
    return { value: Number(value), label: named ?? String(value), colour: rgba ? [rgba[0], rgba[1], rgba[2]] : null };
  });
}
