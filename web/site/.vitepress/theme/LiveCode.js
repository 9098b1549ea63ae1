import { useData, withBase } from "vitepress";
import { h, nextTick, onBeforeUnmount, ref, shallowRef } from "vue";

/** The code for a block of HTML with a `<zarr-view>`. It ends when the view is painted. */
const element = `import "zarr-wasm/view";
await new Promise((resolve, reject) => {
  const view = document.querySelector("zarr-view");
  view.addEventListener("ready", resolve, { once: true });
  view.addEventListener("error", ({ detail }) => reject(detail.error), { once: true });
});`;

/**
 * A block of code with a button that runs it. The code runs in a frame, and draws there. A
 * further run begins with an empty page and another engine.
 */
export const LiveCode = {
  props: { data: String },
  setup(props, { slots }) {
    const { isDark } = useData();
    const { html, files, language } = JSON.parse(decodeURIComponent(props.data));
    const root = ref(null);
    const place = ref(null);
    const editor = ref(null);
    const edited = ref(undefined); // the changed code
    const state = ref("idle");
    const status = ref("");
    const lines = shallowRef([]);
    const values = shallowRef([]);

    const original = () => root.value.querySelector("pre code").textContent;

    async function edit() {
      edited.value = original();
      await nextTick();
      editor.value.focus();
    }

    async function run() {
      const code = edited.value ?? original();
      state.value = "running";
      status.value = "Running…";
      lines.value = [];
      values.value = [];
      const frame = document.createElement("iframe");
      frame.title = "The example's page";
      frame.src = withBase("/run/run.html");
      place.value.replaceChildren(frame);
      await new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
      if (!frame.isConnected) return; // a later run replaced it
      const start = performance.now();
      const result = await frame.contentWindow.runExample({
        code: language === "html" ? element : code,
        html: language === "html" ? code : html,
        files,
        dark: isDark.value,
        comparing: edited.value === undefined || edited.value === original(),
        print: (line) => {
          if (frame.isConnected) lines.value = [...lines.value, line];
        },
        resize: (height) => {
          frame.style.height = `${height}px`;
          frame.classList.toggle("filled", height > 0);
        },
      });
      if (!frame.isConnected) return;
      const ms = Math.round(performance.now() - start);
      values.value = result.values;
      state.value = result.error ? "failed" : "done";
      const same = result.said.length > 0 && result.said.every(({ is, told }) => is === told);
      status.value = result.error
        ? "The code failed."
        : `Done in ${ms} ms${same ? ". The output is the documented one." : "."}`;
      root.value.said = result.said; // read by the tests
    }

    function reset() {
      edited.value = undefined;
      state.value = "idle";
      status.value = "";
      lines.value = [];
      values.value = [];
      place.value.replaceChildren();
    }

    onBeforeUnmount(() => place.value?.replaceChildren());

    const button = (text, onClick, more = {}) => h("button", { type: "button", onClick, ...more }, text);
    const textarea = () =>
      h("textarea", {
        ref: editor,
        class: "live-editor",
        "aria-label": "Code",
        spellcheck: "false",
        autocapitalize: "off",
        rows: Math.min(30, edited.value.split("\n").length),
        value: edited.value,
        onInput: ({ target }) => {
          edited.value = target.value;
        },
      });
    return () =>
      h("div", { ref: root, class: "live-example", "data-state": state.value }, [
        // The original stays in the document: `original` reads it.
        h("div", { class: "live-code", hidden: edited.value !== undefined }, slots.default()),
        edited.value === undefined ? null : textarea(),
        h("div", { class: "live-bar" }, [
          button("Run", run, { class: "live-run", disabled: state.value === "running" }),
          edited.value === undefined ? button("Edit", edit) : null,
          edited.value !== undefined || state.value !== "idle" ? button("Reset", reset) : null,
          h("span", { class: "live-status", role: "status" }, status.value),
        ]),
        lines.value.length > 0
          ? h(
              "ul",
              { class: "live-lines", "aria-label": "Output", tabindex: 0 },
              lines.value.map(({ level, text }) => h("li", { class: level }, text)),
            )
          : null,
        h("div", { ref: place, class: "live-page" }),
        values.value.map((value) => h(Value, { value, key: value.name })),
      ]);
  },
};

/** An array of the code: a picture of its rows and columns, and a table of the first ones. */
const Value = ({ value }) => {
  const { name, title, rows, more, picture } = value;
  return h("figure", { class: "live-value" }, [
    h("figcaption", [h("code", name), `: ${title}`]),
    picture &&
      h("canvas", {
        role: "img",
        "aria-label": `${name} as a picture, from dark for low to light for high values`,
        width: picture.width,
        height: picture.height,
        onVnodeMounted: ({ el }) => el.getContext("2d").putImageData(picture, 0, 0),
      }),
    h("div", { class: "live-table", tabindex: 0, role: "group", "aria-label": `${name} as a table` }, [
      h("table", [
        h(
          "tbody",
          rows.map((row) =>
            h(
              "tr",
              row.map((text) => h("td", text)),
            ),
          ),
        ),
      ]),
    ]),
    more && h("p", more),
  ]);
};
Value.props = ["value"];
