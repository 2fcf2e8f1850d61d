import { mkdir, readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A request whose response is recorded. */
export interface RecordedRequest {
  readonly method?: string;
  readonly path: string;
  /** A JSON value, or a text that is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Replaces what differs in each run by constants: IDs, which are numbered as they appear, times, durations, scores, tags and addresses. */
export function normalizeExchange(text: string): string {
  const seen = new Map<string, string>();
  return text
    .replace(/\b([a-z]{3,4})_[0-9a-z]{26}\b/g, (id, prefix: string) => {
      const known = seen.get(id) ?? `${prefix}_${String(seen.size + 1).padStart(26, "0")}`;
      seen.set(id, known);
      return known;
    })
    .replace(/(?<=")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z(?=")/g, "2026-01-31T12:00:00.000Z")
    .replace(/(?<="(?:readMs|classifyMs|totalMs)":)[\d.]+/g, "12.5")
    .replace(/(?<="(?:confidence|margin|score|threshold)":)[\d.]+/g, "0.5")
    .replace(/(?<="name":"local","version":)"[^"]*"/g, '"1"')
    .replace(/(?<="learnedFrom":)\d+/g, "0")
    .replace(/(?<=pageToken=)[\w%.-]+/g, "<page token>")
    .replace(/^(etag: (?:W\/)?").*(?="$)/gim, "$1<tag>")
    .replace(/^(date: ).*$/gim, "$1<date>")
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, "http://127.0.0.1:8080");
}

/**
 * Sends a request and returns it with its response, as text: the line of the request, the status line, all headers as they are written,
 * and the body. Throws if the length of the body is not its `Content-Length`. Responses with status 503 are retried for 30 s.
 */
export async function recordExchange(url: string, token: string | undefined, asked: RecordedRequest): Promise<string> {
  for (const deadline = performance.now() + 30_000; ; await sleep(100)) {
    const { status, text } = await exchange(url, token, asked);
    if (status !== 503 || performance.now() > deadline) return normalizeExchange(text);
  }
}

function exchange(
  url: string,
  token: string | undefined,
  { method = "GET", path, body, headers = {} }: RecordedRequest,
): Promise<{ status: number; text: string }> {
  const content = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
  const sent = {
    "x-request-id": "golden",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(content === undefined ? {} : { "content-type": "application/json" }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const call = request(`${url}${path}`, { method, headers: sent, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
      response.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const length = response.headers["content-length"];
        if (length !== undefined && Number(length) !== bytes.length)
          reject(new Error(`${bytes.length} bytes instead of ${length}`));
        const names = response.rawHeaders.filter((_, index) => index % 2 === 0);
        const lines = names.map((name, index) => `${name}: ${response.rawHeaders[index * 2 + 1]}`);
        const { statusCode: status = 0, statusMessage = "", httpVersion } = response;
        // The length of a body differs with that of its numbers, so it is compared above instead.
        const head = lines.filter((line) => !/^content-length:/i.test(line)).join("\n");
        const text = `${method} ${path}\n\nHTTP/${httpVersion} ${status} ${statusMessage}\n${head}\n\n${bytes.toString("utf8")}\n`;
        resolve({ status, text });
      });
    });
    call.on("error", reject);
    call.end(content);
  });
}

/** Compares a recorded exchange with its file in `recorded/`, or writes the file if UPDATE_GOLDEN is 1. */
export async function expectRecorded(name: string, text: string): Promise<void> {
  const folder = join(import.meta.dirname, "recorded");
  const path = join(folder, `${name}.http`);
  if (process.env["UPDATE_GOLDEN"] === "1") {
    await mkdir(folder, { recursive: true });
    await writeFile(path, text);
  }
  expect(text).toBe(await readFile(path, "utf8"));
}
