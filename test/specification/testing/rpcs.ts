import { createRestApi, expandTemplate } from "@switchyard/rest";
import type { Route } from "@switchyard/rest";
import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import { publicServices } from "@switchyard/gateway";
import type { RestResponse, Rest } from "../../rest.ts";

/** A request of an RPC by the REST names of its fields. */
export interface SampleRequest {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>>;
  /** The part `file` of a form, whose other parts are the strings of the body. */
  file?: { readonly filename: string; readonly text: string };
  /** Query parameters that only filter a list. With an unknown ID, the list is empty. */
  filters?: readonly string[];
}

const api = createRestApi(publicServices.map(({ service }) => service));

/** Every REST endpoint of the contracts, including additional bindings. Tests that are derived from the contracts iterate over them. */
export const endpoints: readonly Route[] = api.routes;

/** Every public RPC once, by its first HTTP rule. */
export const rpcs: readonly Route[] = endpoints.filter(
  ({ method }, index) => endpoints.findIndex((other) => other.method === method) === index,
);

/** Returns the name of an RPC in samples and tables: "ClassifierService.AddRoute". */
export const getName = ({ service, method }: Pick<Route, "service" | "method">): string =>
  `${service.name}.${method.name}`;

/** Returns the path of a request with its query. */
export function getTarget(route: Route, { path = {}, query = {} }: SampleRequest): string {
  const restName = (name: string) => route.method.input.fields.find((field) => field.name === name)?.jsonName ?? name;
  const expanded = expandTemplate(route.template, (name) => path[restName(name)]);
  if (expanded === undefined) throw new Error(`${getName(route)}: the sample does not fill ${route.path}`);
  const parameters = new URLSearchParams({ ...query }).toString();
  return parameters === "" ? expanded : `${expanded}?${parameters}`;
}

/** Sends a request of an RPC over REST. */
export function send(rest: Rest, route: Route, request: SampleRequest): Promise<RestResponse> {
  const target = getTarget(route, request);
  if (request.file !== undefined) {
    const { filename, text } = request.file;
    return rest.upload(target, filename, Buffer.from(text), request.body as Record<string, string>);
  }
  return sendText(rest, route, target, route.body === undefined ? undefined : JSON.stringify(request.body ?? {}));
}

/** Returns a request without a file as a message for Connect and gRPC. */
export function getMessage(route: Route, request: SampleRequest): Message {
  const [path = "", query = ""] = getTarget(route, request).split("?");
  const found = api.match(route.httpMethod, path);
  if (found.kind !== "found") throw new Error(`${path} is ${found.kind}`);
  const body = Buffer.from(route.body === undefined ? "" : JSON.stringify(request.body ?? {}));
  const message = found.target.read({ variables: found.variables, query, body });
  if (!message.ok) throw new Error(JSON.stringify(message.violations));
  return message.value;
}

/** Sends a JSON text unchanged, or no body. */
export function sendText(rest: Rest, route: Route, target: string, body: string | undefined): Promise<RestResponse> {
  return rest.send(target, {
    method: route.httpMethod,
    ...(body === undefined ? {} : { body, headers: { "content-type": "application/json" } }),
  });
}

/** A field at any depth of a request. `steps` is the path to it through the body, with the first element of lists. */
export interface RequestField {
  readonly field: DescField;
  readonly steps: readonly (string | number)[];
  /** The name in problem details: `routes[0].deploymentId`. */
  readonly name: string;
}

/** Returns every field of a message and of nested messages, in the order of the contract. Messages of google.protobuf are leaves. */
export function toFields(message: DescMessage, above: readonly (string | number)[] = []): readonly RequestField[] {
  return message.fields.flatMap((field) => {
    const own = [...above, field.jsonName];
    const here = { field, steps: own, name: fieldName(own) };
    const isList = field.fieldKind === "list";
    const inner = field.fieldKind === "message" || isList ? field.message : undefined;
    if (inner === undefined || inner.typeName.startsWith("google.")) return [here];
    return [here, ...toFields(inner, isList ? [...own, 0] : own)];
  });
}

/** Returns the fields of a request that a client sends in the body, without path variables and the mask that REST fills in. */
export function getBodyFields(route: Route): readonly RequestField[] {
  if (route.body === undefined) return [];
  if (route.body !== "message") return toFields(route.body.message as DescMessage);
  const bound = new Set(route.template.variables.map(({ field }) => field));
  return toFields(route.method.input).filter(({ field, steps }) => {
    const outer = route.method.input.fields.find(({ jsonName }) => jsonName === steps[0]) ?? field;
    return !bound.has(outer.name) && outer.name !== "update_mask";
  });
}

/** Returns the fields of a request that a client sends as query parameters. */
export function getQueryFields(route: Route): readonly DescField[] {
  if (route.body === "message") return [];
  const bound = new Set(route.template.variables.map(({ field }) => field));
  return route.method.input.fields.filter((field) => !bound.has(field.name) && field !== route.body);
}

/** Returns whether a field is a string or a list of strings. */
export function isText(field: DescField): boolean {
  const isScalar = field.fieldKind === "scalar" || (field.fieldKind === "list" && field.listKind === "scalar");
  return isScalar && field.scalar === ScalarType.STRING;
}

/** Returns a copy of a value with another value at the end of the steps. Missing objects on the way are created. */
export function withValue(value: unknown, steps: readonly (string | number)[], replacement: unknown): any {
  const [step, ...rest] = steps;
  if (step === undefined) return replacement;
  const copy: any = Array.isArray(value) ? [...value] : typeof value === "object" ? { ...value } : undefined;
  const target = copy ?? (typeof step === "number" ? [] : {});
  target[step] = withValue(target[step], rest, replacement);
  return target;
}

/** Returns the value at the end of the steps; undefined if there is none. */
export function valueAt(value: unknown, steps: readonly (string | number)[]): unknown {
  return steps.reduce<any>((inner, step) => inner?.[step], value);
}

/** Returns every leaf of a JSON value with the steps to it. */
export function getLeaves(
  value: unknown,
  above: readonly (string | number)[] = [],
): { steps: readonly (string | number)[]; leaf: unknown }[] {
  if (Array.isArray(value)) return value.flatMap((element, index) => getLeaves(element, [...above, index]));
  if (typeof value !== "object" || value === null) return value === undefined ? [] : [{ steps: above, leaf: value }];
  return Object.entries(value).flatMap(([key, element]) => getLeaves(element, [...above, key]));
}

/** Formats steps as in problem details: `routes[0].deploymentId`. */
export function fieldName(steps: readonly (string | number)[]): string {
  return steps.reduce<string>(
    (name, step) => (typeof step === "number" ? `${name}[${step}]` : name === "" ? step : `${name}.${step}`),
    "",
  );
}
