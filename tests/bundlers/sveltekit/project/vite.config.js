import { sveltekit } from "@sveltejs/kit/vite";
import { defineConfig } from "vite";

// The packages are installed above this folder.
export default defineConfig({ plugins: [sveltekit()], server: { fs: { allow: ["../.."] } } });
