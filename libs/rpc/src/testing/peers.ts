import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { ServerOptions } from "node:http2";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { frame, preface } from "./http2-frames.ts";

/** A server that behaves as a test says. */
export interface Peer {
  port: number;
  /** The number of connections so far. */
  connections(): number;
  /** Destroys all connections, and stops listening. */
  close(): Promise<void>;
}

/** Starts an HTTP/2 server that handles each stream with a function. */
export async function startPeer(
  onStream: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void,
  { port = 0, host = "127.0.0.1", ...options }: ServerOptions & { port?: number; host?: string } = {},
): Promise<Peer & { sessions: Set<ServerHttp2Session> }> {
  const server = createServer(options);
  const sessions = new Set<ServerHttp2Session>();
  let connections = 0;
  server.on("session", (session) => {
    connections += 1;
    sessions.add(session);
    session.on("error", () => undefined).once("close", () => sessions.delete(session));
  });
  server.on("stream", (stream, headers) => {
    stream.on("error", () => undefined);
    onStream(stream, headers);
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    sessions,
    connections: () => connections,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

/** A frame that a client sent. */
export interface ReceivedFrame {
  type: number;
  flags: number;
  stream: number;
  payload: Buffer;
}

/**
 * Starts a server of single frames. It sends its settings, and acknowledges those of the client, unless it is `silent`, and calls `onFrame`
 * for each frame of the client.
 */
export async function startFramePeer(
  onFrame: (frame: ReceivedFrame, socket: Socket) => void,
  { isSilent = false }: { isSilent?: boolean } = {},
): Promise<Peer> {
  const sockets: Socket[] = [];
  const server = createSocketServer((socket) => {
    sockets.push(socket);
    if (!isSilent) socket.write(frame("settings", 0, 0));
    let received = Buffer.alloc(0);
    let hasPreface = false;
    socket
      .on("error", () => undefined)
      .on("data", (chunk) => {
        received = Buffer.concat([received, chunk]);
        if (!hasPreface && received.length >= preface.length) {
          received = received.subarray(preface.length);
          hasPreface = true;
        }
        while (hasPreface && received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
          const end = 9 + received.readUIntBE(0, 3);
          const [type = 0, flags = 0] = received.subarray(3, 5);
          onFrame({ type, flags, stream: received.readUInt32BE(5), payload: received.subarray(9, end) }, socket);
          received = received.subarray(end);
        }
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => sockets.length,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
