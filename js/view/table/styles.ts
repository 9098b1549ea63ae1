/** The styles of tables and values. */
export const css = `
.table { display: flex; flex-direction: column; height: 100%; min-height: 0; background: var(--paper); font-size: 13px; }
.table-scroller { flex: 1; min-height: 0; overflow: auto; border-block-end: 1px solid var(--line); overscroll-behavior: contain; }
.table-scroller:focus-visible { outline-offset: -2px; }
.table-pane { position: sticky; top: 0; left: 0; overflow: hidden; contain: strict; }
.table-head { position: absolute; inset: 0 0 auto 0; height: 34px; background: var(--raised); border-block-end: 1px solid var(--line);
  z-index: 2; }
.table-corner, .table-rowname { position: absolute; left: 0; top: 0; height: 100%; box-sizing: border-box; padding: 0 10px;
  display: flex; align-items: center; justify-content: flex-end; color: var(--muted); background: var(--raised); z-index: 1;
  border-inline-end: 1px solid var(--line); font-variant-numeric: tabular-nums; white-space: nowrap; overflow: hidden; }
.table-title { position: absolute; top: 0; height: 100%; box-sizing: border-box; padding: 0 12px; display: flex; gap: 6px;
  align-items: center; font-weight: 600; white-space: nowrap; border-inline-end: 1px solid var(--line); }
.table-title.table-number { justify-content: flex-end; }
.table-name { overflow: hidden; text-overflow: ellipsis; }
.table-note { color: var(--muted); font-weight: 400; overflow: hidden; text-overflow: ellipsis; }
.table-grip { position: absolute; right: -4px; top: 0; width: 10px; height: 100%; cursor: col-resize; touch-action: none; z-index: 1; }
.table-grip:hover { background: var(--accent); opacity: 0.4; }
.table-row { position: absolute; top: 0; left: 0; right: 0; height: 28px; }
.table-cell { position: absolute; top: 0; height: 28px; line-height: 27px; box-sizing: border-box; padding: 0 12px; overflow: hidden;
  text-overflow: ellipsis; white-space: pre; border-block-end: 1px solid color-mix(in srgb, var(--line) 55%, transparent);
  font-variant-numeric: tabular-nums; cursor: cell; user-select: none; }
.table-cell.table-number { text-align: right; }
.table-cell.table-missing { color: var(--muted); font-style: italic; }
.table-waiting::after { content: ""; display: inline-block; width: 60%; height: 8px; border-radius: 4px; background: var(--line); opacity: 0.6; }
.table-cell.table-selected { background: color-mix(in srgb, var(--accent) 14%, transparent); }
.table-cell.table-cursor { box-shadow: inset 0 0 0 1.5px var(--accent); }
.table-detail { padding: 6px 12px 0; min-height: 20px; max-height: 4.4em; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.table-foot { display: flex; gap: 10px; align-items: center; padding: 6px 12px; color: var(--muted); }
.table-status { flex: 1; min-width: 0; display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; }
.table-failure { color: var(--warn); overflow-wrap: anywhere; }
.table-button, .table-goto { font: inherit; color: var(--ink); background: var(--raised); border: 1px solid var(--line); border-radius: 6px;
  min-height: 28px; padding: 0 10px; }
.table-button { cursor: pointer; }
.table-button:hover { border-color: var(--accent); }
.table-goto { width: 9em; }
div.value { display: flex; flex-direction: column; align-items: center; justify-content: center; height: 100%; min-height: 0; gap: 8px;
  padding: 24px; box-sizing: border-box; overflow: auto; text-align: center; }
.value-text { font-size: clamp(20px, 5vw, 44px); line-height: 1.2; font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
  white-space: pre-wrap; max-width: 100%; }
.value-long { font-size: 15px; line-height: 1.5; text-align: start; font-family: ui-monospace, monospace; }
.value-title, .value-stored { color: var(--muted); overflow-wrap: anywhere; }
.value-parts { display: grid; grid-template-columns: auto auto; gap: 4px 20px; margin: 8px 0 0; text-align: start; }
.value-parts dt { color: var(--muted); }
.value-parts dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
`;
