/** The styles of plots. */
export const css = `
.later { display: flex; flex-direction: column; }
.later > * { flex: 1; min-height: 0; }
.panel-fill { display: flex; flex-direction: column; height: 100%; min-height: 0; }
.panel-rest { flex: 1; min-height: 0; }
.panel-fill > .table, .panel-fill > .value { flex: 1; }
.plot-note { padding: 4px 12px; color: var(--muted); }
.plot-note .zc-button { border-color: var(--line); }
.plot { display: flex; flex-direction: column; height: 100%; min-height: 0; background: var(--paper); }
.plot-head { display: flex; flex-wrap: wrap; gap: 2px 12px; align-items: flex-start; padding: 6px 12px 0; min-height: 32px; }
.plot-legend { flex: 1 1 160px; min-width: 0; display: flex; flex-wrap: wrap; gap: 2px 16px; align-items: center; min-height: 28px;
  font-variant-numeric: tabular-nums; }
.plot-series { display: inline-flex; align-items: center; gap: 6px; max-width: 100%; overflow-wrap: anywhere; }
.plot-series b { flex: none; font-weight: 600; }
.plot-at { color: var(--muted); margin-inline-start: auto; }
.plot-swatch { flex: none; width: 14px; height: 4px; border-radius: 2px; background: currentColor; }
.plot-swatch-square { height: 12px; width: 12px; border-radius: 3px; }
.plot-tools { flex: none; display: flex; border: 1px solid var(--line); border-radius: 6px; overflow: hidden; background: var(--raised); }
.plot-tool { font: inherit; font-size: 12px; color: var(--ink); background: none; border: 0; border-inline-start: 1px solid var(--line);
  min-width: 30px; min-height: 26px; padding: 0 8px; cursor: pointer; }
.plot-tool:first-child { border-inline-start: 0; }
.plot-tool:hover { background: var(--paper); }
.plot-tool[aria-pressed="true"] { background: var(--accent); color: var(--on-accent); }
.plot-tool:focus-visible { outline-offset: -2px; }
.plot-canvas { flex: 1; min-height: 0; height: 0; width: 100%; display: block; touch-action: none; cursor: crosshair; }
.plot-canvas:focus-visible { outline-offset: -2px; }
.scatter-body { flex: 1; min-height: 0; display: flex; }
.scatter-stage { flex: 1; min-width: 0; position: relative; overflow: hidden; }
.scatter-dots { position: absolute; }
.scatter-over { position: absolute; inset: 0; width: 100%; height: 100%; touch-action: none; cursor: crosshair; }
.scatter-over:focus-visible { outline-offset: -2px; }
.scatter-legend { flex: none; max-width: 40%; overflow: auto; padding: 8px 12px; box-sizing: border-box; font-size: 13px; }
.scatter-legend:empty { display: none; }
.scatter-legend ul { list-style: none; margin: 0; padding: 0; }
.scatter-title { font-weight: 600; margin-block-end: 6px; overflow-wrap: anywhere; }
.scatter-category { display: flex; align-items: center; gap: 8px; min-height: 26px; width: 100%; padding: 0 6px; font: inherit; color: var(--ink);
  background: none; border: 0; border-radius: 4px; text-align: start; cursor: pointer; overflow-wrap: anywhere; }
.scatter-category:hover { background: var(--raised); }
.scatter-category[aria-pressed=false] { color: var(--muted); text-decoration: line-through; }
.scatter-category[aria-pressed=false] .plot-swatch { opacity: 0.3; }
.scatter-scale { display: flex; gap: 8px; height: 160px; }
.scatter-bar { width: 14px; border-radius: 3px; }
.scatter-ends { display: flex; flex-direction: column; justify-content: space-between; font-variant-numeric: tabular-nums; }
.frame-head { display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: center; padding: 6px 12px; border-block-end: 1px solid var(--line); }
.frame-tabs { display: flex; gap: 2px; }
.frame-tab { font: inherit; color: var(--muted); background: none; border: 0; border-block-end: 2px solid transparent; min-height: 28px;
  padding: 0 10px; cursor: pointer; }
.frame-tab[aria-selected=true] { color: var(--ink); border-color: var(--accent); }
.frame-head select { font: inherit; color: var(--ink); background: var(--raised); border: 1px solid var(--line); border-radius: 6px;
  min-height: 28px; max-width: 16em; }
.series { border-block-start: 1px solid var(--line); background: var(--paper); }
.series-head { display: flex; gap: 8px; align-items: center; padding: 4px 12px 0; }
.series-head label { flex: 1; color: var(--muted); font-size: 13px; }
.series-head select, .series-button { font: inherit; font-size: 13px; color: var(--ink); background: var(--raised); border: 1px solid var(--line);
  border-radius: 6px; min-height: 28px; min-width: 28px; }
.series-button { cursor: pointer; padding: 0 10px; }
.series-button:hover { border-color: var(--accent); }
.series-note { padding: 4px 12px; color: var(--muted); font-size: 13px; }
.plot-colour-0 { color: var(--accent); }
.plot-colour-1 { color: light-dark(#c2410c, #ff9d66); }
.plot-colour-2 { color: light-dark(#4f46c8, #a5a0ff); }
.plot-colour-3 { color: light-dark(#a31668, #ff8fcb); }
.plot-colour-4 { color: light-dark(#8a6d00, #e6c84f); }
.plot-colour-5 { color: light-dark(#1d6fb8, #74bdf5); }
.plot-colour-6 { color: light-dark(#4d7a12, #a6d65c); }
.plot-colour-7 { color: light-dark(#55636e, #b4c0c8); }
`;
