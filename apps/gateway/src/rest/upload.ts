import {
  create,
  type DescMessage,
  type DescMethodStreaming,
  type DescMethodUnary,
  type Message,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { filePart, type Endpoint, type FileDescription, type UploadReader, type UploadRule } from "@switchyard/rest";
import { invalid } from "@switchyard/rpc";
import { getDeclaredLength, type Exchange, type OutgoingCall } from "../http/exchange.ts";
import { receiveForm } from "./multipart.ts";
import { createByteCollector, streamBody } from "../http/request-body.ts";
import { getSingleMessage } from "../forwarding/single-message.ts";

/** An endpoint that receives a file. */
export interface Upload {
  readonly endpoint: Endpoint;
  readonly reader: UploadReader;
  readonly rule: UploadRule;
  /** Whether the file is a part of a form. Otherwise it is the body itself. */
  readonly multipart: boolean;
}

/** The request message (without the bytes of a streamed file) and the response of the service. */
export interface UploadReply {
  readonly request: Message;
  readonly reply: { readonly header: Headers; readonly message: Message };
}

/** A file whose bytes have not been read yet, and its request. */
interface IncomingFile {
  readonly file: FileDescription;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Builds the request message from what has been read so far. Throws if that is invalid. */
  message(): Message;
  discard(): void;
}

/**
 * Sends a file to the service. A client-streaming method receives the bytes as they arrive, and the last message only if the whole
 * upload is valid. Any other method receives the file in one message. A failed upload aborts the call, so that nothing is stored.
 */
export async function receiveUpload(
  exchange: Exchange,
  upload: Upload,
  variables: ReadonlyMap<string, string>,
  call: OutgoingCall,
): Promise<UploadReply> {
  const incoming = upload.multipart
    ? await fromForm(exchange, upload, variables)
    : fromBody(exchange, upload, variables);
  try {
    return upload.endpoint.route.method.methodKind === "client_streaming"
      ? await stream(upload, incoming, call)
      : await collect(exchange, upload, incoming, call);
  } finally {
    incoming.discard();
  }
}

async function fromForm(
  exchange: Exchange,
  { reader, rule }: Upload,
  variables: ReadonlyMap<string, string>,
): Promise<IncomingFile> {
  const form = await receiveForm(exchange, filePart, rule.maxBytes);
  return {
    file: form.file,
    chunks: form.file.chunks,
    message: () => getValue(reader.message(variables, exchange.query, form.parts)),
    discard: () => form.discard(),
  };
}

function fromBody(exchange: Exchange, { reader, rule }: Upload, variables: ReadonlyMap<string, string>): IncomingFile {
  const filename = getValue(reader.filename(exchange.query));
  const contentType = (exchange.request.headers["content-type"] ?? "").trim();
  return {
    file: { filename, contentType },
    chunks: streamBody(exchange, rule.maxBytes),
    message: () => getValue(reader.message(variables, "", [])),
    discard: () => undefined,
  };
}

async function collect(
  exchange: Exchange,
  { endpoint, reader }: Upload,
  incoming: IncomingFile,
  call: OutgoingCall,
): Promise<UploadReply> {
  const data = createByteCollector(getDeclaredLength(exchange.request));
  for await (const chunk of incoming.chunks) data.add(chunk);
  if (data.size === 0) throw emptyFile();
  const request = reader.withFile(incoming.message(), incoming.file, data.getBytes());
  const method = endpoint.route.method as DescMethodUnary<DescMessage, DescMessage>;
  const { transport, signal, timeoutMs, header, values } = call;
  return { request, reply: await transport.unary(method, signal, timeoutMs, header, request, values) };
}

async function stream({ endpoint, reader }: Upload, incoming: IncomingFile, call: OutgoingCall): Promise<UploadReply> {
  const method = endpoint.route.method as DescMethodStreaming<DescMessage, DescMessage>;
  const request = incoming.message();
  const iterator = incoming.chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) throw emptyFile();

  // A failed upload aborts the call. A service that takes the abort for the end of the stream notices the missing last message.
  const broken = new AbortController();
  let failure: { readonly error: unknown } | undefined;
  async function* messages(chunk: Uint8Array): AsyncGenerator<Message> {
    try {
      yield reader.first(request, incoming.file);
      for (let next: IteratorResult<Uint8Array> = { value: chunk }; next.done !== true; next = await iterator.next())
        yield reader.chunk(next.value);
      // Validates the parts that came after the file.
      incoming.message();
      yield lastMessage(method.input);
    } catch (error) {
      failure = { error };
      broken.abort();
      throw error;
    }
  }

  const { transport, timeoutMs, header, values } = call;
  const signal = AbortSignal.any([call.signal, broken.signal]);
  try {
    const reply = await transport.stream(method, signal, timeoutMs, header, messages(first.value), values);
    return { request, reply: { header: reply.header, message: await getSingleMessage(reply.message) } };
  } catch (error) {
    throw failure === undefined ? error : failure.error;
  }
}

/** Returns the last message of a streamed upload, whose field `last` is true. */
function lastMessage(input: DescMessage): Message {
  const message = create(input);
  const last = input.field["last"];
  if (last !== undefined) reflect(input, message).set(last, true);
  return message;
}

function emptyFile(): Error {
  return invalid([{ field: filePart, message: "must not be empty" }], "EMPTY_FILE");
}

function getValue<T>(
  outcome: { ok: true; value: T } | { ok: false; violations: readonly { field: string; message: string }[] },
): T {
  if (!outcome.ok) throw invalid(outcome.violations);
  return outcome.value;
}
