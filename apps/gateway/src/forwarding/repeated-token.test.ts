import { once } from "node:events";
import { connect } from "node:net";
import { callHeaders, emptyMessage, endHeaders, endStream, frame, headerBlock, preface } from "@switchyard/rpc/testing";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";

let system: TestGateway;
beforeAll(async () => {
  system = await startTestGateway();
});
afterAll(() => system.stop());

const [dataFrame, headersFrame] = [0, 1];

/** Calls a method on the gRPC port with these tokens, each in its own header. Returns the types of the frames of the response. */
async function call(tokens: readonly string[]): Promise<number[]> {
  const headers = [
    callHeaders("/switchyard.identity.v1.IdentityService/GetMe"),
    ...tokens.map((token) => headerBlock({ authorization: `Bearer ${token}` })),
  ];
  const socket = connect(system.gateway.grpcPort, "127.0.0.1");
  socket.write(
    Buffer.concat([preface, frame("settings", 0, 0), frame("headers", endHeaders, 1, Buffer.concat(headers))]),
  );
  socket.write(frame("data", endStream, 1, emptyMessage));
  const types: number[] = [];
  let rest = Buffer.alloc(0);
  const signal = AbortSignal.timeout(10_000);
  for (;;) {
    const [chunk] = (await once(socket, "data", { signal })) as [Buffer];
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const [type = 0, flags = 0] = rest.subarray(3, 5);
      const stream = rest.readUInt32BE(5);
      rest = rest.subarray(9 + rest.readUIntBE(0, 3));
      if (stream !== 1) continue;
      types.push(type);
      if (type !== headersFrame || (flags & endStream) === 0) continue;
      socket.destroy();
      return types;
    }
  }
}

it("a call on the gRPC port with several tokens is refused, even if the first one is valid", async () => {
  const { token } = system;
  expect(await call([token])).toEqual([headersFrame, dataFrame, headersFrame]);
  // Without a message in the response, the call has failed.
  for (const tokens of [[], [token, token], [token, "x"], ["x", token]])
    expect(await call(tokens)).not.toContain(dataFrame);
});
