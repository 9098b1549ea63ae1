import type { ZarrArray } from "../../api/array.js";
import type { Group } from "../../api/group.js";
import type { Description, ImageDescription } from "../../describe/description.js";
import type { Field } from "../../describe/field.js";
import { type DescribeOptions, describe, labelsOf } from "../../describe/index.js";
import { NotFoundError, UnsupportedError } from "../../index.js";
import { openFrom } from "../../shared/openfrom.js";
import { canBeMapped, rememberCells } from "../mesh/cells.js";
import { LaterPanel } from "../panels/later.js";
import { thumbnail } from "../plate/thumbnail.js";
import type { ViewState } from "../state.js";
import { ViewWorker } from "../worker/viewworker.js";
import { isMuch } from "./budget.js";
import { groupNotice, notice } from "./notice.js";
import type { Panel, PanelEvents } from "./panel.js";
import { Picture } from "./picture.js";

type Node = ZarrArray | Group;

/** Opens and describes a node of the same store. */
async function describeAt(node: Node, path: string, options: DescribeOptions): Promise<Description> {
  const { signal } = options;
  return describe(await openFrom(node, node.resolve(path), { signal }), options);
}

/**
 * Reports whether a state wants a map of a curvilinear grid; undefined leaves the choice to the
 * view. Chosen axes mean rows and columns.
 */
export const mapOf = ({ axes, map }: ViewState): boolean | undefined => (axes ? false : map);

/** The drawn description, its origin, and whether it can be a map of a curvilinear grid. */
interface Shown {
  /** The description before any computation. */
  readonly base: Description;
  readonly shown: Description;
  readonly curved: boolean;
}

/**
 * Returns the drawn field of a node: its own, or that of a dataset's first variable. Applies the
 * state's expression, its subtraction, its diagram and its map.
 */
export async function fieldOf(
  description: Description,
  state: ViewState,
  map: boolean | undefined,
  signal: AbortSignal,
): Promise<Shown> {
  const { expression, minus } = state;
  let shown = description;
  if (description.kind === "dataset" && description.first) {
    const { node, first } = description;
    shown = await describeAt(node, first.value, { group: node, signal });
  }
  const base = shown;
  const workers = () => new ViewWorker();
  if (expression !== undefined) {
    const { evaluated } = await import("../expression/index.js");
    shown = await evaluated(shown, expression, workers, signal);
  }
  if (minus !== undefined) {
    const { subtracted } = await import("../difference/index.js");
    shown = await subtracted(shown, minus, workers, signal);
  }
  if (state.diagram) {
    const { diagramOf } = await import("../regions/index.js");
    shown = await diagramOf(shown, state, workers, signal);
  }
  if (shown.kind !== "array" || !canBeMapped(shown.field)) return { base, shown, curved: false };
  const grid = shown.field.place?.curvilinear;
  if (map === false || !grid) return { base, shown, curved: true };
  const { mapped, placesCost } = await import("../mesh/index.js");
  if (map === undefined && isMuch(placesCost(grid))) return { base, shown, curved: true };
  try {
    const { field, cells } = await mapped(shown.field, workers, signal);
    rememberCells(field, cells);
    return { base, shown: { ...shown, field }, curved: true };
  } catch (error) {
    // A map that the person did not request must not hide a drawable field. A requested one reports
    // its error.
    if (map === true || signal.aborted) throw error;
    return { base, shown, curved: true };
  }
}

/** Returns the label images of an image. */
async function labelsIn(description: Description, signal: AbortSignal): Promise<ImageDescription["labels"]> {
  return description.kind === "image" ? (await labelsOf(description, { signal })).labels : [];
}

/** Opens a label image by its name. */
async function openLabels(description: Description, name: string, signal: AbortSignal): Promise<Field> {
  const found = (await labelsIn(description, signal)).find((label) => label.name === name);
  if (!found || description.kind !== "image")
    throw new NotFoundError(`there are no labels “${name}” at ${description.path}`);
  const labels = await describeAt(description.node, found.path, { group: description.node, signal });
  if (labels.kind === "image" || labels.kind === "array") return labels.field;
  throw new UnsupportedError(`${found.path} is not an image`, {
    path: found.path,
    feature: `labels of a ${labels.kind}`,
  });
}

const drawable = ["number", "boolean", "category", "time", "duration", "complex"];

/** Creates the panel for a node's description; `base` is the one before any computation. */
export function panelOf(description: Description, base: Description, state: ViewState, events: PanelEvents): Panel {
  switch (description.kind) {
    case "array":
    case "image": {
      const { field } = description;
      if (field.axes.some(({ length }) => length === 0)) {
        const shape = field.axes.map(({ length }) => length).join(" × ");
        return notice(field.title.value, `Nothing to show: the shape is ${shape}.`);
      }
      const { x, y } = field.plane.value;
      const isDrawable = drawable.includes(field.values);
      if (x === null) return new LaterPanel(state, events, ({ ValuePanel }) => new ValuePanel(field, events));
      if (!isDrawable) {
        return new LaterPanel(state, events, ({ FieldTablePanel }, now) => new FieldTablePanel(field, now, events));
      }
      if (y === null || state.axes?.[0] === "") {
        return new LaterPanel(
          state,
          events,
          ({ LinePanel }, now) => new LinePanel(field, now, events, new ViewWorker()),
        );
      }
      const subject = {
        field,
        image: description.kind === "image",
        labels: (name: string, signal: AbortSignal) => openLabels(description, name, signal),
        labelNames: async (signal: AbortSignal) => (await labelsIn(description, signal)).map(({ name }) => name),
        others: async (signal: AbortSignal) => (await import("../difference/index.js")).subtractable(base, signal),
        base,
      };
      return new Picture(subject, state, events);
    }
    case "group":
      return groupNotice(description, (path) => events.open(path));
    case "table":
      return new LaterPanel(state, events, ({ FramePanel }, now) => new FramePanel(description, now, events));
    case "plate":
      return new LaterPanel(state, events, ({ PlatePanel }) => new PlatePanel(description, events, thumbnail));
    case "dataset":
      return notice(description.title.value, "This dataset has no variables.");
  }
}
