/**
 * The colours and sizes of the element, as custom properties that a page may set on it:
 * `--zarr-view-paper`, `-ink`, `-muted`, `-line`, `-accent`, `-ground-a`, `-ground-b` (the chequers
 * of missing values). Parts of the element use the short names.
 */
export const theme = `
:host {
  --paper: var(--zarr-view-paper, light-dark(#ffffff, #14181b));
  --raised: var(--zarr-view-raised, light-dark(#f4f6f7, #1d2327));
  --ink: var(--zarr-view-ink, light-dark(#16202a, #e8edf0));
  --muted: var(--zarr-view-muted, light-dark(#55636e, #a3b0b8));
  --line: var(--zarr-view-line, light-dark(#d3dade, #364046));
  --accent: var(--zarr-view-accent, light-dark(#0b6e69, #4fc7bf));
  --on-accent: var(--zarr-view-on-accent, light-dark(#ffffff, #06201f));
  --warn: var(--zarr-view-warn, light-dark(#8a3b00, #ffb27a));
  --ground-a: var(--zarr-view-ground-a, light-dark(#e3e7e9, #2a3135));
  --ground-b: var(--zarr-view-ground-b, light-dark(#d5dadd, #22282c));
  --font: var(--zarr-view-font, system-ui, sans-serif);
  display: block;
  position: relative;
  color: var(--ink);
  background: var(--paper);
  font: 14px/1.45 var(--font);
}
:host([hidden]) { display: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
`;
