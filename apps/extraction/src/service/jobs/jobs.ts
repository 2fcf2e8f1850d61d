import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { CallOptions, Client, HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller, requireReach } from "@switchyard/access";
import { toNote } from "@switchyard/change-feed";
import type { AuditOutbox, DeletedProjects } from "@switchyard/change-feed";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { JobSchema, JobStatus } from "@switchyard/contracts/switchyard/extraction/v1/jobs";
import type { ExtractAllRequest, Job, JobService } from "@switchyard/contracts/switchyard/extraction/v1/jobs";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { callOptions, invalid, modelHasNoSchema, notFound } from "@switchyard/rpc";
import { createUnheldLease, newId } from "@switchyard/storage";
import type { LeaseWorker, Storage } from "@switchyard/storage";
import type { Violation } from "@switchyard/text";
import type { FileStore } from "../../store/files.ts";
import type { JobRecord, JobStore } from "../../store/jobs.ts";
import type { CurrentValuesStore } from "../../store/values/current-values.ts";
import { resolveSchema, resolveTarget } from "../targets.ts";
import type { ExtractionTarget } from "../targets.ts";

/** The dependencies of the methods. */
export interface JobMethodDependencies {
  storage: Pick<Storage, "atomically">;
  deletedProjects: Pick<DeletedProjects, "has">;
  outbox: Pick<AuditOutbox, "note">;
  jobs: JobStore;
  files: Pick<FileStore, "listOfProject">;
  currentValues: Pick<CurrentValuesStore, "listFileIds">;
  targets: Client<typeof TargetService>;
  worker: Pick<LeaseWorker, "wake" | "abandon">;
  now: () => number;
}

/** The maximum number of files that a request names, and of files of a job. */
const [maxNamed, maxFiles] = [10_000, 100_000];
/** The number of named files that are looked up together. */
const batch = 1_000;

