const role = self.name === "zarr-wasm helper" ? "helper" : "engine";
new BroadcastChannel("mortal").onmessage = ({ data }) => {
  if (data === role) self.close();
};
if (self.location.search === "?nolocks") Object.defineProperty(navigator, "locks", { value: undefined });
// Where a worker is missed by its silence, that is a tenth as long here.
const { setInterval } = self;
self.setInterval = (run, ms) => setInterval(run, ms >= 1000 ? ms / 10 : ms);
