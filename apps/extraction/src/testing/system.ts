import { create } from "@bufbuild/protobuf";
import { Code, createClient } from "@connectrpc/connect";
import type { CallOptions, Interceptor } from "@connectrpc/connect";
import { createIdentityKeys, identitySigner, identityVerifier, withIdentity } from "@switchyard/access";
import type { ChangeSource } from "@switchyard/change-feed";
import { createTestChangeSource } from "@switchyard/change-feed/testing";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { ChangeService } from "@switchyard/contracts/switchyard/configuration/internal/v1/changes";
import {
  ResolvedTargetSchema,
  ResolveTargetsResponseSchema,
  TargetService,
} from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { ConfigurationSchema, ModelStatus } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { DocumentService } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import { ExtractedTableSchema, ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { ExtractionReviewService } from "@switchyard/contracts/switchyard/extraction/internal/v1/review";
import { AcceptedValuesService } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import {
  CallerSchema,
  IdentityLookupService,
  QuotasSchema,
  ResolveProjectsResponseSchema,
} from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { ProjectSchema, TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import {
  createDirectTransport,
  createLogger,
  getProblemFacts,
  notFound,
  register,
  serverInterceptors,
} from "@switchyard/rpc";
import { connectStorage, defaultQuotas, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { startTestDatabase, useDatabase } from "@switchyard/storage/testing";
import { createExtractionService } from "../index.ts";
import type { ExtractionServiceOptions } from "../index.ts";
import { createDocumentReader } from "../reading/index.ts";
import type { DocumentReader } from "../reading/index.ts";
import { encodeTables } from "../store/tables.ts";
import type { Extractor } from "../service/extractions/extractor.ts";

/** The database and the document reader that the systems of a test file share. */
export interface Surroundings {
  readonly uri: string;
  readonly reading: DocumentReader;
}

/**
 * Provides a document reader and a database, which is a real MongoDB if MONGOD_BINARY is set, and otherwise the embedded store. They are
 * only available within tests.
 */
export function useSurroundings(): Surroundings {
  const database = useDatabase(startTestDatabase);
  let reading: DocumentReader | undefined;
  beforeAll(() => {
    reading = createDocumentReader({ workers: 1 });
  });
  afterAll(() => reading?.close());
  return {
    get uri() {
      return database.uri;
    },
    get reading() {
      if (reading === undefined) throw new Error("The reader is only available within tests");
      return reading;
    },
  };
}

/** Three projects: two of one organization, and one of another. */
export const projects = { payables: "prj_payables", legal: "prj_legal", foreign: "prj_foreign" };
const organizations: Record<string, string> = {
  [projects.payables]: "org_1",
  [projects.legal]: "org_1",
  [projects.foreign]: "org_2",
};

/** Creates a caller of org_1 with access to these projects. */
export function callerWith(projectIds: string[], changes: Partial<Caller> = {}): Caller {
  return create(CallerSchema, {
    tokenId: "tok_1",
    userId: "usr_1",
    organizationId: "org_1",
    scope: TokenScope.ORGANIZATION,
    projectIds,
    permissions: [Permission.DOCUMENTS_READ, Permission.DOCUMENTS_WRITE, Permission.CLASSIFY],
    ...changes,
  });
}

/** A model of the project payables with a schema, and a deployment that serves an older one. */
export const model = { id: "mdl_invoices", schemaId: "sch_2", deploymentId: "dep_1", deploymentSchemaId: "sch_1" };
export const modelWithoutSchema = "mdl_bare";

/** Registers a minimal configuration service with these models. */
function fakeConfiguration(changes: ChangeSource) {
  const bodies = { id: model.id, name: "Invoices", status: ModelStatus.ACTIVE, organizationId: "org_1" };
  return [
    register(TargetService, {
      resolveTargets({ targets }) {
        return create(ResolveTargetsResponseSchema, {
          targets: targets.map(({ modelId, deploymentId }) => {
            const target = create(ResolvedTargetSchema);
            if ([model.id, model.schemaId, model.deploymentSchemaId].includes(modelId)) {
              const { schemaId } = model;
              target.model = { ...resolvedModel(bodies), projectId: projects.payables, schemaId };
            }
            if (modelId === modelWithoutSchema) {
              target.model = { ...resolvedModel(bodies), id: modelWithoutSchema, projectId: projects.payables };
            }
            if (deploymentId === model.deploymentId) {
              target.deployment = {
                $typeName: "switchyard.configuration.internal.v1.TargetDeployment",
                id: model.deploymentId,
                name: "Pinned",
                status: ModelStatus.ACTIVE,
                modelId: model.id,
                schemaId: model.deploymentSchemaId,
                columnNames: [],
              };
            }
            return target;
          }),
        });
      },
      getSchema({ schemaId }) {
        if (![model.schemaId, model.deploymentSchemaId].includes(schemaId)) throw notFound("schema", schemaId);
        return create(ConfigurationSchema, { schemaId, version: 1 });
      },
    }),
    register(ChangeService, {
      watchChanges: ({ after }, { signal }) => changes.watchChanges(after === undefined ? {} : { after }, { signal }),
    }),
    register(IdentityLookupService, {
      getQuotas: () => create(QuotasSchema, defaultQuotas),
      verifyToken() {
        throw notFound("token", "");
      },
      resolveProjects({ projectIds }) {
        return create(ResolveProjectsResponseSchema, {
          projects: projectIds
            .filter((id) => id in organizations)
            .map((id) => create(ProjectSchema, { id, organizationId: organizations[id] ?? "" })),
        });
      },
    }),
  ];
}

function resolvedModel(bodies: { id: string; name: string; status: ModelStatus; organizationId: string }) {
  return {
    $typeName: "switchyard.configuration.internal.v1.TargetModel" as const,
    ...bodies,
    projectId: "",
    projectName: "",
    columnNames: [],
  };
}

/** Creates an extractor that finds one value and counts its calls. */
export function fakeExtractor(): Extractor & { count: number } {
  const extractor = {
    count: 0,
    async extract() {
      extractor.count += 1;
      const values = { total: { $typeName: "google.protobuf.Value" as const, kind: numberKind(12.5) } };
      const row = { $typeName: "switchyard.extraction.v1.ExtractedRow" as const, values, confidence: {}, evidence: {} };
      return { tables: encodeTables([create(ExtractedTableSchema, { slug: "document", rows: [row] })]) };
    },
    async prepare() {
      extractor.count += 1;
      return { questions: [] };
    },
    close: () => Promise.resolve(),
  };
  return extractor;
}

function numberKind(value: number) {
  return { case: "numberValue" as const, value };
}

/** Creates the service under test with a database of its own and the services that it needs. */
export async function createSystem(
  { uri, reading }: Surroundings,
  options: Partial<ExtractionServiceOptions> & { database?: string; changes?: ChangeSource } = {},
) {
  const database = options.database ?? newId("test");
  const storage: Storage = await connectStorage({ uri, database });
  const keys = createIdentityKeys(new Uint8Array(32).fill(7));
  const logger = createLogger({ name: "test", level: process.env["LOG_LEVEL"] ?? "silent" });
  const read: string[] = [];
  const reader: Pick<DocumentReader, "read" | "render" | "version"> = {
    version: reading.version,
    render: (page, signal) => reading.render(page, signal),
    read(document) {
      const { bytes, filename } = document;
      async function fetched(): Promise<Uint8Array<ArrayBuffer>> {
        const found = typeof bytes === "function" ? await bytes() : new Uint8Array(bytes);
        read.push(filename);
        return found;
      }
      return reading.read({ ...document, bytes: fetched });
    },
  };
  const signed = (service: string, audience: string): Interceptor[] => [identitySigner({ service, audience, keys })];
  const service = createExtractionService({
    storage,
    configuration: createDirectTransport({
      services: fakeConfiguration(options.changes ?? createTestChangeSource()),
      serverInterceptors: [...serverInterceptors({ logger }), identityVerifier({ audience: "configuration", keys })],
      interceptors: signed("extraction", "configuration"),
    }),
    reader,
    logger,
    pageTokenSecret: new Uint8Array(32).fill(9),
    extractor: fakeExtractor(),
    ...options,
  });
  await storage.ready();
  const transport = (from: string) =>
    createDirectTransport({
      services: service.registrations,
      serverInterceptors: [...serverInterceptors({ logger }), identityVerifier({ audience: "extraction", keys })],
      interceptors: signed(from, "extraction"),
    });
  const gateway = createClient(ExtractionService, transport("gateway"));
  const accepted = createClient(AcceptedValuesService, transport("gateway"));
  const classifier = createClient(DocumentService, transport("classifier"));
  const review = createClient(ExtractionReviewService, transport("classifier"));
  return {
    database,
    storage,
    service,
    /** The client of the gateway, for external calls. */
    gateway,
    /** The client of the gateway for accepted values. */
    accepted,
    /** The clients of another service. */
    classifier,
    review,
    /** The names of the files that were read, one per reading. */
    read,
    async upload(caller: Caller, projectId: string, filename: string, bytes: Uint8Array, contentType = "") {
      return gateway.uploadFile(parts({ projectId, filename, contentType }, bytes), as(caller));
    },
    async close() {
      await service.stop();
      await storage.close();
    },
  };
}

/** A service under test, and its clients. */
export type System = Awaited<ReturnType<typeof createSystem>>;

/** Creates the options of a call on behalf of a caller. */
export function as(caller: Caller): CallOptions {
  return { contextValues: withIdentity({ service: "gateway", caller }) };
}

/** A message of an upload. */
export interface UploadPart {
  projectId?: string;
  filename?: string;
  contentType?: string;
  data?: Uint8Array;
  last?: boolean;
}

/** Creates the messages of an upload, in pieces of at most 64 KiB. */
export async function* parts(
  head: { projectId: string; filename: string; contentType?: string },
  bytes: Uint8Array,
): AsyncGenerator<UploadPart> {
  yield head;
  for (let at = 0; at < bytes.length; at += 65_536) yield { data: bytes.subarray(at, at + 65_536) };
  yield { last: true };
}

/** Returns the UTF-8 bytes of a text. */
export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Returns the name of the status code and the reason with which a call ends. */
export async function failure(call: Promise<unknown>): Promise<{ code: string; reason: string }> {
  try {
    await call;
  } catch (error) {
    const { code, reason } = getProblemFacts(error);
    return { code: Code[code] ?? "", reason };
  }
  return { code: "OK", reason: "" };
}
