/**
 * A view of Zarr data for any page: `<zarr-view src="https://…/data.zarr" node="/temperature">`. Importing this module defines the element.
 *
 * @module zarr-wasm/view
 */
import { ZarrView } from "./element/element.js";

export { ZarrView } from "./element/element.js";
export type { Curve } from "./paint/painter.js";
export type { ViewState } from "./state.js";

if (typeof customElements !== "undefined" && !customElements.get("zarr-view"))
  customElements.define("zarr-view", ZarrView);
