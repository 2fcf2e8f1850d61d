import type { connectNodeAdapter } from "@connectrpc/connect-node";

type NodeHandler = ReturnType<typeof connectNodeAdapter>;
/** A request of node:http or node:http2. */
export type NodeRequest = Parameters<NodeHandler>[0];
/** A response of node:http or node:http2. */
export type NodeResponse = Parameters<NodeHandler>[1];
