import { rspack } from "@rspack/core";
import { bundle } from "../webpack/bundle.mjs";

export default [{ title: "Rspack 2", needs: "nothing", build: (dir) => bundle(rspack, dir) }];
