/** The styles of plots. */
export const css = `
.plot { display: flex; flex-direction: column; height: 100%; min-height: 0; background: var(--paper); }
.plot-head { display: flex; gap: 12px; align-items: flex-start; padding: 6px 12px 0; min-height: 32px; }
.plot-legend { flex: 1; min-width: 0; display: flex; flex-wrap: wrap; gap: 2px 16px; align-items: center; min-height: 28px;
  font-variant-numeric: tabular-nums; }
.plot-series { display: inline-flex; align-items: center; gap: 6px; max-width: 100%; overflow-wrap: anywhere; }
.plot-series b { font-weight: 600; }
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
.plot-colour-0 { color: var(--accent); }
.plot-colour-1 { color: light-dark(#c2410c, #ff9d66); }
.plot-colour-2 { color: light-dark(#4f46c8, #a5a0ff); }
.plot-colour-3 { color: light-dark(#a31668, #ff8fcb); }
.plot-colour-4 { color: light-dark(#8a6d00, #e6c84f); }
.plot-colour-5 { color: light-dark(#1d6fb8, #74bdf5); }
.plot-colour-6 { color: light-dark(#4d7a12, #a6d65c); }
.plot-colour-7 { color: light-dark(#55636e, #b4c0c8); }
`;
