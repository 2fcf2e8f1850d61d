import { once } from "node:events";
import { connect } from "node:net";

/** A response as it arrived. */
export interface RawResponse {
  readonly status: number;
  /** The headers by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** Sends bytes unchanged, and reads until the server closes the connection. Returns the first response, whose body is not decoded. */
export async function sendRaw(port: number, text: string): Promise<RawResponse> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("error", () => undefined).on("data", (chunk) => chunks.push(chunk));
  socket.write(text);
  await once(socket, "close");
  const bytes = Buffer.concat(chunks);
  const end = bytes.indexOf("\r\n\r\n");
  const [line = "", ...headers] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  return {
    status: Number(line.split(" ")[1]),
    headers: new Map(
      headers.map((header) => {
        const colon = header.indexOf(":");
        return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
      }),
    ),
    body: bytes.subarray(end + 4),
  };
}

/** Returns the head of a request whose connection is closed after the response. */
export function rawHead(line: string, ...headers: readonly string[]): string {
  return [`${line} HTTP/1.1`, "connection: close", ...headers, "", ""].join("\r\n");
}
