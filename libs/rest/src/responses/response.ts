import type { DescField, Message } from "@bufbuild/protobuf";
import { findField, getField } from "../field-names.ts";
import { findPath, getAtPath } from "../field-paths.ts";
import { httpBodyType, type Route } from "../routing/routes.ts";
import { expandTemplate, type Template } from "../routing/template.ts";
import { createJsonWriters, type JsonWriters } from "./writer.ts";

/** A response that is ready to be sent. `body` is undefined if there is none. */
export interface RestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/**
 * Creates the response to a request: the message as JSON with its status, Location and Link. `target` is the path and query of the request.
 */
export type ResponseWriter = (
  response: Message,
  request: Message,
  target: { path: string; query: string },
) => RestResponse;

/**
 * Compiles the writer of a route's responses. The variables of the Location are taken from the response message, and then from the request.
 * If the response body omits next_page_token, the next page is in a Link header. An HttpBody is not written here, because its bytes are the
 * response.
 */
export function createResponseWriter(route: Route, writers: JsonWriters = createJsonWriters()): ResponseWriter {
  const { output } = route.method;
  const empty = route.successStatus === 204;
  const write =
    output.typeName === httpBodyType
      ? () => ""
      : route.responseBody === undefined
        ? writers.message(output)
        : writers.field(route.responseBody);
  const pageToken = route.responseBody === undefined ? undefined : findField(output, "next_page_token");
  const requestToken = findField(route.method.input, "page_token");

  return (response, request, { path, query }) => {
    const headers: Record<string, string> = {};
    const location = route.location === undefined ? undefined : getLocation(route.location, response, request, route);
    if (location !== undefined) headers["location"] = location;
    const next = pageToken === undefined ? undefined : getField(response, pageToken);
    if (typeof next === "string" && next !== "" && requestToken !== undefined)
      headers["link"] = `<${nextPage(path, query, requestToken, next)}>; rel="next"`;
    if (empty) return { status: 204, headers, body: undefined };
    headers["content-type"] = "application/json";
    const value = route.responseBody === undefined ? response : getField(response, route.responseBody);
    return { status: route.successStatus, headers, body: write(value) };
  };
}

function getLocation(template: Template, response: Message, request: Message, route: Route): string | undefined {
  return expandTemplate(template, (name) => {
    for (const [message, descriptor] of [
      [response, route.method.output],
      [request, route.method.input],
    ] as const) {
      const field = findPath(descriptor, name);
      const value = field === undefined ? undefined : getAtPath(message, field);
      if (typeof value === "string" && value !== "") return value;
    }
    return undefined;
  });
}

function nextPage(path: string, query: string, field: DescField, token: string): string {
  const parameters = new URLSearchParams(query);
  parameters.set(field.jsonName, token);
  return `${path}?${parameters.toString()}`;
}

/**
 * Creates the Content-Disposition of a download (RFC 6266): always an attachment, with the filename as a quoted ASCII string and, if that
 * is incomplete, as an extended parameter of RFC 8187. Control characters and path separators are removed.
 */
export function contentDisposition(filename: string | undefined): string {
  const name = (filename ?? "").replace(/[\p{Cs}\u0000-\u001f\u007f-\u009f/\\]/gu, "_");
  if (name === "") return "attachment";
  const ascii = name.replace(/[^\u0020-\u007e]/g, "_").replace(/["%]/g, "_");
  const quoted = `attachment; filename="${ascii}"`;
  if (ascii === name) return quoted;
  const extended = encodeURIComponent(name).replace(/['()*!]/g, (character) =>
    character === "!" ? character : `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${quoted}; filename*=UTF-8''${extended}`;
}
