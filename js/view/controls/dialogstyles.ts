/** The styles of dialogs. */
export const css = `
.zc-dialog { box-sizing: border-box; width: min(640px, calc(100vw - 24px)); padding: 14px 16px; color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: 10px; box-shadow: 0 4px 20px light-dark(#0003, #000a); }
.zc-dialog::backdrop { background: #0006; }
.zc-dialog h2 { margin: 0; font-size: 16px; }
.zc-dialog .zc-button { border-color: var(--line); }
.zc-keys { display: grid; grid-template-columns: max-content 1fr; gap: 3px 16px; margin: 0 0 10px; }
.zc-keys dt, .zc-keys dd { margin: 0; }
.zc-keys kbd { padding: 0 5px; font: 12px ui-monospace, monospace; border: 1px solid var(--line); border-radius: 4px; background: var(--raised); }
.zc-dialog h3 { margin: 8px 0 4px; font-size: 13px; }
.zc-dialog progress { width: 100%; accent-color: var(--accent); }
.zc-body { display: grid; gap: 10px; margin-top: 10px; font-size: 13px; justify-items: start; }
.zc-body p { margin: 0; }
.zc-body select { min-height: 28px; font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: 6px; }
.zc-text { box-sizing: border-box; width: 100%; padding: 8px; font: 12.5px/1.5 ui-monospace, monospace; color: var(--ink); background: var(--raised); border: 1px solid var(--line); border-radius: 6px; resize: vertical; white-space: pre; overflow: auto; }
`;
