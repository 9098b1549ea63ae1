// The channels of an image.
import type { ZarrArray } from "../../api/array.js";
import type { Image } from "../../ome/index.js";
import { guessed, stated } from "../fact.js";
import type { Channel, Field } from "../field.js";
import { colourOf } from "../meaning.js";

/** The most channels with individual settings. More are shown one at a time. */
const mostChannels = 256;

/** The number of channels drawn initially, if the metadata state none. */
const mostVisible = 4;

type Colour = readonly [red: number, green: number, blue: number];

const [red, green, blue, white]: [Colour, Colour, Colour, Colour] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 255],
];
const [cyan, magenta, yellow]: [Colour, Colour, Colour] = [
  [0, 255, 255],
  [255, 0, 255],
  [255, 255, 0],
];

/** The default colours for a number of channels. */
function palette(count: number): readonly Colour[] {
  if (count === 1) return [white];
  if (count === 2) return [green, magenta];
  return count === 3 ? [red, green, blue] : [blue, green, red, cyan, magenta, yellow, white];
}

/**
 * @internal The channels along an axis, from `omero` or else by number. Null without such an axis,
 * or if it is too long.
 */
export function channelsOf(image: Image, array: ZarrArray, axis: number): Field["channels"] {
  const count = array.shape[axis] ?? 0;
  if (axis < 0 || count < 1 || count > mostChannels) return null;
  const colours = palette(count);
  // The channels of a photograph are drawn unchanged.
  const isPhoto = count === 3 && array.dtype === "uint8" && image.channels.length === 0;
  const list = Array.from({ length: count }, (_, i): Channel => {
    const { label, color, active, window } = image.channels[i] ?? {};
    const colour = color === undefined ? null : colourOf(color);
    return {
      label: label?.trim() || (isPhoto ? (["Red", "Green", "Blue"][i] as string) : `Channel ${i}`),
      colour: colour
        ? stated(colour, "the attribute omero")
        : guessed(colours[i % colours.length] as Colour, `one of ${count} channels`),
      window:
        window && window.start < window.end
          ? stated([window.start, window.end], "the attribute omero")
          : isPhoto
            ? guessed([0, 255], "three channels of bytes")
            : null,
      visible: active ?? i < mostVisible,
    };
  });
  const [first, ...others] = list as [Channel, ...Channel[]];
  // Metadata that hide all channels are overruled: the first is shown.
  return { axis, list: list.some(({ visible }) => visible) ? list : [{ ...first, visible: true }, ...others] };
}
