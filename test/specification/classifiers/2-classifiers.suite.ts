import type { RestResponse } from "../../rest.ts";
import { getBody, refusal } from "../testing/office.ts";
import { classifierWith, givenTwoProjects } from "../testing/two-projects.ts";
import type { Where } from "../testing/office.ts";

const entryKeys = [
  ..."id name projectId isGlobal routeProjects deploymentRoutes classificationCount createdAt updatedAt".split(" "),
];
const routeKeys = "id name description deploymentId deployment targetDeploymentId targetDeployment".split(" ");
const noNumbers = { minConfidence: null, minMargin: null, pages: null };
const noSettings = { engine: "local", modelName: null, ...noNumbers, secondOpinion: null };

/** Sections 2.1, 4.1 and 4.3: classifiers. */
export function classifierSuite(where: Where): void {
  const given = givenTwoProjects(where);
  const office = () => given.office.projectId;
  const list = async (projectId: string) => getBody(given.rest.get(`/api/v1/classify?projectId=${projectId}`), 200);
  const idsIn = async (projectId: string): Promise<string[]> => (await list(projectId)).map(({ id }: any) => id);
  const both = () => [{ deploymentId: given.office.receipts }, { deploymentId: given.other.model }];

  describe("4.1 are created", () => {
    it("as project classifiers, with a required projectId and no other field for the scope", async () => {
      const { rest } = given;
      const response = await rest.post("/api/v1/classify", { projectId: office(), name: " Created " });
      expect(response.status).toBe(201);
      expect(response.headers.get("location")).toBe(`/api/v1/classify/${response.body.id}`);
      expect(Object.keys(response.body)).toEqual(entryKeys);
      expect(response.body).toMatchObject({
        name: "Created",
        projectId: office(),
        isGlobal: false,
        deploymentRoutes: [],
      });
      expect(await refusal(rest.post("/api/v1/classify", { name: "x" }))).toBe("400 INVALID_REQUEST projectId");
      for (const field of ["isGlobal", "scope", "id", "classificationCount"]) {
        const body = { projectId: office(), name: "x", [field]: field === "isGlobal" };
        expect(await refusal(rest.post("/api/v1/classify", body))).toBe(`400 INVALID_REQUEST ${field}`);
      }
    });

    it("with all their routes or not at all", async () => {
      const { rest, outsider, far } = given;
      const before = await idsIn(office());
      const create = (routes: object[], by = rest) =>
        refusal(by.post("/api/v1/classify", { projectId: office(), name: "Half", routes }));
      const fine = { deploymentId: given.office.receipts };
      expect(await create([fine, { deploymentId: "mdl_none" }])).toBe("404 MODEL_NOT_FOUND routes[1].deploymentId");
      expect(await create([fine, fine])).toBe("409 ROUTE_EXISTS");
      expect(await create([fine, { deploymentId: given.bare }])).toBe("400 MODEL_HAS_NO_SCHEMA routes[1].deploymentId");
      expect(await create([fine], outsider)).toBe("404 PROJECT_NOT_FOUND projectId");
      expect(await create([fine], far)).toBe("403 PROJECT_OUT_OF_REACH");
      expect(await idsIn(office())).toEqual(before);
    });
  });

  describe("4.3 are listed", () => {
    it("as a bare array for a required project, newest first, with exactly the fields of 2.1 and 2.2", async () => {
      const { rest, other } = given;
      expect(await refusal(rest.get("/api/v1/classify"))).toBe("400 INVALID_REQUEST projectId");
      const route = { deploymentId: given.office.invoices, targetDeploymentId: given.office.deployment };
      const classifier = await classifierWith(rest, office(), [route, { deploymentId: given.office.receipts }]);
      const entries = await list(office());
      expect(entries.map(({ id }: any) => id)).toEqual(
        entries
          .map(({ id }: any) => id)
          .toSorted()
          .reverse(),
      );
      expect(entries[0].id).toBe(classifier.id);
      for (const entry of entries) {
        expect(Object.keys(entry)).toEqual(entryKeys);
        for (const each of entry.deploymentRoutes) {
          expect(Object.keys(each)).toEqual(routeKeys);
          expect(Object.keys(each.deployment)).toEqual(["id", "name", "type", "projectId", "project"]);
          expect(each.deployment.type).toBe("MODEL");
        }
      }
      const [pinned, direct] = entries[0].deploymentRoutes;
      expect(pinned).toMatchObject({
        deploymentId: given.office.invoices,
        targetDeployment: { id: given.office.deployment, name: "Invoices, stable", status: "ACTIVE" },
      });
      expect(direct).toMatchObject({ targetDeploymentId: null, targetDeployment: null });
      const empty = await getBody(rest.post("/api/v1/projects", { name: "Empty" }), 201);
      expect(await list(empty.id)).toEqual([]);
      expect(await idsIn(other.projectId)).not.toContain(classifier.id);
    });

    it("in exactly the projects that they route into if they are global", async () => {
      const { rest, other } = given;
      const { id, path, routes } = await classifierWith(rest, office(), [{ deploymentId: given.office.receipts }]);
      await getBody(rest.post(`${path}:makeGlobal`), 200);
      const into = async () => [(await idsIn(office())).includes(id), (await idsIn(other.projectId)).includes(id)];
      expect(await into()).toEqual([true, false]);
      const added = await getBody(rest.post(`${path}/routes`, { deploymentId: other.model }), 201);
      expect(await into()).toEqual([true, true]);
      const [entry] = (await list(other.projectId)).filter((each: any) => each.id === id);
      expect(entry.routeProjects).toEqual([
        { id: office(), name: "Accounts payable" },
        { id: other.projectId, name: "Real estate" },
      ]);
      await getBody(rest.send(`${path}/routes/${routes[0].id}`, { method: "DELETE" }), 204);
      expect(await into()).toEqual([false, true]);
      await getBody(rest.send(`${path}/routes/${added.id}`, { method: "DELETE" }), 204);
      expect(await into()).toEqual([false, false]);
      const gone = await getBody(rest.get(path), 200);
      expect(gone).toMatchObject({ isGlobal: true, routeProjects: [], deploymentRoutes: [] });
      expect((await given.plain.get(path)).status).toBe(403);
      expect((await rest.post(path, { text: "x" })).status).toBe(403);
    });

    it("in pages if a limit is given, with a Link to the next page", async () => {
      const { rest } = given;
      const { id: projectId } = await getBody(rest.post("/api/v1/projects", { name: "Paged" }), 201);
      for (let each = 0; each < 5; each += 1) await classifierWith(rest, projectId);
      const everything = await idsIn(projectId);
      const paged: string[] = [];
      let next: string | undefined = `/api/v1/classify?projectId=${projectId}&limit=2`;
      while (next !== undefined) {
        const response: RestResponse = await rest.get(next);
        expect(response.body.length).toBeLessThanOrEqual(2);
        paged.push(...response.body.map(({ id }: any) => id));
        next = /^<(.+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
      }
      expect(paged).toEqual(everything);
      const first = await rest.get(`/api/v1/classify?projectId=${projectId}&limit=2`);
      const token = /pageToken=([^&>]+)/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
      const wrong = (query: string) => refusal(rest.get(`/api/v1/classify?${query}`));
      expect(await wrong(`projectId=${office()}&pageToken=${token}`)).toBe("400 INVALID_REQUEST pageToken");
      expect(await wrong(`projectId=${projectId}&limit=0`)).toBe("400 INVALID_REQUEST limit");
      expect(await wrong(`projectId=${projectId}&limit=501`)).toBe("400 INVALID_REQUEST limit");
      expect((await rest.get(`/api/v1/classify?projectId=${projectId}&limit=5`)).headers.get("link")).toBeNull();
    });
  });

  describe("are read individually", () => {
    it("with description, settings, candidates and excluded routes", async () => {
      const { rest } = given;
      const { path } = await classifierWith(rest, office(), [{ deploymentId: given.office.receipts, enabled: false }]);
      const detail = await getBody(rest.get(path), 200);
      const more = "description settings organizationId createdBy candidateRoutes excludedRoutes routeWins".split(" ");
      expect(Object.keys(detail)).toEqual([...entryKeys, ...more]);
      const { user, organization } = await getBody(rest.get("/api/v1/me"), 200);
      expect(detail).toMatchObject({
        ...{ description: "", settings: noSettings, organizationId: organization.id, createdBy: user.id },
        ...{ candidateRoutes: 0, excludedRoutes: [{ reason: "ROUTE_DISABLED" }], routeWins: [{ count: 0 }] },
      });
      expect(await refusal(given.outsider.get(path))).toBe("404 CLASSIFIER_NOT_FOUND classifierId");
      expect(await refusal(given.far.get(path))).toBe("403 CLASSIFIER_OUT_OF_REACH");
    });
  });

  describe("are changed", () => {
    it("only in the fields of the request, and in nothing by {}", async () => {
      const { rest } = given;
      const { path, id } = await classifierWith(rest, office(), [{ deploymentId: given.office.receipts }]);
      const before = await getBody(rest.get(path), 200);
      const unchanged = await getBody(rest.patch(path, {}), 200);
      expect(Object.keys(unchanged)).toEqual(entryKeys);
      expect(await getBody(rest.get(path), 200)).toEqual(before);
      await getBody(rest.patch(path, { name: before.name, settings: noSettings }), 200);
      expect(await getBody(rest.get(path), 200)).toEqual(before);

      const settings = { minConfidence: 0.5, pages: 3 };
      const renamed = await getBody(rest.patch(path, { name: " Renamed ", settings }), 200);
      expect(renamed).toMatchObject({ id, name: "Renamed", deploymentRoutes: before.deploymentRoutes });
      expect(renamed.updatedAt > before.updatedAt).toBe(true);
      await getBody(rest.patch(path, { description: "For post" }), 200);
      const after = await getBody(rest.get(path), 200);
      expect(after).toMatchObject({ description: "For post", settings: { ...noSettings, ...settings } });
      await getBody(rest.patch(path, { settings: { minMargin: 0.1 } }), 200);
      expect((await getBody(rest.get(path), 200)).settings).toEqual({ ...noSettings, minMargin: 0.1 });
    });

    it("to no value that is out of bounds, null or unknown", async () => {
      const { path } = await classifierWith(given.rest, office());
      const patch = (body: object) => refusal(given.rest.patch(path, body));
      expect(await patch({ name: null, description: null, settings: null })).toBe(
        "400 INVALID_REQUEST name description settings",
      );
      expect(await patch({ name: " ", settings: { engine: "remote", pages: 101 } })).toBe(
        "400 INVALID_REQUEST name settings.engine settings.pages",
      );
      for (const field of ["projectId", "isGlobal", "updateMask"]) {
        expect(await patch({ [field]: "x" })).toBe(`400 INVALID_REQUEST ${field}`);
      }
    });

    it("by callers with access to the project, or with the organization-level right if they are global", async () => {
      const { rest, plain, near, far, bound, reader, outsider } = given;
      const own = await classifierWith(rest, office());
      const global = await classifierWith(rest, office(), both(), "global");
      const nobody = await classifierWith(rest, office(), [], "global");
      const statuses = async (path: string) =>
        Promise.all([plain, near, far, bound, reader, outsider].map(async (by) => (await by.patch(path, {})).status));
      expect(await statuses(own.path)).toEqual([200, 200, 403, 200, 403, 404]);
      expect(await statuses(global.path)).toEqual([403, 200, 200, 403, 403, 404]);
      expect(await statuses(nobody.path)).toEqual([403, 200, 200, 403, 403, 404]);
      expect(await refusal(bound.patch(global.path, {}))).toBe("403 GLOBAL_CLASSIFIER");
      expect(await refusal(plain.patch(global.path, {}))).toBe("403 MISSING_PERMISSION");
    });
  });

  describe("are deleted", () => {
    it("with their name and examples, but without their records", async () => {
      const { rest, bound, far } = given;
      const { path, name } = await classifierWith(rest, office(), [{ deploymentId: given.office.receipts }]);
      const record = await getBody(rest.post(path, { text: "Receipt of a shop, total 3.00", extract: false }), 201);
      expect(await refusal(far.send(path, { method: "DELETE" }))).toBe("403 CLASSIFIER_OUT_OF_REACH");
      await getBody(rest.send(path, { method: "DELETE" }), 204);
      for (const again of [rest.get(path), rest.send(path, { method: "DELETE" }), rest.patch(path, {})]) {
        expect(await refusal(again)).toBe("404 CLASSIFIER_NOT_FOUND classifierId");
      }
      expect(await refusal(rest.post(path, { text: "x" }))).toBe("404 CLASSIFIER_NOT_FOUND classifierId");
      const records = `${path}/classifications`;
      expect(await getBody(rest.get(`${records}/${record.id}`), 200)).toEqual(record);
      for (const by of [rest, bound]) expect((await getBody(by.get(records), 200)).data).toEqual([record]);
      // The organization-level right gives access to every record. Without it and without access to the project, none is visible.
      expect((await getBody(far.get(records), 200)).data).toEqual([record]);
      expect(await refusal(given.outsider.get(records))).toBe("404 CLASSIFIER_NOT_FOUND classifierId");
      await getBody(rest.post("/api/v1/classify", { projectId: office(), name }), 201);
    });
  });

  describe("have a name", () => {
    it("that is unique in their project, or in the organization if they are global", async () => {
      const { rest, other } = given;
      const create = (name: string, projectId = office()) => rest.post("/api/v1/classify", { projectId, name });
      const taken = "409 CLASSIFIER_NAME_TAKEN";
      const first = await getBody(create("Mailroom"), 201);
      expect(await refusal(create(" MAILROOM"))).toBe(taken);
      const elsewhere = await getBody(create("mailroom", other.projectId), 201);
      expect(await refusal(rest.post(`/api/v1/classify/${first.id}:makeGlobal`))).toBe(taken);
      expect(await refusal(rest.post(`/api/v1/classify/${elsewhere.id}:makeGlobal`))).toBe(taken);
      await getBody(rest.patch(`/api/v1/classify/${elsewhere.id}`, { name: "Moved" }), 200);
      await getBody(rest.post(`/api/v1/classify/${first.id}:makeGlobal`), 200);
      expect(await refusal(create("Mailroom", other.projectId))).toBe(taken);
      expect(await refusal(rest.patch(`/api/v1/classify/${elsewhere.id}`, { name: "mailroom" }))).toBe(taken);
      // The response does not reveal which classifier has the name.
      const response = await rest.patch(`/api/v1/classify/${elsewhere.id}`, { name: "mailroom" });
      expect(response.text).not.toContain(first.id);
    });
  });
}
