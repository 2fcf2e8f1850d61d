import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ContextValues, Transport } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { declaredPermission, identityKey } from "@switchyard/access";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { createRoutes } from "@switchyard/rest";
import { getProblemFacts, requestIdKey } from "@switchyard/rpc";
import { wrapTransport } from "../forwarding/wrapped-transport.ts";

/** A call that was refused. */
export interface Refusal {
  readonly caller: Caller;
  readonly requestId: string;
  /** The method, as "CreateToken". */
  readonly method: string;
  /** The resource that the call named; "" when it named none. */
  readonly targetId: string;
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Records a refusal in the audit trail. Never rejects: the caller gets the refusal even if the entry cannot be written. */
export type RecordRefusal = (refusal: Refusal) => Promise<void>;

const administrators: readonly Permission[] = [Permission.TOKENS_ADMIN, Permission.ORGANIZATION_ADMIN];

/**
 * Returns whether a method is administrative: it changes data, except by classifying documents, or it requires the permission of an
 * administrator.
 */
export function isAdministrative(method: DescMethod): boolean {
  const permission = declaredPermission(method);
  if (administrators.includes(permission)) return true;
  const changes = method.idempotency !== IdempotencyLevel.NO_SIDE_EFFECTS;
  return changes && permission !== Permission.CLASSIFY && permission !== Permission.SERVICE;
}

/**
 * Wraps a transport so that every refusal (PermissionDenied) of an administrative call is recorded before it is returned. It must wrap
 * the transport that repeats refused calls.
 */
export function withRecordedRefusals(transport: Transport, record: RecordRefusal): Transport {
  async function recordIfRefused(
    error: unknown,
    method: DescMethod,
    message: unknown,
    values: ContextValues | undefined,
  ) {
    const caller = values?.get(identityKey)?.caller;
    const { code, reason, metadata } = getProblemFacts(error);
    if (values === undefined || caller === undefined || code !== Code.PermissionDenied) return;
    const targetId = getTarget(method, message);
    await record({ caller, requestId: values.get(requestIdKey), method: method.name, targetId, reason, metadata });
  }

  return wrapTransport(transport, {
    unary({ method, message, values }, send) {
      return send().catch(async (error: unknown) => {
        if (isAdministrative(method)) await recordIfRefused(error, method, message, values);
        throw error;
      });
    },
    async stream({ method, input, values }, send) {
      if (!isAdministrative(method)) return send();
      let first: unknown;
      async function* rememberFirst<Input>(messages: AsyncIterable<Input>): AsyncGenerator<Input> {
        for await (const message of messages) {
          first ??= message;
          yield message;
        }
      }
      async function* watched<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message> {
        try {
          yield* messages;
        } catch (error) {
          await recordIfRefused(error, method, first, values);
          throw error;
        }
      }
      try {
        const response = await send({ input: rememberFirst(input) });
        return { ...response, message: watched(response.message) };
      } catch (error) {
        await recordIfRefused(error, method, first, values);
        throw error;
      }
    },
  });
}

/** Returns the last resource that the path of a request names, else its project; "" when it names neither. */
function getTarget(method: DescMethod, message: unknown): string {
  const named = createRoutes([method.parent])
    .find((route) => route.method === method)
    ?.template.variables.at(-1)?.field;
  for (const name of [named, "project_id"]) {
    const field = method.input.fields.find((candidate) => candidate.name === name)?.localName;
    const value = field === undefined ? undefined : (message as Readonly<Record<string, unknown>> | undefined)?.[field];
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}
