// The controls of the element. Each takes a place in the page and event callbacks, and shows plain
// data.
export { AxesPicker, type AxesPickerEvents } from "./axespicker.js";
export { ChannelList, type ChannelListData, type ChannelListEvents, type ChannelRow } from "./channels.js";
export { ColourBar, type ColourBarEvents } from "./colourbar.js";
export type { AxesPickerData, ColourBarData } from "./data.js";
export {
  LabelsControl,
  type LabelsControlData,
  type LabelsControlEvents,
  Legend,
  type LegendData,
  type LegendEntry,
} from "./legend.js";
export { ColourMapPicker, type ColourMapPickerData, type ColourMapPickerEvents, type MapName } from "./maps.js";
export { type SliderAxis, Sliders, type SlidersEvents } from "./sliders.js";
export { autoRange, fullRange, positive, type Range, symmetric } from "./span.js";
export { css } from "./styles.js";
export { type MenuEntry, Toolbar, type ToolbarData, type ToolbarEvents } from "./toolbar.js";
