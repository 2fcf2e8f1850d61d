import { databaseName, setQuotas } from "@switchyard/configuration";
import { connectStorage } from "@switchyard/storage";
import { createRest } from "../../rest.ts";
import type { RestResponse } from "../../rest.ts";
import { getBody, rounds } from "../testing/office.ts";
import { classifierWith, givenTwoProjects } from "../testing/two-projects.ts";
import type { Where } from "../testing/office.ts";

const text = "RECEIPT\nShop receipt for a purchase, printed at the till\nTotal 12.00 EUR";

/** Sections 3 and 4: concurrent changes. */
export function raceSuite(where: Where): void {
  const given = givenTwoProjects(where);
  const project = () => given.office.projectId;
  const receipts = () => ({ deploymentId: given.office.receipts });
  const invoices = () => ({ deploymentId: given.office.invoices });
  const leases = () => ({ deploymentId: given.other.model });
  const detail = (path: string) => getBody(given.rest.get(path), 200);
  beforeAll(async () => {
    // With the full counts, these races need more classifiers than an organization may have by default.
    const storage = await connectStorage({ uri: given.system.uri, database: databaseName });
    const { organization } = await getBody(given.rest.get("/api/v1/me"), 200);
    await setQuotas(storage, organization.id, { classifiers: 100_000 });
    await storage.close();
  });
  /** Sends all requests concurrently in every round, and returns their responses as `status code`. */
  const race = async (
    requests: (round: number) => Promise<(() => Promise<RestResponse>)[]>,
    check: (responses: string[], round: number) => Promise<void> | void,
  ) => {
    for (let round = 0; round < rounds; round += 1) {
      const started = (await requests(round)).map((request) => request());
      const responses = await Promise.all(started);
      await check(
        responses.map(({ status, body }) => `${status} ${body?.code ?? ""}`.trim()),
        round,
      );
    }
  };

  it("add only one of two identical routes", async () => {
    const { rest } = given;
    let path = "";
    await race(
      async () => {
        ({ path } = await classifierWith(rest, project()));
        const other = createRest(given.system.url, given.system.token);
        return [rest, other].map((by) => () => by.post(`${path}/routes`, receipts()));
      },
      async (responses) => {
        expect(responses.sort()).toEqual(["201", "409 ROUTE_EXISTS"]);
        expect((await detail(path)).deploymentRoutes).toHaveLength(1);
      },
    );
  });

  it("move only one of two routes to the same target", async () => {
    const { rest, office } = given;
    const one = await classifierWith(rest, project(), [invoices()]);
    const path = `${one.path}/routes`;
    await race(
      async (round) => {
        const other = await getBody(
          rest.post(`/api/v1/deployments/${office.invoices}/deployments`, { name: `Race ${round}` }),
          201,
        );
        const added = await getBody(rest.post(path, { ...invoices(), targetDeploymentId: other.id }), 201);
        const target = { targetDeploymentId: office.deployment };
        return [added.id, one.routes[0].id].map((id) => () => rest.patch(`${path}/${id}`, target));
      },
      async (responses) => {
        expect(responses.sort()).toEqual(["200", "409 ROUTE_EXISTS"]);
        const { data } = await detail(path);
        expect(new Set(data.map((route: any) => route.targetDeploymentId)).size).toBe(2);
        // Prepares the next round: the first route targets the model again, the other is deleted.
        const [, second] = data;
        await getBody(rest.send(`${path}/${second.id}`, { method: "DELETE" }), 204);
        await getBody(rest.patch(`${path}/${one.routes[0].id}`, { targetDeploymentId: null }), 200);
      },
    );
  });

  it("give a global name to only one of two renamed classifiers, and of one made global and one created", async () => {
    const { rest, other } = given;
    const isGlobal: boolean[] = [];
    await race(
      async (round) => {
        const both = [
          await classifierWith(rest, project(), [], "global"),
          await classifierWith(rest, project(), [], "global"),
        ];
        return both.map(
          ({ path }) =>
            () =>
              rest.patch(path, { name: `Renamed ${round}` }),
        );
      },
      (responses) => expect(responses.sort()).toEqual(["200", "409 CLASSIFIER_NAME_TAKEN"]),
    );
    let path = "";
    await race(
      async () => {
        const one = await classifierWith(rest, project());
        ({ path } = one);
        const twin = { projectId: other.projectId, name: one.name.toUpperCase() };
        return [() => rest.post(`${path}:makeGlobal`), () => rest.post("/api/v1/classify", twin)];
      },
      async ([made, created]) => {
        expect([made, created]).toEqual(
          created === "201" ? ["409 CLASSIFIER_NAME_TAKEN", "201"] : ["200", "409 CLASSIFIER_NAME_TAKEN"],
        );
        isGlobal.push((await detail(path)).isGlobal);
        expect(isGlobal.at(-1)).toBe(made === "200");
      },
    );
  });

  it("make neither of two project classifiers with the same name global", async () => {
    const { rest, other } = given;
    let paths: string[] = [];
    await race(
      async () => {
        const one = await classifierWith(rest, project());
        const twin = await getBody(rest.post("/api/v1/classify", { projectId: other.projectId, name: one.name }), 201);
        paths = [one.path, `/api/v1/classify/${twin.id}`];
        return paths.map((path) => () => rest.post(`${path}:makeGlobal`));
      },
      async (responses, round) => {
        expect(responses).toEqual(["409 CLASSIFIER_NAME_TAKEN", "409 CLASSIFIER_NAME_TAKEN"]);
        // When one is deleted, the other can be changed.
        const [first = "", second = ""] = round % 2 === 0 ? paths : [...paths].reverse();
        await getBody(rest.send(first, { method: "DELETE" }), 204);
        await getBody(rest.post(`${second}:makeGlobal`), 200);
      },
    );
  });

  it("never leave a project classifier with a route of another project", async () => {
    const { rest } = given;
    let path = "";
    await race(
      async () => {
        ({ path } = await classifierWith(rest, project(), [receipts()], "global"));
        return [() => rest.post(`${path}:makeProjectScoped`), () => rest.post(`${path}/routes`, leases())];
      },
      async ([scoped, added]) => {
        const { projectId, deploymentRoutes } = await detail(path);
        if (scoped === "200") {
          expect([added, projectId, deploymentRoutes.length]).toEqual(["400 MODEL_OF_ANOTHER_PROJECT", project(), 1]);
        } else {
          expect([scoped, added, projectId]).toEqual(["400 ROUTES_SPAN_PROJECTS", "201", null]);
          expect(deploymentRoutes).toHaveLength(2);
        }
      },
    );
  });

  it("never classify by a route that was added while its model was paused", async () => {
    const { rest, office } = given;
    let path = "";
    const pause = (verb: "pause" | "resume") => rest.post(`/api/v1/deployments/${office.receipts}:${verb}`);
    await race(
      async () => {
        ({ path } = await classifierWith(rest, project(), [invoices()]));
        return [() => pause("pause"), () => rest.post(`${path}/routes`, receipts())];
      },
      async (responses) => {
        expect(responses).toEqual(["200", "201"]);
        const record = await getBody(rest.post(path, { text, extract: false }), 201);
        const paused = record.scores.find(({ routeName }: any) => routeName === "Receipts");
        expect([record.routeName === "Receipts", paused.ineligibleReason]).toEqual([false, "MODEL_PAUSED"]);
        expect((await detail(path)).excludedRoutes).toMatchObject([{ reason: "MODEL_PAUSED" }]);
        await getBody(pause("resume"), 200);
      },
    );
  });

  it("count every one of 32 concurrent classifications once, even while the classifier changes", async () => {
    const { rest } = given;
    const { path } = await classifierWith(rest, project(), [receipts(), invoices()]);
    const times = Math.max(1, Math.round(rounds / 20));
    for (let time = 0; time < times; time += 1) {
      const responses = await Promise.all([
        ...Array.from({ length: 32 }, () => rest.post(path, { text, extract: false })),
        ...Array.from({ length: 3 }, (_, index) => rest.patch(path, { description: `${time} ${index}` })),
      ]);
      const made = responses.filter(({ status }) => status === 201).length;
      expect(made).toBe(32);
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
      expect((await detail(path)).classificationCount).toBe(32 * (time + 1));
    }
    const { data } = await detail(`${path}/classifications?limit=500`);
    expect(data).toHaveLength(32 * times);
  });
}
