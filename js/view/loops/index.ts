// The loops of the view's worker, for pages that cannot have one. Loaded when that is found out.
export { work } from "../worker/numbers.js";
