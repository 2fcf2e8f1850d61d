import { create } from "@bufbuild/protobuf";
import { getCaller } from "@switchyard/access";
import { IdentityService, MeSchema } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import type { Me } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { register, unauthenticated } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import { tokenMessage } from "../store/identity-messages.ts";
import { auditMethods } from "./audit/audit-entries.ts";
import type { Dependencies } from "./dependencies.ts";
import { projectMethods } from "./projects/projects.ts";
import { teamMethods } from "./people/teams.ts";
import { tokenMethods } from "./tokens/tokens.ts";
import { userMethods } from "./people/users.ts";

/** Implements IdentityService: the caller, the projects in reach, and the administration of an organization. */
export function identityService(dependencies: Dependencies): ServiceRegistration {
  const { identities, now } = dependencies;
  return register(IdentityService, {
    getMe: (_request, context) => me(getCaller(context)),
    ...projectMethods(dependencies),
    ...tokenMethods(dependencies),
    ...teamMethods(dependencies),
    ...userMethods(dependencies),
    ...auditMethods(dependencies),
  });

  async function me(caller: Caller): Promise<Me> {
    const [token, user, organization] = await Promise.all([
      identities.token(caller.tokenId),
      identities.user(caller.userId),
      identities.organization(caller.organizationId),
    ]);
    if (token === null || user === null || organization === null) {
      throw unauthenticated("TOKEN_INVALID", "The token is not valid.");
    }
    return create(MeSchema, {
      token: tokenMessage(token, now()),
      user: { id: user._id, name: user.name },
      organization: { id: organization._id, name: organization.name },
    });
  }
}
