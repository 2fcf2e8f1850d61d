import type { Call } from "./call.ts";
import { InvalidRequestError } from "./errors.ts";
import { toFilePart, type FileInput } from "./files.ts";

/** An HTTP request that can be sent more than once. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | FormData | undefined;
}

/**
 * Creates the HTTP request of a call. Undefined members are left out; null is sent in a body.
 * @throws InvalidRequestError for an invalid id in the path, or a file that is too large
 */
export async function toHttpRequest(
  baseUrl: string,
  call: Call,
  request: Readonly<Record<string, unknown>>,
): Promise<HttpRequest> {
  const variables = new Set([...call.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ""));
  const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => toSegment(name, request[name]));
  const query = new URLSearchParams(
    (call.query ?? []).flatMap((name) => {
      const value = request[name];
      return value === undefined || value === null ? [] : [[name, toText(value)] as [string, string]];
    }),
  ).toString();
  const file = request["file"] as FileInput | undefined;
  const fields = Object.entries(request).filter(
    ([name, value]) =>
      !variables.has(name) && value !== undefined && (call.maxFileBytes === undefined || name !== "file"),
  );
  return {
    method: call.method,
    url: `${baseUrl}${path}${query === "" ? "" : `?${query}`}`,
    ...(call.body === undefined
      ? { headers: {}, body: undefined }
      : call.maxFileBytes !== undefined && file !== undefined
        ? { headers: {}, body: await toForm(file, call.maxFileBytes, fields) }
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(Object.fromEntries(fields)) }),
  };
}

async function toForm(
  file: FileInput,
  maxFileBytes: number,
  fields: readonly (readonly [string, unknown])[],
): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of fields) if (value !== null) form.append(name, toText(value));
  const { blob, filename } = await toFilePart(file, maxFileBytes);
  form.append("file", blob, filename);
  return form;
}

/** Converts an ID or a number to a segment of a path. "." and ".." would be interpreted as relative segments in any encoding. */
function toSegment(name: string, value: unknown): string {
  if (Number.isSafeInteger(value)) return String(value);
  if (typeof value !== "string" || value === "" || value === "." || value === "..")
    throw new InvalidRequestError(name, `${name} is ${JSON.stringify(value) ?? "missing"}, which is not an ID`);
  return encodeURIComponent(value);
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
