// Maps of curvilinear grids. Loaded when a field has longitudes and latitudes of its elements.
export { mapped, placesCost } from "./field.js";
