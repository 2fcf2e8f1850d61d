import {
  constants,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerOptions,
} from "node:http2";
import type { ResponseProgress } from "./response-progress.ts";
import { createOpenConnections, type OpenConnection } from "./open-connections.ts";
import type { PortLimits } from "./port-limits.ts";
import { createActiveRequests, type RequestState } from "./active-requests.ts";

/** A request that was accepted within the limits. */
export interface AcceptedRequest {
  /** The progress of its response, which the request handler updates. */
  readonly progress: ResponseProgress;
  /** Whether its connection has not received a response yet. */
  readonly isNew: boolean;
}

/** Enforces the limits of an HTTP/2 server. */
export interface Http2Limits {
  /** Tracks a request until its stream closes. Returns undefined if the request was refused and must not be answered. */
  begin(request: Http2ServerRequest, response: Http2ServerResponse): AcceptedRequest | undefined;
  /** Returns the current number of connections and requests. */
  count(): { connections: number; requests: number };
  stop(): void;
}

/** The interval at which sessions are checked, and the maximum number of control frames in an interval. */
const pollIntervalMs = 500;
const maxControlFrames = 100;

/** Returns the server options for the limits that Node.js and nghttp2 enforce. */
export function http2ServerOptions(limits: PortLimits): ServerOptions {
  // The types of Node.js lack some of its options.
  const options: ServerOptions & { maxSessionRejectedStreams: number; maxSessionInvalidFrames: number } = {
    settings: {
      initialWindowSize: limits.streamWindowBytes,
      maxConcurrentStreams: limits.maxConcurrentStreams,
      maxHeaderListSize: maxHeaderBytes,
      enablePush: false,
    },
    maxSessionMemory: 10,
    // The limits on streams refused before the client has acknowledged the settings, on invalid frames, and on reset
    // requests: a burst, and then a rate per second.
    maxSessionRejectedStreams: limits.maxConcurrentStreams,
    maxSessionInvalidFrames: 100,
    streamResetBurst: 5 * limits.maxConcurrentStreams,
    streamResetRate: 33,
    unknownProtocolTimeout: limits.headersTimeoutMs,
  };
  return options;
}

const maxHeaderBytes = 16 * 1024;

/** Limits the connections of a server and their active requests. */
export function limitHttp2(server: Http2Server, limits: PortLimits): Http2Limits {
  const requests = createActiveRequests(limits);
  const connections = createOpenConnections(limits.maxConnections, (before, scope) =>
    requests.closeOldest(before, scope),
  );
  const watched = new Map<ServerHttp2Session, { connection: OpenConnection; check: () => void }>();
  let timer: NodeJS.Timeout | undefined;

  function stopChecks(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function checkAll(): void {
    if (watched.size === 0) stopChecks();
    for (const { check } of watched.values()) check();
  }

  server.on("session", (session) => {
    const connection = connections.open(() => session.destroy());
    if (connection === undefined) {
      session.destroy();
      return;
    }
    watched.set(session, { connection, check: watchSession(session, connection, limits) });
    timer ??= setInterval(checkAll, pollIntervalMs).unref();
    session.once("close", () => {
      watched.delete(session);
      connection.closed();
    });
  });
  return {
    begin(request, response) {
      const { stream } = request;
      const progress = { unreadBytes: 0, taken: 0 };
      const session = stream.session;
      const connection = session === undefined ? undefined : watched.get(session as ServerHttp2Session)?.connection;
      const end = requests.begin({
        isNew: () => connection?.isNew() ?? true,
        getState: () => getState(request, response, progress),
        abort(what) {
          if (what === "connection") stream.session?.destroy();
          else stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
        },
      });
      if (end === undefined || connection === undefined) {
        end?.();
        stream.close(constants.NGHTTP2_REFUSED_STREAM);
        return undefined;
      }
      const ended = connection.request();
      stream.on("drain", () => (progress.taken += 1));
      stream.once("close", () => {
        end();
        ended(stream.writableFinished && stream.readableEnded && stream.rstCode === constants.NGHTTP2_NO_ERROR);
      });
      return { progress, isNew: connection.isNew() };
    },
    count: () => ({ connections: connections.size, requests: requests.size }),
    stop() {
      stopChecks();
      requests.stop();
    },
  };
}

function getState(
  { stream }: Http2ServerRequest,
  response: Http2ServerResponse,
  { unreadBytes, taken }: ResponseProgress & { taken: number },
): RequestState {
  const bytes = Math.max(unreadBytes, stream.writableLength);
  if (bytes > 0 || response.writableEnded)
    return { awaiting: "reader", unreadRequest: false, unreadBytes: bytes, taken };
  const unreadRequest = stream.readableLength > 0;
  const incomplete = !stream.readableEnded && !(unreadRequest && stream.state.remoteClose === 1);
  return { awaiting: incomplete ? "request" : undefined, unreadRequest, unreadBytes: 0, taken };
}

/** Returns a function that checks a session and closes it if it is silent, idle, dead or flooding the server. */
function watchSession(session: ServerHttp2Session, connection: OpenConnection, limits: PortLimits): () => void {
  const openedAt = performance.now();
  let acknowledged = false;
  let controlFrames = 0;
  let pingedAt = openedAt;
  let isPingPending = false;
  const control = (): void => {
    controlFrames += 1;
    if (controlFrames > maxControlFrames) session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  };
  // `initialWindowSize` applies to each stream but not to the connection.
  session.setLocalWindowSize(limits.connectionWindowBytes);
  session.once("localSettings", () => (acknowledged = true));
  session.on("remoteSettings", control);
  session.on("ping", control);
  session.on("priority" as "ping", control);

  return () => {
    const now = performance.now();
    controlFrames = 0;
    if (!acknowledged) {
      if (now - openedAt > limits.headersTimeoutMs) session.destroy(undefined, constants.NGHTTP2_SETTINGS_TIMEOUT);
    } else if (isPingPending) {
      if (now - pingedAt > limits.pingTimeoutMs) session.destroy();
    } else if (connection.idleMs() > limits.idleTimeoutMs) {
      session.close();
    } else if (now - pingedAt > limits.pingIntervalMs && !session.closed && !session.destroyed) {
      pingedAt = now;
      isPingPending = session.ping(() => (isPingPending = false));
    }
  };
}
