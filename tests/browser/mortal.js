const role = self.name === "zarr-wasm helper" ? "helper" : "engine";
new BroadcastChannel("mortal").onmessage = ({ data }) => {
  if (data === role) self.close();
};
if (self.location.search === "?nolocks") Object.defineProperty(navigator, "locks", { value: undefined });
// The interval after which a silent worker counts as dead is a tenth of the usual one.
const { setInterval } = self;
self.setInterval = (run, ms) => setInterval(run, ms >= 1000 ? ms / 10 : ms);
