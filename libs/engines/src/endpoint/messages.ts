import type { EngineQuestion, JsonSchema } from "../engines.ts";

/** How an endpoint is told the form of the answer. */
export type StructuredOutput = "json_schema" | "json_object" | "none";

/** The body of a request for a chat completion, as all endpoints of the protocol understand it. */
export interface CompletionRequest {
  readonly model: string;
  readonly messages: readonly [
    { readonly role: "system"; readonly content: string },
    { readonly role: "user"; readonly content: string | readonly ContentPart[] },
  ];
  readonly temperature?: number;
  readonly response_format?:
    | { readonly type: "json_object" }
    | {
        readonly type: "json_schema";
        readonly json_schema: { readonly name: string; readonly strict: true; readonly schema: JsonSchema };
      };
}

type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } };

/**
 * Writes the request for a question. There is one message of each role, because the templates of some models accept nothing else. The
 * schema is always in the instructions: endpoints that force the form of an answer do not show the schema to the model.
 */
export function writeRequest(
  question: EngineQuestion,
  options: {
    readonly model: string;
    readonly temperature: number | null;
    readonly structuredOutput: StructuredOutput;
    readonly images: boolean;
    /** Whether the last answer to this question was not usable. */
    readonly again: boolean;
  },
): CompletionRequest {
  const format = responseFormat(question, options.structuredOutput);
  return {
    model: options.model,
    messages: [
      { role: "system", content: instructions(question, options.again) },
      { role: "user", content: content(question, options.images) },
    ],
    ...(options.temperature !== null && { temperature: options.temperature }),
    ...(format !== undefined && { response_format: format }),
  };
}

function instructions({ instructions, answerSchema }: EngineQuestion, again: boolean): string {
  const form = `Answer with one JSON object that fits this JSON schema, and with no other text:\n${JSON.stringify(answerSchema)}`;
  const reminder = "Your last answer could not be used. Answer with the complete JSON object only.";
  return [instructions, form, ...(again ? [reminder] : [])].join("\n\n");
}

function content({ content, pictures = [] }: EngineQuestion, images: boolean): string | ContentPart[] {
  if (!images || pictures.length === 0) return content;
  const parts = pictures.map((picture): ContentPart => ({ type: "image_url", image_url: { url: dataUrl(picture) } }));
  return [{ type: "text", text: content }, ...parts];
}

function dataUrl(picture: Uint8Array): string {
  const type = picture[0] === 0xff && picture[1] === 0xd8 ? "image/jpeg" : "image/png";
  return `data:${type};base64,${Buffer.from(picture).toString("base64")}`;
}

function responseFormat(
  { answerName, answerSchema }: EngineQuestion,
  structuredOutput: StructuredOutput,
): CompletionRequest["response_format"] {
  if (structuredOutput === "none") return undefined;
  if (structuredOutput === "json_object") return { type: "json_object" };
  return { type: "json_schema", json_schema: { name: answerName, strict: true, schema: answerSchema } };
}
