// Statistics of regions of a picture. This module is loaded when their panel opens.
export { RegionPanel } from "./panel.js";
export { regionCost, summaryOf } from "./summary.js";
