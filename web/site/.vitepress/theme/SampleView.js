import { withBase } from "vitepress";
import { h, onMounted, ref } from "vue";

/** The element `<zarr-view>` on a sample of the site. The start page contains it. */
export const SampleView = {
  props: { sample: String, node: String },
  setup({ sample, node }) {
    const failed = ref("");
    const src = ref("");
    onMounted(async () => {
      try {
        const script = new URL(withBase("/zarr-wasm/view.js"), location.href).href;
        await import(/* @vite-ignore */ script);
        src.value = new URL(withBase(`/viewer/sample/${sample}`), location.href).href;
      } catch (error) {
        failed.value = String(error);
      }
    });
    return () => [
      h("zarr-view", { src: src.value || undefined, node, class: "sample-view" }),
      failed.value && h("p", { role: "alert" }, failed.value),
    ];
  },
};
