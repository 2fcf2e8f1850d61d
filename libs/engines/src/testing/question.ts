import type { IncomingHttpHeaders } from "node:http";
import type { JsonSchema } from "../engines.ts";

/** A question as it arrived at the endpoint. */
export interface ReceivedQuestion {
  readonly model: string;
  /** The text of the system message: the instructions and the schema. */
  readonly instructions: string;
  /** The text of the user message. */
  readonly content: string;
  /** The data URLs of the pictures. */
  readonly pictures: readonly string[];
  readonly temperature: number | undefined;
  readonly responseFormat: string | undefined;
  /** The schema of the answer, from `response_format` or else from the instructions. */
  readonly schema: JsonSchema | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The position among all questions to this endpoint, from 0. */
  readonly index: number;
}

interface Body {
  model: string;
  temperature?: number;
  messages: { role: string; content: string | { type: string; text?: string; image_url?: { url: string } }[] }[];
  response_format?: { type: string; json_schema?: { schema: JsonSchema } };
}

/** Reads the body of a request for a chat completion. Throws if it is not one. */
export function readQuestion(body: unknown, headers: IncomingHttpHeaders, index: number): ReceivedQuestion {
  const { model, temperature, messages, response_format: format } = body as Body;
  const parts = messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content));
  const instructions = messages
    .filter(({ role }) => role === "system")
    .map(({ content }) => (typeof content === "string" ? content : ""))
    .join("\n");
  return {
    model,
    instructions,
    content: parts.flatMap(({ text }) => text ?? []).join("\n"),
    pictures: parts.flatMap((part) => ("image_url" in part ? [part.image_url?.url ?? ""] : [])),
    temperature,
    responseFormat: format?.type,
    schema: format?.json_schema?.schema ?? schemaIn(instructions),
    headers,
    index,
  };
}

function schemaIn(instructions: string): JsonSchema | undefined {
  const line = instructions.split("\n").find((text) => text.startsWith("{"));
  return line === undefined ? undefined : (JSON.parse(line) as JsonSchema);
}
