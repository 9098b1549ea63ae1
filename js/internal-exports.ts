/**
 * The parts of core.js that lazy.js and write.js use. They are not public: index.js does not export
 * them.
 */
export { nodeAt } from "./api/group.js";
export { locationOf } from "./api/location.js";
export { reasonOf } from "./engine/connection.js";
export { engineStore } from "./engine/description.js";
export { engine } from "./engine/engine.js";
