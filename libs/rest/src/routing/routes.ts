import {
  getOption,
  hasOption,
  ScalarType,
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescService,
} from "@bufbuild/protobuf";
import { http } from "@switchyard/contracts/google/api/annotations";
import type { HttpRule } from "@switchyard/contracts/google/api/http";
import {
  byte_ranges,
  conflicts,
  location,
  max_body_bytes,
  permission,
  type Permission,
  removed,
  server_sent_events,
  success_status,
  upload,
} from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { ContractError, findField } from "../field-names.ts";
import { findPath, toContractName, toRestName, type FieldPath } from "../field-paths.ts";
import { hasTextForm } from "../text-forms.ts";
import { parseTemplate, type Template } from "./template.ts";

/** The default maximum size of a JSON body, in bytes. */
export const defaultMaxBodyBytes = 1024 * 1024;

/** The rule of a file upload over HTTP. */
export interface UploadRule {
  readonly field: DescField;
  readonly raw: boolean;
  readonly maxBytes: number;
}

/** An HTTP rule of a method, resolved with its messages: the contract of an endpoint. */
export interface Route {
  readonly service: DescService;
  readonly method: DescMethod;
  readonly httpMethod: string;
  readonly template: Template;
  /** The template in the contract. */
  readonly path: string;
  /** The fields that the variables of the path set, by their paths in the contract ("shelf.name"). */
  readonly variables: ReadonlyMap<string, FieldPath>;
  /** The paths of the fields that no other part of a request can set: those of the variables, and others of the same oneof. */
  readonly bound: ReadonlySet<string>;
  /** The body: the whole message, one of its fields, or none. */
  readonly body: "message" | DescField | undefined;
  readonly responseBody: DescField | undefined;
  readonly successStatus: number;
  readonly location: Template | undefined;
  readonly removed: { readonly replacements: readonly string[]; readonly reason: string } | undefined;
  readonly upload: UploadRule | undefined;
  readonly maxBodyBytes: number;
  /**
   * The kind of entity tag of its responses; undefined if they have none. It is strong if clients can request ranges of bytes, and weak if
   * the response is one resource, as opposed to a list.
   */
  readonly entityTag: "strong" | "weak" | undefined;
  /** The route that reads what this one changes, with an entity tag that preconditions can name; undefined if there is none. */
  readonly read: Route | undefined;
  /** The name of the server-sent events of a method with a response stream; undefined for other methods. */
  readonly eventName: string | undefined;
  readonly permission: Permission;
  /** The reason codes of the conflicts (409) that the method itself can report. */
  readonly conflicts: readonly string[];
}

/** The message type whose bytes are the response body. */
export const httpBodyType = "google.api.HttpBody";

/**
 * Creates the routes of services in the order of the contracts: one for each HTTP rule and each additional binding. Methods without a rule
 * have none.
 * @throws ContractError if a rule names unknown fields, or requires something that the profile does not support
 */
export function createRoutes(services: readonly DescService[]): readonly Route[] {
  const routes = services.flatMap((service) =>
    service.methods.flatMap((method) => {
      if (!hasOption(method, http)) return [];
      const rule = getOption(method, http);
      if (rule.additionalBindings.some(({ additionalBindings }) => additionalBindings.length > 0))
        throw new ContractError(
          `${service.typeName}.${method.name}: additional_bindings inside of additional_bindings`,
        );
      return [rule, ...rule.additionalBindings].map((binding) => createRoute(service, method, binding));
    }),
  );
  const tagged = new Map(routes.filter(({ entityTag }) => entityTag === "weak").map((route) => [route.path, route]));
  return routes.map((route) => (changes.has(route.httpMethod) ? { ...route, read: tagged.get(route.path) } : route));
}

/** The HTTP methods that change the resource of their path. */
const changes: ReadonlySet<string> = new Set(["PUT", "PATCH", "DELETE"]);

/** Returns the path of a route with the REST names of its variables: "/api/v1/files/{fileId}". */
export function restPath(route: Route): string {
  return route.path.replace(/\{([\w.]+)(?:[^\w.}][^}]*)?\}/g, (_variable, name: string) => {
    const fields = route.variables.get(name);
    return `{${fields === undefined ? name : toRestName(fields)}}`;
  });
}

