import { mintTokenSecret, computeTokenDigest, withIdentity } from "@switchyard/access";
import { createClient } from "@connectrpc/connect";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { TokenScope, TokenStatus } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { useDatabase } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import type { BootstrappedOrganization } from "../bootstrap.ts";
import { identityModels } from "../store/identity-documents.ts";
import type { IdentityModels, TokenDocument } from "../store/identity-documents.ts";
import { as, getRefusal, startTestService } from "../testing/test-service.ts";
import type { TestService } from "../testing/test-service.ts";

/** Tests organizations, projects and tokens, on the given server. */
export function identitySuite(provide: () => Promise<TestDatabase>): void {
  const database = useDatabase(provide);
  let service: TestService;
  let models: IdentityModels;
  let first: BootstrappedOrganization;
  let caller: Caller;
  let time: Date;

  beforeEach(async () => {
    time = new Date("2026-03-04T05:06:07.089Z");
    service = await startTestService(database.uri, () => time);
    models = identityModels(service.storage.connection);
    first = await service.bootstrap();
    caller = await service.caller(first.secret);
  });

  afterEach(async () => {
    await service.close();
  });

  async function createProject(name: string): Promise<string> {
    return (await service.identity.createProject({ name }, as(caller))).id;
  }

  /** Stores a copy of the bootstrap token with these fields changed, and returns its secret. */
  async function storeToken(fields: Partial<TokenDocument>): Promise<string> {
    const secret = mintTokenSecret(fields.scope ?? "ORGANIZATION");
    const token = await models.tokens.findOne({ _id: first.tokenId }).lean<TokenDocument>();
    if (token === null) throw new Error("The bootstrap made no token");
    const digest = computeTokenDigest(service.tokenPepper, secret);
    await models.tokens.create({ ...token, digest, _id: `tok_${secret.slice(4, 12)}`, ...fields });
    return secret;
  }

  describe("bootstrapOrganization", () => {
    it("creates a token with all permissions, and does not store its secret", async () => {
      expect(first.secret).toMatch(/^swo_[0-9A-Za-z]{36}$/);
      expect(caller).toMatchObject({
        tokenId: first.tokenId,
        userId: first.user.id,
        organizationId: first.organization.id,
        scope: TokenScope.ORGANIZATION,
        projectIds: [],
      });
      expect(caller.permissions).toHaveLength(10);
      const stored = JSON.stringify(await models.tokens.find({}).lean());
      expect(stored).not.toContain(first.secret.slice(8));
    });

    it("creates isolated organizations", async () => {
      const second = await service.bootstrap("Other");
      const other = await service.caller(second.secret);
      const projectId = await createProject("Mine");
      expect(await getRefusal(service.identity.getProject({ projectId }, as(other)))).toBe(
        "PROJECT_NOT_FOUND projectId",
      );
      expect((await service.identity.listProjects({}, as(other))).projects).toEqual([]);
    });
  });

  describe("VerifyToken", () => {
    it("resolves the projects of the token's teams", async () => {
      const projectIds = [await createProject("A"), await createProject("B")];
      expect((await service.caller(first.secret)).projectIds).toEqual(projectIds);
    });

    it("ignores teams of which the token's user is not a member", async () => {
      await createProject("A");
      await models.teams.updateOne({ _id: first.team.id }, { $set: { userIds: [] } });
      expect((await service.caller(first.secret)).projectIds).toEqual([]);
    });

    it("resolves the project of a project token", async () => {
      const [projectId] = [await createProject("A"), await createProject("B")];
      const secret = await storeToken({ scope: "PROJECT", projectId, teamIds: [], permissions: ["classify", "gone"] });
      expect(await service.caller(secret)).toMatchObject({
        scope: TokenScope.PROJECT,
        projectIds: [projectId],
        permissions: [Permission.CLASSIFY],
      });
    });

    it("rejects every secret that is not of an active token with the same error", async () => {
      const projectId = await createProject("A");
      const elsewhere = await service.bootstrap("Other");
      const secrets = {
        malformed: "swo_short",
        mistyped: first.secret.slice(0, -1) + (first.secret.endsWith("0") ? "1" : "0"),
        unknown: mintTokenSecret("ORGANIZATION"),
        revoked: await storeToken({ revokedAt: time }),
        expired: await storeToken({ expiresAt: time }),
        otherPepper: await storeToken({ kid: "00000000" }),
        projectGone: await storeToken({ scope: "PROJECT", projectId: "prj_gone" }),
        foreignProject: await storeToken({ scope: "PROJECT", projectId, organizationId: elsewhere.organization.id }),
      };
      for (const [name, secret] of Object.entries(secrets)) {
        expect([name, await getRefusal(service.caller(secret))]).toEqual([name, "TOKEN_INVALID"]);
      }
      const future = await storeToken({ expiresAt: new Date(time.getTime() + 1) });
      expect((await service.caller(future)).organizationId).toBe(first.organization.id);
    });

    it("records the use of a token at most once a minute", async () => {
      const lastUsed = async (): Promise<unknown> =>
        (await models.tokens.findOne({ _id: first.tokenId }).lean<TokenDocument>())?.lastUsedAt;
      const begin = time;
      time = new Date(begin.getTime() + 59_999);
      await service.caller(first.secret);
      expect(await lastUsed()).toEqual(begin);
      time = new Date(begin.getTime() + 60_000);
      await service.caller(first.secret);
      expect(await lastUsed()).toEqual(time);
    });

    it("can be called by services, and by the gateway without a caller", async () => {
      const callFor = service.lookup.verifyToken({ secret: first.secret }, as(caller));
      expect(await getRefusal(callFor)).toBe("SERVICE_ONLY");
      const classifier = createClient(IdentityLookupService, service.getTransport("classifier"));
      const values = { contextValues: withIdentity({ service: "gateway", caller }) };
      expect((await classifier.verifyToken({ secret: first.secret }, values)).tokenId).toBe(first.tokenId);
    });
  });

  describe("ResolveProjects", () => {
    it("returns projects of any organization, each once, without unknown ones", async () => {
      const projectId = await createProject("A");
      const answer = await service.lookup.resolveProjects({ projectIds: [projectId, "prj_none", projectId] });
      expect(answer.projects.map(({ id, name }) => [id, name])).toEqual([[projectId, "A"]]);
    });

    it("accepts at most 1,000 IDs", async () => {
      const projectIds = Array.from({ length: 1001 }, (_, index) => `prj_${index}`);
      expect(await getRefusal(service.lookup.resolveProjects({ projectIds }))).toBe("INVALID_REQUEST projectIds");
    });
  });

  describe("GetMe", () => {
    it("returns the user, the organization and the token", async () => {
      const me = await service.identity.getMe({}, as(caller));
      expect(me.user).toMatchObject(first.user);
      expect(me.organization).toMatchObject(first.organization);
      expect(me.token).toMatchObject({
        id: first.tokenId,
        name: "First token",
        scope: TokenScope.ORGANIZATION,
        teamIds: [first.team.id],
        prefix: first.secret.slice(0, 8),
        status: TokenStatus.ACTIVE,
      });
      expect([me.token?.projectId, me.token?.expiresAt]).toEqual([undefined, undefined]);
      expect(me.token?.permissions).toContain("organization:models:edit");
    });

    it("requires a caller", async () => {
      expect(await getRefusal(service.identity.getMe({}))).toBe("CALLER_MISSING");
    });
  });

  describe("projects", () => {
    it("are granted to the token's teams by default, and listed in the order of creation", async () => {
      const ids = [await createProject("B"), await createProject("A"), await createProject(" A ")];
      caller = await service.caller(first.secret);
      const { projects } = await service.identity.listProjects({}, as(caller));
      expect(projects.map(({ id, name }) => [id, name])).toEqual([
        [ids[0], "B"],
        [ids[1], "A"],
        [ids[2], "A"],
      ]);
      const project = await service.identity.getProject({ projectId: ids[0] ?? "" }, as(caller));
      expect(project).toEqual(projects[0]);
    });

    it("are granted to other teams of the organization if the request names them", async () => {
      const other = await service.bootstrap("Other");
      await models.teams.create({
        _id: "team_second",
        organizationId: first.organization.id,
        name: "Second",
        projectIds: [],
        userIds: [first.user.id],
        createdAt: time,
        updatedAt: time,
      });
      const request = { name: "A", teamIds: ["team_second", "team_second"] };
      const { id } = await service.identity.createProject(request, as(caller));
      expect((await service.caller(first.secret)).projectIds).toEqual([]);
      const granted = await models.teams.findOne({ _id: "team_second" }).lean<{ projectIds: string[] }>();
      expect(granted?.projectIds).toEqual([id]);
      const foreign = { name: "B", teamIds: ["team_second", other.team.id] };
      expect(await getRefusal(service.identity.createProject(foreign, as(caller)))).toBe("TEAM_NOT_FOUND teamIds[1]");
    });

    it("lose no grant if they are created at the same time", async () => {
      const ids = await Promise.all(Array.from({ length: 8 }, (_, index) => createProject(`P${index}`)));
      expect((await service.caller(first.secret)).projectIds).toEqual(ids.toSorted());
    });

    it.each(["", "   ", "x".repeat(121)])("require a name of 1 to 120 characters: %p is rejected", async (name) => {
      expect(await getRefusal(service.identity.createProject({ name }, as(caller)))).toBe("INVALID_REQUEST name");
    });

    it("accept a name of 120 characters outside the basic multilingual plane", async () => {
      expect((await service.identity.createProject({ name: "🚂".repeat(120) }, as(caller))).name).toHaveLength(240);
    });

    it("can be created only with organization:admin", async () => {
      const permissions = caller.permissions.filter((permission) => permission !== Permission.ORGANIZATION_ADMIN);
      const weaker = { ...caller, permissions };
      expect(await getRefusal(service.identity.createProject({ name: "A" }, as(weaker)))).toBe("MISSING_PERMISSION");
    });

    it("are reported as not found if they do not exist, and as out of reach without access to them", async () => {
      const projectId = await createProject("A");
      expect(await getRefusal(service.identity.getProject({ projectId: "prj_none" }, as(caller)))).toBe(
        "PROJECT_NOT_FOUND projectId",
      );
      expect(await getRefusal(service.identity.getProject({ projectId }, as(caller)))).toBe("PROJECT_OUT_OF_REACH");
    });
  });
}
