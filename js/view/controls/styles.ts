/** The styles of the controls. */
export const css = `
[hidden] { display: none !important; }
.zc-icon { width: 16px; height: 16px; fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; }
.zc-button {
  display: inline-flex; align-items: center; justify-content: center; min-width: 28px; min-height: 28px; padding: 0 8px;
  font: inherit; font-size: 13px; color: var(--ink); background: none; border: 1px solid transparent; border-radius: 6px; cursor: pointer; white-space: nowrap;
}
.zc-square { padding: 0; }
.zc-button:hover, .zc-button[aria-expanded=true] { background: var(--raised); border-color: var(--line); }
.zc-button[aria-pressed=true] { color: var(--accent); }
.zc-button:disabled { opacity: .4; cursor: default; }
.zc-panel {
  position: fixed; inset: auto; margin: 0; padding: 10px; max-width: min(420px, calc(100vw - 8px)); max-height: calc(100vh - 8px); overflow: auto; box-sizing: border-box;
  font-size: 13px; color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: 8px;
  box-shadow: 0 4px 20px light-dark(#0003, #000a);
}
.zc-panel:popover-open { display: grid; gap: 8px; }
.zc-panel .zc-button { border-color: var(--line); }
.zc-reason {
  position: fixed; inset: auto; margin: 0; padding: 4px 8px; max-width: min(320px, calc(100vw - 8px)); box-sizing: border-box;
  font-size: 13px; color: var(--ink); background: var(--paper); border: 1px solid var(--warn); border-radius: 6px;
}
.zc-line { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 8px; }
.zc-label { display: inline-flex; align-items: center; gap: 6px; color: var(--muted); }
.zc-tick { display: inline-flex; align-items: center; gap: 6px; min-height: 24px; cursor: pointer; }
.zc-tick input { width: 16px; height: 16px; margin: 4px; flex: none; accent-color: var(--accent); }
:is(.zc-row, .zc-panel, .zc-channels, .zc-bar, .zc-line, .group) :is(input[type=text], input[type=search], select) {
  box-sizing: border-box; min-height: 26px; padding: 1px 6px; font: inherit; font-size: 13px; font-variant-numeric: tabular-nums;
  color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: 6px;
}
:is(.zc-panel, .zc-channels) input[type=text] { width: 88px; }
input[aria-invalid=true] { border-color: var(--warn) !important; outline-color: var(--warn); }
input[type=range] { min-width: 48px; height: 24px; margin: 0; accent-color: var(--accent); }
.zc-sliders { display: grid; gap: 2px; padding: 4px 8px; font-size: 13px; container-type: inline-size; }
.zc-row { display: flex; align-items: center; gap: 6px; min-height: 30px; }
.zc-name { flex: none; min-width: 40px; max-width: 12ch; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 600; }
.zc-steps { display: inline-flex; flex: none; }
.zc-row input[type=range] { flex: 1 1 120px; width: 0; }
.zc-row .zc-index { width: 58px; text-align: right; }
.zc-at { display: inline-flex; flex: none; align-items: center; gap: 6px; }
.zc-of { color: var(--muted); font-variant-numeric: tabular-nums; white-space: nowrap; }
.zc-row .zc-position { flex: 0 1 auto; min-width: 72px; }
.zc-one :is(.zc-steps, input[type=range], .zc-at, .zc-button) { display: none; }
@container (max-width: 520px) {
  .zc-row { flex-wrap: wrap; gap: 2px 6px; padding: 0 0 2px; }
  .zc-row input[type=range] { flex-basis: calc(100% - 290px); }
  .zc-row .zc-position { flex: 1 1 100px; width: 0; }
}
.zc-bar { padding: 2px 0; min-width: 160px; font-size: 13px; }
.zc-head { display: flex; align-items: center; gap: 6px; }
.zc-head .zc-button { gap: 5px; border-color: var(--line); background: var(--raised); }
.zc-title { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 600; }
.zc-strip { display: block; width: 100%; height: 12px; border-radius: 2px; box-shadow: 0 0 0 1px var(--line); }
.zc-handles { position: relative; height: 28px; touch-action: none; --fill: var(--muted); cursor: grab; }
.zc-handles:active { cursor: grabbing; }
.zc-handles svg { position: absolute; inset: 0; width: 100%; height: 100%; fill: var(--fill); opacity: .55; }
.zc-between { position: absolute; inset: 0 auto 0 0; background: color-mix(in srgb, var(--accent) 12%, transparent); pointer-events: none; }
.zc-handle { position: absolute; top: 0; bottom: 0; width: 24px; margin-left: -12px; cursor: ew-resize; border-radius: 4px; }
.zc-handle::before { content: ""; position: absolute; inset: 0 11px; background: var(--ink); }
.zc-handle::after { content: ""; position: absolute; left: 8px; right: 8px; top: 8px; height: 12px; border-radius: 4px; background: var(--paper); border: 1.5px solid var(--ink); box-sizing: border-box; }
.zc-handle:hover::after, .zc-handle:focus-visible::after { background: var(--accent); }
.zc-ticks { position: relative; height: 20px; font-size: 12px; color: var(--muted); font-variant-numeric: tabular-nums; }
.zc-ticks span { position: absolute; top: 4px; transform: translateX(-50%); white-space: nowrap; }
.zc-ticks i { position: absolute; top: 0; height: 4px; border-left: 1px solid var(--muted); }
.zc-channels { display: grid; gap: 4px; padding: 4px 8px; font-size: 13px; min-width: 0; }
.zc-list { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(240px, 100%), 1fr)); gap: 4px 16px; }
.zc-channel input[type=color] { width: 26px; height: 26px; padding: 0; border: 1px solid var(--line); border-radius: 6px; background: none; cursor: pointer; }
.zc-channel .zc-line { flex-wrap: nowrap; gap: 2px; }
.zc-channel .zc-tick { min-width: 0; flex: 1; }
.zc-channel .zc-tick span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.zc-channel .zc-handles { border-bottom: 2px solid var(--fill); margin: 0 12px; }
.zc-ends { display: flex; gap: 6px; justify-content: space-between; padding-top: 2px; }
.zc-note { color: var(--muted); font-size: 12px; }
.zc-panel td, .zc-panel th { padding: 1px 4px; text-align: right; }
.zc-legend { padding: 4px 8px; font-size: 13px; }
.zc-legend ul { display: flex; flex-wrap: wrap; gap: 2px 14px; margin: 4px 0 0; padding: 0; list-style: none; }
.zc-legend li { display: inline-flex; align-items: center; gap: 6px; }
.zc-legend i { width: 12px; height: 12px; border-radius: 3px; border: 1px solid var(--line); }
.zc-tools { display: inline-flex; flex-wrap: wrap; align-items: center; gap: 2px; }
@media (forced-colors: active) { .zc-handle::before { background: CanvasText; } }
`;
