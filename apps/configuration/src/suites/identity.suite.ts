import { mintTokenSecret, computeTokenDigest, withIdentity } from "@switchyard/access";
import { createClient } from "@connectrpc/connect";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { TokenScope, TokenStatus } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { TestDatabase } from "@switchyard/storage/testing";
import { identityModels } from "../store/identity-documents.ts";
import type { IdentityModels, TokenDocument } from "../store/identity-documents.ts";
import { as, getRefusal } from "../testing/test-service.ts";
import { useOrganization } from "../testing/organization-fixture.ts";

/** Tests organizations, projects and tokens, on the given server. */
export function identitySuite(provide: () => Promise<TestDatabase>): void {
  const fixture = useOrganization(provide);
  let models: IdentityModels;
  beforeEach(() => {
    models = identityModels(fixture.service.storage.connection);
  });

  /** Stores a copy of the bootstrap token with these fields changed, and returns its secret. */
  async function storeToken(fields: Partial<TokenDocument>): Promise<string> {
    const secret = mintTokenSecret(fields.scope ?? "ORGANIZATION");
    const token = await models.tokens.findOne({ _id: fixture.first.tokenId }).lean<TokenDocument>();
    if (token === null) throw new Error("The bootstrap made no token");
    const digest = computeTokenDigest(fixture.service.tokenPepper, secret);
    await models.tokens.create({ ...token, digest, _id: `tok_${secret.slice(4, 12)}`, ...fields });
    return secret;
  }

  describe("bootstrapOrganization", () => {
    it("creates a token with all permissions, and does not store its secret", async () => {
      expect(fixture.first.secret).toMatch(/^swo_[0-9A-Za-z]{36}$/);
      expect(fixture.admin).toMatchObject({
        tokenId: fixture.first.tokenId,
        userId: fixture.first.user.id,
        organizationId: fixture.first.organization.id,
        scope: TokenScope.ORGANIZATION,
        projectIds: [],
      });
      expect(fixture.admin.permissions).toHaveLength(10);
      const stored = JSON.stringify(await models.tokens.find({}).lean());
      expect(stored).not.toContain(fixture.first.secret.slice(8));
    });

    it("creates isolated organizations", async () => {
      const second = await fixture.service.bootstrap("Other");
      const other = await fixture.service.caller(second.secret);
      const projectId = await fixture.createProject("Mine");
      expect(await getRefusal(fixture.service.identity.getProject({ projectId }, as(other)))).toBe(
        "PROJECT_NOT_FOUND projectId",
      );
      expect((await fixture.service.identity.listProjects({}, as(other))).projects).toEqual([]);
    });
  });

  describe("VerifyToken", () => {
    it("resolves the projects of the token's teams", async () => {
      const projectIds = [await fixture.createProject("A"), await fixture.createProject("B")];
      expect((await fixture.service.caller(fixture.first.secret)).projectIds).toEqual(projectIds);
    });

    it("ignores teams of which the token's user is not a member", async () => {
      await fixture.createProject("A");
      await models.teams.updateOne({ _id: fixture.first.team.id }, { $set: { userIds: [] } });
      expect((await fixture.service.caller(fixture.first.secret)).projectIds).toEqual([]);
    });

    it("resolves the project of a project token", async () => {
      const [projectId] = [await fixture.createProject("A"), await fixture.createProject("B")];
      const secret = await storeToken({ scope: "PROJECT", projectId, teamIds: [], permissions: ["classify", "gone"] });
      expect(await fixture.service.caller(secret)).toMatchObject({
        scope: TokenScope.PROJECT,
        projectIds: [projectId],
        permissions: [Permission.CLASSIFY],
      });
    });

    it("rejects every secret that is not of an active token with the same error", async () => {
      const projectId = await fixture.createProject("A");
      const elsewhere = await fixture.service.bootstrap("Other");
      const secrets = {
        malformed: "swo_short",
        mistyped: fixture.first.secret.slice(0, -1) + (fixture.first.secret.endsWith("0") ? "1" : "0"),
        unknown: mintTokenSecret("ORGANIZATION"),
        revoked: await storeToken({ revokedAt: fixture.time }),
        expired: await storeToken({ expiresAt: fixture.time }),
        otherPepper: await storeToken({ kid: "00000000" }),
        projectGone: await storeToken({ scope: "PROJECT", projectId: "prj_gone" }),
        foreignProject: await storeToken({ scope: "PROJECT", projectId, organizationId: elsewhere.organization.id }),
      };
      for (const [name, secret] of Object.entries(secrets)) {
        expect([name, await getRefusal(fixture.service.caller(secret))]).toEqual([name, "TOKEN_INVALID"]);
      }
      const future = await storeToken({ expiresAt: new Date(fixture.time.getTime() + 1) });
      expect((await fixture.service.caller(future)).organizationId).toBe(fixture.first.organization.id);
    });

    it("records the use of a token at most once a minute", async () => {
      const lastUsed = async (): Promise<unknown> =>
        (await models.tokens.findOne({ _id: fixture.first.tokenId }).lean<TokenDocument>())?.lastUsedAt;
      const begin = fixture.time;
      fixture.time = new Date(begin.getTime() + 59_999);
      await fixture.service.caller(fixture.first.secret);
      expect(await lastUsed()).toEqual(begin);
      fixture.time = new Date(begin.getTime() + 60_000);
      await fixture.service.caller(fixture.first.secret);
      expect(await lastUsed()).toEqual(fixture.time);
    });

    it("can be called by services, and by the gateway without a caller", async () => {
      const callFor = fixture.service.lookup.verifyToken({ secret: fixture.first.secret }, as(fixture.admin));
      expect(await getRefusal(callFor)).toBe("SERVICE_ONLY");
      const classifier = createClient(IdentityLookupService, fixture.service.getTransport("classifier"));
      const values = { contextValues: withIdentity({ service: "gateway", caller: fixture.admin }) };
      expect((await classifier.verifyToken({ secret: fixture.first.secret }, values)).tokenId).toBe(
        fixture.first.tokenId,
      );
    });
  });

  describe("ResolveProjects", () => {
    it("returns projects of any organization, each once, without unknown ones", async () => {
      const projectId = await fixture.createProject("A");
      const response = await fixture.service.lookup.resolveProjects({ projectIds: [projectId, "prj_none", projectId] });
      expect(response.projects.map(({ id, name }) => [id, name])).toEqual([[projectId, "A"]]);
    });

    it("accepts at most 1,000 IDs", async () => {
      const projectIds = Array.from({ length: 1001 }, (_, index) => `prj_${index}`);
      expect(await getRefusal(fixture.service.lookup.resolveProjects({ projectIds }))).toBe(
        "INVALID_REQUEST projectIds",
      );
    });
  });

  describe("GetMe", () => {
    it("returns the user, the organization and the token", async () => {
      const me = await fixture.service.identity.getMe({}, as(fixture.admin));
      expect(me.user).toMatchObject(fixture.first.user);
      expect(me.organization).toMatchObject(fixture.first.organization);
      expect(me.token).toMatchObject({
        id: fixture.first.tokenId,
        name: "First token",
        scope: TokenScope.ORGANIZATION,
        teamIds: [fixture.first.team.id],
        prefix: fixture.first.secret.slice(0, 8),
        status: TokenStatus.ACTIVE,
      });
      expect([me.token?.projectId, me.token?.expiresAt]).toEqual([undefined, undefined]);
      expect(me.token?.permissions).toContain("organization:models:edit");
    });

    it("requires a caller", async () => {
      expect(await getRefusal(fixture.service.identity.getMe({}))).toBe("CALLER_MISSING");
    });
  });

  describe("projects", () => {
    it("are granted to the token's teams by default, and listed in the order of creation", async () => {
      const ids = [
        await fixture.createProject("B"),
        await fixture.createProject("A"),
        await fixture.createProject(" A "),
      ];
      const { projects } = await fixture.service.identity.listProjects({}, as(fixture.admin));
      expect(projects.map(({ id, name }) => [id, name])).toEqual([
        [ids[0], "B"],
        [ids[1], "A"],
        [ids[2], "A"],
      ]);
      const project = await fixture.service.identity.getProject({ projectId: ids[0] ?? "" }, as(fixture.admin));
      expect(project).toEqual(projects[0]);
    });

    it("are granted to other teams of the organization if the request names them", async () => {
      const other = await fixture.service.bootstrap("Other");
      await models.teams.create({
        _id: "team_second",
        organizationId: fixture.first.organization.id,
        name: "Second",
        projectIds: [],
        userIds: [fixture.first.user.id],
        createdAt: fixture.time,
        updatedAt: fixture.time,
      });
      const request = { name: "A", teamIds: ["team_second", "team_second"] };
      const { id } = await fixture.service.identity.createProject(request, as(fixture.admin));
      expect((await fixture.service.caller(fixture.first.secret)).projectIds).toEqual([]);
      const granted = await models.teams.findOne({ _id: "team_second" }).lean<{ projectIds: string[] }>();
      expect(granted?.projectIds).toEqual([id]);
      const foreign = { name: "B", teamIds: ["team_second", other.team.id] };
      expect(await getRefusal(fixture.service.identity.createProject(foreign, as(fixture.admin)))).toBe(
        "TEAM_NOT_FOUND teamIds[1]",
      );
    });

    it("lose no grant if they are created at the same time", async () => {
      const ids = await Promise.all(Array.from({ length: 8 }, (_, index) => fixture.createProject(`P${index}`)));
      expect((await fixture.service.caller(fixture.first.secret)).projectIds).toEqual(ids.toSorted());
    });

    it.each(["", "   ", "x".repeat(121)])("require a name of 1 to 120 characters: %p is rejected", async (name) => {
      expect(await getRefusal(fixture.service.identity.createProject({ name }, as(fixture.admin)))).toBe(
        "INVALID_REQUEST name",
      );
    });

    it("accept a name of 120 characters outside the basic multilingual plane", async () => {
      expect(
        (await fixture.service.identity.createProject({ name: "🚂".repeat(120) }, as(fixture.admin))).name,
      ).toHaveLength(240);
    });

    it("can be created only with organization:admin", async () => {
      const permissions = fixture.admin.permissions.filter(
        (permission) => permission !== Permission.ORGANIZATION_ADMIN,
      );
      const weaker = { ...fixture.admin, permissions };
      expect(await getRefusal(fixture.service.identity.createProject({ name: "A" }, as(weaker)))).toBe(
        "MISSING_PERMISSION",
      );
    });

    it("are reported as not found if they do not exist, and as out of reach without access to them", async () => {
      const before = fixture.admin;
      const projectId = await fixture.createProject("A");
      expect(await getRefusal(fixture.service.identity.getProject({ projectId: "prj_none" }, as(fixture.admin)))).toBe(
        "PROJECT_NOT_FOUND projectId",
      );
      expect(await getRefusal(fixture.service.identity.getProject({ projectId }, as(before)))).toBe(
        "PROJECT_OUT_OF_REACH",
      );
    });
  });
}
