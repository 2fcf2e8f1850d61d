import type { HandlerContext } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { requestIdKey } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import type { Json } from "@switchyard/text";
import { getAction, targetText, withoutSecrets } from "../../domain/audit-text.ts";
import type { AuditDocument } from "../../store/audit-documents.ts";

/** What an entry of the audit trail is about. */
export interface AuditedAct {
  /** The id of the entry; a new one where none is given. */
  readonly id?: string;
  /** What was done or tried, as "token.create". */
  readonly action: string;
  readonly caller: Pick<Caller, "organizationId" | "tokenId" | "userId">;
  readonly requestId: string;
  readonly at: Date;
  readonly outcome: AuditDocument["outcome"];
  readonly targetId: string | undefined;
  readonly changes: { readonly [key: string]: Json };
}

/** The entry of the audit trail about an act. What looks like a token's secret is left out, wherever it stands. */
export function auditEntry(act: AuditedAct): AuditDocument {
  const { id = newId("aud"), action, caller, requestId, at, outcome, targetId, changes } = act;
  return {
    _id: id,
    organizationId: caller.organizationId,
    at,
    action,
    outcome,
    tokenId: caller.tokenId,
    userId: caller.userId,
    targetId: targetText(targetId),
    requestId: withoutSecrets(requestId),
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
  const [action, requestId] = [getAction(method.name), values.get(requestIdKey)];
  return auditEntry({ action, caller: getCaller(context), requestId, at, outcome: "DONE", targetId, changes });
}
