import { nodeResolve } from "@rollup/plugin-node-resolve";
import { importMetaAssets } from "@web/rollup-plugin-import-meta-assets";
import { rollup } from "rollup";

export default [
  {
    title: "Rollup 4",
    needs: "the plugin `importMetaAssets()` of `@web/rollup-plugin-import-meta-assets`",
    async build(dir) {
      const bundle = await rollup({
        input: `${dir}/main.js`,
        plugins: [nodeResolve({ browser: true }), importMetaAssets()],
        onwarn(warning) {
          throw new Error(warning.message);
        },
      });
      await bundle.write({ dir: `${dir}/out`, format: "es" });
      await bundle.close();
    },
  },
];
