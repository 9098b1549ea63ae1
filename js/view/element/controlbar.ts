import { AxesPicker, type AxesPickerEvents } from "../controls/axespicker.js";
import type { AxesPickerData } from "../controls/data.js";
import { LabelsControl, type LabelsControlEvents } from "../controls/legend.js";
import { choice, offer, type Panel, textButton } from "../controls/parts.js";
import { Toolbar, type ToolbarEvents } from "../controls/toolbar.js";
import type { MinusData } from "../difference/choice.js";
import { append, el, fill } from "../dom.js";
import { computedOf } from "../expression/computed.js";
import { canBeMapped, cellsOf } from "../mesh/cells.js";
import type { Projection, ViewState, VolumeState } from "../state.js";
import { LaterControl } from "./latercontrol.js";
import { depthAxis, isProjectable, type Look, modeOf, modesOf } from "./look.js";
import { hasSeries } from "./sideplot.js";
import type { PictureSubject } from "./subject.js";

/** Events of the controls. */
interface BarEvents extends ToolbarEvents, AxesPickerEvents, LabelsControlEvents {
  /** The person chose a subtraction. */
  minus(minus: MinusData["minus"]): void;
  /** The person chose the components of arrows, or none. */
  arrows(paths: ViewState["arrows"]): void;
  /** The person chose an expression, or removed it. */
  expression(text: string | undefined): void;
  /** Fills the panel of regions. `drawer` opens and closes the controls of a narrow view. */
  region(panel: Panel, drawer: (open: boolean) => void): Promise<void>;
  /** The person switched between the map and rows and columns. */
  map(): void;
  /** The person chose the projection of a map. */
  projection(projection: Projection | undefined): void;
  /** The person chose how to draw a volume, or to draw the picture. */
  volume(mode: VolumeState["mode"] | undefined): void;
  /** The person opened or closed series. */
  series(): void;
  /** The person asked for ranges by statistics. */
  auto(): void;
}

/** The controls below a picture. */
export class ControlBar {
  readonly element = el("div", { class: "bar" });
  /** The groups of controls. In a narrow view it opens over the picture. */
  readonly #drawer = el("div", { class: "drawer" });
  readonly #opener = textButton("Controls", () => {});
  readonly #subject: PictureSubject;
  readonly #shown: () => Omit<MinusData, "others">;
  readonly #events: BarEvents;
  readonly #ended: AbortSignal;
  readonly #toolbar: Toolbar;
  readonly #picker: AxesPicker;
  readonly #labelling: LabelsControl;
  readonly #minus: LaterControl;
  readonly #expression: LaterControl;
  readonly #region: LaterControl;
  readonly #arrows: LaterControl;
  readonly #series: HTMLButtonElement;
  readonly #projection: HTMLSelectElement;
  readonly #volume: HTMLSelectElement;
  /** The axes that can be drawn. */
  readonly #choices: AxesPickerData["axes"];
  #state: ViewState = {};
  /** The names of the label images; null until they arrive. */
  #names: readonly string[] | null = null;

