/**
 * The parts of the viewer that pages load when needed: `js/view/NAME/index.ts` becomes
 * `dist/view-NAME.js`.
 */
export const viewParts = [
  "coast",
  "difference",
  "expression",
  "globe",
  "help",
  "linked",
  "loops",
  "mesh",
  "options",
  "panels",
  "regions",
  "take",
  "vectors",
  "volume",
];
