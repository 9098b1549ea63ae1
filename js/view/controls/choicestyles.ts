/** The styles of the colour map picker and of menus. */
export const css = `
.zc-maps { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 0 8px; width: 380px; max-width: 100%; max-height: 260px; overflow: auto; }
.zc-kind { grid-column: 1 / -1; padding-top: 6px; font-size: 12px; color: var(--muted); }
.zc-map { position: relative; display: flex; align-items: center; gap: 6px; min-height: 26px; padding: 0 4px; border-radius: 4px; cursor: pointer; }
.zc-map:hover { background: var(--raised); }
.zc-map input { position: absolute; opacity: 0; inset: 0; margin: 0; width: 100%; height: 100%; cursor: pointer; }
.zc-map canvas { width: 64px; height: 14px; border-radius: 2px; flex: none; }
.zc-reversed canvas { transform: scaleX(-1); }
.zc-map:has(:checked) { background: var(--raised); box-shadow: inset 0 0 0 1.5px var(--accent); }
.zc-map:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: 1px; }
.zc-panel[role=menu] { padding: 4px; gap: 0; min-width: 200px; }
.zc-item { display: block; width: 100%; min-height: 28px; padding: 4px 10px; text-align: left; font: inherit; color: inherit; background: none; border: 0; border-radius: 4px; cursor: pointer; }
.zc-item:hover, .zc-item:focus-visible { background: var(--raised); }
.zc-item[aria-disabled] { color: var(--muted); cursor: default; }
.zc-item small { display: block; font-size: 12px; }
.zc-panel[role=menu] .zc-kind { padding: 6px 10px 2px; }
`;
