// Panels of lines, tables, values, plates and points. This module is loaded when a node needs one.
import { css as plateCss } from "../plate/styles.js";
import { css as plotCss } from "../plot/styles.js";
import { css as tableCss } from "../table/styles.js";

export { PlatePanel } from "../plate/panel.js";
export { LinePanel } from "../plot/linepanel.js";
export { SeriesPlot } from "../plot/series.js";
export { FramePanel } from "../table/framepanel.js";
export { FieldTablePanel, ValuePanel } from "../table/panels.js";

/** The styles of these panels. */
export const css = plotCss + tableCss + plateCss;