function createRoute(service: DescService, method: DescMethod, rule: HttpRule): Route {
  const fail = (problem: string): never => {
    throw new ContractError(`${service.typeName}.${method.name}: ${problem}`);
  };
  const { httpMethod, path } = getPattern(rule) ?? fail("an HTTP rule without a method and a path");
  const template = parseTemplate(path);
  const variables = new Map(
    template.variables.map(({ field }) => [field, findVariable(method.input, field, fail)] as const),
  );
  const alternatives = new Set([...variables.values()].flatMap(getAlternatives));
  const excluded = [...variables.keys()].find((name) => alternatives.has(name));
  if (excluded !== undefined) fail(`path variable "${excluded}" is of the same oneof as another one`);
  const bound = new Set([...variables.keys(), ...alternatives]);
  const bodyField = (name: string): DescField => {
    const field = findField(method.input, name) ?? fail(`body field "${name}" is no field of ${method.input.typeName}`);
    return bound.has(name) ? fail(`body field "${name}" is set or excluded by the path`) : field;
  };
  if (rule.body !== "" && (httpMethod === "GET" || httpMethod === "HEAD")) fail(`${httpMethod} has no body`);
  const streamsBytes = method.output.typeName === httpBodyType;
  if (method.methodKind === "bidi_streaming") fail("streams both ways, which REST has no form for");
  const eventName = getEventName(method);
  if (method.methodKind === "server_streaming" && !streamsBytes && eventName === undefined)
    fail(`a stream must be of ${httpBodyType} or of server-sent events`);
  if (eventName !== undefined && (method.methodKind !== "server_streaming" || httpMethod !== "GET" || streamsBytes))
    fail("server-sent events need a stream of messages and GET");
  if (method.methodKind === "client_streaming" && !hasOption(method, upload))
    fail("a stream of requests must be an upload");
  const byteRanges = getOption(method, byte_ranges);
  if (byteRanges && !(streamsBytes && httpMethod === "GET"))
    fail(`byte ranges need a stream of ${httpBodyType} and GET`);
  const maxBodyBytes = getOption(method, max_body_bytes);
  const successStatus = getOption(method, success_status);
  return {
    service,
    method,
    httpMethod,
    template,
    path,
    variables,
    bound,
    body: rule.body === "" ? undefined : rule.body === "*" ? "message" : bodyField(rule.body),
    responseBody:
      rule.responseBody === ""
        ? undefined
        : (findField(method.output, rule.responseBody) ??
          fail(`response field "${rule.responseBody}" is no field of ${method.output.typeName}`)),
    successStatus: successStatus === 0 ? 200 : successStatus,
    location: hasOption(method, location) ? parseTemplate(getOption(method, location)) : undefined,
    removed: hasOption(method, removed) ? getOption(method, removed) : undefined,
    upload: hasOption(method, upload) ? createUpload(method, fail) : undefined,
    maxBodyBytes: maxBodyBytes === 0 ? defaultMaxBodyBytes : maxBodyBytes,
    entityTag: byteRanges ? "strong" : returnsOneResource(method, httpMethod, rule) ? "weak" : undefined,
    read: undefined,
    eventName,
    permission: getOption(method, permission),
    conflicts: getOption(method, conflicts),
  };
}

function findVariable(input: DescMessage, name: string, fail: (problem: string) => never): FieldPath {
  const path = findPath(input, name) ?? fail(`path variable "${name}" is no field of ${input.typeName}`);
  const leaf = path.at(-1);
  if (leaf?.fieldKind === "list" || leaf?.fieldKind === "map")
    fail(`path variable "${name}" is a ${leaf.fieldKind}, which has no form in a path`);
  if (leaf === undefined || !hasTextForm(leaf)) fail(`path variable "${name}" is a message`);
  return path;
}

/** Returns the paths of the fields that a field excludes, because it or a message that contains it is a member of the same oneof. */
function getAlternatives(path: FieldPath): readonly string[] {
  return path.flatMap((field, index) =>
    (field.oneof?.fields ?? [])
      .filter((other) => other !== field)
      .map((other) => toContractName([...path.slice(0, index), other])),
  );
}

/** Returns the name of the server-sent events of a method; undefined if it has none. A call that sends events has no deadline. */
export function getEventName(method: DescMethod): string | undefined {
  return hasOption(method, server_sent_events) ? getOption(method, server_sent_events) : undefined;
}

/**
 * Whether a call of a method has no deadline, but lasts until the service or the client ends it: one that sends events, or bytes whose number
 * is not known in advance.
 */
export function hasNoDeadline(method: DescMethod): boolean {
  return (
    getEventName(method) !== undefined || (method.output.typeName === httpBodyType && !getOption(method, byte_ranges))
  );
}

/** Returns whether a method reads one resource. Lists are arrays, or objects whose member `data` is an array. */
function returnsOneResource(method: DescMethod, httpMethod: string, rule: HttpRule): boolean {
  const isList = method.output.fields.some(
    ({ name, jsonName, fieldKind }) => fieldKind === "list" && (jsonName === "data" || name === rule.responseBody),
  );
  return httpMethod === "GET" && method.methodKind === "unary" && !isList && !hasOption(method, removed);
}

function getPattern(rule: HttpRule): { httpMethod: string; path: string } | undefined {
  const { pattern } = rule;
  if (pattern.case === undefined || (pattern.case === "custom" && pattern.value.kind === "")) return undefined;
  if (pattern.case === "custom") return { httpMethod: pattern.value.kind, path: pattern.value.path };
  return { httpMethod: pattern.case.toUpperCase(), path: pattern.value };
}

function createUpload(method: DescMethod, fail: (problem: string) => never): UploadRule {
  const rule = getOption(method, upload);
  const field = findField(method.input, rule.field) ?? fail(`upload field "${rule.field}" does not exist`);
  const names = field.fieldKind === "message" ? field.message.fields.map(({ name }) => name) : undefined;
  if (method.methodKind === "client_streaming") {
    const described = ["filename", "content_type"].every((name) => findField(method.input, name) !== undefined);
    if (!described || field.scalar !== ScalarType.BYTES)
      fail("a streamed upload needs filename, content_type and bytes");
  } else if (!["filename", "content_type", "data"].every((name) => names?.includes(name)))
    fail(`upload field "${rule.field}" must be a message of {filename, content_type, data}`);
  if (rule.maxBytes <= 0) fail("an upload needs max_bytes");
  return { field, raw: rule.raw, maxBytes: rule.maxBytes };
}
