import type { connectNodeAdapter } from "@connectrpc/connect-node";

type NodeHandler = ReturnType<typeof connectNodeAdapter>;
/** A request of node:http or node:http2. */
export type NodeRequest = Parameters<NodeHandler>[0];
/** A response of node:http or node:http2. */
export type NodeResponse = Parameters<NodeHandler>[1];

/** Returns the values of a header, one for each header line. */
export function getHeaderValues(request: Pick<NodeRequest, "rawHeaders">, name: string): readonly string[] {
  const { rawHeaders } = request;
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index] as string;
    // The lengths are compared first for speed: several headers of every request are looked up, and few names have the same length.
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[index + 1] as string);
  }
  return values;
}
