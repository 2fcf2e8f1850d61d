import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { TokenScope, TokenStatus } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import type { IssuedToken } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { getProblemFacts } from "@switchyard/rpc";
import { useDatabase } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import type { BootstrappedOrganization } from "../bootstrap.ts";
import { configurationModels } from "../store/configuration-documents.ts";
import { identityModels } from "../store/identity-documents.ts";
import { as, getRefusal, rounds, startTestService } from "../testing/test-service.ts";
import type { TestService } from "../testing/test-service.ts";

/** Tests the administration of an organization, on the given server. */
export function administrationSuite(provide: () => Promise<TestDatabase>): void {
  const database = useDatabase(provide);
  let service: TestService;
  let first: BootstrappedOrganization;
  let admin: Caller;
  let time: Date;

  beforeEach(async () => {
    time = new Date("2026-03-04T05:06:07.089Z");
    service = await startTestService(database.uri, () => time);
    first = await service.bootstrap();
    admin = await service.caller(first.secret);
  });

  afterEach(async () => {
    await service.close();
  });

  const later = (milliseconds: number): void => {
    time = new Date(time.getTime() + milliseconds);
  };
  const createToken = (permissions = ["classify"]): Promise<IssuedToken> =>
    service.identity.createToken(
      { name: "T", scope: TokenScope.ORGANIZATION, teamIds: [first.team.id], permissions },
      as(admin),
    );
  const createProject = async (name = "P"): Promise<string> => {
    const { id } = await service.identity.createProject({ name }, as(admin));
    admin = await service.caller(first.secret);
    return id;
  };

  describe("CreateToken", () => {
    it("stores only the digest of the secret", async () => {
      const { id, secret, prefix } = await createToken();
      const stored = JSON.stringify(
        await identityModels(service.storage.connection).tokens.findOne({ _id: id }).lean(),
      );
      expect(stored).not.toContain(secret.slice(8));
      expect(prefix).toBe(secret.slice(0, 8));
      expect((await service.caller(secret)).permissions).toEqual([Permission.CLASSIFY]);
    });

    it("checks the issuer's current rights, not those in the identity of the call", async () => {
      const minter = await createToken(["tokens:admin", "classify"]);
      const remembered = await service.caller(minter.secret);
      const projectId = await createProject();
      const request = { name: "x", scope: TokenScope.PROJECT, projectId, permissions: ["classify"] };
      const stale = { ...remembered, projectIds: [] };
      expect((await service.identity.createToken(request, as(stale))).projectId).toBe(projectId);
      await service.identity.updateTeam({ teamId: first.team.id, updateMask: { paths: ["user_ids"] } }, as(admin));
      const call = (caller: Caller): Promise<unknown> => service.identity.createToken(request, as(caller));
      expect(await getRefusal(call({ ...remembered, projectIds: [projectId] }))).toBe("PROJECT_OUT_OF_REACH");
      await service.identity.revokeToken({ tokenId: minter.id }, as(admin));
      expect(await getRefusal(call(remembered))).toBe("TOKEN_INVALID");
    });

    it("lets an issuer with organization:models:edit grant models:edit", async () => {
      const { secret } = await createToken(["tokens:admin", "organization:models:edit"]);
      const minter = await service.caller(secret);
      const request = { name: "x", scope: TokenScope.ORGANIZATION, permissions: ["models:edit"] };
      expect((await service.identity.createToken(request, as(minter))).permissions).toEqual(["models:edit"]);
    });
  });

  describe("a token", () => {
    it("expires", async () => {
      const expiresAt = { seconds: BigInt(time.getTime() / 1000 + 60 - 0.089), nanos: 89_000_000 };
      const request = { name: "x", scope: TokenScope.ORGANIZATION, permissions: ["classify"], expiresAt };
      const { id, secret } = await service.identity.createToken(request, as(admin));
      later(59_999);
      expect((await service.caller(secret)).tokenId).toBe(id);
      later(1);
      expect(await getRefusal(service.caller(secret))).toBe("TOKEN_INVALID");
      const [listed] = (await service.identity.listTokens({}, as(admin))).tokens;
      expect(listed).toMatchObject({ id, status: TokenStatus.EXPIRED });
      const rotation = service.identity.rotateToken({ tokenId: id, graceSeconds: 1 }, as(admin));
      expect(await getRefusal(rotation)).toBe("TOKEN_NOT_ACTIVE");
    });

    it("accepts old secrets exactly until their grace period ends, through several rotations, and none after revocation", async () => {
      const token = await createToken();
      const rotate = (graceSeconds: number): Promise<IssuedToken> =>
        service.identity.rotateToken({ tokenId: token.id, graceSeconds }, as(admin));
      const secrets = [token.secret, (await rotate(10)).secret, (await rotate(20)).secret, (await rotate(0)).secret];
      const accepted = async (): Promise<boolean[]> =>
        Promise.all(
          secrets.map(async (secret) =>
            service.caller(secret).then(
              () => true,
              () => false,
            ),
          ),
        );
      expect(await accepted()).toEqual([true, true, false, true]);
      later(9_999);
      expect(await accepted()).toEqual([true, true, false, true]);
      later(1);
      expect(await accepted()).toEqual([false, true, false, true]);
      later(10_000);
      expect(await accepted()).toEqual([false, false, false, true]);
      secrets.push((await rotate(100)).secret);
      await service.identity.revokeToken({ tokenId: token.id }, as(admin));
      expect(await accepted()).toEqual([false, false, false, false, false]);
    });

    it("accepts at most five old secrets", async () => {
      const { id } = await createToken();
      const rotate = (graceSeconds: number): Promise<IssuedToken> =>
        service.identity.rotateToken({ tokenId: id, graceSeconds }, as(admin));
      for (let round = 0; round < 5; round += 1) await rotate(60);
      expect(await getRefusal(rotate(60))).toBe("TOO_MANY_SECRETS graceSeconds");
      await rotate(0);
      later(60_000);
      expect((await rotate(60)).id).toBe(id);
    });
  });

  describe("DeleteProject", () => {
    it("deletes everything in the project, and nothing else", async () => {
      const [projectId, otherId] = [await createProject("A"), await createProject("B")];
      const model = { name: "M", tables: [{ slug: "t", isPrimary: true }], columns: [{ slug: "c" }] };
      for (const id of [projectId, otherId]) {
        const { id: targetId } = await service.configuration.createModel({ ...model, projectId: id }, as(admin));
        await service.configuration.createDeployment({ targetId, name: "D" }, as(admin));
      }
      await service.identity.deleteProject({ projectId }, as(admin));
      const { models, schemas, deployments } = configurationModels(service.storage.connection);
      const left = async (id: string): Promise<number[]> => [
        await models.countDocuments({ projectId: id }),
        await schemas.countDocuments({ projectId: id }),
        await deployments.countDocuments({ projectId: id }),
      ];
      expect([await left(projectId), await left(otherId)]).toEqual([
        [0, 0, 0],
        [1, 1, 1],
      ]);
      expect((await service.caller(first.secret)).projectIds).toEqual([otherId]);
    });

    it("leaves no model behind, even if models are created at the same time", async () => {
      const model = { tables: [{ slug: "t", isPrimary: true }], columns: [{ slug: "c" }] };
      const outcomes = new Set<string>();
      for (let round = 0; round < rounds; round += 1) {
        const projectId = await createProject(`P${round}`);
        const making = ["A", "B", "C"].map((name) =>
          service.configuration.createModel({ ...model, projectId, name }, as(admin)).then(
            () => "made",
            (error: unknown) => getProblemFacts(error).reason,
          ),
        );
        await Promise.all([service.identity.deleteProject({ projectId }, as(admin)), ...making]);
        for (const outcome of await Promise.all(making)) outcomes.add(outcome);
        const { models, schemas } = configurationModels(service.storage.connection);
        expect([await models.countDocuments({ projectId }), await schemas.countDocuments({ projectId })]).toEqual([
          0, 0,
        ]);
      }
      expect([...outcomes].filter((outcome) => !["made", "PROJECT_NOT_FOUND"].includes(outcome))).toEqual([]);
    }, 300_000);

    it("leaves no grant behind, even if the project is granted at the same time", async () => {
      for (let round = 0; round < rounds; round += 1) {
        const projectId = await createProject(`P${round}`);
        const granting = service.identity
          .createTeam({ name: "T", projectIds: [projectId], userIds: [first.user.id] }, as(admin))
          .then(
            () => "granted",
            () => "refused",
          );
        await Promise.all([service.identity.deleteProject({ projectId }, as(admin)), granting]);
        const { teams } = identityModels(service.storage.connection);
        expect(await teams.countDocuments({ projectIds: projectId })).toBe(0);
      }
    }, 300_000);
  });
}
