import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  AuditService,
  RecordChangesResponseSchema,
  RecordRefusalResponseSchema,
} from "@switchyard/contracts/switchyard/identity/internal/v1/audit";
import type { AdministrativeChange } from "@switchyard/contracts/switchyard/identity/internal/v1/audit";
import { invalid, register, requestIdKey } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import type { Violation } from "@switchyard/text";
import { getAction } from "../../domain/audit-text.ts";
import type { AuditDocument } from "../../store/audit-documents.ts";
import { auditEntry } from "./audit-entry.ts";
import type { Dependencies } from "../dependencies.ts";

const maxChanges = 100;

/** Implements AuditService. The gateway, which sees the outcome of every call, and the services that make changes send it entries. */
export function auditService({ audit, now }: Dependencies): ServiceRegistration {
  return register(AuditService, {
    async recordRefusal({ caller, method, targetId, reason, metadata }, { values }) {
      if (caller === undefined) throw invalid([{ field: "caller", message: "is required" }]);
      const [action, requestId, changes] = [getAction(method), values.get(requestIdKey), { ...metadata, reason }];
      await audit.append(auditEntry({ action, caller, requestId, at: now(), outcome: "REFUSED", targetId, changes }));
      return create(RecordRefusalResponseSchema);
    },

    async recordChanges({ changes }) {
      if (changes.length > maxChanges) {
        const message = `must have at most ${maxChanges} entries, has ${changes.length}`;
        throw invalid([{ field: "changes", message }]);
      }
      const entries = changes.map((change, index) => toEntry(change, `changes[${index}].`));
      await audit.appendOnce(entries);
      return create(RecordChangesResponseSchema);
    },
  });
}

/**
 * Creates the entry about a change of another service. Throws InvalidArgument if something is missing, with `prefix` before the names of
 * the fields.
 */
function toEntry(change: AdministrativeChange, prefix: string): AuditDocument {
  const { id, at, requestId, method, targetId, changes = {} } = change;
  const required = ["organizationId", "tokenId", "userId", "method"] as const;
  const violations: Violation[] = required.flatMap((field) =>
    change[field] === "" ? [{ field, message: "is required" }] : [],
  );
  if (!/^aud_[0-9a-z]{26}$/.test(id)) violations.push({ field: "id", message: "must be the id of an entry" });
  if (at === undefined || violations.length > 0) {
    if (at === undefined) violations.push({ field: "at", message: "is required" });
    throw invalid(violations.map(({ field, message }) => ({ field: prefix + field, message })));
  }
  const act = { id, action: getAction(method), requestId, at: timestampDate(at), outcome: "DONE", targetId } as const;
  return auditEntry({ ...act, caller: change, changes });
}
