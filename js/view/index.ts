/**
 * A view of Zarr data for any page: `<zarr-view src="https://…/data.zarr" node="/temperature">`. Importing this module defines the element.
 *
 * @module zarr-wasm/view
 */
import { ZarrView } from "./element/element.js";

export { type Controls, type ErrorDetail, ZarrView, type ZarrViewEventMap } from "./element/element.js";
export type { Source } from "./element/opening.js";
export type { LoadingDetail, PointerDetail } from "./element/panel.js";
export type { KeySection } from "./help/keys.js";
export type { Curve } from "./paint/painter.js";
export { type Thumbnail, type ThumbnailOptions, thumbnail } from "./plate/thumbnail.js";
export {
  type DiagramState,
  formatState,
  type ParsedState,
  parseState,
  type RegionState,
  type SeriesState,
  type ViewState,
  type VolumeState,
} from "./state.js";

if (typeof customElements !== "undefined" && !customElements.get("zarr-view"))
  customElements.define("zarr-view", ZarrView);
