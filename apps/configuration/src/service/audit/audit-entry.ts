import type { HandlerContext } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { requestIdKey } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import type { Json } from "@switchyard/text";
import { getAction, targetText, withoutSecrets } from "../../domain/audit-text.ts";
import type { AuditDocument } from "../../store/audit-documents.ts";

/** The content of an entry of the audit trail. */
export interface AuditedAction {
  /** The id of the entry. Generated if it is undefined. */
  readonly id?: string;
  /** The action, for example "token.create". */
  readonly action: string;
  readonly caller: Pick<Caller, "organizationId" | "tokenId" | "userId">;
  readonly requestId: string;
  readonly at: Date;
  readonly outcome: AuditDocument["outcome"];
  readonly targetId: string | undefined;
  readonly changes: { readonly [key: string]: Json };
}

/** Creates an entry of the audit trail. Everything that looks like the secret of a token is removed from it. */
export function auditEntry(act: AuditedAction): AuditDocument {
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

/** Creates the entry about a change of the current call. It must be added in the transaction of the change. */
export function changeEntry(
  context: Pick<HandlerContext, "values"> & { readonly method: { readonly name: string } },
  at: Date,
  targetId: string,
  changes: AuditedAction["changes"],
): AuditDocument {
  const { values, method } = context;
  const [action, requestId] = [getAction(method.name), values.get(requestIdKey)];
  return auditEntry({ action, caller: getCaller(context), requestId, at, outcome: "DONE", targetId, changes });
}
