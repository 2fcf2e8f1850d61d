import { equals } from "@bufbuild/protobuf";
import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import type { Interceptor } from "@connectrpc/connect";
import { declaredPermission, identityKey } from "@switchyard/access";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { CallerSchema } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { factsOf } from "@switchyard/rpc";
import type { ProblemFacts } from "@switchyard/rpc";
import { tokenState } from "../domain/token-state.ts";
import { callerMessage } from "../store/identity-messages.ts";
import { auditEntry } from "./audit-entry.ts";
import type { Dependencies } from "./dependencies.ts";
import { projectsInReach } from "./token-reach.ts";

const administrative: readonly Permission[] = [Permission.TOKENS_ADMIN, Permission.ORGANIZATION_ADMIN];
const targets = ["tokenId", "teamId", "targetId", "projectId"] as const;

/** Whether a method is administrative: every one that a caller changes something with, and reading what only administrators may. */
export function isAdministrative(method: DescMethod): boolean {
  const permission = declaredPermission(method);
  if (permission === Permission.SERVICE) return false;
  return method.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS || administrative.includes(permission);
}

/**
 * Writes every refusal (403) of an administrative call into the audit trail, also that of the identity verifier, which comes after
 * it. A refusal stays one where it cannot be written.
 */
export function auditInterceptor({
  audit,
  identities,
  logger,
  now,
}: Pick<Dependencies, "audit" | "identities" | "logger" | "now">): Interceptor {
  /**
   * Whether the caller is still who the gateway remembers from up to a second ago. If not, it makes the call again for whom the
   * token makes now, and only what becomes of that call is what became of the request.
   */
  async function isCurrent(caller: Caller): Promise<boolean> {
    const token = await identities.token(caller.tokenId);
    if (token === null || tokenState(token, now()) !== "ACTIVE") return false;
    const projectIds = await projectsInReach({ identities }, token);
    return projectIds !== undefined && equals(CallerSchema, caller, callerMessage(token, projectIds));
  }

  async function note(
    request: Parameters<ReturnType<Interceptor>>[0],
    caller: Caller,
    facts: ProblemFacts,
  ): Promise<void> {
    const message: unknown = request.stream ? undefined : request.message;
    const entry = auditEntry(
      { method: request.method, values: request.contextValues },
      {
        caller,
        at: now(),
        outcome: "REFUSED",
        targetId: targetOf(message),
        changes: { reason: facts.reason, ...facts.metadata },
      },
    );
    try {
      if (await isCurrent(caller)) await audit.append(entry);
    } catch (error) {
      logger.error({ error, action: entry.action }, "A refusal could not be written into the audit trail");
    }
  }

  return (next) => async (request) => {
    try {
      return await next(request);
    } catch (error) {
      const caller = request.contextValues.get(identityKey)?.caller;
      const facts = factsOf(error);
      if (facts.code === Code.PermissionDenied && caller !== undefined && isAdministrative(request.method)) {
        await note(request, caller, facts);
      }
      throw error;
    }
  };
}

/** What a request is about, by the field that names it. */
function targetOf(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const fields = message as Readonly<Record<string, unknown>>;
  return targets
    .map((name) => fields[name])
    .find((value): value is string => typeof value === "string" && value !== "");
}
