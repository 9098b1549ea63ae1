/** The styles of plates. */
export const css = `
.plate { height: 100%; min-height: 0; overflow: auto; box-sizing: border-box; padding: 8px 12px 12px; background: var(--paper); }
.plate-foot { flex: none; display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: center; min-height: 36px; padding: 2px 12px;
  border-block-start: 1px solid var(--line); font-size: 13px; color: var(--muted); }
.plate-at { min-width: 20em; }
.plate-channels { display: flex; flex-wrap: wrap; gap: 2px 14px; margin: 0; padding: 0; list-style: none; }
.plate-channels li { display: inline-flex; align-items: center; gap: 6px; }
.plate-channels i { width: 12px; height: 12px; border-radius: 3px; border: 1px solid var(--line); }
.plate-grid { display: inline-flex; flex-direction: column; gap: 4px; }
.plate-row { display: flex; gap: 4px; }
.plate-head { flex: none; width: 96px; display: flex; align-items: center; justify-content: center; color: var(--muted);
  font-weight: 600; font-variant-numeric: tabular-nums; }
.plate-head[role=rowheader], .plate-row > .plate-head:first-child { width: 32px; position: sticky; left: -12px; background: var(--paper);
  z-index: 1; }
.plate-row:first-child { position: sticky; top: -8px; background: var(--paper); z-index: 2; min-height: 26px; }
.plate-cell { flex: none; width: 96px; height: 96px; }
.plate-empty { border-radius: 6px; box-shadow: inset 0 0 0 1px color-mix(in srgb, var(--line) 60%, transparent); }
.plate-well { width: 100%; height: 100%; box-sizing: border-box; padding: 0; border: 1px solid var(--line); border-radius: 6px; overflow: hidden;
  display: flex; align-items: center; justify-content: center; background: var(--raised); color: var(--muted); font: inherit; font-size: 12px;
  cursor: pointer; }
.plate-well:hover { border-color: var(--accent); }
.plate-well[data-state=drawn] { background: #000; }
.plate-well[data-state=failed] { color: var(--warn); border-style: dashed; }
.plate-well[data-state=reading] { opacity: 0.6; }
.plate-picture { width: 100%; height: 100%; object-fit: contain; }
@media (prefers-reduced-motion: no-preference) {
  .plate-well[data-state=reading] { animation: plate-reading 1.2s ease-in-out infinite alternate; }
  @keyframes plate-reading { from { opacity: 0.45; } to { opacity: 0.8; } }
}
`;
