import type { Client, CallOptions } from "@connectrpc/connect";
import type { Configuration, TargetService } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { AcceptedTable, AcceptedValues } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { Caller } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { invalid } from "@switchyard/rpc";
import type { Storage } from "@switchyard/storage";
import type { AcceptedStore } from "../store/accepted.ts";
import type { FileStore } from "../store/files.ts";
import { resolveTarget } from "./targets.ts";

/** The one way to accept a file, whoever says so. */
export interface Acceptance {
  /** The model, and the configuration whose columns type the values, that an id names for a project. */
  model(
    caller: Caller,
    id: string,
    projectId: string,
    options: CallOptions,
  ): Promise<{ modelId: string; configuration: Configuration }>;
  /** Sets the values of a file of a project. False when the file is gone. With `answer`, which is kept with an idempotency key. */
  set(
    file: { id: string; projectId: string },
    modelId: string,
    tables: AcceptedTable[],
    by: Caller,
    answer?: AcceptedValues,
  ): Promise<boolean>;
  /** Takes the values of a file back. False when there were none. */
  remove(file: { id: string; projectId: string }, modelId: string): Promise<boolean>;
}

/** What acceptance needs. */
export interface AcceptanceDependencies {
  storage: Pick<Storage, "atomically">;
  files: FileStore;
  accepted: AcceptedStore;
  targets: Client<typeof TargetService>;
  now: () => number;
}

/** Creates the acceptance. File and values change in one transaction, so that a file that is deleted meanwhile leaves none behind. */
export function createAcceptance({ storage, files, accepted, targets, now }: AcceptanceDependencies): Acceptance {
  return {
    async model(caller, id, projectId, options) {
      const { schemaId, ...target } = await resolveTarget(targets, caller, id, options);
      if (target.projectId !== projectId) {
        const message = "must be a model of the file's project";
        throw invalid([{ field: "deploymentId", message }], "MODEL_OF_OTHER_PROJECT");
      }
      if (schemaId === null) {
        const message = "is a model without an extraction schema";
        throw invalid([{ field: "deploymentId", message }], "MODEL_HAS_NO_SCHEMA");
      }
      return { modelId: target.modelId, configuration: await targets.getSchema({ schemaId }, options) };
    },

    async set(file, modelId, tables, by, answer) {
      return storage.atomically(
        async (session) => {
          if (!(await files.mark(file, modelId, true, session))) return false;
          const updated = { updatedAt: new Date(now()), updatedBy: by.userId };
          await accepted.set({ fileId: file.id, modelId, projectId: file.projectId, ...updated }, tables, session);
          return true;
        },
        (set) => (set ? answer : undefined),
      );
    },

    async remove(file, modelId) {
      return storage.atomically(async (session) => {
        if (!(await accepted.remove(file.id, modelId, session))) return false;
        await files.mark(file, modelId, false, session);
        return true;
      });
    },
  };
}
