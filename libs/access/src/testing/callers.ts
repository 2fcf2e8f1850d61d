import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { CallerSchema } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";

/** Creates a caller of the organization org_a without projects and permissions, except for these fields. */
export function testCaller(fields: MessageInitShape<typeof CallerSchema> = {}): Caller {
  return create(CallerSchema, {
    tokenId: "tok_1",
    userId: "usr_1",
    organizationId: "org_a",
    scope: TokenScope.ORGANIZATION,
    ...fields,
  });
}
