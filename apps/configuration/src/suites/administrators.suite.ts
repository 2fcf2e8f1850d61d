import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { TokenScope, TokenStatus } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { IssuedToken } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { TestDatabase } from "@switchyard/storage/testing";
import { as, getRefusal, rounds } from "../testing/test-service.ts";
import { useOrganization } from "../testing/organization-fixture.ts";

const both = ["tokens:admin", "organization:admin"];

/** Tests that an organization always keeps an administrator token, on the given server. */
export function administratorsSuite(provide: () => Promise<TestDatabase>): void {
  const fixture = useOrganization(provide);
  const issue = (permissions: string[], expiresInSeconds?: number): Promise<IssuedToken> =>
    fixture.service.identity.createToken(
      {
        name: "T",
        scope: TokenScope.ORGANIZATION,
        permissions,
        ...(expiresInSeconds === undefined
          ? {}
          : { expiresAt: timestampFromMs(fixture.time.getTime() + expiresInSeconds * 1_000) }),
      },
      as(fixture.admin),
    );
  const revoke = (tokenId: string, caller = fixture.admin): Promise<unknown> =>
    fixture.service.identity.revokeToken({ tokenId }, as(caller));
  const isActive = (secret: string): Promise<boolean> =>
    fixture.service.caller(secret).then(
      () => true,
      () => false,
    );

  it("cannot lose the last token that does not expire, whatever other tokens exist", async () => {
    await issue(both, 3_600);
    for (const permission of both) await issue([permission, "classify"]);
    const revoked = await issue(both);
    await revoke(revoked.id);
    await fixture.service.bootstrap("Other");
    expect(await getRefusal(revoke(fixture.first.tokenId))).toBe("LAST_ADMINISTRATOR");
    expect(await isActive(fixture.first.secret)).toBe(true);
    const { tokens } = await fixture.service.identity.listTokens({}, as(fixture.admin));
    expect(tokens.filter(({ status }) => status === TokenStatus.ACTIVE)).toHaveLength(4);
  });

  it("can be revoked while another exists, even by others, and a second time without effect", async () => {
    const other = await issue(both);
    const issuer = await fixture.service.caller((await issue(["tokens:admin"])).secret);
    await revoke(fixture.first.tokenId, {
      ...issuer,
      permissions: [Permission.TOKENS_ADMIN, Permission.ORGANIZATION_ADMIN],
    });
    expect(await isActive(fixture.first.secret)).toBe(false);
    const successor = await fixture.service.caller(other.secret);
    await revoke(fixture.first.tokenId, successor);
    expect(await getRefusal(revoke(other.id, successor))).toBe("LAST_ADMINISTRATOR");
  });

  it("can be rotated, even the last one", async () => {
    const { secret } = await fixture.service.identity.rotateToken(
      { tokenId: fixture.first.tokenId, graceSeconds: 0 },
      as(fixture.admin),
    );
    expect(await isActive(secret)).toBe(true);
    expect(await isActive(fixture.first.secret)).toBe(false);
  });

  it("are never all revoked, however many calls try at the same time", async () => {
    for (let round = 0; round < rounds; round += 1) {
      const organization = await fixture.service.bootstrap(`Round ${round}`);
      fixture.admin = await fixture.service.caller(organization.secret);
      const size = 2 + (round % 3);
      const others = await Promise.all(Array.from({ length: size - 1 }, () => issue(both)));
      const all = [{ id: organization.tokenId, secret: organization.secret }, ...others];
      // Each caller revokes the next caller's token.
      const callers = await Promise.all(all.map(({ secret }) => fixture.service.caller(secret)));
      const outcomes = await Promise.all(
        all.map(({ id }, index) =>
          revoke(id, callers[(index + 1) % size]).then(
            () => "revoked",
            async (error: unknown) => getRefusal(Promise.reject(error as Error)),
          ),
        ),
      );
      const left = (await Promise.all(all.map(({ secret }) => isActive(secret)))).filter(Boolean).length;
      expect([round, outcomes.toSorted(), left]).toEqual([
        round,
        ["LAST_ADMINISTRATOR", ...Array.from({ length: size - 1 }, () => "revoked")],
        1,
      ]);
    }
  });
}
