import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { TokenScope, TokenStatus } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import type { IssuedToken } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { getProblemFacts } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import type { TestDatabase } from "@switchyard/storage/testing";
import { configurationModels } from "../store/configuration-documents.ts";
import { identityModels } from "../store/identity-documents.ts";
import { as, getRefusal, rounds } from "../testing/test-service.ts";
import { useOrganization } from "../testing/organization-fixture.ts";

/** Tests the administration of an organization, on the given server. */
export function administrationSuite(provide: () => Promise<TestDatabase>): void {
  const fixture = useOrganization(provide);

  describe("CreateToken", () => {
    it("stores only the digest of the secret", async () => {
      const { id, secret, prefix } = await fixture.createToken();
      const stored = JSON.stringify(
        await identityModels(fixture.service.storage.connection).tokens.findOne({ _id: id }).lean(),
      );
      expect(stored).not.toContain(secret.slice(8));
      expect(prefix).toBe(secret.slice(0, 8));
      expect((await fixture.service.caller(secret)).permissions).toEqual([Permission.CLASSIFY]);
    });

    it("checks the issuer's current rights, not those in the identity of the call", async () => {
      const minter = await fixture.createToken(["tokens:admin", "classify"]);
      const remembered = await fixture.service.caller(minter.secret);
      const projectId = await fixture.createProject();
      const request = { name: "x", scope: TokenScope.PROJECT, projectId, permissions: ["classify"] };
      const stale = { ...remembered, projectIds: [] };
      expect((await fixture.service.identity.createToken(request, as(stale))).projectId).toBe(projectId);
      await fixture.service.identity.updateTeam(
        { teamId: fixture.first.team.id, updateMask: { paths: ["user_ids"] } },
        as(fixture.admin),
      );
      const call = (caller: Caller): Promise<unknown> => fixture.service.identity.createToken(request, as(caller));
      expect(await getRefusal(call({ ...remembered, projectIds: [projectId] }))).toBe("PROJECT_OUT_OF_REACH");
      await fixture.service.identity.revokeToken({ tokenId: minter.id }, as(fixture.admin));
      expect(await getRefusal(call(remembered))).toBe("TOKEN_INVALID");
    });

    it("lets an issuer with organization:models:edit grant models:edit", async () => {
      const { secret } = await fixture.createToken(["tokens:admin", "organization:models:edit"]);
      const minter = await fixture.service.caller(secret);
      const request = { name: "x", scope: TokenScope.ORGANIZATION, permissions: ["models:edit"] };
      expect((await fixture.service.identity.createToken(request, as(minter))).permissions).toEqual(["models:edit"]);
    });
  });

  describe("a token", () => {
    it("expires", async () => {
      const expiresAt = { seconds: BigInt(fixture.time.getTime() / 1000 + 60 - 0.089), nanos: 89_000_000 };
      const request = { name: "x", scope: TokenScope.ORGANIZATION, permissions: ["classify"], expiresAt };
      const { id, secret } = await fixture.service.identity.createToken(request, as(fixture.admin));
      fixture.advance(59_999);
      expect((await fixture.service.caller(secret)).tokenId).toBe(id);
      fixture.advance(1);
      expect(await getRefusal(fixture.service.caller(secret))).toBe("TOKEN_INVALID");
      const [listed] = (await fixture.service.identity.listTokens({}, as(fixture.admin))).tokens;
      expect(listed).toMatchObject({ id, status: TokenStatus.EXPIRED });
      const rotation = fixture.service.identity.rotateToken({ tokenId: id, graceSeconds: 1 }, as(fixture.admin));
      expect(await getRefusal(rotation)).toBe("TOKEN_NOT_ACTIVE");
    });

    it("accepts old secrets exactly until their grace period ends, through several rotations, and none after revocation", async () => {
      const token = await fixture.createToken();
      const rotate = (graceSeconds: number): Promise<IssuedToken> =>
        fixture.service.identity.rotateToken({ tokenId: token.id, graceSeconds }, as(fixture.admin));
      const secrets = [token.secret, (await rotate(10)).secret, (await rotate(20)).secret, (await rotate(0)).secret];
      const accepted = async (): Promise<boolean[]> =>
        Promise.all(
          secrets.map(async (secret) =>
            fixture.service.caller(secret).then(
              () => true,
              () => false,
            ),
          ),
        );
      expect(await accepted()).toEqual([true, true, false, true]);
      fixture.advance(9_999);
      expect(await accepted()).toEqual([true, true, false, true]);
      fixture.advance(1);
      expect(await accepted()).toEqual([false, true, false, true]);
      fixture.advance(10_000);
      expect(await accepted()).toEqual([false, false, false, true]);
      secrets.push((await rotate(100)).secret);
      await fixture.service.identity.revokeToken({ tokenId: token.id }, as(fixture.admin));
      expect(await accepted()).toEqual([false, false, false, false, false]);
    });

    it("accepts at most five old secrets", async () => {
      const { id } = await fixture.createToken();
      const rotate = (graceSeconds: number): Promise<IssuedToken> =>
        fixture.service.identity.rotateToken({ tokenId: id, graceSeconds }, as(fixture.admin));
      for (let round = 0; round < 5; round += 1) await rotate(60);
      expect(await getRefusal(rotate(60))).toBe("TOO_MANY_SECRETS graceSeconds");
      await rotate(0);
      fixture.advance(60_000);
      expect((await rotate(60)).id).toBe(id);
    });
  });

  describe("CreateProject", () => {
    it("is refused if a team would then grant more projects than calls can carry, so that no token is locked out", async () => {
      const { teams } = identityModels(fixture.service.storage.connection);
      const projectIds = Array.from({ length: 999 }, () => newId("prj"));
      await teams.updateOne({ _id: fixture.first.team.id }, { $set: { projectIds } });
      const created = await Promise.allSettled([fixture.createProject("A"), fixture.createProject("B")]);
      expect(created.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(await getRefusal(fixture.createProject("C"))).toBe("INVALID_REQUEST teamIds");
      const team = await fixture.service.identity.createTeam({ name: "Others" }, as(fixture.admin));
      const named = { name: "D", teamIds: [team.id, fixture.first.team.id] };
      expect(await getRefusal(fixture.service.identity.createProject(named, as(fixture.admin)))).toBe(
        "INVALID_REQUEST teamIds[1]",
      );
      const { id } = await fixture.service.identity.createProject({ ...named, teamIds: [team.id] }, as(fixture.admin));
      const { teams: listed } = await fixture.service.identity.listTeams({}, as(fixture.admin));
      expect(listed.map((each) => each.projectIds.length)).toEqual([1_000, 1]);
      expect(listed[1]?.projectIds).toEqual([id]);
    });
  });

  describe("DeleteProject", () => {
    it("deletes everything in the project, and nothing else", async () => {
      const [projectId, otherId] = [await fixture.createProject("A"), await fixture.createProject("B")];
      const model = { name: "M", tables: [{ slug: "t", isPrimary: true }], columns: [{ slug: "c" }] };
      for (const id of [projectId, otherId]) {
        const { id: targetId } = await fixture.service.configuration.createModel(
          { ...model, projectId: id },
          as(fixture.admin),
        );
        await fixture.service.configuration.createDeployment({ targetId, name: "D" }, as(fixture.admin));
      }
      await fixture.service.identity.deleteProject({ projectId }, as(fixture.admin));
      const { models, schemas, deployments } = configurationModels(fixture.service.storage.connection);
      const left = async (id: string): Promise<number[]> => [
        await models.countDocuments({ projectId: id }),
        await schemas.countDocuments({ projectId: id }),
        await deployments.countDocuments({ projectId: id }),
      ];
      expect([await left(projectId), await left(otherId)]).toEqual([
        [0, 0, 0],
        [1, 1, 1],
      ]);
      expect((await fixture.service.caller(fixture.first.secret)).projectIds).toEqual([otherId]);
    });

    it("leaves no model behind, even if models are created at the same time", async () => {
      const model = { tables: [{ slug: "t", isPrimary: true }], columns: [{ slug: "c" }] };
      const outcomes = new Set<string>();
      for (let round = 0; round < rounds; round += 1) {
        const projectId = await fixture.createProject(`P${round}`);
        const making = ["A", "B", "C"].map((name) =>
          fixture.service.configuration.createModel({ ...model, projectId, name }, as(fixture.admin)).then(
            () => "made",
            (error: unknown) => getProblemFacts(error).reason,
          ),
        );
        await Promise.all([fixture.service.identity.deleteProject({ projectId }, as(fixture.admin)), ...making]);
        for (const outcome of await Promise.all(making)) outcomes.add(outcome);
        const { models, schemas } = configurationModels(fixture.service.storage.connection);
        expect([await models.countDocuments({ projectId }), await schemas.countDocuments({ projectId })]).toEqual([
          0, 0,
        ]);
      }
      expect([...outcomes].filter((outcome) => !["made", "PROJECT_NOT_FOUND"].includes(outcome))).toEqual([]);
    });

    it("leaves no grant behind, even if the project is granted at the same time", async () => {
      for (let round = 0; round < rounds; round += 1) {
        const projectId = await fixture.createProject(`P${round}`);
        const granting = fixture.service.identity
          .createTeam({ name: "T", projectIds: [projectId], userIds: [fixture.first.user.id] }, as(fixture.admin))
          .then(
            () => "granted",
            () => "refused",
          );
        await Promise.all([fixture.service.identity.deleteProject({ projectId }, as(fixture.admin)), granting]);
        const { teams } = identityModels(fixture.service.storage.connection);
        expect(await teams.countDocuments({ projectIds: projectId })).toBe(0);
      }
    });
  });
}
