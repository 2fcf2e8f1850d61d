import type { Client, CallOptions, HandlerContext } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import { toNote } from "@switchyard/change-feed";
import type { AuditOutbox } from "@switchyard/change-feed";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { AcceptedTable, AcceptedValues } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { invalid, modelHasNoSchema } from "@switchyard/rpc";
import type { Storage } from "@switchyard/storage";
import { describeAcceptanceChange } from "../../domain/audited-change.ts";
import type { AcceptedStore } from "../../store/accepted.ts";
import type { FileStore } from "../../store/files.ts";
import type { Learning } from "../learning/learning.ts";
import { resolveTarget } from "../targets.ts";
import type { CurrentValuesUpdater } from "../values/current-values-updater.ts";

/** Sets and removes accepted values. All callers use it. */
export interface Acceptance {
  /** Finds the model of an id, with the configuration whose columns determine the types of values, for a project. */
  model(
    caller: Caller,
    id: string,
    projectId: string,
    options: CallOptions,
  ): Promise<{ modelId: string; configuration: Configuration }>;
  /**
   * Sets the values of a file of a project, on behalf of a call. Returns false if the file was deleted. `response` is stored with an
   * idempotency key, `extractionId` names the extraction of the values, and `corrections` is the number of values that were corrected.
   */
  set(
    file: { id: string; projectId: string },
    modelId: string,
    tables: AcceptedTable[],
    context: HandlerContext,
    from?: { response: AcceptedValues; extractionId: string; corrections: number },
  ): Promise<boolean>;
  /** Removes the values of a file, on behalf of a call. Returns false if there were none. */
  remove(file: { id: string; projectId: string }, modelId: string, context: HandlerContext): Promise<boolean>;
}

/** The dependencies of the acceptance. */
export interface AcceptanceDependencies {
  storage: Pick<Storage, "atomically">;
  files: FileStore;
  accepted: AcceptedStore;
  currentValuesUpdater: Pick<CurrentValuesUpdater, "update">;
  targets: Client<typeof TargetService>;
  outbox: Pick<AuditOutbox, "note">;
  learning: Pick<Learning, "touch">;
  now: () => number;
}

/**
 * Creates the acceptance. The file, its values and the audit entry change in one transaction, so that no values remain of a file that is
 * deleted at the same time. Values that do not change create no entry.
 */
export function createAcceptance(dependencies: AcceptanceDependencies): Acceptance {
  const { storage, files, accepted, currentValuesUpdater, targets, outbox, learning, now } = dependencies;
  return {
    async model(caller, id, projectId, options) {
      const { schemaId, ...target } = await resolveTarget(targets, caller, id, options);
      if (target.projectId !== projectId) {
        const message = "must be a model of the file's project";
        throw invalid([{ field: "deploymentId", message }], "MODEL_OF_OTHER_PROJECT");
      }
      if (schemaId === null) throw modelHasNoSchema();
      return { modelId: target.modelId, configuration: await targets.getSchema({ schemaId }, options) };
    },

    async set({ id: fileId, projectId }, modelId, tables, context, from) {
      const at = new Date(now());
      const record = { fileId, modelId, projectId, updatedAt: at, updatedBy: getCaller(context).userId };
      const about = {
        deploymentId: modelId,
        ...(from === undefined ? {} : { extractionId: from.extractionId, corrections: from.corrections }),
      };
      const done = await storage.atomically(
        async (session) => {
          if (!(await files.mark({ id: fileId, projectId }, modelId, true, session))) return false;
          const before = await accepted.set(record, tables, session);
          await currentValuesUpdater.update({ fileId, modelId }, { accepted: tables }, session);
          if (before !== "the same") {
            const changes = { ...about, ...describeAcceptanceChange(before, tables) };
            await outbox.note(toNote(context, { at, targetId: fileId, changes }), session);
          }
          return true;
        },
        (set) => (set ? from?.response : undefined),
      );
      learning.touch({ projectId, modelId });
      return done;
    },

    async remove(file, modelId, context) {
      const done = await storage.atomically(async (session) => {
        const before = await accepted.remove(file.id, modelId, session);
        if (before === null) return false;
        await files.mark(file, modelId, false, session);
        await currentValuesUpdater.update({ fileId: file.id, modelId }, { accepted: null }, session);
        const changes = { deploymentId: modelId, ...describeAcceptanceChange(before, null) };
        await outbox.note(toNote(context, { at: new Date(now()), targetId: file.id, changes }), session);
        return true;
      });
      learning.touch({ projectId: file.projectId, modelId });
      return done;
    },
  };
}
