/** The styles of volumes. */
export const css = `
.volume { position: absolute; inset: 0; overflow: hidden; background: var(--paper); }
.volume.dark { background: #000; }
.volume .surface { background: none; cursor: grab; }
.volume canvas { inset: 0; width: 100%; height: 100%; pointer-events: none; }
.volume .clip { position: absolute; left: 8px; top: 8px; max-width: calc(100% - 16px); font-size: 13px; color: var(--ink); background: color-mix(in srgb, var(--paper) 88%, transparent); border: 1px solid var(--line); border-radius: 8px; }
.volume .clip > summary { padding: 4px 10px; cursor: pointer; }
.volume .clip > div { display: grid; grid-template-columns: auto minmax(3.5rem, 7rem) minmax(3.5rem, 7rem) auto; gap: 4px 8px; align-items: center; padding: 0 10px 8px; }
.volume .clip input { min-width: 0; width: 100%; min-height: 24px; margin: 0; accent-color: var(--accent); }
.volume .clip span { font-variant-numeric: tabular-nums; }
`;
