import { isDeepStrictEqual } from "node:util";
import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import { createRestApi, type RestApi } from "../api.ts";
import { ContractError } from "../field-names.ts";
import { createJsonWriters } from "../responses/writer.ts";
import { TemplateError } from "../routing/template.ts";
import { problemOf, type JsonCase, type RequestCase, type RuleCase, type Want } from "./case.ts";
import { createService, toJsonName, type ContractSource } from "./contract.ts";
import { enums, messages } from "./messages.ts";
import { differ } from "./paths.ts";

/** The API that requests of the cases are sent to. */
function createCasesApi(): RestApi {
  return createRestApi([
    createService({
      enums,
      messages: {
        ...withFields((field) => !hasNoForm.test(field)),
        PatchRequest: ["string patch_id", "string name"],
        ShelfRequest: ["int32 shelf_id", "Shelf shelf"],
        Shelf: ["string theme"],
      },
      methods: [
        { name: "Query", rule: { rule: "GET /query" }, input: "Everything", output: "Everything" },
        { name: "Echo", rule: { rule: "POST /echo", body: "*" }, input: "Everything", output: "Everything" },
        { name: "Patch", rule: { rule: "PATCH /patch/{patch_id}", body: "*" }, input: "PatchRequest", output: "Shelf" },
        { name: "Add", rule: { rule: "POST /shelves/{shelf_id}", body: "*" }, input: "ShelfRequest", output: "Shelf" },
        {
          ...{ name: "Put", input: "ShelfRequest", output: "Shelf" },
          rule: { rule: "PUT /shelves/{shelf_id}", body: "shelf" },
        },
      ],
    }),
  ]);
}

/** The types that have no form in the REST profile. */
const hasNoForm = /\b(u?int|sint|s?fixed)64\b|\bU?Int64Value\b|\.Any\b/;

function withFields(includes: (field: string) => boolean): Readonly<Record<string, readonly string[]>> {
  return { ...messages, Everything: (messages["Everything"] ?? []).filter(includes) };
}

/** Creates the runner of request cases. The API is compiled once. */
export function createRequestRunner(): (fact: RequestCase) => string | undefined {
  const api = createCasesApi();
  return ({ method, path, query, body, want }) => send(api, method, path, query, body, want);
}

/** Reads the body of a case as a message with the fields that the body names, because some types have no form in the profile. */
export function runJson({ body, valid }: JsonCase): string | undefined {
  const named = new Set([...body.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([quoted]) => parseString(quoted)));
  const isNamed = (field: string): boolean => {
    const name = field.slice(field.lastIndexOf(" ") + 1);
    return named.has(name) || named.has(toJsonName(name));
  };
  const rule = { rule: "POST /json", body: "*" };
  const api = startWith({
    enums,
    messages: withFields(isNamed),
    methods: [{ name: "Read", rule, input: "Everything", output: "Everything" }],
  });
  if (typeof api === "string") return `is refused at start: ${api}`;
  const match = api.match("POST", "/json");
  if (match.kind !== "found") return match.kind;
  const outcome = match.target.read({ variables: match.variables, query: "", body: Buffer.from(body) });
  return outcome.ok === valid
    ? undefined
    : outcome.ok
      ? "is accepted"
      : `is refused: ${JSON.stringify(outcome.violations)}`;
}

/** Starts an API with the rule of a case, and sends its request. */
export function runRule({ rule, messages: own, req = "GET /", body, want, answer }: RuleCase): string | undefined {
  const name = own === undefined ? "Everything" : "Request";
  const api = startWith({
    enums,
    messages: { ...withFields((field) => !hasNoForm.test(field)), ...own },
    methods: [{ name: "Call", rule, input: name, output: name }],
  });
  if (typeof api === "string")
    return want.start !== undefined && api.includes(want.start) ? undefined : `is refused at start: ${api}`;
  if (want.start !== undefined) return "is not refused at start";
  const [method = "", target = ""] = req.split(" ");
  const [path = "", query = ""] = target.split("?");
  return send(api, method, path, query, body, want, answer);
}

function startWith(source: ContractSource): RestApi | string {
  try {
    return createRestApi([createService(source)]);
  } catch (problem) {
    if (problem instanceof ContractError || problem instanceof TemplateError || /^two routes/.test(problemOf(problem)))
      return problemOf(problem);
    throw problem;
  }
}

function send(
  api: RestApi,
  method: string,
  path: string,
  query: string,
  body: string | undefined,
  want: Want,
  answer?: string,
): string | undefined {
  const match = api.match(method, path);
  if (match.kind !== "found")
    return (match.kind === "malformed" && want.violations !== undefined) || match.kind === want.kind
      ? undefined
      : `is ${match.kind}`;
  const { variables, target } = match;
  const outcome = target.read({ variables, query, body: Buffer.from(body ?? "") });
  if (!outcome.ok) {
    if (want.violations === true) return undefined;
    const fields = outcome.violations.map(({ field }) => field);
    return want.violations === undefined
      ? `is refused: ${JSON.stringify(outcome.violations)}`
      : differ(fields, want.violations);
  }
  const { input } = target.route.method;
  const found = print(input, outcome.value);
  if (want.patchId !== undefined) return differ(found["patchId"], want.patchId);
  const wrong =
    want.ok !== undefined && covers(found, want.ok, input) ? undefined : `is accepted as ${JSON.stringify(found)}`;
  if (wrong !== undefined || answer === undefined) return wrong;
  return differ(target.write(outcome.value, outcome.value, { path, query }).body, answer);
}

function print(descriptor: DescMessage, message: Message): Readonly<Record<string, unknown>> {
  return JSON.parse(createJsonWriters().message(descriptor)(message)) as Readonly<Record<string, unknown>>;
}

/** Whether a value has the members that are wanted, and its others are at their defaults, which those of a message know. */
function covers(found: unknown, wanted: unknown, descriptor?: DescMessage): boolean {
  if (!isObject(found) || !isObject(wanted)) return isDeepStrictEqual(found, wanted);
  const defaults = descriptor === undefined ? undefined : print(descriptor, create(descriptor));
  const others = Object.entries(found).filter(([name]) => !Object.hasOwn(wanted, name));
  return (
    Object.entries(wanted).every(([name, value]) => covers(found[name], value, memberType(descriptor, name))) &&
    others.every(([name, value]) =>
      defaults === undefined ? isEmpty(value) : isDeepStrictEqual(value, defaults[name]),
    )
  );
}

/** Returns the type of a member that is a message of the cases. */
function memberType(descriptor: DescMessage | undefined, name: string): DescMessage | undefined {
  const message = descriptor?.fields.find(({ jsonName }) => jsonName === name)?.message;
  return message?.typeName.startsWith("cases.") === true ? message : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  return ["null", '""', "0", "false", "[]", "{}"].includes(JSON.stringify(value));
}

function parseString(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return "";
  }
}
