// Volumes of three axes. This module is loaded when a person chooses one.
export { VolumeView } from "./view.js";
