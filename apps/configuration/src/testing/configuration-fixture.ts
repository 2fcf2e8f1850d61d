import type { MessageInitShape } from "@bufbuild/protobuf";
import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type {
  Configuration,
  CreateModelRequestSchema,
  Deployment,
  Model,
  UpdateConfigurationRequestSchema,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { useDatabase } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import { as, startTestService } from "./test-service.ts";
import type { TestService } from "./test-service.ts";

/** The fields of a model to create. */
export type ModelInit = Omit<MessageInitShape<typeof CreateModelRequestSchema>, "projectId" | "$typeName">;
/** The fields of a change to a configuration. */
export type ChangeInit = Omit<MessageInitShape<typeof UpdateConfigurationRequestSchema>, "targetId" | "$typeName">;

/** A model with two tables and five columns. */
export const invoice: ModelInit = {
  name: "Invoices",
  instructions: "Supplier invoices",
  tables: [
    { slug: "invoice", name: "Invoice", isPrimary: true },
    { slug: "lines", instructions: "One row per item" },
  ],
  columns: [
    { table: "invoice", slug: "number", name: "Invoice number", isKey: true, required: true, sharedId: "doc_no" },
    { table: "invoice", slug: "total", name: "Total", type: ColumnType.NUMBER, synonyms: ["Amount due"] },
    { table: "lines", slug: "item" },
    { table: "lines", slug: "total", excludedFromExtraction: true },
    { table: "invoice", slug: "kind", type: ColumnType.ENUM, enumValues: ["A", "B"] },
  ],
};

/** A service with an organization that has two projects, and functions for its models. */
export interface ConfigurationFixture {
  service: TestService;
  /** A caller with access to the project, but not to the hidden one. */
  caller: Caller;
  /** An administrator of another organization. */
  outsider: Caller;
  projectId: string;
  hiddenProjectId: string;
  createModel(init?: ModelInit, project?: string): Promise<Model>;
  /** Creates a model in the hidden project, on behalf of a caller with access to it. */
  createHidden(): Promise<Model>;
  read(targetId: string): Promise<Configuration>;
  update(targetId: string, change: ChangeInit): Promise<Configuration>;
  deploy(targetId: string, name: string, schemaId?: string): Promise<Deployment>;
  /** Advances the clock by a second and returns the new time. */
  later(): Date;
  /** Returns how many queries a call sends when nothing is cached. */
  countQueries(call: () => Promise<unknown>): Promise<number>;
}

/** Starts the service with a database of its own on the server at `uri`. */
async function startConfigurationFixture(uri: string): Promise<ConfigurationFixture> {
  let time = new Date("2026-03-04T05:06:07.089Z");
  const service = await startTestService(uri, () => time);
  const { configuration, identity } = service;
  const first = await service.bootstrap();
  const admin = await service.caller(first.secret);
  const projectId = (await identity.createProject({ name: "Payable" }, as(admin))).id;
  const hiddenProjectId = (await identity.createProject({ name: "Hidden" }, as(admin))).id;
  const caller = { ...(await service.caller(first.secret)), projectIds: [projectId] };
  const outsider = await service.caller((await service.bootstrap("Other")).secret);
  return {
    service,
    caller,
    outsider,
    projectId,
    hiddenProjectId,
    createModel: (init = invoice, project = projectId) =>
      configuration.createModel({ ...init, projectId: project }, as(caller)),
    createHidden: () =>
      configuration.createModel(
        { ...invoice, projectId: hiddenProjectId },
        as({ ...caller, projectIds: [hiddenProjectId] }),
      ),
    read: (targetId) => configuration.getConfiguration({ targetId }, as(caller)),
    update: (targetId, change) => configuration.updateConfiguration({ ...change, targetId }, as(caller)),
    deploy: (targetId, name, schemaId) =>
      configuration.createDeployment({ targetId, name, ...(schemaId === undefined ? {} : { schemaId }) }, as(caller)),
    later() {
      time = new Date(time.getTime() + 1000);
      return time;
    },
    async countQueries(call) {
      const { connection } = service.storage;
      const versions = connection.collection<{ readonly _id: string; readonly version: number }>("cache_versions");
      // As after a write of another process.
      await versions.updateOne({ _id: "documents" }, { $inc: { version: 1 } }, { upsert: true });
      let queries = 0;
      connection.set("debug", (collection: string) => {
        if (collection !== versions.collectionName) queries += 1;
      });
      try {
        await call();
      } finally {
        connection.set("debug", false);
      }
      return queries;
    },
  };
}

/** Provides a new fixture for every test, on the given server. Its members are only available within tests. */
export function useConfigurationFixture(provide: () => Promise<TestDatabase>): ConfigurationFixture {
  const database = useDatabase(provide);
  const fixture = {} as ConfigurationFixture;
  beforeEach(async () => {
    Object.assign(fixture, await startConfigurationFixture(database.uri));
  });
  afterEach(async () => {
    await fixture.service.stop();
    await fixture.service.close();
  });
  return fixture;
}
