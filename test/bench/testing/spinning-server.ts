/**
 * A `node:http` server whose handler computes for as many microseconds as its first argument says, and sends a short response. Started by
 * `npm run bench -- overload`, as the floor of what many connections cost. Prints its port.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const micros = Number(process.argv[2]);
const body = JSON.stringify({ data: ["x".repeat(700)] });
const server = createServer((_request, response) => {
  const end = performance.now() + micros / 1_000;
  while (performance.now() < end);
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
});
server.listen(0, "127.0.0.1", () => console.log(`port ${(server.address() as AddressInfo).port}`));
