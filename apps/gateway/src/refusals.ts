import type {
  DescMessage,
  DescMethod,
  DescMethodStreaming,
  DescMethodUnary,
  MessageInitShape,
} from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ContextValues, StreamResponse, Transport, UnaryResponse } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { declaredPermission, identityKey } from "@switchyard/access";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { createRoutes } from "@switchyard/rest";
import { getProblemFacts, requestIdKey } from "@switchyard/rpc";

/** A call that was refused, for good. */
export interface Refusal {
  readonly caller: Caller;
  readonly requestId: string;
  /** The method, as "CreateToken". */
  readonly method: string;
  /** What the call was about; "" when it named nothing. */
  readonly targetId: string;
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Puts a refusal into the audit trail. Never rejects: whoever was refused is told so, whatever becomes of the entry. */
export type RecordRefusal = (refusal: Refusal) => Promise<void>;

const administrators: readonly Permission[] = [Permission.TOKENS_ADMIN, Permission.ORGANIZATION_ADMIN];

/**
 * Whether a method is administrative: every one that a caller changes something with, but for classifying, which is what the system
 * is there for, and reading what only administrators may.
 */
export function isAdministrative(method: DescMethod): boolean {
  const permission = declaredPermission(method);
  if (administrators.includes(permission)) return true;
  const changes = method.idempotency !== IdempotencyLevel.NO_SIDE_EFFECTS;
  return changes && permission !== Permission.CLASSIFY && permission !== Permission.SERVICE;
}

/**
 * A transport on which every refusal (PermissionDenied) of an administrative call is recorded before it is passed on. It belongs
 * around whatever makes a refused call once more.
 */
export function withRecordedRefusals(transport: Transport, record: RecordRefusal): Transport {
  async function refused(error: unknown, method: DescMethod, message: unknown, values: ContextValues | undefined) {
    const caller = values?.get(identityKey)?.caller;
    const { code, reason, metadata } = getProblemFacts(error);
    if (values === undefined || caller === undefined || code !== Code.PermissionDenied) return;
    const targetId = getTarget(method, message);
    await record({ caller, requestId: values.get(requestIdKey), method: method.name, targetId, reason, metadata });
  }

  return {
    async unary<I extends DescMessage, O extends DescMessage>(
      method: DescMethodUnary<I, O>,
      signal: AbortSignal | undefined,
      timeoutMs: number | undefined,
      header: ConstructorParameters<typeof Headers>[0],
      input: MessageInitShape<I>,
      values?: ContextValues,
    ): Promise<UnaryResponse<I, O>> {
      try {
        return await transport.unary(method, signal, timeoutMs, header, input, values);
      } catch (error) {
        if (isAdministrative(method)) await refused(error, method, input, values);
        throw error;
      }
    },
    async stream<I extends DescMessage, O extends DescMessage>(
      method: DescMethodStreaming<I, O>,
      signal: AbortSignal | undefined,
      timeoutMs: number | undefined,
      header: ConstructorParameters<typeof Headers>[0],
      input: AsyncIterable<MessageInitShape<I>>,
      values?: ContextValues,
    ): Promise<StreamResponse<I, O>> {
      if (!isAdministrative(method)) return transport.stream(method, signal, timeoutMs, header, input, values);
      let first: unknown;
      async function* remembered(): AsyncGenerator<MessageInitShape<I>> {
        for await (const message of input) {
          first ??= message;
          yield message;
        }
      }
      async function* watched<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message> {
        try {
          yield* messages;
        } catch (error) {
          await refused(error, method, first, values);
          throw error;
        }
      }
      try {
        const answer = await transport.stream(method, signal, timeoutMs, header, remembered(), values);
        return { ...answer, message: watched(answer.message) };
      } catch (error) {
        await refused(error, method, first, values);
        throw error;
      }
    },
  };
}

/** What a request is about: what its path names last, else the project that it names; "" where it names neither. */
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
