/** What files of their own (the half that writes, the subpaths) have of the main file. It is no business of programs. */
export { nodeAt } from "./api/group.js";
export { placeOf } from "./api/location.js";
export { reasonOf } from "./engine/connection.js";
export { engineStore } from "./engine/description.js";
export { engine } from "./engine/engine.js";
export { errorClasses } from "./errors.js";
export { portOf } from "./platform/port-browser.js";
export { absoluteUrl } from "./platform/url.js";
