// Rarely opened panels of the controls, and the answers to questions. This module is loaded when a
// panel opens or a question is answered.
export { AxesChoice } from "./axes.js";
export { ColourOptions } from "./colours.js";
export { fillMenu, takeEntries } from "./menu.js";
export { middleOf } from "./middle.js";
