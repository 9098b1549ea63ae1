// A view as a cell of a notebook. For Jupyter, Marimo and VS Code by anywidget:
//
//   import anywidget, traitlets
//
//   class ZarrView(anywidget.AnyWidget):
//       _esm = pathlib.Path("notebook.mjs")
//       src = traitlets.Unicode().tag(sync=True)
//       state = traitlets.Dict().tag(sync=True)
//
//   view = ZarrView(src="https://…/earth.zarr", state={"node": "/t2m"})
//
// In Observable a cell is the element itself: await import("https://cdn.jsdelivr.net/npm/zarr-wasm@0.1.0/dist/view.js"), then html`<zarr-view src=…>`.
import "https://cdn.jsdelivr.net/npm/zarr-wasm@0.1.0/dist/view.js";

/** Shows the model's `src` and `state`; what a person changes is written back. */
function render({ model, el }) {
  const view = document.createElement("zarr-view");
  view.style.height = "480px";
  view.src = model.get("src");
  view.state = model.get("state") ?? {};

  const newSource = () => {
    view.src = model.get("src");
  };
  const newState = () => {
    view.state = model.get("state") ?? {};
  };
  model.on("change:src", newSource);
  model.on("change:state", newState);
  view.addEventListener("state", ({ detail }) => {
    model.set("state", detail);
    model.save_changes();
  });

  el.append(view);
  return () => {
    model.off("change:src", newSource);
    model.off("change:state", newState);
    view.remove();
  };
}

export default { render };
