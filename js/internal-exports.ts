/** What the package's other files, lazy.js and write.js, use of core.js. It is not public: index.js does not export it. */
export { nodeAt } from "./api/group.js";
export { locationOf } from "./api/location.js";
export { reasonOf } from "./engine/connection.js";
export { engineStore } from "./engine/description.js";
export { engine } from "./engine/engine.js";
