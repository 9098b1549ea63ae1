// The loops of the view's worker, for pages without workers. This module is loaded when the worker
// fails to start.
export { work } from "../worker/numbers.js";
