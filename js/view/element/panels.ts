import type { ZarrArray } from "../../api/array.js";
import type { Group } from "../../api/group.js";
import type { Description } from "../../describe/description.js";
import type { Field } from "../../describe/field.js";
import { type DescribeOptions, describe } from "../../describe/index.js";
import { NotFoundError, open, UnsupportedError } from "../../index.js";
import { LaterPanel } from "../panels/later.js";
import { thumbnail } from "../plate/thumbnail.js";
import type { ViewState } from "../state.js";
import { ViewWorker } from "../worker/viewworker.js";
import { groupNotice, notice } from "./notice.js";
import type { Panel, PanelEvents } from "./panel.js";
import { Picture } from "./picture.js";

type Node = ZarrArray | Group;

/** Opens a node of the same store and says what it is. */
async function describeAt(node: Node, path: string, options: DescribeOptions): Promise<Description> {
  const { signal } = options;
  return describe(await open(node.resolve(path), { signal }), options);
}

/** The field that a description leads to: its own, or that of a dataset's first variable. Null where there is none. */
export async function fieldOf(description: Description, signal: AbortSignal): Promise<Description> {
  if (description.kind !== "dataset" || !description.first) return description;
  const { node, first } = description;
  return describeAt(node, first.value, { group: node, signal });
}

/** Opens an image of labels by its name. */
async function labelsOf(description: Description, name: string, signal: AbortSignal): Promise<Field> {
  const found = description.kind === "image" ? description.labels.find((label) => label.name === name) : undefined;
  if (!found || description.kind !== "image")
    throw new NotFoundError(`there are no labels “${name}” at ${description.path}`);
  const labels = await describeAt(description.node, found.path, { group: description.node, signal });
  if (labels.kind === "image" || labels.kind === "array") return labels.field;
  throw new UnsupportedError(`what lies at ${found.path} is no image`, {
    path: found.path,
    feature: `labels of a ${labels.kind}`,
  });
}

const drawable = ["number", "boolean", "category", "time", "duration", "complex"];

/** Makes the panel for what a node is. */
export function panelOf(description: Description, state: ViewState, events: PanelEvents): Panel {
  switch (description.kind) {
    case "array":
    case "image": {
      const { field } = description;
      if (field.axes.some(({ length }) => length === 0)) {
        const shape = field.axes.map(({ length }) => length).join(" × ");
        return notice(field.title.value, `There is nothing to see: the shape is ${shape}.`);
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
        labels: (name: string, signal: AbortSignal) => labelsOf(description, name, signal),
        labelNames: description.kind === "image" ? description.labels.map(({ name }) => name) : [],
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
