import type { Agent, IncomingMessage } from "node:http";
import { request } from "node:http";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";

/** A request as it is sent. */
export interface Attempt {
  readonly method: string;
  /** The path and query, already encoded. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** A response whose body was read completely. */
export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

const timeoutMs = 60_000;

/** Sends a request unchanged. A request is sent again if the server had closed the idle connection. Throws without a response in 60 s. */
export async function sendAttempt(url: string, agent: Agent, attempt: Attempt): Promise<Received> {
  for (let tries = 1; ; tries += 1) {
    const { received, error, reused } = await sendOnce(url, agent, attempt);
    if (received !== undefined) return received;
    if (!reused || tries > 3) throw new Error(`no response\n\n${describeAttempt(attempt)}`, { cause: error });
  }
}

interface Outcome {
  received?: Received;
  error?: unknown;
  /** Whether the connection was used before. */
  reused: boolean;
}

function sendOnce(url: string, agent: Agent, { method, target, headers, body }: Attempt): Promise<Outcome> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    // The server may respond, and close, before it has received the whole body, so errors after the response are ignored.
    const call = request({ hostname, port, agent, method, path: target, headers, timeout: timeoutMs }, (response) => {
      const chunks: Buffer[] = [];
      const done = (): void => {
        const { statusCode: status = 0 } = response;
        resolve({
          received: { status, headers: response.headers, body: decode(chunks, response.headers["content-encoding"]) },
          reused: call.reusedSocket,
        });
      };
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        if (!hasOnlyBegun(response, chunks)) return;
        response.destroy();
        done();
      });
      response.on("end", done).on("error", done);
    });
    call.on("timeout", () => call.destroy(new Error(`no response to ${method} ${target} within ${timeoutMs} ms`)));
    call.on("error", (error) => resolve({ error, reused: call.reusedSocket }));
    call.end(body);
  });
}

/** Whether the response is a stream of events that has begun before there is one, and may never end. */
function hasOnlyBegun({ headers }: IncomingMessage, chunks: readonly Buffer[]): boolean {
  if (!/event-stream|x-ndjson/.test(headers["content-type"] ?? "")) return false;
  return [": keep-alive\n\n", "\n"].includes(Buffer.concat(chunks).toString("utf8"));
}

function decode(chunks: readonly Buffer[], coding: string | undefined): Buffer {
  const bytes = Buffer.concat(chunks);
  if (bytes.length === 0 || coding === undefined) return bytes;
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync };
  return decoders[coding as keyof typeof decoders](bytes);
}

/** Describes a request in a few lines, for messages of failed tests. */
export function describeAttempt({ method, target, headers, body }: Attempt): string {
  const { authorization: _, ...shown } = headers;
  return [`${method} ${target.slice(0, 500)}`, JSON.stringify(shown).slice(0, 500), describeBytes(body)].join("\n");
}

/** Returns the beginning of bytes as text. */
export function describeBytes(bytes: Buffer | undefined): string {
  if (bytes === undefined) return "(no body)";
  const text = JSON.stringify(bytes.toString("utf8").slice(0, 1_500));
  return `${bytes.length} bytes: ${text}`;
}
