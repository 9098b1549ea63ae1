// What is in the panels of the controls that few open, and what an answer to a question needs. Loaded when one is opened or answered.
export { AxesChoice } from "./axes.js";
export { ColourOptions } from "./colours.js";
export { fillMenu, takeEntries } from "./menu.js";
export { middleOf } from "./middle.js";
