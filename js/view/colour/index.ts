// What has to do with colours: maps, labels, channels, and where values lie on them.
export { channelColours, hexOf, parseHex } from "./channels.js";
export {
  type Colormap,
  type ColormapKind,
  categoryColours,
  colormaps,
  css,
  defaultColormap,
  gradientOf,
  isColormap,
  kindOf,
  tableOf,
} from "./colormaps.js";
export { logRange, shareOf, valueAt } from "./curve.js";
export { labelColour } from "./labels.js";
export { rangeOf } from "./range.js";
