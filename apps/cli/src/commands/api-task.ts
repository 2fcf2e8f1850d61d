import type { PathRequest } from "@switchyard/client";
import { printable } from "@switchyard/terminal";
import type { Context } from "../context.ts";
import type { Input } from "../parsing/input.ts";
import { UsageError } from "../terminal/exit-codes.ts";
import { readData, readForm } from "../transfer/input-data.ts";
import { deliverBody } from "../transfer/response-body.ts";

const prefix = "/api/v1";
const methods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] satisfies PathRequest["method"][];
/** Headers that the command sets itself. */
const ownHeaders: readonly string[] = ["authorization", "connection", "content-length", "host", "transfer-encoding"];

/** Executes `api`. */
export async function sendRequest(context: Context, input: Input): Promise<void> {
  const { io } = context;
  const method = input.argument("method").toUpperCase();
  if (!methods.includes(method)) throw new UsageError(`the method is one of ${methods.join(", ")}, not "${method}"`);
  const path = withQuery(toPath(input.argument("path")), input.list("query"));
  const given = toHeaders(input.list("header"));
  const idempotencyKey = given.get("idempotency-key") ?? undefined;
  given.delete("idempotency-key");
  const body = await readBody(io, method, input);
  if (body instanceof Uint8Array && !given.has("content-type")) given.set("content-type", "application/json");
  if (body instanceof FormData && given.has("content-type"))
    throw new UsageError("the content type of a form is multipart/form-data: leave the header out");
  const client = await context.client();
  const response = await client.open(
    { method: method as PathRequest["method"], path, headers: Object.fromEntries(given), body },
    { signal: io.signal, idempotencyKey },
  );
  if (input.on("include")) {
    context.note(`${response.status}`);
    for (const [name, value] of response.headers) context.note(`${name}: ${value}`);
  }
  await deliverBody(context, response, input.text("output-file"));
}

/** Reads the body that the options name: data as it is, a form, or none. */
async function readBody(
  io: Context["io"],
  method: string,
  input: Input,
): Promise<Uint8Array<ArrayBuffer> | FormData | undefined> {
  const data = input.text("data");
  const form = input.list("form");
  if (data === undefined && form.length === 0) return undefined;
  if (method === "GET" || method === "HEAD")
    throw new UsageError(`a ${method} request has no body: use --query for parameters`);
  if (data !== undefined && form.length > 0) throw new UsageError("--data and --form exclude each other");
  return data === undefined ? readForm(io, form) : readData(io, data);
}

/** Completes a path with /api/v1. A URL is returned unchanged; the client refuses that of another server. */
function toPath(text: string): string {
  const variable = /\{\w*\}/.exec(text)?.[0];
  if (variable !== undefined) throw new UsageError(`replace ${variable} in the path by a value`);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || text.startsWith("//")) return text;
  const path = text.startsWith("/") ? text : `/${text}`;
  const isWhole = path === prefix || path.startsWith(`${prefix}/`);
  // Relative segments would leave /api/v1, and the encoded ones are relative too.
  if (/\/(\.|%2e){1,2}(\/|$)/i.test(path.replace(/\?.*$/s, "")))
    throw new UsageError(`the path "${printable(text)}" has relative segments`);
  return isWhole ? path : `${prefix}${path}`;
}

function withQuery(path: string, parameters: readonly string[]): string {
  const query = new URLSearchParams(
    parameters.map((parameter): [string, string] => {
      const [name = "", ...value] = parameter.split("=");
      if (name === "" || value.length === 0)
        throw new UsageError(`--query takes NAME=VALUE, not "${printable(parameter)}"`);
      return [name, value.join("=")];
    }),
  ).toString();
  return query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

function toHeaders(lines: readonly string[]): Headers {
  const headers = new Headers();
  for (const line of lines) {
    const [, name = "", value = ""] = /^([^:]*):(.*)$/s.exec(line) ?? [];
    if (ownHeaders.includes(name.trim().toLowerCase()))
      throw new UsageError(
        `the header ${name.trim()} is set by the command itself; --token and --base-url name token and server`,
      );
    try {
      headers.append(name.trim(), value.trim());
    } catch {
      throw new UsageError(`--header takes NAME:VALUE, not "${printable(line)}"`);
    }
  }
  return headers;
}
