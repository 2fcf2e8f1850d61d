import { create, type DescMessage, type DescMethodUnary, type DescService, type Message } from "@bufbuild/protobuf";
import { Code, type Transport } from "@connectrpc/connect";
import { takesPreconditions, type Endpoint, type RestApi } from "@switchyard/rest";
import { getHeaderValues, getProblemFacts, invalid } from "@switchyard/rpc";
import { toRequestHeaders } from "../forwarding/forwarded-headers.ts";
import { checkChange, createWeakTag, isConditional } from "../http/conditional.ts";
import type { Exchange, OutgoingCall } from "../http/exchange.ts";
import { createTurns } from "./turns.ts";

/** A change of a resource that is about to be made. */
export interface Change {
  readonly endpoint: Endpoint;
  readonly request: Message;
  readonly call: OutgoingCall;
}

/** The preconditions of requests: `If-Match`, and for changes also `If-None-Match` (RFC 9110, section 13). */
export interface Preconditions {
  /**
   * Refuses `If-Match`, and `If-None-Match: *` of a change, if the path has no entity tag with which they could be compared.
   * @throws INVALID_REQUEST
   */
  refuseUnsupported(exchange: Exchange, endpoint: Endpoint): void;
  /**
   * Makes a change if the preconditions of the request hold for the current version of the resource, which is read with the token of the
   * request. Conditional changes of a path are made one after the other, so only one of those with the same entity tag succeeds.
   * @throws PRECONDITION_FAILED, or the error with which the resource cannot be read
   */
  guard<T>(exchange: Exchange, change: Change, send: (call: OutgoingCall) => Promise<T>): Promise<T>;
}

/** Creates the preconditions of an API whose resources are read through the transports of their services. */
export function createPreconditions(api: RestApi, transports: ReadonlyMap<DescService, Transport>): Preconditions {
  const inTurn = createTurns();

  /** Returns the endpoint that reads what a request changes. */
  function findRead({ path }: Exchange): Endpoint {
    const match = api.match("GET", path);
    if (match.kind !== "found") throw new Error(`${path} can be changed, but not be read`);
    return match.target;
  }

  /** Returns the current entity tag; undefined if a PUT would create the resource. */
  async function getTag(exchange: Exchange, { endpoint, request, call }: Change): Promise<string | undefined> {
    const read = findRead(exchange);
    const method = read.route.method as DescMethodUnary<DescMessage, DescMessage>;
    const header = toRequestHeaders(method, (name) => getHeaderValues(exchange.request, name));
    const message = toReadRequest(read, request);
    const transport = transports.get(read.route.service) as Transport;
    try {
      const reply = await transport.unary(method, call.signal, call.timeoutMs, header, message, call.values);
      return createWeakTag(read.write(reply.message, message, exchange).body ?? "");
    } catch (error) {
      if (endpoint.route.httpMethod === "PUT" && getProblemFacts(error).code === Code.NotFound) return undefined;
      throw error;
    }
  }

  return {
    refuseUnsupported({ request }, { route }) {
      if (takesPreconditions(route) || !isConditional(request)) return;
      const { "if-match": required, "if-none-match": excluded } = request.headers;
      const excludesAll = route.httpMethod !== "GET" && excluded?.trim() === "*";
      // No tag that the client names is a current one.
      if (required === undefined && !excludesAll) return;
      const field = required === undefined ? "If-None-Match" : "If-Match";
      throw invalid([{ field, message: "is not supported here: this path has no entity tag" }]);
    },

    guard(exchange, change, send) {
      const { read } = change.endpoint.route;
      if (read === undefined || !isConditional(exchange.request)) return send(change.call);
      const deadline = performance.now() + change.call.timeoutMs;
      const call = () => ({ ...change.call, timeoutMs: Math.max(1, Math.round(deadline - performance.now())) });
      // However its path is encoded, a resource has one turn.
      return inTurn(decodeURIComponent(exchange.path), async () => {
        checkChange(exchange.request, await getTag(exchange, { ...change, call: call() }));
        return send(call());
      });
    },
  };
}

/** Creates the request that reads what another request changes: the fields of both have the same names. */
function toReadRequest({ route }: Endpoint, request: Message): Message {
  const { input } = route.method;
  const values = new Map(Object.entries(request));
  return create(input, Object.fromEntries(input.fields.map(({ localName }) => [localName, values.get(localName)])));
}
