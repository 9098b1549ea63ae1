export * from "../cf/index.js";
