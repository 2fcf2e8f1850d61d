import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { CallOptions, ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import { ImportAcceptedValuesResponseSchema } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { AcceptedValuesService } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { InlineDocument } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { callOptions, getProblemFacts, invalid } from "@switchyard/rpc";
import type { Storage } from "@switchyard/storage";
import type { Violation } from "@switchyard/text";
import { createTyping } from "../../domain/accepted/content.ts";
import { firstViolations, readImport } from "../../domain/accepted/import.ts";
import type { ImportEntry, ImportedColumn, LineViolation } from "../../domain/accepted/import.ts";
import type { FileStore } from "../../store/files.ts";
import type { Acceptance } from "./acceptance.ts";
import { parseFilename } from "../files/filename.ts";
import type { Visibility } from "../visibility.ts";

/** The dependencies of the import. */
export interface AcceptedImportDependencies {
  storage: Pick<Storage, "withKey">;
  acceptance: Acceptance;
  files: FileStore;
  visibility: Visibility;
}

/** A model of lines, with the conversion of entries to the types of its columns. */
interface ImportModel {
  modelId: string;
  getTyped: ReturnType<typeof createTyping>;
}

/** Creates the import of accepted values. Valid values are set, and each violation is reported with its line. */
export function createAcceptedImport({
  storage,
  acceptance,
  files,
  visibility,
}: AcceptedImportDependencies): Pick<ServiceImpl<typeof AcceptedValuesService>, "importAcceptedValues"> {
  /** Creates the lookup of the models of lines. Each model is looked up once. */
  function createModelLookup(
    caller: Caller,
    projectId: string,
    columns: readonly ImportedColumn[],
    options: CallOptions,
  ) {
    const known = new Map<string, Promise<ImportModel | { violation: Violation }>>();
    return (id: string) => {
      const found =
        known.get(id) ??
        acceptance.model(caller, id, projectId, options).then(
          ({ modelId, configuration }) => ({ modelId, getTyped: createTyping(configuration, columns) }),
          (error: unknown) => ({ violation: toViolation(error) }),
        );
      known.set(id, found);
      return found;
    };
  }

  async function findFileId(projectId: string, { file }: ImportEntry): Promise<string | Violation> {
    if ("id" in file) {
      const [found] = await files.listOfProject(projectId, [file.id]);
      return found?._id ?? { field: "fileId", message: "is not a file of the project" };
    }
    const [found, another] = await files.named(projectId, file.filename);
    if (found === undefined) return { field: "filename", message: "is not the name of a file of the project" };
    if (another === undefined) return found._id;
    return { field: "filename", message: "is the name of several files of the project: use fileId" };
  }

  return {
    async importAcceptedValues({ projectId, modelId, content }, context) {
      const caller = getCaller(context);
      const options = callOptions(context);
      await visibility.project(caller, projectId, options);
      const reading = readImport(getContentText(content));
      if ("excess" in reading) throw invalid([{ field: "content", message: reading.excess }]);
      const { entries, violations: unreadable, columns } = reading;
      if (entries.length + unreadable.length === 0) throw invalid([{ field: "content", message: "has no lines" }]);
      // An invalid model for all lines is an error of the request.
      if (modelId !== "") await acceptance.model(caller, modelId, projectId, options);
      const getModel = createModelLookup(caller, projectId, columns, options);

      async function importEntry(entry: ImportEntry): Promise<readonly LineViolation[]> {
        const reject = ({ field, message }: Violation): LineViolation[] => [{ line: entry.line, field, message }];
        const id = entry.modelId ?? modelId;
        if (id === "") return reject({ field: "deploymentId", message: "is required" });
        const model = await getModel(id);
        if ("violation" in model) return reject(model.violation);
        const fileId = await findFileId(projectId, entry);
        if (typeof fileId !== "string") return reject(fileId);
        const typed = model.getTyped(entry);
        if ("violations" in typed) return typed.violations;
        const set = await acceptance.set({ id: fileId, projectId }, model.modelId, typed.tables, context);
        return set ? [] : reject({ field: "fileId", message: "is not a file of the project" });
      }

      let violations = firstViolations(unreadable);
      let accepted = 0;
      for (const entry of entries) {
        context.signal.throwIfAborted();
        const found = await importEntry(entry);
        if (found.length === 0) accepted += 1;
        else violations = firstViolations([...violations, ...found]);
      }
      const response = create(ImportAcceptedValuesResponseSchema, {
        accepted,
        rejected: entries.length - accepted + new Set(unreadable.map(({ line }) => line)).size,
        faults: violations,
      });
      // Each file is a transaction of its own. An import that is interrupted before this is repeated as a whole, which is idempotent.
      await storage.withKey(
        () => Promise.resolve(),
        () => response,
      );
      return response;
    },
  };
}

function getContentText(content: InlineDocument | undefined): string {
  const { filename = "", data = new Uint8Array() } = content ?? {};
  if (data.length === 0) throw invalid([{ field: "content", message: "is required" }]);
  const name = parseFilename(filename, "content.filename");
  if ("violation" in name) throw invalid([name.violation]);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch {
    throw invalid([{ field: "content", message: "must be text in UTF-8" }]);
  }
}

/** Converts the refusal of a model to a violation of one line. Other errors are rethrown. */
function toViolation(error: unknown): Violation {
  const { code, message, violations } = getProblemFacts(error);
  if (code !== Code.NotFound && code !== Code.InvalidArgument) throw error;
  return { field: "deploymentId", message: violations[0]?.message ?? message };
}
