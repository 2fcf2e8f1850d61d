import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import { ListUsersResponseSchema } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { invalid } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import { validateName } from "@switchyard/text";
import { userMessage } from "../../store/identity-messages.ts";
import { changeEntry } from "../audit/audit-entry.ts";
import type { Dependencies } from "../dependencies.ts";
import { readPage } from "../paging.ts";

/** Implements the RPCs of users. */
export function userMethods({
  identities,
  administer,
  pageTokens,
  now,
}: Dependencies): Pick<ServiceImpl<typeof IdentityService>, "listUsers" | "createUser"> {
  return {
    async listUsers(request, context) {
      const { organizationId } = getCaller(context);
      const { items, ...next } = await readPage(pageTokens, request, {
        query: { list: "users", organizationId },
        find: (limit, after) => identities.listUsers(organizationId, { limit, after }),
      });
      return create(ListUsersResponseSchema, { users: items.map(userMessage), ...next });
    },
    async createUser(request, context) {
      const { organizationId } = getCaller(context);
      const violations = validateName("name", request.name);
      if (violations.length > 0) throw invalid(violations);
      const user = { _id: newId("usr"), organizationId, name: request.name.trim(), createdAt: now() };
      return administer(async (records) => {
        await records.insertUser(user);
        await records.append(changeEntry(context, user.createdAt, user._id, { name: user.name }));
        return userMessage(user);
      });
    },
  };
}
