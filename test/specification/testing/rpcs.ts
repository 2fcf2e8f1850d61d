import { createRestApi, expandTemplate } from "@switchyard/rest";
import type { Route } from "@switchyard/rest";
import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import { publicServices } from "@switchyard/gateway";
import type { Answer, Rest } from "../../rest.ts";

/** A request of an RPC by the REST names of its fields. */
export interface SampleRequest {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>>;
  /** What is uploaded, as the part `file` of a form whose other parts are the body's texts. */
  file?: { readonly filename: string; readonly text: string };
  /** Query parameters that only narrow a list: an id that is not there gives an empty one. */
  filters?: readonly string[];
}

const api = createRestApi(publicServices.map(({ service }) => service));

/** Every REST endpoint of the contracts, additional bindings included: what all generated tests go through. */
export const endpoints: readonly Route[] = api.routes;

/** Every public RPC once, by its first HTTP rule. */
export const rpcs: readonly Route[] = endpoints.filter(
  ({ method }, index) => endpoints.findIndex((other) => other.method === method) === index,
);

/** How samples and tables call an RPC: "ClassifierService.AddRoute". */
export const getName = ({ service, method }: Pick<Route, "service" | "method">): string =>
  `${service.name}.${method.name}`;

/** The path of a request with its query. */
export function getTarget(route: Route, { path = {}, query = {} }: SampleRequest): string {
  const restName = (name: string) => route.method.input.fields.find((field) => field.name === name)?.jsonName ?? name;
  const expanded = expandTemplate(route.template, (name) => path[restName(name)]);
  if (expanded === undefined) throw new Error(`${getName(route)}: the sample does not fill ${route.path}`);
  const parameters = new URLSearchParams({ ...query }).toString();
  return parameters === "" ? expanded : `${expanded}?${parameters}`;
}

/** Sends a request of an RPC over REST. */
export function send(rest: Rest, route: Route, request: SampleRequest): Promise<Answer> {
  const target = getTarget(route, request);
  if (request.file !== undefined) {
    const { filename, text } = request.file;
    return rest.upload(target, filename, Buffer.from(text), request.body as Record<string, string>);
  }
  return sendText(rest, route, target, route.body === undefined ? undefined : JSON.stringify(request.body ?? {}));
}

/** The message that a request without a file is: what goes over Connect and gRPC. */
export function getMessage(route: Route, request: SampleRequest): Message {
  const [path = "", query = ""] = getTarget(route, request).split("?");
  const found = api.match(route.httpMethod, path);
  if (found.kind !== "found") throw new Error(`${path} is ${found.kind}`);
  const body = Buffer.from(route.body === undefined ? "" : JSON.stringify(request.body ?? {}));
  const message = found.target.read({ variables: found.variables, query, body });
  if (!message.ok) throw new Error(JSON.stringify(message.violations));
  return message.value;
}

/** Sends a JSON text as it is, or no body at all. */
export function sendText(rest: Rest, route: Route, target: string, body: string | undefined): Promise<Answer> {
  return rest.send(target, {
    method: route.httpMethod,
    ...(body === undefined ? {} : { body, headers: { "content-type": "application/json" } }),
  });
}

/** A field of a request, wherever it is: `steps` lead to it through the body, a list by its first element. */
export interface RequestField {
  readonly field: DescField;
  readonly steps: readonly (string | number)[];
  /** As problems name it: `routes[0].deploymentId`. */
  readonly name: string;
}

/** Every field of a message and of the messages in it, in the order of the contract. Messages of google.protobuf are leaves. */
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

/** The fields of an RPC's request that a client sends in its body: neither the path's variables nor the mask that REST fills. */
export function getBodyFields(route: Route): readonly RequestField[] {
  if (route.body === undefined) return [];
  if (route.body !== "message") return toFields(route.body.message as DescMessage);
  const bound = new Set(route.template.variables.map(({ field }) => field));
  return toFields(route.method.input).filter(({ field, steps }) => {
    const outer = route.method.input.fields.find(({ jsonName }) => jsonName === steps[0]) ?? field;
    return !bound.has(outer.name) && outer.name !== "update_mask";
  });
}

/** The fields of an RPC's request that a client sends as query parameters. */
export function getQueryFields(route: Route): readonly DescField[] {
  if (route.body === "message") return [];
  const bound = new Set(route.template.variables.map(({ field }) => field));
  return route.method.input.fields.filter((field) => !bound.has(field.name) && field !== route.body);
}

/** True for a field that holds a text or texts. */
export function isText(field: DescField): boolean {
  const isScalar = field.fieldKind === "scalar" || (field.fieldKind === "list" && field.listKind === "scalar");
  return isScalar && field.scalar === ScalarType.STRING;
}

/** A copy of a value in which what the steps lead to is another; what is missing on the way is made. */
export function withValue(value: unknown, steps: readonly (string | number)[], replacement: unknown): any {
  const [step, ...rest] = steps;
  if (step === undefined) return replacement;
  const copy: any = Array.isArray(value) ? [...value] : typeof value === "object" ? { ...value } : undefined;
  const target = copy ?? (typeof step === "number" ? [] : {});
  target[step] = withValue(target[step], rest, replacement);
  return target;
}

/** What the steps lead to; undefined where nothing is. */
export function valueAt(value: unknown, steps: readonly (string | number)[]): unknown {
  return steps.reduce<any>((inner, step) => inner?.[step], value);
}

/** Every leaf of a JSON value with the steps to it. */
export function getLeaves(
  value: unknown,
  above: readonly (string | number)[] = [],
): { steps: readonly (string | number)[]; leaf: unknown }[] {
  if (Array.isArray(value)) return value.flatMap((element, index) => getLeaves(element, [...above, index]));
  if (typeof value !== "object" || value === null) return value === undefined ? [] : [{ steps: above, leaf: value }];
  return Object.entries(value).flatMap(([key, element]) => getLeaves(element, [...above, key]));
}

/** Steps as problems write them: `routes[0].deploymentId`. */
export function fieldName(steps: readonly (string | number)[]): string {
  return steps.reduce<string>(
    (name, step) => (typeof step === "number" ? `${name}[${step}]` : name === "" ? step : `${name}.${step}`),
    "",
  );
}
