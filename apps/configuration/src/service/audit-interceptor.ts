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
import { tokenState } from "../domain/token-state.ts";
import { callerMessage } from "../store/identity-messages.ts";
import { auditEntry } from "./audit-entry.ts";
import type { AuditedAct } from "./audit-entry.ts";
import type { Dependencies } from "./dependencies.ts";
import { projectsInReach } from "./token-reach.ts";

const administrative: readonly Permission[] = [Permission.TOKENS_ADMIN, Permission.ORGANIZATION_ADMIN];
const targets = ["tokenId", "teamId", "targetId", "projectId"] as const;

/** Whether a method is administrative: every one that a caller changes something with, and reading what only administrators may. */
export function isAdministrative(method: DescMethod): boolean {
  const permission = declaredPermission(method);
  if (permission === Permission.SERVICE) return false;
  return changes(method) || administrative.includes(permission);
}

type AnyRequest = Parameters<ReturnType<Interceptor>>[0];

/**
 * Writes into the audit trail every refusal (403) of an administrative call, also that of the identity verifier, which comes after
 * it. What cannot be written is logged; the outcome of the call stays what it was.
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

  async function append(
    request: AnyRequest,
    caller: Caller,
    act: Pick<AuditedAct, "outcome" | "targetId" | "changes">,
  ): Promise<void> {
    const entry = auditEntry({ method: request.method, values: request.contextValues }, { caller, at: now(), ...act });
    try {
      if (act.outcome === "DONE" || (await isCurrent(caller))) await audit.append(entry);
    } catch (error) {
      logger.error({ error, action: entry.action }, "An entry could not be written into the audit trail");
    }
  }

  return (next) => async (request) => {
    const message: unknown = request.stream ? undefined : request.message;
    try {
      return await next(request);
    } catch (error) {
      const caller = request.contextValues.get(identityKey)?.caller;
      const { code, reason, metadata } = factsOf(error);
      if (code === Code.PermissionDenied && caller !== undefined && isAdministrative(request.method)) {
        const targetId = targetOf(message);
        await append(request, caller, { outcome: "REFUSED", targetId, changes: { reason, ...metadata } });
      }
      throw error;
    }
  };
}

function changes(method: DescMethod): boolean {
  return method.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
}

/** What a request is about, by the field that names it. */
function targetOf(message: unknown): string | undefined {
  return targets.map((name) => textOf(message, name)).find((value) => value !== undefined);
}

function textOf(message: unknown, name: string): string | undefined {
  const value = fieldsOf(message)[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function fieldsOf(message: unknown): Readonly<Record<string, unknown>> {
  return typeof message === "object" && message !== null ? (message as Readonly<Record<string, unknown>>) : {};
}
