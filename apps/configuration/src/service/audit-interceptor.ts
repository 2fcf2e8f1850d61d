import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import type { Interceptor } from "@connectrpc/connect";
import { declaredPermission, identityKey } from "@switchyard/access";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import type { Caller } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { factsOf } from "@switchyard/rpc";
import type { ProblemFacts } from "@switchyard/rpc";
import type { Dependencies } from "./dependencies.ts";
import { auditEntry } from "./audit-entry.ts";

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
export function auditInterceptor({ audit, logger, now }: Pick<Dependencies, "audit" | "logger" | "now">): Interceptor {
  async function note(request: Parameters<ReturnType<Interceptor>>[0], caller: Caller, facts: ProblemFacts) {
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
      await audit.append(entry);
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
