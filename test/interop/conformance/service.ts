import { type DescMessage, type FileRegistry, type Message, type MessageShape } from "@bufbuild/protobuf";
import { type Any, anyPack } from "@bufbuild/protobuf/wkt";
import { type Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { ErrorInfoSchema } from "@switchyard/contracts/google/rpc/error_details";
import { register, type ServiceRegistration } from "@switchyard/rpc";
import { setTimeout as sleep } from "node:timers/promises";

// The messages of connectrpc.conformance.v1 as far as the service reads them. Their descriptors are read when the tests run.

interface Header {
  readonly name: string;
  readonly value: readonly string[];
}
interface SuiteError {
  readonly code: Code;
  readonly message?: string;
  readonly details: readonly Any[];
}
interface Definition {
  readonly responseHeaders: readonly Header[];
  readonly responseTrailers: readonly Header[];
  readonly responseDelayMs: number;
}
interface UnaryDefinition extends Definition {
  readonly response:
    { case: "responseData"; value: Uint8Array } | { case: "error"; value: SuiteError } | { case?: never };
}
interface StreamDefinition extends Definition {
  readonly responseData: readonly Uint8Array[];
  readonly error?: SuiteError;
}
type UnaryRequest = Message & { readonly responseDefinition?: UnaryDefinition };
type StreamRequest = Message & { readonly responseDefinition?: StreamDefinition; readonly fullDuplex?: boolean };

const serviceName = "connectrpc.conformance.v1.ConformanceService";

/** Implements `ConformanceService`, which responds as each request says, and echoes what it received. */
export function createConformanceService(registry: FileRegistry): ServiceRegistration {
  const service = registry.getService(serviceName);
  const infoSchema = registry.getMessage("connectrpc.conformance.v1.ConformancePayload.RequestInfo");
  if (service === undefined || infoSchema === undefined) throw new Error(`no ${serviceName}`);

  function pack(message: Message): Any {
    const schema = registry.getMessage(message.$typeName) as DescMessage;
    return anyPack(schema, message as MessageShape<DescMessage>);
  }

  /** An error as the suite wants it. Like every error of a service, it ends with an ErrorInfo. */
  function toError({ code, message = "", details }: SuiteError, info?: Record<string, unknown>): ConnectError {
    const error = new ConnectError(message, code);
    error.details = [
      ...details.map(({ typeUrl, value }) => ({ type: typeUrl.slice(typeUrl.lastIndexOf("/") + 1), value })),
      ...(info === undefined ? [] : [{ desc: infoSchema as DescMessage, value: info }]),
      { desc: ErrorInfoSchema, value: { reason: "TEST", domain: "switchyard" } },
    ];
    return error;
  }

  async function respond(context: HandlerContext, requests: UnaryRequest[]) {
    const definition = requests[0]?.responseDefinition;
    const requestInfo = describeRequest(context, requests.map(pack));
    setMetadata(context, definition);
    await sleep(definition?.responseDelayMs ?? 0);
    const response = definition?.response;
    if (response?.case === "error") throw toError(response.value, requestInfo);
    return { payload: { requestInfo, ...(response?.case === "responseData" ? { data: response.value } : {}) } };
  }

  async function* respondTo(requests: AsyncIterable<StreamRequest>, context: HandlerContext) {
    let first: StreamRequest | undefined;
    let unanswered: Any[] = [];
    let count = 0;
    async function next() {
      const { responseData = [], responseDelayMs = 0 } = first?.responseDefinition ?? {};
      await sleep(responseDelayMs);
      const requestInfo =
        count === 0 ? describeRequest(context, unanswered) : first?.fullDuplex === true ? { requests: unanswered } : {};
      unanswered = [];
      return { payload: { data: responseData[count++], requestInfo } };
    }
    for await (const request of requests) {
      if (first === undefined) setMetadata(context, request.responseDefinition);
      first ??= request;
      unanswered.push(pack(request));
      if (first.fullDuplex !== true) continue;
      if (count >= (first.responseDefinition?.responseData.length ?? 0)) break;
      yield await next();
    }
    const { responseData = [], error } = first?.responseDefinition ?? {};
    while (count < responseData.length) yield await next();
    if (error !== undefined) throw toError(error, count === 0 ? describeRequest(context, unanswered) : undefined);
  }

  const implementation = {
    unary: (request: UnaryRequest, context: HandlerContext) => respond(context, [request]),
    idempotentUnary: (request: UnaryRequest, context: HandlerContext) => respond(context, [request]),
    async clientStream(requests: AsyncIterable<UnaryRequest>, context: HandlerContext) {
      const all = [];
      for await (const request of requests) all.push(request);
      return respond(context, all);
    },
    serverStream: (request: StreamRequest, context: HandlerContext) =>
      respondTo(
        (async function* () {
          yield request;
        })(),
        context,
      ),
    bidiStream: respondTo,
  };
  return register(service, implementation as unknown as ServiceImpl<typeof service>);
}

function setMetadata(context: HandlerContext, definition: Definition | undefined): void {
  for (const [target, headers] of [
    [context.responseHeader, definition?.responseHeaders ?? []],
    [context.responseTrailer, definition?.responseTrailers ?? []],
  ] as const)
    for (const { name, value } of headers) for (const each of value) target.append(name, each);
}

function describeRequest(context: HandlerContext, requests: Any[]) {
  const timeoutMs = context.timeoutMs();
  const query = toHeaders(new URL(context.url).searchParams);
  return {
    requestHeaders: toHeaders(context.requestHeader),
    requests,
    ...(timeoutMs === undefined ? {} : { timeoutMs: BigInt(Math.ceil(timeoutMs)) }),
    ...(context.requestMethod === "GET" ? { connectGetInfo: { queryParams: query } } : {}),
  };
}

const toHeaders = (source: Headers | URLSearchParams) => [...source].map(([name, value]) => ({ name, value: [value] }));
