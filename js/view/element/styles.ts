/** The styles of the element's own parts. */
export const css = `
:host { block-size: 32rem; min-inline-size: 0; overflow: hidden; }
:host(:fullscreen) { block-size: 100%; }
.view { position: absolute; inset: 0; display: flex; flex-direction: column; container-type: size; }
.panel { flex: 1; min-height: 0; display: flex; }
.panel > * { flex: 1; min-width: 0; min-height: 0; }
.picture { display: grid; grid-template: 1fr auto auto auto auto / minmax(0, 1fr) auto auto; overflow: hidden auto; }
.picture > * { grid-column: 1; }
.stage { grid-row: 1; position: relative; min-height: 57cqh; }
.picture:has(> .beside:not([hidden])) > .stage { min-height: min(40cqh, 12rem); }
.surface { position: absolute; inset: 0; overflow: hidden; touch-action: none; cursor: crosshair; background: var(--paper); color: var(--ink); border: 0 solid var(--line); user-select: none; -webkit-user-select: none; }
.surface.dragged { cursor: grabbing; }
.surface:focus-visible { outline-offset: -2px; }
.surface > * { position: absolute; }
.over { inset: 0; width: 100%; height: 100%; pointer-events: none; }
.chequers { background: repeating-conic-gradient(var(--ground-a) 0 25%, var(--ground-b) 0 50%) 0 0 / 16px 16px; }
.chequers.empty { background: var(--raised); }
.chequers.dark { background: #000; }
.pixels, .over { will-change: transform; }
.pixels { pointer-events: none; }
.void { position: absolute; left: 50%; top: 50%; transform: translate(-50%, -50%); max-width: 80%; padding: 6px 14px; font-size: 14px; text-align: center; background: color-mix(in srgb, var(--paper) 88%, transparent); border-radius: 8px; pointer-events: none; }
.void:empty { display: none; }
.badge { position: absolute; right: 8px; bottom: 8px; padding: 1px 8px; font-size: 12px; color: var(--muted); background: color-mix(in srgb, var(--paper) 82%, transparent); border-radius: 10px; pointer-events: none; }
.legend[data-kind=map] { grid-row: 2; block-size: 94px; margin-inline: var(--from, 0) auto; inline-size: var(--length, 100%); }
.legend[data-kind=map]:not([style]) > * { display: none; }
.steps { grid-row: 3; min-width: 0; }
.beside { grid-row: 4; height: min(15rem, 30cqh); min-height: 0; border-block-start: 1px solid var(--line); }
.beside[hidden] { display: none; }
.picture > .bar { grid-row: 5; grid-column: 1 / -1; position: relative; display: flex; flex-wrap: wrap; align-items: center; gap: 0 6px; padding: 4px 8px; min-width: 0; border-block-start: 1px solid var(--line); }
.bar .readout { flex: 1 1 100%; block-size: 26px; overflow: hidden; }
.bar .zc-button { border-color: var(--line); background: var(--raised); gap: 5px; }
.bar .zc-button:hover { border-color: var(--accent); }
.drawer { display: flex; flex-wrap: wrap; gap: 4px 12px; }
.group { display: flex; flex-wrap: wrap; align-items: center; gap: 4px; }
.group + .group { padding-inline-start: 12px; border-inline-start: 1px solid var(--line); }
.group:not(:has(> :not([hidden]))) { display: none; }
.opener { display: none; }
.legend:is([data-kind=channel], [data-kind=category]) { grid-row: 1 / 5; grid-column: 3; inline-size: 15.5rem; max-inline-size: 45cqi; box-sizing: border-box; overflow: auto; border-inline-start: 1px solid var(--line); }
.legend[hidden] { display: none; }
.readout { display: flex; flex-wrap: wrap; gap: 0 14px; align-items: baseline; min-height: 26px; padding: 2px 2px; font-size: 13px; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.readout > .words:only-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.readout .name, .words { color: var(--muted); }
.readout .words { margin-inline-start: 6px; }
.readout .value { font-weight: 600; }
.readout .value .words { font-weight: 400; }
.notice { margin: auto; padding: 24px; max-width: 40rem; overflow-wrap: anywhere; }
.notice h2 { margin: 0 0 6px; font-size: 17px; line-height: 1.3; }
.notice p { margin: 0 0 8px; }
.notice ul { margin: 8px 0; padding: 0; list-style: none; max-height: 20rem; overflow: auto; }
.front { position: absolute; inset: auto 0 0 0; margin: 12px auto; inline-size: fit-content; max-inline-size: calc(100% - 24px); box-sizing: border-box; padding: 12px 16px; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; box-shadow: 0 4px 20px light-dark(#0002, #0008); overflow-wrap: anywhere; max-height: 70%; overflow: auto; z-index: 2; }
.front[hidden] { display: none; }
.front p { margin: 0 0 8px; }
.front.failed { border-color: var(--warn); }
.front strong { color: var(--warn); }
.front code { font-size: 12px; color: var(--muted); }
.row { display: flex; flex-wrap: wrap; gap: 8px; }
.act { min-height: 30px; padding: 2px 14px; font: inherit; color: var(--ink); background: var(--raised); border: 1px solid var(--line); border-radius: 6px; cursor: pointer; }
.act.first { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
.link { padding: 4px 0; min-height: 24px; font: inherit; color: var(--accent); background: none; border: 0; cursor: pointer; text-align: start; text-decoration: underline; }
.busy { position: absolute; inset: 0 0 auto 0; height: 3px; z-index: 3; overflow: hidden; pointer-events: none; }
.busy[hidden] { display: none; }
.busy i { display: block; height: 100%; width: 100%; transform-origin: 0 0; background: var(--accent); transition: transform .15s; }
.stop { position: absolute; left: 8px; top: 8px; z-index: 3; }
.stop[hidden] { display: none; }
.live { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
[data-controls=some] :is(.axes, .group:has([aria-label="Take away"])) { display: none; }
[data-controls=none] :is(.bar, .steps, .legend) { display: none; }
@container (min-width: 720px) {
  .picture > .beside { grid-row: 1 / 5; grid-column: 2; inline-size: 34cqi; height: auto; contain: size; border-block-start: 0; border-inline-start: 1px solid var(--line); }
}
@container (max-width: 640px) or (max-height: 510px) {
  .bar .readout { flex-basis: 0; min-width: 0; block-size: 36px; align-content: center; }
  .opener { display: inline-flex; }
  .drawer:not(.open) { display: none; }
  .drawer { position: absolute; inset: auto 0 100% 0; z-index: 2; max-height: 60cqh; overflow: auto; padding: 12px; background: var(--paper); border-block-start: 1px solid var(--line); border-radius: 12px 12px 0 0; box-shadow: 0 -4px 20px light-dark(#0002, #0008); }
  .bar .zc-button { min-height: 36px; min-width: 36px; }
}
@container (max-width: 640px) {
  .legend:is([data-kind=channel], [data-kind=category]) { grid-row: 2; grid-column: 1; inline-size: auto; max-inline-size: none; max-height: 6rem; border: 0; }
  .readout > .words:only-child { white-space: normal; }
  .drawer { flex-direction: column; }
  .drawer > .legend.legend { max-height: none; overflow: visible; }
  .group + .group { padding: 8px 0 0; border: 0; border-block-start: 1px solid var(--line); }
}
@container (max-width: 420px) { .zc-head .zc-button span { display: none; } }
@media (prefers-reduced-motion: reduce) { .busy i { transition: none; } }
`;
