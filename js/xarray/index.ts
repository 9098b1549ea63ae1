export * from "../cf/index.js";
export * from "../nczarr/index.js";
