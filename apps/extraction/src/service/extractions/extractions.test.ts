import { getProblemFacts } from "@switchyard/rpc";
import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { eventually } from "@switchyard/storage/testing";
import {
  as,
  callerWith,
  createSystem,
  failure,
  fakeExtractor,
  model,
  modelWithoutSchema,
  projects,
  useSurroundings,
  utf8,
} from "../../testing/system.ts";
import type { System } from "../../testing/system.ts";

const surroundings = useSurroundings();
let system: System;
const caller = callerWith([projects.payables]);
const everywhere = callerWith([projects.payables, projects.legal]);

beforeEach(async () => {
  system = await createSystem(surroundings);
});
afterEach(() => system.close());

async function uploaded(projectId: string = projects.payables): Promise<string> {
  return (await system.upload(everywhere, projectId, "a.txt", utf8("Total 12.50"))).id;
}

describe("createExtraction", () => {
  it.each([
    ["model", model.id, model.schemaId, undefined],
    ["deployment", model.deploymentId, model.deploymentSchemaId, model.deploymentId],
    ["schema", model.deploymentSchemaId, model.deploymentSchemaId, undefined],
  ])("extracts by the ID of a %s", async (_, targetId, schemaId, deploymentId) => {
    const fileId = await uploaded();
    const extraction = await system.gateway.createExtraction({ targetId, fileId }, as(caller));
    expect(extraction).toMatchObject({
      fileId,
      projectId: projects.payables,
      modelId: model.id,
      schemaId,
      status: ExtractionStatus.COMPLETED,
      tables: [{ slug: "document" }],
    });
    expect(extraction.targetDeploymentId).toBe(deploymentId);
    expect(await system.gateway.getExtraction({ extractionId: extraction.id }, as(caller))).toEqual(extraction);
  });

  it("checks the target, then the file", async () => {
    const fileId = await uploaded();
    const elsewhere = await uploaded(projects.legal);
    const create = (targetId: string, file: string, by = caller) =>
      failure(system.gateway.createExtraction({ targetId, fileId: file }, as(by)));
    const foreigner = callerWith([projects.foreign], { organizationId: "org_2" });
    expect(await create("mdl_none", fileId)).toMatchObject({ code: "NotFound" });
    expect(await create(model.id, fileId, foreigner)).toMatchObject({ code: "NotFound" });
    expect(await create(model.id, fileId, callerWith([projects.legal]))).toEqual({
      code: "PermissionDenied",
      reason: "PROJECT_OUT_OF_REACH",
    });
    expect(await create(modelWithoutSchema, fileId)).toEqual({
      code: "InvalidArgument",
      reason: "MODEL_HAS_NO_SCHEMA",
    });
    expect(await create(model.id, "")).toMatchObject({ code: "InvalidArgument", reason: "INVALID_REQUEST" });
    expect(await create(model.id, "fil_none")).toEqual({ code: "NotFound", reason: "FILE_NOT_FOUND" });
    expect(await create(model.id, elsewhere)).toEqual({ code: "InvalidArgument", reason: "FILE_OF_OTHER_PROJECT" });
    const { extractions } = await system.gateway.listExtractions({ projectId: projects.payables }, as(caller));
    expect(extractions).toEqual([]);
  });

  it("returns RUNNING if the extraction takes longer than the wait time", async () => {
    await system.close();
    const extractor = fakeExtractor();
    let proceed = (): void => undefined;
    const gate = new Promise<void>((resolve) => (proceed = resolve));
    const slow: typeof extractor = { ...extractor, extract: (...job) => gate.then(() => extractor.extract(...job)) };
    system = await createSystem(surroundings, { extractor: slow, settings: { waitMs: 50 } });
    const fileId = await uploaded();
    const started = await system.gateway.createExtraction({ targetId: model.id, fileId }, as(caller));
    expect(started).toMatchObject({ status: ExtractionStatus.RUNNING, tables: [] });
    expect(started.completedAt).toBeUndefined();
    proceed();
    const get = () => system.gateway.getExtraction({ extractionId: started.id }, as(caller));
    const ended = async () => ((await get()).status === ExtractionStatus.RUNNING ? undefined : get());
    expect(await eventually("the end of the extraction", ended)).toMatchObject({
      status: ExtractionStatus.COMPLETED,
      tables: [{ slug: "document" }],
    });
  });
});

describe("listExtractions", () => {
  it("returns filtered pages, newest first, without values", async () => {
    const files = [await uploaded(), await uploaded()];
    const made: string[] = [];
    for (const targetId of [model.id, model.deploymentId]) {
      for (const fileId of files) {
        made.unshift((await system.gateway.createExtraction({ targetId, fileId }, as(caller))).id);
      }
    }
    const list = async (query: { fileId?: string; modelId?: string; status?: ExtractionStatus; limit?: number }) => {
      const ids: string[] = [];
      let pageToken = "";
      do {
        const page = await system.gateway.listExtractions(
          { projectId: projects.payables, ...query, pageToken },
          as(caller),
        );
        ids.push(...page.extractions.map((extraction) => extraction.id));
        pageToken = page.nextPageToken ?? "";
      } while (pageToken !== "");
      return ids;
    };
    expect(await list({})).toEqual(made);
    expect(await list({ limit: 3 })).toEqual(made);
    expect(await list({ limit: 4 })).toEqual(made);
    expect(await list({ fileId: files[0] ?? "" })).toEqual([made[1], made[3]]);
    expect(await list({ modelId: model.id, limit: 1 })).toEqual(made);
    expect(await list({ modelId: model.deploymentId })).toEqual(made.slice(0, 2));
    expect(getProblemFacts(await list({ modelId: "mdl_none" }).catch((error: unknown) => error))).toMatchObject({
      reason: "DEPLOYMENT_NOT_FOUND",
    });
    expect(await list({ status: ExtractionStatus.COMPLETED })).toEqual(made);
    expect(await list({ status: ExtractionStatus.FAILED })).toEqual([]);
  });

  it("requires access to the project", async () => {
    const fileId = await uploaded();
    const { id } = await system.gateway.createExtraction({ targetId: model.id, fileId }, as(caller));
    const both = (by: typeof caller) =>
      Promise.all([
        failure(system.gateway.getExtraction({ extractionId: id }, as(by))),
        failure(system.gateway.listExtractions({ projectId: projects.payables }, as(by))),
      ]);
    const outsider = await both(callerWith([projects.legal]));
    expect(outsider.map(({ code }) => code)).toEqual(["PermissionDenied", "PermissionDenied"]);
    const foreigner = await both(callerWith([projects.foreign], { organizationId: "org_2" }));
    expect(foreigner.map(({ reason }) => reason)).toEqual(["EXTRACTION_NOT_FOUND", "PROJECT_NOT_FOUND"]);
    const reader = await both(callerWith([projects.payables], { permissions: [] }));
    expect(reader.map(({ reason }) => reason)).toEqual(["MISSING_PERMISSION", "MISSING_PERMISSION"]);
  });
});
