// Regions of a picture. This module is loaded when one is drawn or chosen.
export { maskOf, partsOf } from "./cells.js";
export { diagramOf } from "./diagram.js";
export { groundOf } from "./statistics.js";
export { regionCost, summaryOf } from "./summary.js";
export { RegionTools } from "./tools.js";
