import webpack from "webpack";
import { bundle } from "./bundle.mjs";

export default [{ title: "webpack 5", needs: "nothing", build: (dir) => bundle(webpack, dir) }];
