import { create } from "@bufbuild/protobuf";
import { AuditService, RecordRefusalResponseSchema } from "@switchyard/contracts/switchyard/identity/v1/audit";
import { invalid, register } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import { actionOf } from "../domain/audit-text.ts";
import { auditEntry } from "./audit-entry.ts";
import type { Dependencies } from "./dependencies.ts";

/** AuditService: what the gateway, which sees the outcome of every call, adds to the audit trail. */
export function auditService({ audit, now }: Dependencies): ServiceRegistration {
  return register(AuditService, {
    async recordRefusal({ caller, method, targetId, reason, metadata }, { values }) {
      if (caller === undefined) throw invalid([{ field: "caller", message: "is required" }]);
      const changes = { ...metadata, reason };
      const act = { action: actionOf(method), caller, at: now(), outcome: "REFUSED", targetId, changes } as const;
      await audit.append(auditEntry(values, act));
      return create(RecordRefusalResponseSchema);
    },
  });
}
