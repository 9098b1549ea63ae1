import type { Field } from "../../describe/field.js";
import { classesOf } from "../colour/classes.js";
import { colormaps, tableOf } from "../colour/colormaps.js";
import { ChannelList } from "../controls/channels.js";
import { ColourBar } from "../controls/colourbar.js";
import { Legend as CategoryLegend } from "../controls/legend.js";
import { el, fill } from "../dom.js";
import type { ViewState } from "../state.js";
import type { Contrast } from "./contrast.js";
import { channelState, type Look, type LookChannel, MOST_CHANNELS } from "./look.js";
import type { Box } from "./scene.js";
import { colormapOf, coloursOf } from "./styling.js";

/** Events of a legend. */
interface LegendEvents {
  /** The person changed colours or ranges. */
  changed(change: ViewState): void;
  /** The person asked for a range that follows the current data. */
  auto(): void;
  /** The content of a panel failed to load. */
  failed(error: unknown, again: () => void): void;
}

type Kind = Look["kind"];

/** The least length of a colour bar and its distance from the view's edges, in CSS pixels. */
const LEAST = 280;
const MARGIN = 8;

/** The legend of a picture: a colour bar, channels, or categories. */
export class Legend {
  readonly element = el("div", { class: "legend" });
  readonly #field: Field;
  readonly #events: LegendEvents;
  #kind: Kind | null = null;
  #part: { show(look: Look, contrast: Contrast): void; close(): void } | null = null;
  #shown = "";

  constructor(field: Field, events: LegendEvents) {
    this.#field = field;
    this.#events = events;
  }

  /** Shows the legend of a look. */
  show(look: Look, contrast: Contrast): void {
    if (look.kind !== this.#kind) {
      this.close();
      const host = el("div");
      this.#part = this.#make(look.kind, host);
      this.#kind = look.kind;
      this.element.hidden = this.#part === null;
      this.element.dataset.kind = look.kind;
      fill(this.element, host);
      this.#shown = "";
    }
    const known = look.read.map((channel) => [channel, contrast.serial(channel)]);
    const shown = JSON.stringify([look.kind, look.range, look.curve, look.channels, look.colormap, known]);
    if (shown === this.#shown) return;
    this.#part?.show(look, contrast);
    this.#shown = shown;
  }

  /** Places a colour bar below a picture: as long as the picture, and at least readable. */
  place({ x, width }: Pick<Box, "x" | "width">, most: number): void {
    const length = Math.min(most - 2 * MARGIN, Math.max(LEAST, width));
    const from = Math.max(MARGIN, Math.min(most - MARGIN - length, x + (width - length) / 2));
    const { style } = this.element;
    style.setProperty("--from", `${Math.round(from)}px`);
    style.setProperty("--length", `${Math.round(length)}px`);
  }

  /** Removes the legend. */
  close(): void {
    this.#part?.close();
    this.#part = null;
    this.#kind = null;
  }

  #make(kind: Kind, host: HTMLElement) {
    switch (kind) {
      case "map":
        return this.#bar(host);
      case "channel":
        return this.#channels(host);
      case "category":
        return this.#categories(host);
      default:
        return null;
    }
  }

  #bar(host: HTMLElement) {
    const bar = new ColourBar(host, {
      range: (range, auto) => (auto ? this.#events.auto() : this.#events.changed({ range })),
      curve: (curve) => this.#events.changed({ curve }),
      failed: this.#events.failed,
      colormap: (colormap) => this.#events.changed({ colormap }),
    });
    return {
      show: (look: Look, contrast: Contrast) => {
        const [channel = 0] = look.read;
        const range = look.range ?? contrast.range(channel, look.curve);
        // Without values the colour bar has no meaning. It keeps its room, so that nothing moves.
        const known = range !== null && (look.range !== null || !contrast.isEmpty(channel));
        host.style.visibility = known ? "" : "hidden";
        if (!known) return;
        bar.show({
          title: this.#field.title.value,
          units: this.#field.units,
          colormap: colormapOf(this.#field, look),
          maps: colormaps,
          table: tableOf,
          range,
          curve: look.curve,
          statistics: contrast.statistics(channel),
          stated: this.#field.range?.value ?? null,
        });
      },
      close: () => bar.close(),
    };
  }

  #channels(host: HTMLElement) {
    const all = this.#field.channels?.list ?? [];
    let drawn: Look["channels"] = [];
    const change = (index: number, to: Partial<Pick<LookChannel, "colour" | "range">>) =>
      this.#events.changed({
        channels: drawn.map((channel) => channelState({ ...channel, ...(channel.index === index && to) })),
      });
    const list = new ChannelList(host, {
      visible: (index, visible) => {
        const kept = drawn.filter((channel) => channel.index !== index).map(channelState);
        const next = visible ? [...kept, { index }].sort((a, b) => a.index - b.index) : kept;
        this.#events.changed({ channels: next });
      },
      colour: (index, colour) => change(index, { colour }),
      range: (index, range, auto) => change(index, { range: auto ? null : range }),
    });
    return {
      show: (look: Look, contrast: Contrast) => {
        drawn = look.channels;
        list.show({
          channels: all.map(({ label, colour, window }, index) => {
            const now = drawn.find((channel) => channel.index === index);
            return {
              index,
              label,
              colour: now?.colour ?? colour.value,
              range: now?.range ?? window?.value ?? contrast.range(index, look.curve),
              visible: now !== undefined,
              statistics: contrast.statistics(index),
            };
          }),
          most: MOST_CHANNELS,
        });
      },
      close: () => list.close(),
    };
  }

  #categories(host: HTMLElement) {
    const legend = new CategoryLegend(host);
    return {
      show: () => {
        const colours = coloursOf(this.#field);
        const entries = classesOf(this.#field).map(({ label }, i) => ({
          label,
          colour: colours[i] ?? ([0, 0, 0] as const),
        }));
        legend.show({ title: this.#field.title.value, entries });
      },
      close: () => legend.close(),
    };
  }
}
