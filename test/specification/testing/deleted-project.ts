import { connectStorage } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { createOffice } from "../../journeys/fixture.ts";
import type { Office } from "../../journeys/fixture.ts";
import type { Rest } from "../../rest.ts";
import { getBody } from "./office.ts";

/** Text that routes to the invoices of an office. */
export const invoiceText =
  "INVOICE\nInvoice number 4711\nAmount due 90.00 EUR\nPayment terms: 14 days\nGoods delivered by the supplier";

/** Reads the databases of the services directly. */
export interface Stores {
  /** Returns what remains of a project outside of the configuration service; empty if there is nothing. */
  getRemains(projectId: string): Promise<Record<string, number>>;
  /** Returns inconsistencies of global classifiers: counts, projects and examples that do not match the routes. */
  findClassifierFaults(): Promise<string[]>;
  /** Returns the hashes of blobs that are referenced. */
  bytesInUse(): Promise<string[]>;
  close(): Promise<void>;
}

/** Opens the databases of a system. */
export async function openStores(uri: string): Promise<Stores> {
  const open = (service: string): Promise<Storage> => connectStorage({ uri, database: `switchyard_${service}` });
  const [classifier, extraction, benchmark] = await Promise.all([
    open("classifier"),
    open("extraction"),
    open("benchmark"),
  ]);
  const inClassifier = (name: string) => classifier.connection.collection<any>(name);
  const inExtraction = (name: string) => extraction.connection.collection<any>(name);
  const inBenchmark = (name: string) => benchmark.connection.collection<any>(name);
  return {
    async getRemains(projectId) {
      const counts = {
        classifiers: await inClassifier("classifiers").countDocuments({ projectId }),
        routes: await inClassifier("classifiers").countDocuments({ "routes.projectId": projectId }),
        routeProjects: await inClassifier("classifiers").countDocuments({ routeProjectIds: projectId }),
        names: await inClassifier("name_claims").countDocuments({ "projects.projectId": projectId }),
        files: await inExtraction("files").countDocuments({ projectId }),
        extractions: await inExtraction("extractions").countDocuments({ projectId }),
        accepted: await inExtraction("accepted").countDocuments({ projectId }),
        revisions: await inExtraction("accepted_revisions").countDocuments({ projectId }),
        executions: await inBenchmark("executions").countDocuments({ projectId }),
        removals: await inBenchmark("removals").countDocuments({}),
      };
      return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
    },
    async findClassifierFaults() {
      const found = await inClassifier("classifiers").find({}).toArray();
      const routeIds = new Set(found.flatMap(({ routes }) => routes.map(({ id }: any) => id)));
      const examples = await inClassifier("route_examples").find({}).toArray();
      return [
        ...found
          .filter(({ routes, routeCount }) => routes.length !== routeCount)
          .map(({ _id }) => `${_id}: routeCount`),
        ...found
          .filter(
            ({ routes, routeProjectIds }) =>
              JSON.stringify([...new Set(routes.map(({ projectId }: any) => projectId))].sort()) !==
              JSON.stringify([...routeProjectIds].sort()),
          )
          .map(({ _id }) => `${_id}: routeProjectIds`),
        ...examples.filter(({ _id }) => !routeIds.has(_id)).map(({ _id }) => `examples of ${_id}`),
      ];
    },
    async bytesInUse() {
      return (await inExtraction("blobs").find({ idle: false }).toArray()).map(({ _id }) => _id);
    },
    async close() {
      await Promise.all([classifier.close(), extraction.close(), benchmark.close()]);
    },
  };
}

/** An office with an accepted file, an extraction, a benchmark execution, and a route of a global classifier into it. */
export interface FilledOffice extends Office {
  file: { id: string; sha256: string };
  extraction: string;
  execution: string;
}

/** Creates a filled office, and adds two routes with examples to the global classifier. */
export async function fillOffice(rest: Rest, name: string, globalClassifier: string): Promise<FilledOffice> {
  const office = await createOffice(rest, name);
  const content = new TextEncoder().encode(`Invoice 1 of ${name}, total 12.50`);
  const file = await getBody(rest.upload(`/api/v1/projects/${office.projectId}/files`, "a.txt", content), 201);
  const extraction = await getBody(
    rest.post(`/api/v1/deployments/${office.invoices}/extractions`, { fileId: file.id }),
    201,
  );
  const line = JSON.stringify({ fileId: file.id, deploymentId: office.invoices, values: { total: 12.5 } });
  const accepted = `/api/v1/projects/${office.projectId}/accepted-values:import`;
  await getBody(rest.upload(accepted, "accepted.jsonl", Buffer.from(line)), 200);
  const run = { deploymentId: office.invoices, name };
  const { executionId } = await getBody(rest.post(`/api/v1/projects/${office.projectId}/benchmarks`, run), 201);
  const routes = `/api/v1/classify/${globalClassifier}/routes`;
  await getBody(rest.post(routes, { deploymentId: office.invoices, name, examples: ["Invoice, amount due"] }), 201);
  const stable = { deploymentId: office.invoices, targetDeploymentId: office.deployment };
  await getBody(rest.post(routes, { ...stable, examples: ["Payment terms"] }), 201);
  return { ...office, file, extraction: extraction.id, execution: executionId };
}
