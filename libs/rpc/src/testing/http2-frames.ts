/** Types of HTTP/2 frames, for tests with invalid clients that no client library could simulate. */
const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
};
/** Flags of frames. */
export const endStream = 1;
export const endHeaders = 4;

/** Creates an HTTP/2 frame. */
export function frame(
  type: keyof typeof frameTypes,
  flags: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = frameTypes[type];
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Encodes a number in four bytes, as in frames. */
export function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Encodes headers without compression, as literals that are not indexed, with names and values of at most 126 bytes. */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
  return Buffer.concat(
    Object.entries(headers).map(([name, value]) => Buffer.concat([Buffer.from([0]), text(name), text(value)])),
  );
}

/** The connection preface of a client, which precedes its settings. */
export const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
/** Settings with which the server may not send any byte of a response. */
export const noWindow = frame("settings", 0, 0, Buffer.from([0, 4, 0, 0, 0, 0]));
/** An acknowledgement of settings. */
export const acknowledged = frame("settings", 1, 0);
/** An empty gRPC message. */
export const emptyMessage = Buffer.alloc(5);

/** Creates the headers of a gRPC call. */
export function callHeaders(path: string, token?: string): Buffer {
  return headerBlock({
    ":method": "POST",
    ":scheme": "http",
    ":path": path,
    ":authority": "x",
    "content-type": "application/grpc",
    te: "trailers",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  });
}
