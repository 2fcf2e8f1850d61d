import { problemReasons } from "@switchyard/contracts/reasons";
import { publicServices } from "@switchyard/gateway";
import { createRestApi, problemContentType } from "@switchyard/rest";
import { endpoints } from "../specification/testing/rpcs.ts";
import type { Attempt, Received } from "./http.ts";
import { findDifferences } from "./json-schema.ts";
import type { JsonSchema } from "./json-schema.ts";

const api = createRestApi(publicServices.map(({ service }) => service));

/** Temporary errors that are documented for overload. */
const overloads: readonly string[] = ["OVERLOADED", "STORAGE_BUSY", "IDENTITY_UNAVAILABLE"];

/** Statuses with which the HTTP server may refuse any request before it knows the endpoint. */
const ofTheServer: readonly number[] = [400, 408, 414, 417, 431];

const members = ["type", "title", "status", "detail", "instance", "code", "requestId", "errors"];

/** Returns how a response breaks a rule that holds for all responses, or its description in the OpenAPI document. */
export function findFaults(attempt: Attempt, received: Received, document: JsonSchema): string[] {
  const { status, headers, body } = received;
  const hasNoBody = attempt.method === "HEAD" || status === 204 || status === 304;
  if (hasNoBody) return body.length === 0 ? undocumented(attempt, received, document) : [`${status} with a body`];
  const faults = undocumented(attempt, received, document);
  if (status < 400) return faults;
  const type = headers["content-type"] ?? "none";
  if (type !== problemContentType) return [...faults, `an error of type ${String(type)}`];
  return [...faults, ...faultsOfProblem(JSON.parse(body.toString("utf8")), received)];
}

function faultsOfProblem(problem: any, { status, headers }: Received): string[] {
  const faults: string[] = [];
  const hold = (what: string, holds: boolean): void => void (holds || faults.push(what));
  // The path of a request whose head was not read is unknown.
  const unread = status === 431 || problem.code === "MALFORMED_REQUEST";
  const texts = ["type", "title", "detail", ...(unread ? [] : ["instance"]), "code", "requestId"];
  hold(
    "not the eight members",
    members.every((name) => Object.hasOwn(problem, name)),
  );
  hold(
    "a member is no text",
    texts.every((name) => typeof problem[name] === "string" && problem[name] !== ""),
  );
  hold("another status", problem.status === status);
  hold(`the unknown reason ${problem.code}`, Object.hasOwn(problemReasons, problem.code));
  hold("another request ID", headers["x-request-id"] === problem.requestId);
  // Of more violations than an answer has room for, the rest are counted in a last entry without a field.
  const isCount = (index: number, message: string) =>
    index > 0 && index === problem.errors.length - 1 && /^\d+ more are not listed$/.test(message);
  const named = (problem.errors as any[]).every(({ field, message }, index) =>
    field === "" ? isCount(index, message) : typeof field === "string" && message !== "",
  );
  hold("errors without a field or message", named);
  hold("a 400 without a field", status !== 400 || problem.code !== "INVALID_REQUEST" || problem.errors.length > 0);
  hold(`${status} ${problem.code}`, status < 500 || (status === 503 && overloads.includes(problem.code)));
  hold("no Retry-After", status !== 503 || /^\d+$/.test(String(headers["retry-after"])));
  hold("no Allow", status !== 405 || headers["allow"] !== undefined);
  return faults;
}

/** Returns how a response differs from those that the document describes for the endpoint. */
function undocumented(
  { method, target }: Attempt,
  { status, headers, body }: Received,
  document: JsonSchema,
): string[] {
  if (method === "OPTIONS" && status < 300) return [];
  const [path = ""] = target.split("?");
  const match = api.match(method === "HEAD" ? "GET" : method, path);
  if (match.kind !== "found") {
    return [404, 405, ...ofTheServer].includes(status) ? [] : [`${status} for a path or method without an endpoint`];
  }
  const { route } = match.target;
  if (ofTheServer.includes(status)) return [];
  if (route.removed !== undefined) return [406, 410, 415].includes(status) ? [] : [`${status} of a removed endpoint`];
  const bindings = endpoints.filter((other) => other.method === route.method);
  const binding = bindings.findIndex(
    ({ path: other, httpMethod }) => other === route.path && httpMethod === route.httpMethod,
  );
  const id = `${route.service.name}_${route.method.name}${binding > 0 ? `_${binding + 1}` : ""}`;
  const operations = Object.values<Record<string, JsonSchema>>(document["paths"]).flatMap((methods) =>
    Object.values(methods),
  );
  const described = operations.find(({ operationId }) => operationId === id)?.["responses"]?.[String(status)];
  if (described === undefined) return [`${status} is not described for ${id}`];
  if (status >= 300 || method === "HEAD") return [];
  return differencesOfBody(described, String(headers["content-type"]), body, document);
}

function differencesOfBody({ content }: JsonSchema, type: string, body: Buffer, document: JsonSchema): string[] {
  if (content === undefined) return body.length === 0 ? [] : ["a body that is not described"];
  const [plain = ""] = type.split(";");
  // What a file or an export contains is not described.
  if (content[plain] === undefined && content["*/*"] !== undefined) return [];
  const { schema } = content[plain] ?? {};
  if (schema === undefined) return [`the type ${type} is not described`];
  const differences = (text: string, of: JsonSchema): string[] => findDifferences(JSON.parse(text), of, document);
  const text = body.toString("utf8");
  switch (plain) {
    case "application/json":
      return differences(text, schema);
    case "application/x-ndjson":
      return text.split("\n").flatMap((line) => (line === "" ? [] : differences(line, schema)));
    case "text/event-stream": {
      const lines = text.split("\n").filter((line) => line.startsWith("data: "));
      return lines.flatMap((line) => differences(line.slice("data: ".length), schema.properties.data.contentSchema));
    }
    default:
      return [];
  }
}
