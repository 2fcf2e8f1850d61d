import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { DescField, DescMethod, DescService, Message, MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import { idempotencyKeyHeader, replayedHeader, takesIdempotencyKey } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import type { ClientSession } from "mongoose";
import { AsyncLocalStorage } from "node:async_hooks";
import { keyInUse, keyReused, secretAlreadyIssued } from "./errors.ts";
import type { Claim, KeyStore } from "./key-store.ts";
import { toRequest } from "./keyed-request.ts";
import type { KeyedRequest } from "./keyed-request.ts";

/** A call with an idempotency key whose handler is running. */
export interface KeyedCall {
  /** Stores the response with the key, within the transaction of the effect. Returns false if another holder has taken the claim over. */
  keep(response: Message, session: ClientSession): Promise<boolean>;
  /** Records that the transaction was committed. */
  committed(): void;
}

/** The idempotency of the services on one storage. */
export interface Idempotency {
  /** Returns the keyed call of the current asynchronous context. */
  readonly current: () => KeyedCall | undefined;
  /** See `Storage.idempotent`. */
  readonly idempotent: (registration: ServiceRegistration) => ServiceRegistration;
}

type Handler = (
  input: Message | AsyncIterable<Message>,
  context: HandlerContext,
) => Promise<MessageInitShape<DescMethod["output"]>>;

/** The maximum size of a stored response. A larger final response does not replace the one that was stored with the effect. */
const maxResponseBytes = 15 * 1024 * 1024;

/** Creates the idempotency of a storage. A claim is renewed three times within its lease. */
export function createIdempotency(keys: KeyStore, leaseMs: number): Idempotency {
  const calls = new AsyncLocalStorage<KeyedCall>();

  async function handleOnce(
    method: DescMethod,
    key: string,
    request: KeyedRequest,
    context: HandlerContext,
    handler: Handler,
  ): Promise<Message> {
    const { organizationId, tokenId } = getCaller(context);
    const state = await keys.claim({ organizationId, tokenId, key }, getName(method), request.known);
    switch (state.kind) {
      case "in use": {
        const differs = request.known !== null && state.fingerprint !== null && request.known !== state.fingerprint;
        throw differs ? keyReused() : keyInUse();
      }
      case "done":
        if ((await request.fingerprint()) !== state.fingerprint) throw keyReused();
        if (state.response === null) throw secretAlreadyIssued();
        context.responseHeader.set(replayedHeader, "true");
        return fromBinary(method.output, state.response);
      case "claimed":
        return work(method, state.claim, request, () => handler(request.input, context));
    }
  }

  async function work(
    method: DescMethod,
    claim: Claim,
    request: KeyedRequest,
    handle: () => ReturnType<Handler>,
  ): Promise<Message> {
    let done = false;
    const call: KeyedCall = {
      async keep(message, session) {
        const kept = { fingerprint: await request.fingerprint(), response: bytesToKeep(method, message) };
        return keys.keep(claim, kept, session);
      },
      committed: () => (done = true),
    };
    // If this fails, the lease expires.
    const heartbeat = setInterval(() => void keys.extend(claim).catch(() => undefined), leaseMs / 3);
    heartbeat.unref();
    try {
      const message = create(method.output, await calls.run(call, handle));
      if (!done) throw new Error(`${getName(method)} returned without storing its response together with its effect`);
      const bytes = bytesToKeep(method, message);
      const fits = bytes === null || bytes.length <= maxResponseBytes;
      await (fits ? keys.finish(claim, bytes) : keys.release(claim)).catch(() => undefined);
      return message;
    } catch (error) {
      await keys.release(claim).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(heartbeat);
    }
  }

  return {
    current: () => calls.getStore(),

    idempotent({ service, implementation }) {
      const handlers = implementation as Record<string, Handler | undefined>;
      const wrapped = service.methods.filter(takesIdempotencyKey).flatMap((method) => {
        const handler = handlers[method.localName];
        if (handler === undefined) return [];
        const keyed: Handler = (input, context) => {
          const key = context.requestHeader.get(idempotencyKeyHeader);
          if (key === null) return handler(input, context);
          return handleOnce(method, key, toRequest(method, input), context, handler);
        };
        return [[method.localName, keyed]];
      });
      return {
        service,
        implementation: { ...implementation, ...Object.fromEntries(wrapped) } as ServiceImpl<DescService>,
      };
    },
  };
}

/** Serializes a response. Returns null if it contains a field that the contract marks as a secret. */
function bytesToKeep({ parent, name, output }: DescMethod, message: Message): Uint8Array | null {
  if (message.$typeName !== output.typeName) {
    throw new Error(`${parent.typeName}/${name} returned ${message.$typeName} instead of ${output.typeName}`);
  }
  return output.fields.some(isSecret) ? null : toBinary(output, message);
}

function isSecret(field: DescField): boolean {
  return field.proto.options?.debugRedact === true;
}

function getName({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`;
}
