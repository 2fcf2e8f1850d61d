import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import { ListAuditEntriesResponseSchema } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { toTimeRange } from "@switchyard/storage";
import { auditEntryMessage } from "../../store/identity-messages.ts";
import type { Dependencies } from "../dependencies.ts";
import { readPage } from "../paging.ts";

/** Implements the RPC of the audit trail. */
export function auditMethods({
  audit,
  pageTokens,
}: Dependencies): Pick<ServiceImpl<typeof IdentityService>, "listAuditEntries"> {
  return {
    async listAuditEntries(request, context) {
      const filter = {
        organizationId: getCaller(context).organizationId,
        action: nonEmpty(request.action),
        actorId: nonEmpty(request.actorId),
        targetId: nonEmpty(request.targetId),
        ...toTimeRange(request),
      };
      const { items, ...next } = await readPage(pageTokens, request, {
        query: { list: "audit", ...filter, from: filter.from?.getTime(), to: filter.to?.getTime() },
        find: (limit, before) => audit.list(filter, { limit, before }),
      });
      return create(ListAuditEntriesResponseSchema, { entries: items.map(auditEntryMessage), ...next });
    },
  };
}

function nonEmpty(text: string): string | undefined {
  return text === "" ? undefined : text;
}
