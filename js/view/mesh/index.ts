// Maps of curvilinear grids. This module is loaded when a field has longitudes and latitudes of its
// elements.
export { mapped, placesCost } from "./field.js";