  /** Inserts itself after `readout`, which it contains. */
  constructor(
    subject: PictureSubject,
    readout: HTMLElement,
    shown: () => Omit<MinusData, "others">,
    events: BarEvents,
    ended: AbortSignal,
  ) {
    const { field } = subject;
    this.#opener.classList.add("opener");
    this.#open(false);
    this.#subject = subject;
    this.#shown = shown;
    this.#events = events;
    this.#ended = ended;
    const [axes, labels, zoom, away] = [el("div", { class: "axes" }), el("div"), el("div"), el("div")];
    this.#toolbar = new Toolbar({ zoom, away }, events);
    this.#picker = new AxesPicker(axes, events);
    this.#labelling = new LabelsControl(labels, events);
    const { failed } = events;
    const title = "Subtract another variable or another index";
    this.#minus = new LaterControl("Compare", { name: "Compare with", title }, this.#subtraction, failed, ended);
    const named = { name: "Calculate an expression", title: "Calculate with this and other variables" };
    this.#expression = new LaterControl("Calculate", named, this.#calculation, failed, ended);
    const summed = { name: "Statistics of a region", title: "Draw a region: its statistics, series and diagrams" };
    const regional = (panel: Panel) => events.region(panel, (open) => this.#open(open));
    this.#region = new LaterControl("Region", summed, regional, failed, ended);
    const flows = { name: "Arrows of a vector", title: "Arrows of two variables, such as wind" };
    this.#arrows = new LaterControl("Arrows", flows, this.#vectors, failed, ended);
    for (const { element } of [this.#minus, this.#expression, this.#arrows])
      element.hidden = !computable.includes(field.values) || field.colourAxis !== null;
    const summable = [...computable, "category"].includes(field.values);
    this.#series = textButton("Series", events.series);
    this.#series.title = "Values along another axis at clicked points; with Shift along a line";
    this.#series.hidden = !hasSeries(field);
    const mapped = cellsOf(field) !== undefined;
    // The pixels of a map are not the elements of the grid.
    this.#region.element.hidden = mapped || !summable || field.colourAxis !== null;
    if (mapped || subject.image) this.#arrows.element.hidden = true;
    const map = textButton("Map", events.map);
    map.title = "Draw elements at their places on the Earth, or as rows and columns";
    map.hidden = !mapped && !canBeMapped(field);
    map.setAttribute("aria-pressed", String(mapped));
    this.#projection = choice("Projection", (name) => events.projection((name || undefined) as Projection | undefined));
    this.#projection.hidden = !isProjectable(field);
    offer(
      this.#projection,
      field.place?.lonLat
        ? [["", "Plate carrée"], ...names]
        : [["", "Own grid"], ["plate-carree", "Plate carrée"], ...names],
    );
    this.#volume = choice("Volume", (mode) => events.volume((mode || undefined) as VolumeState["mode"] | undefined));
    // A map keeps north up, so its axes cannot be chosen.
    this.#choices = mapped
      ? []
      : field.axes.flatMap(({ name, length }, axis) =>
          length > 1 && axis !== field.colourAxis && axis !== field.channels?.axis ? [{ axis, name }] : [],
        );
    const auto = textButton("Auto", events.auto);
    auto.title = "Fits the colours to the values of the slice or the volume";
    const more = el("slot", {
      name: "compare",
      hidden: true,
      onslotchange: () => {
        more.hidden = more.assignedNodes().length === 0;
      },
    });
    const groups = [
      group("Look", axes, map, this.#projection, this.#volume, this.#arrows.element, auto, zoom),
      group("Compare", this.#minus.element, this.#expression.element, this.#region.element, this.#series, more),
      group("Take away", away),
      // Their names arrive last, so that no other group moves.
      group("Labels", labels),
    ];
    append(this.#drawer, ...groups);
    this.#opener.addEventListener("click", () => this.#open(!this.#drawer.classList.contains("open")));
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented || !this.#drawer.classList.contains("open")) return;
      this.#open(false);
      this.#opener.focus();
    });
    append(this.element, readout, this.#opener, this.#drawer);
  }

  /** Moves a part into the drawer of a narrow view, or out of it to the end of `host`. */
  keep(part: HTMLElement, host: HTMLElement, inside: boolean): void {
    if (inside === (part.parentNode === this.#drawer)) return;
    if (inside) this.#drawer.prepend(part);
    else host.insertBefore(part, this.element);
  }

  #open(open: boolean): void {
    this.#drawer.classList.toggle("open", open);
    this.#opener.setAttribute("aria-expanded", String(open));
  }

  /** Shows the controls of a look; `full` if the picture fills the screen. */
  show(look: Look, state: ViewState, full: boolean): void {
    this.#state = state;
    this.#picker.show({ axes: this.#choices, plane: look, turns: true });
    this.#projection.value = look.projection ?? "";
    this.#volume.hidden = depthAxis(this.#subject.field, look) === null;
    offer(this.#volume, [["", "Slice"], ...modesOf(look).map((mode) => [mode, `Volume: ${mode}`] as const)]);
    this.#volume.value = state.volume ? modeOf(look, state.volume.mode) : "";
    // A volume covers the picture on which these act.
    const covered = state.volume !== undefined && !this.#volume.hidden;
    this.#projection.disabled = covered;
    this.#series.disabled = covered && state.series === undefined;
    this.#nameLabels();
    this.#toolbar.show({ zooms: true, full });
    this.#series.setAttribute("aria-pressed", String(state.series !== undefined));
    this.#minus.show(state.minus !== undefined);
    this.#expression.show(state.expression !== undefined);
    this.#region.show(state.region !== undefined, covered);
    this.#arrows.show(state.arrows !== undefined, covered);
  }

  /**
   * Reads the names of the label images, once. Only the menu needs them, so no picture waits for
   * them.
   */
  async findLabels(): Promise<void> {
    if (this.#names || !this.#subject.image) return;
    this.#names = [];
    const names = await this.#subject.labelNames(this.#ended).catch(() => []);
    if (this.#ended.aborted) return;
    this.#names = names;
    this.#nameLabels();
  }

  /** Fills the panel with the choice of a subtraction. */
  readonly #subtraction = async (panel: Panel): Promise<void> => {
    const { MinusChoice } = await import("../difference/index.js");
    const others = await this.#subject.others(this.#ended);
    const choice = new MinusChoice(panel.box, (minus) => {
      panel.close();
      this.#events.minus(minus);
    });
    choice.show({ ...this.#shown(), others });
  };

  /** Fills the panel with the field of an expression. */
  readonly #calculation = async (panel: Panel): Promise<void> => {
    const { openChoice } = await import("../expression/index.js");
    const { field, axes } = this.#shown();
    const { expression: text } = this.#state;
    const shown = { text, computed: computedOf(field), axis: axes.find(({ length }) => length > 1)?.name };
    const chosen = (text: string | undefined) => {
      panel.close();
      this.#events.expression(text);
    };
    await openChoice(panel.box, this.#subject.base, shown, chosen, this.#ended);
  };

  /** Fills the panel with the vectors beside the shown variable. */
  readonly #vectors = async (panel: Panel): Promise<void> => {
    const { openArrows } = await import("../vectors/index.js");
    await openArrows(panel.box, this.#subject.base, this.#state.arrows, this.#events.arrows, this.#ended);
  };

  /** Removes the controls. */
  close(): void {
    fill(this.element);
  }

  #nameLabels(): void {
    const { name = null, opacity = 0.5 } = this.#state.labels ?? {};
    this.#labelling.show({ names: this.#names ?? [], chosen: name, opacity });
  }
}

/** Projections that need a field's longitudes and latitudes. */
const names: readonly (readonly [name: Projection, text: string])[] = [
  ["orthographic", "Globe"],
  ["equal-earth", "Equal Earth"],
  ["mercator", "Mercator"],
  ["north-polar", "North pole"],
  ["south-polar", "South pole"],
];

/** Returns a named group of controls. */
const group = (name: string, ...parts: HTMLElement[]) =>
  el("div", { class: "group", role: "group", "aria-label": name }, ...parts);

/** Kinds of values that can be computed with. */
const computable = ["number", "boolean"];
