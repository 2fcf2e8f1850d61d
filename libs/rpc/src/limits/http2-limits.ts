import {
  constants,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerOptions,
} from "node:http2";
import type { AnswerProgress } from "./answer-progress.ts";
import { createOpenConnections, type OpenConnection } from "./open-connections.ts";
import type { PortLimits } from "./port-limits.ts";
import { createRequestsUnderWay, type RequestState } from "./requests-under-way.ts";

/** A request that was noted. */
export interface BegunRequest {
  /** Where its answer's progress is kept. */
  readonly progress: AnswerProgress;
  /** Whether its connection never had an answer. */
  readonly newcomer: boolean;
}

/** The limits of an HTTP/2 server at work. */
export interface Http2Limits {
  /** Notes a request until its stream closes; undefined when it was refused and is not to be answered. */
  begin(request: Http2ServerRequest, response: Http2ServerResponse): BegunRequest | undefined;
  /** How much there is at the moment. */
  count(): { connections: number; requests: number };
  stop(): void;
}

/** How often sessions are looked at, and how many SETTINGS, PING and PRIORITY frames one may send between. */
const pollIntervalMs = 500;
const maxControlFrames = 100;

/** The options of a server with these limits: those that Node and nghttp2 enforce. */
export function http2ServerOptions(limits: PortLimits): ServerOptions {
  // The types of Node do not know all of its options.
  const options: ServerOptions & { maxSessionRejectedStreams: number; maxSessionInvalidFrames: number } = {
    settings: {
      initialWindowSize: limits.streamWindowBytes,
      maxConcurrentStreams: limits.maxConcurrentStreams,
      maxHeaderListSize: maxHeaderBytes,
      enablePush: false,
    },
    maxSessionMemory: 10,
    // Streams refused before the client has acknowledged the settings; frames that are not sound; requests taken back, and of
    // these so many a second after that.
    maxSessionRejectedStreams: limits.maxConcurrentStreams,
    maxSessionInvalidFrames: 100,
    streamResetBurst: 5 * limits.maxConcurrentStreams,
    streamResetRate: 33,
    unknownProtocolTimeout: limits.headersTimeoutMs,
  };
  return options;
}

const maxHeaderBytes = 16 * 1024;

/** Holds the connections of a server, and what they have under way, within limits. */
export function limitHttp2(server: Http2Server, limits: PortLimits): Http2Limits {
  const requests = createRequestsUnderWay(limits);
  const connections = createOpenConnections(limits.maxConnections, (before, whose) =>
    requests.closeOldest(before, whose),
  );
  const watched = new Map<ServerHttp2Session, { connection: OpenConnection; look: () => void }>();

  server.on("session", (session) => {
    const connection = connections.open(() => session.destroy());
    if (connection === undefined) {
      session.destroy();
      return;
    }
    watched.set(session, { connection, look: watchSession(session, connection, limits) });
    session.once("close", () => {
      watched.delete(session);
      connection.closed();
    });
  });
  const timer = setInterval(() => {
    for (const { look } of watched.values()) look();
  }, pollIntervalMs);
  timer.unref();

  return {
    begin(request, response) {
      const { stream } = request;
      const progress = { unreadBytes: 0, taken: 0 };
      const session = stream.session;
      const connection = session === undefined ? undefined : watched.get(session as ServerHttp2Session)?.connection;
      const end = requests.begin({
        isNewcomer: () => connection?.isNewcomer() ?? true,
        look: () => getState(request, response, progress),
        giveUp(what) {
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
      return { progress, newcomer: connection.isNewcomer() };
    },
    count: () => ({ connections: connections.size, requests: requests.size }),
    stop() {
      clearInterval(timer);
      requests.stop();
    },
  };
}

function getState(
  { stream }: Http2ServerRequest,
  response: Http2ServerResponse,
  { unreadBytes, taken }: AnswerProgress & { taken: number },
): RequestState {
  const bytes = Math.max(unreadBytes, stream.writableLength);
  if (bytes > 0 || response.writableEnded)
    return { waitsFor: "reader", unreadRequest: false, unreadBytes: bytes, taken };
  const unreadRequest = stream.readableLength > 0;
  const incomplete = !stream.readableEnded && !(unreadRequest && stream.state.remoteClose === 1);
  return { waitsFor: incomplete ? "request" : undefined, unreadRequest, unreadBytes: 0, taken };
}

/** Watches one session: what it does when it is looked at again. Closes it when it is silent, idle, dead or a flood. */
function watchSession(session: ServerHttp2Session, connection: OpenConnection, limits: PortLimits): () => void {
  const openedAt = performance.now();
  let acknowledged = false;
  let controlFrames = 0;
  let pingedAt = openedAt;
  let unanswered = false;
  const control = (): void => {
    controlFrames += 1;
    if (controlFrames > maxControlFrames) session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  };
  // The window of the connection does not follow `initialWindowSize`, which is that of each stream.
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
    } else if (unanswered) {
      if (now - pingedAt > limits.pingTimeoutMs) session.destroy();
    } else if (connection.idleMs() > limits.idleTimeoutMs) {
      session.close();
    } else if (now - pingedAt > limits.pingIntervalMs && !session.closed && !session.destroyed) {
      pingedAt = now;
      unanswered = session.ping(() => (unanswered = false));
    }
  };
}
