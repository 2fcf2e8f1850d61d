import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** The response to a document of a burst. */
export interface BurstResponse {
  status: number;
  /** The code of the error, if it is one. */
  code: string | undefined;
  retryAfter: string | undefined;
  ms: number;
}

/** Sends documents to one classifier. */
export interface Sender {
  /** Sends a text. Rejects if the connection breaks before the response. */
  post(text: string): Promise<BurstResponse>;
  close(): void;
}

/** Creates a sender with its own connections, one for each concurrent request. */
export function createSender(server: { url: string; token: string; classifier: string }): Sender {
  const agent = new Agent({ keepAlive: true });
  const { hostname: host, port } = new URL(server.url);
  return {
    close: () => agent.destroy(),
    post(text) {
      const body = JSON.stringify({ text });
      const begun = performance.now();
      const headers = {
        authorization: `Bearer ${server.token}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      };
      const path = `/api/v1/classify/${server.classifier}`;
      return new Promise((resolve, reject) => {
        const sent = request({ agent, host, port, method: "POST", path, headers }, (response) => {
          let text = "";
          response.on("data", (piece: Buffer) => (text += piece.toString()));
          response.on("error", reject);
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              code: JSON.parse(text).code,
              retryAfter: response.headers["retry-after"],
              ms: performance.now() - begun,
            }),
          );
        });
        sent.on("error", reject);
        sent.end(body);
      });
    },
  };
}

/** Sends texts at a fixed rate, without waiting for responses, and returns all responses. */
export async function burst(
  post: Sender["post"],
  { documents, perSecond }: { documents: number; perSecond: number },
  toText: (n: number) => string,
): Promise<BurstResponse[]> {
  const begun = performance.now();
  const responses: Promise<BurstResponse>[] = [];
  for (let n = 0; n < documents; n += 1) {
    const early = begun + (n * 1_000) / perSecond - performance.now();
    if (early > 1) await sleep(early);
    responses.push(post(toText(n)));
  }
  return Promise.all(responses);
}

/** Returns the text of an invoice with this number. */
export const invoiceText = (n: number): string =>
  `Invoice number INV-${n}, invoice date 2026-10-01, due date 2026-10-31, total due ${n}.00`;
