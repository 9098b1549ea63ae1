/** The styles of regions over a picture, and of their panel. */
export const css = `
.region { inset: 0; width: 100%; height: 100%; overflow: hidden; pointer-events: none; }
.region[data-drawing] { pointer-events: all; cursor: crosshair; touch-action: none; }
.region path { fill: none; stroke-linejoin: round; }
.region .under { stroke: #000c; stroke-width: 3.5; }
.region .line { stroke: #fff; stroke-width: 1.5; }
.region .inside { fill: #fff3; fill-rule: evenodd; }
.region circle { fill: #fff; stroke: #000c; stroke-width: 1.5; pointer-events: all; touch-action: none; cursor: move; }
.region[data-drawing] circle { pointer-events: none; }
.region-bar { position: absolute; inset: 8px 8px auto; margin: auto; inline-size: fit-content; display: flex; flex-wrap: wrap; align-items: center; gap: 4px 8px; padding: 4px 10px; font-size: 13px; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; box-shadow: 0 2px 10px light-dark(#0002, #0008); }
.region-bar .zc-button { border-color: var(--line); background: var(--raised); }
.region-table { max-height: 240px; overflow: auto; white-space: nowrap; font-size: 12px; }
.zc-panel input[type=text].region-corners { width: min(300px, 60vw); }
`;
