import type { Rest } from "../../rest.ts";
import type { Where } from "../testing/office.ts";
import { created, everything, expectProblem, givenIdentity, remove, untilStatus } from "./testing/identity-fixture.ts";

/** Section 7 of the API: teams, users and projects over REST. */
export function teamAndProjectSuite(where: Where): void {
  const given = givenIdentity(where);
  const { createOrganizationToken, createProject, createProjectToken, getRest } = given;
  let admin: Rest;
  let outsider: Rest;
  let userId: string;
  beforeAll(() => ({ admin, outsider, userId } = given));

  describe("teams and users", () => {
    it("are created, listed, changed and deleted", async () => {
      const { id } = await createProject("Granted");
      const user = await created(admin.post("/api/v1/users", { name: " Edsger " }));
      expect(user).toMatchObject({ name: "Edsger", id: expect.stringMatching(/^usr_/) });
      expect((await admin.get("/api/v1/users")).body.data).toContainEqual(user);
      const team = await created(
        admin.post("/api/v1/teams", { name: "Day", projectIds: [id, id], userIds: [user.id] }),
      );
      expect(team).toMatchObject({ name: "Day", projectIds: [id], userIds: [user.id] });
      const path = `/api/v1/teams/${team.id}`;
      expect((await admin.patch(path, {})).body).toEqual(team);
      expect((await admin.patch(path, { name: "Day" })).body).toEqual(team);
      const changed = await admin.patch(path, { name: "Night", userIds: [] });
      expect(changed.body).toEqual({ ...team, name: "Night", userIds: [], updatedAt: changed.body.updatedAt });
      expect((await admin.get("/api/v1/teams")).body.data).toContainEqual(changed.body);
      expectProblem(await admin.patch(path, { name: null }), 400, "INVALID_REQUEST", "name");
      expectProblem(await admin.patch(path, { name: " " }), 400, "INVALID_REQUEST", "name");
      expectProblem(await admin.patch(path, { id: "team_1" }), 400, "INVALID_REQUEST", "id");
      expectProblem(await admin.patch(path, { projectIds: [id, "prj_x"] }), 404, "PROJECT_NOT_FOUND", "projectIds[1]");
      expectProblem(await admin.patch(path, { userIds: ["usr_x"] }), 404, "USER_NOT_FOUND", "userIds[0]");
      expectProblem(await outsider.patch(path, { name: "x" }), 404, "TEAM_NOT_FOUND", "teamId");
      expectProblem(await remove(outsider, path), 404, "TEAM_NOT_FOUND", "teamId");
      expect((await remove(admin, path)).status).toBe(204);
      expectProblem(await remove(admin, path), 404, "TEAM_NOT_FOUND", "teamId");
    });

    it("need organization:admin", async () => {
      const rest = getRest(await createOrganizationToken(everything.filter((name) => name !== "organization:admin")));
      const responses = await Promise.all([
        rest.get("/api/v1/teams"),
        rest.post("/api/v1/teams", { name: "x" }),
        rest.patch("/api/v1/teams/team_x", {}),
        remove(rest, "/api/v1/teams/team_x"),
        rest.get("/api/v1/users"),
        rest.post("/api/v1/users", { name: "x" }),
        rest.get("/api/v1/audit"),
        rest.patch("/api/v1/projects/prj_x", {}),
        remove(rest, "/api/v1/projects/prj_x"),
      ]);
      for (const response of responses) expectProblem(response, 403, "MISSING_PERMISSION");
    });

    it("grant access at once, and revoke it within 2 s", async () => {
      const { id } = await createProject("Contested");
      const team = await created(admin.post("/api/v1/teams", { name: "Contenders", userIds: [userId] }));
      const rest = getRest(await createOrganizationToken(["models:read"], [team.id]));
      const path = `/api/v1/teams/${team.id}`;
      const asks = {
        project: () => rest.get(`/api/v1/projects/${id}`),
        models: () => rest.get(`/api/v1/projects/${id}/deployments`),
        classifiers: () => rest.get(`/api/v1/classify?projectId=${id}`),
      };
      for (const ask of Object.values(asks)) expectProblem(await ask(), 403, "PROJECT_OUT_OF_REACH");
      for (const taken of [{ projectIds: [] }, { userIds: [] }]) {
        expect((await admin.patch(path, { projectIds: [id], userIds: [userId] })).status).toBe(200);
        for (const ask of Object.values(asks)) expect((await ask()).status).toBe(200);
        expect((await admin.patch(path, taken)).status).toBe(200);
        for (const ask of Object.values(asks)) expect(await untilStatus(ask, 403)).toBeLessThan(2000);
      }
      await admin.patch(path, { projectIds: [id], userIds: [userId] });
      expect((await asks.project()).status).toBe(200);
      await remove(admin, path);
      expect(await untilStatus(asks.project, 403)).toBeLessThan(2000);
      expect((await rest.get("/api/v1/me")).body.token.teamIds).toEqual([]);
    });

    it("show at once what they grant in responses that leave out the rest", async () => {
      const { id } = await createProject("Shown");
      const token = await createProjectToken(id, ["models:read"]);
      const team = await created(admin.post("/api/v1/teams", { name: "Viewers", userIds: [userId] }));
      const rest = getRest(await createOrganizationToken(["models:read", "tokens:admin"], [team.id]));
      const listed = async () => (await rest.get("/api/v1/tokens?limit=500")).body.data.map((each: any) => each.id);
      expect(await listed()).not.toContain(token.id);
      await admin.patch(`/api/v1/teams/${team.id}`, { projectIds: [id] });
      expect(await listed()).toContain(token.id);
    });
  });

  describe("projects", () => {
    it("are renamed by callers with access to them", async () => {
      const before = await createProject("Old");
      const path = `/api/v1/projects/${before.id}`;
      expect((await admin.patch(path, {})).body).toEqual(before);
      const { body } = await admin.patch(path, { name: " New " });
      expect(body).toEqual({ ...before, name: "New", updatedAt: body.updatedAt });
      expect((await admin.get(path)).body).toEqual(body);
      expectProblem(await admin.patch(path, { name: "" }), 400, "INVALID_REQUEST", "name");
      expectProblem(await admin.patch(path, { organizationId: "org_1" }), 400, "INVALID_REQUEST", "organizationId");
      expectProblem(await outsider.patch(path, { name: "x" }), 404, "PROJECT_NOT_FOUND", "projectId");
      const elsewhere = await created(admin.post("/api/v1/teams", { name: "Elsewhere" }));
      const hidden = `/api/v1/projects/${(await createProject("Hidden", [elsewhere.id])).id}`;
      expectProblem(await admin.patch(hidden, { name: "x" }), 403, "PROJECT_OUT_OF_REACH");
      expectProblem(await remove(admin, hidden), 403, "PROJECT_OUT_OF_REACH");
    });

    it("are deleted at once, with their models, schemas, deployments, grants and tokens", async () => {
      const { id } = await createProject("Deleted");
      const path = `/api/v1/projects/${id}`;
      const model = await created(
        admin.post(`${path}/deployments`, {
          name: "Invoices",
          tables: [{ slug: "invoice", isPrimary: true }],
          columns: [{ slug: "total" }],
        }),
      );
      const deployment = await created(admin.post(`/api/v1/deployments/${model.id}/deployments`, { name: "Stable" }));
      const ofProject = getRest(await createProjectToken(id, ["documents:read"]));
      expect((await ofProject.get("/api/v1/me")).status).toBe(200);
      expectProblem(await remove(outsider, path), 404, "PROJECT_NOT_FOUND", "projectId");
      expect((await remove(admin, path)).status).toBe(204);
      for (const target of [model.id, deployment.id, model.extractionSchemaId]) {
        expectProblem(await admin.get(`/api/v1/deployments/${target}/configuration`), 404, "DEPLOYMENT_NOT_FOUND");
      }
      expectProblem(await admin.get(path), 404, "PROJECT_NOT_FOUND");
      expectProblem(await remove(admin, path), 404, "PROJECT_NOT_FOUND");
      expect((await admin.get("/api/v1/projects")).body.data.map((each: any) => each.id)).not.toContain(id);
      const teams = (await admin.get("/api/v1/teams")).body.data;
      expect(teams.flatMap((team: any) => team.projectIds)).not.toContain(id);
      expect(await untilStatus(() => ofProject.get("/api/v1/me"), 401)).toBeLessThan(2000);
    });
  });
}