/** Creates the methods for jobs. */
export function createJobMethods(dependencies: JobMethodDependencies): ServiceImpl<typeof JobService> {
  const { storage, deletedProjects, outbox, jobs, files, currentValues, targets, worker, now } = dependencies;

  /** Throws NotFound for the first of the IDs that is not that of a file of the project. */
  async function assertFiles(projectId: string, fileIds: readonly string[]): Promise<void> {
    for (let from = 0; from < fileIds.length; from += batch) {
      const some = fileIds.slice(from, from + batch);
      const known = new Set((await files.listOfProject(projectId, some)).map(({ _id }) => _id));
      const unknown = some.findIndex((id) => !known.has(id));
      if (unknown >= 0) throw notFound("file", some[unknown] ?? "", `fileIds[${from + unknown}]`);
    }
  }

  /** Returns the given files, or those that were extracted or accepted for the model. */
  async function loadFileIds({ modelId, projectId }: ExtractionTarget, fileIds: readonly string[]): Promise<string[]> {
    await assertFiles(projectId, fileIds);
    if (fileIds.length > 0) return [...fileIds];
    const found = await currentValues.listFileIds(modelId, maxFiles + 1);
    if (found.length <= maxFiles) return found;
    const message = `more than ${maxFiles} files were extracted or accepted for the model; select the files to extract`;
    throw invalid([{ field: "fileIds", message }], "TOO_MANY_FILES");
  }

  /** Returns the target with another schema of its model. What a deployment serves is extracted in its name, other schemas are not. */
  async function withSchema(
    target: ExtractionTarget,
    schemaId: string | undefined,
    caller: Caller,
    options: CallOptions,
  ): Promise<ExtractionTarget & { schemaId: string }> {
    if (schemaId !== undefined) {
      await resolveSchema(targets, caller, { schemaId, modelId: target.modelId }, options);
      return { ...target, schemaId, deploymentId: schemaId === target.schemaId ? target.deploymentId : null };
    }
    if (target.schemaId === null) throw modelHasNoSchema();
    return { ...target, schemaId: target.schemaId };
  }

  async function findJob(jobId: string, context: HandlerContext): Promise<JobRecord> {
    const caller = getCaller(context);
    if (jobId === "") throw invalid([{ field: "jobId", message: "is required" }]);
    const found = await jobs.find(jobId);
    if (found === null || found.organizationId !== caller.organizationId) throw notFound("job", jobId, "jobId");
    requireReach(caller, found.projectId);
    return found;
  }

  return {
    async extractAll(request, context) {
      const caller = getCaller(context);
      const options = callOptions(context);
      const target = await resolveTarget(targets, caller, request.targetId, options);
      requireReach(caller, target.projectId);
      assertValid(request);
      if (request.schemaId === undefined && target.schemaId === null) throw modelHasNoSchema();
      const fileIds = await loadFileIds(target, request.fileIds);
      const { schemaId, deploymentId } = await withSchema(target, request.schemaId, caller, options);
      const at = new Date(now());
      const total = fileIds.length;
      const record: JobRecord = {
        _id: newId("job"),
        organizationId: caller.organizationId,
        projectId: target.projectId,
        modelId: target.modelId,
        deploymentId,
        schemaId,
        status: total === 0 ? JobStatus.COMPLETED : JobStatus.RUNNING,
        total,
        done: 0,
        failed: 0,
        lease: createUnheldLease(),
        createdAt: at,
        createdBy: caller.userId,
        progressAt: at,
        completedAt: total === 0 ? at : null,
      };
      const changes = {
        projectId: record.projectId,
        deploymentId: record.modelId,
        extractionSchemaId: schemaId,
        fileCount: total,
      };
      const jobFiles = fileIds.map((fileId) => ({ fileId, extractionId: newId("ext") }));
      await storage.atomically(
        async (session) => {
          if (await deletedProjects.has(record.projectId, session)) {
            throw notFound("deployment", request.targetId, "deploymentId");
          }
          await jobs.insert(record, jobFiles, session);
          await outbox.note(toNote(context, { at, targetId: record._id, changes }), session);
        },
        () => jobMessage(record),
      );
      worker.wake();
      return jobMessage(record);
    },

    async getJob({ jobId }, context) {
      return jobMessage(await findJob(jobId, context));
    },

    async cancelJob({ jobId }, context) {
      await findJob(jobId, context);
      const at = new Date(now());
      const changes = { status: { from: "RUNNING", to: "CANCELLED" } };
      const record = await storage.atomically(
        async (session) => {
          const cancelled = await jobs.cancel(jobId, at, session);
          if (cancelled === null) return jobs.find(jobId, session);
          await outbox.note(toNote(context, { at, targetId: jobId, changes }), session);
          return cancelled;
        },
        (found) => (found === null ? undefined : jobMessage(found)),
      );
      if (record === null) throw notFound("job", jobId, "jobId");
      worker.abandon(jobId);
      await jobs.forgetFiles(jobId);
      return jobMessage(record);
    },
  };
}

function assertValid({ fileIds }: ExtractAllRequest): void {
  if (fileIds.length > maxNamed)
    throw invalid([{ field: "fileIds", message: `must have at most ${maxNamed} entries` }]);
  const seen = new Set<string>();
  const violations: Violation[] = [];
  for (const [index, id] of fileIds.entries()) {
    if (seen.has(id)) violations.push({ field: `fileIds[${index}]`, message: "is given more than once" });
    seen.add(id);
  }
  if (violations.length > 0) throw invalid(violations.slice(0, 100));
}

function jobMessage({ _id, modelId, status, total, done, failed, createdAt, completedAt }: JobRecord): Job {
  return create(JobSchema, {
    id: _id,
    modelId,
    status,
    total,
    done,
    failed,
    createdAt: timestampFromDate(createdAt),
    ...(completedAt === null ? {} : { completedAt: timestampFromDate(completedAt) }),
  });
}
