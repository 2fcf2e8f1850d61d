import { insertClassifiers } from "@switchyard/classifier/testing";
import type { BulkTarget } from "@switchyard/classifier/testing";
import { createRest, made } from "../rest.ts";
import { startTestSystem } from "../system.ts";
import type { TestSystem } from "../system.ts";
import { measured, startFloor } from "./testing/measuring.ts";

const small = 200;
const large = 20_000;
const routesEach = 10;
/** The maximum ratio of a page in the large organization to one in the small organization. */
const maxRatio = 1.3;

interface Organization {
  token: string;
  url: string;
}

/**
 * Creates an organization with `count` classifiers of ten routes each: half belong to the listed project, a quarter are global and route
 * into it, and a quarter belong to another project.
 */
async function createOrganization(system: TestSystem, name: string, count: number): Promise<Organization> {
  const token = await system.anotherOrganization(name);
  const rest = createRest(system.url, token);
  const { organization } = await made(rest.get("/api/v1/me"));
  const project = async (projectName: string) => {
    const { id: projectId } = await made(rest.post("/api/v1/projects", { name: projectName }));
    const targets: BulkTarget[] = [];
    for (let each = 0; each < routesEach; each += 1) {
      const tables = [{ slug: "t", isPrimary: true }];
      const body = { name: `Model ${each}`, tables, columns: [{ slug: "a" }] };
      targets.push({
        modelId: (await made(rest.post(`/api/v1/projects/${projectId}/deployments`, body))).id,
        projectId,
      });
    }
    return { projectId, targets };
  };
  const listed = await project("Listed");
  const other = await project("Other");
  const both = [...listed.targets.slice(0, routesEach / 2), ...other.targets.slice(routesEach / 2)];
  const organizationId: string = organization.id;
  const own = { organizationId, projectId: listed.projectId, targets: listed.targets };
  const global = { organizationId, projectId: null, targets: both };
  await insertClassifiers(system.uri, [own, global, own, { ...own, ...other }], count);
  return { token, url: `${system.url}/api/v1/classify?projectId=${listed.projectId}&limit=100` };
}

/** A page of 100 classifiers costs no more with 20,000 in the organization than with 200. */
export async function measure(): Promise<boolean> {
  const system = await startTestSystem("one process", { ownThread: true });
  try {
    const few = await createOrganization(system, "Few", small);
    const many = await createOrganization(system, "Many", large);
    const findHeaders = ({ token }: Organization) => ({ authorization: `Bearer ${token}` });
    const page = await fetch(many.url, { headers: findHeaders(many) });
    const body = new Uint8Array(await page.arrayBuffer());
    const { length } = JSON.parse(Buffer.from(body).toString()) as unknown[];
    if (length !== 100) throw new Error(`a page of ${length}`);
    const floor = await startFloor(body);
    const [nothing, ofFew, ofMany] = await measured(
      [
        { name: "floor", url: floor.url, headers: {} },
        { name: `${small}`, url: few.url, headers: findHeaders(few) },
        { name: `${large}`, url: many.url, headers: findHeaders(many) },
      ],
      200,
    ).finally(() => floor.close());
    if (nothing === undefined || ofFew === undefined || ofMany === undefined) throw new Error("nothing was measured");
    if (nothing.bodyHash !== ofMany.bodyHash) throw new Error("the page changed while it was measured");
    const over = (ms: number) => `${ms.toFixed(1)} ms, ${(ms / nothing.medianMs).toFixed(1)} times the floor`;
    const ratio = ofMany.medianMs / ofFew.medianMs;
    console.log(`  floor (the same bytes from a bare server): ${nothing.medianMs.toFixed(1)} ms`);
    console.log(`  a page of 100 of ${small} classifiers: ${over(ofFew.medianMs)}`);
    console.log(`  a page of 100 of ${large} classifiers: ${over(ofMany.medianMs)}`);
    console.log(`  ratio ${ratio.toFixed(2)}, at most ${maxRatio}`);
    return ratio <= maxRatio;
  } finally {
    await system.close();
  }
}
