import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import type { CallOptions } from "@connectrpc/connect";
import { createIdentityKeys, identitySigner, identityVerifier, withIdentity } from "@switchyard/access";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { BenchmarkService, ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { ChangeService } from "@switchyard/contracts/switchyard/configuration/internal/v1/changes";
import {
  ResolvedTargetSchema,
  ResolveTargetsResponseSchema,
  TargetService,
} from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { ColumnType, ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import {
  AcceptedFileService,
  ExtractFileResponseSchema,
  GetAcceptedRevisionResponseSchema,
  ListAcceptedFilesResponseSchema,
} from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import type { ExtractFileRequest } from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import {
  AuditService,
  RecordChangesResponseSchema,
  RecordRefusalResponseSchema,
} from "@switchyard/contracts/switchyard/identity/internal/v1/audit";
import { CallerSchema, IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { createDirectTransport, createLogger, notFound, register, serverInterceptors } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import { connectStorage, newId } from "@switchyard/storage";
import { createBenchmarkService } from "../index.ts";
import type { BenchmarkSettings } from "../service/settings.ts";

/** Extracts a file, or fails. */
export type Extract = (
  request: ExtractFileRequest,
) => Promise<Pick<MessageInitShape<typeof ExtractFileResponseSchema>, "error" | "tables" | "usage">>;

/** The IDs of the accepted files. */
export const fileIds = Array.from({ length: 12 }, (_, index) => `fil_${String(index).padStart(2, "0")}`);
const model = { id: "mdl_1", name: "Receipts", organizationId: "org_1", projectId: "prj_1", schemaId: "sch_1" };

/** A running benchmark service with a client. */
export type BenchmarkSystem = Awaited<ReturnType<typeof createBenchmarkSystem>>;

/** Starts the benchmark service with a database, an implementation of extraction, and minimal implementations of other services. */
export async function createBenchmarkSystem(
  uri: string,
  extract: Extract,
  settings: Partial<BenchmarkSettings> = {},
  database = newId("test"),
) {
  const storage = await connectStorage({ uri, database });
  const keys = createIdentityKeys(new Uint8Array(32).fill(7));
  const logger = createLogger({ name: "test", level: "silent" });
  const auditEntries: unknown[] = [];
  let deleteProject = (): void => undefined;
  const deleted = new Promise<void>((resolve) => (deleteProject = resolve));
  const createTransport = (service: string, audience: string, services: readonly ServiceRegistration[]) =>
    createDirectTransport({
      services,
      serverInterceptors: [...serverInterceptors({ logger }), identityVerifier({ audience, keys })],
      interceptors: [identitySigner({ service, audience, keys })],
    });
  const configuration = [
    register(TargetService, {
      resolveTargets: () =>
        create(ResolveTargetsResponseSchema, { targets: [create(ResolvedTargetSchema, { model })] }),
      getSchema: () =>
        create(ConfigurationSchema, {
          schemaId: "sch_1",
          tables: [{ id: "tbl_1", slug: "receipt", isPrimary: true }],
          columns: [{ id: "col_1", tableId: "tbl_1", slug: "total", type: ColumnType.NUMBER }],
        }),
    }),
    register(AuditService, {
      recordChanges({ changes }) {
        auditEntries.push(...changes.map((entry) => [entry.method, entry.targetId, entry.changes]));
        return create(RecordChangesResponseSchema);
      },
      recordRefusal: () => create(RecordRefusalResponseSchema),
    }),
    register(ChangeService, {
      async *watchChanges(_request, { signal }) {
        yield { position: 1 };
        await Promise.race([deleted, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
        if (signal.aborted) return;
        const value = { projectId: "prj_1", organizationId: "org_1" };
        yield { position: 2, kind: { case: "projectDeleted", value } };
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
    }),
    register(IdentityLookupService, {
      getQuotas: () => ({}),
      verifyToken() {
        throw notFound("token", "");
      },
      resolveProjects: () => ({ projects: [] }),
    }),
  ];
  const extraction = [
    register(AcceptedFileService, {
      listAcceptedFiles: () =>
        create(ListAcceptedFilesResponseSchema, {
          files: fileIds.map((fileId) => ({ fileId, revision: "1", filename: `${fileId}.txt`, sha256: "2" })),
          engine: { name: "local", version: "1" },
        }),
      getAcceptedRevision: () =>
        create(GetAcceptedRevisionResponseSchema, {
          tables: [{ slug: "receipt", rows: [{ values: { total: { kind: { case: "numberValue", value: 12.5 } } } }] }],
        }),
      extractFile: async (request) => create(ExtractFileResponseSchema, await extract(request)),
    }),
  ];
  const service = createBenchmarkService({
    storage,
    configuration: createTransport("benchmark", "configuration", configuration),
    extraction: createTransport("benchmark", "extraction", extraction),
    classifier: createTransport("benchmark", "classifier", []),
    logger,
    pageTokenSecret: new Uint8Array(32).fill(9),
    settings: { sweepIntervalMs: 20, heartbeatIntervalMs: 20, retryDelayMs: 5, pollIntervalMs: 10, ...settings },
  });
  await storage.ready();
  service.start();
  const caller = create(CallerSchema, {
    tokenId: "tok_1",
    userId: "usr_1",
    organizationId: "org_1",
    scope: TokenScope.ORGANIZATION,
    projectIds: ["prj_1"],
    permissions: [Permission.BENCHMARKS_READ, Permission.BENCHMARKS_RUN],
  });
  const client = createClient(BenchmarkService, createTransport("gateway", "benchmark", service.registrations));
  const as = (): CallOptions => ({ contextValues: withIdentity({ service: "gateway", caller }) });
  return {
    client,
    as,
    /** The recorded audit entries: method, target and changes. */
    auditEntries,
    /** Reports the deletion of the project in the change feed. */
    deleteProject: () => deleteProject(),
    /** Creates an execution of all files and returns its ID. */
    async startExecution() {
      const body = { projectId: "prj_1", modelId: "mdl_1", name: "Run" };
      return (await client.createExecution(body, as())).executionId;
    },
    /** Waits for the end of an execution and returns it. */
    async waitForEnd(executionId: string) {
      for await (const { status } of client.watchExecution({ executionId }, as())) {
        if (status !== ExecutionStatus.RUNNING) break;
      }
      return client.getExecution({ executionId }, as());
    },
    async close() {
      await service.stop();
      await storage.close();
    },
  };
}
