// A gate before a server. When shut, it accepts no connection and breaks the existing ones.
import { connect, createServer } from "node:net";

/** Opens a gate before the server at an address; `url` is the gate's own. */
export async function openGate(address) {
  const { hostname, port } = new URL(address);
  const sockets = new Set();
  const keep = (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  };
  const server = createServer((from) => {
    const to = connect(port, hostname);
    keep(from);
    keep(to);
    from.pipe(to).pipe(from);
    from.once("close", () => to.destroy());
    to.once("close", () => from.destroy());
  });
  const listen = (at) => new Promise((resolve) => server.listen(at, "127.0.0.1", resolve));
  const shut = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen(0);
  const own = server.address().port;
  return { url: `http://127.0.0.1:${own}/`, shut, open: () => listen(own) };
}
