import type { ContextValues, HandlerContext } from "@connectrpc/connect";
import { callerOf } from "@switchyard/access";
import type { Caller } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { requestIdKey } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import { actionOf, targetText, withoutSecrets } from "../domain/audit-text.ts";
import type { AuditDocument, Json } from "../store/audit-documents.ts";

/** What an entry of the audit trail is about. */
export interface AuditedAct {
  /** What was done or tried, as "token.create". */
  readonly action: string;
  readonly caller: Caller;
  readonly at: Date;
  readonly outcome: AuditDocument["outcome"];
  readonly targetId: string | undefined;
  readonly changes: { readonly [key: string]: Json };
}

/** The entry of the audit trail about a call with these context values. What looks like a token's secret is left out, wherever it stands. */
export function auditEntry(
  values: ContextValues,
  { action, caller, at, outcome, targetId, changes }: AuditedAct,
): AuditDocument {
  return {
    _id: newId("aud"),
    organizationId: caller.organizationId,
    at,
    action,
    outcome,
    tokenId: caller.tokenId,
    userId: caller.userId,
    targetId: targetText(targetId),
    requestId: withoutSecrets(values.get(requestIdKey)),
    changes: withoutSecrets(JSON.stringify(changes)),
  };
}

/** The entry about a change that the current call makes, to be added in the transaction of the change. */
export function changeEntry(
  context: Pick<HandlerContext, "values"> & { readonly method: { readonly name: string } },
  at: Date,
  targetId: string,
  changes: AuditedAct["changes"],
): AuditDocument {
  const { values, method } = context;
  const action = actionOf(method.name);
  return auditEntry(values, { action, caller: callerOf(context), at, outcome: "DONE", targetId, changes });
}

/** What became of a field, where it became something else: an object with nothing in it, or the field with both values. */
export function fieldChange<Value extends Json>(name: string, from: Value, to: Value): { [key: string]: Json } {
  return JSON.stringify(from) === JSON.stringify(to) ? {} : { [name]: { from, to } };
}
