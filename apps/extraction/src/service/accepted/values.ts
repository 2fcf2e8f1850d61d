import { create } from "@bufbuild/protobuf";
import type { Client, HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import {
  AcceptedTableSchema,
  AcceptedValuesSchema,
  DeleteAcceptedValuesResponseSchema,
} from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { AcceptedTable, AcceptedValuesService } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { ExtractedTable } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { callOptions, conflict, invalid, notFound } from "@switchyard/rpc";
import type { Violation } from "@switchyard/text";
import { applyCorrections, countCorrections, validateCells, validateShape } from "../../domain/accepted/corrections.ts";
import { validateTables } from "../../domain/accepted/values.ts";
import type { AcceptedStore } from "../../store/accepted.ts";
import { decodeTables } from "../../store/tables.ts";
import type { ExtractionStore } from "../../store/extractions.ts";
import type { Acceptance } from "./acceptance.ts";
import { resolveTarget } from "../targets.ts";
import { findOrganizationFile } from "../visibility.ts";
import type { Visibility } from "../visibility.ts";
import type { FileStore } from "../../store/files.ts";

/** The methods of AcceptedValuesService for a single file. */
export type AcceptedValuesMethods = Omit<ServiceImpl<typeof AcceptedValuesService>, "importAcceptedValues">;

/** The dependencies of the methods. */
export interface AcceptedValuesDependencies {
  accepted: AcceptedStore;
  acceptance: Acceptance;
  extractions: ExtractionStore;
  files: FileStore;
  targets: Client<typeof TargetService>;
  visibility: Visibility;
}

/** Creates the methods for the accepted values of a single file. */
export function createAcceptedValuesMethods(dependencies: AcceptedValuesDependencies): AcceptedValuesMethods {
  const { accepted, acceptance, extractions, files, targets, visibility } = dependencies;

  /** Finds the file of the path and the model of the request. */
  async function named(fileId: string, modelId: string, context: HandlerContext) {
    const caller = getCaller(context);
    await visibility.file(caller, fileId);
    const target = await resolveTarget(targets, caller, modelId, callOptions(context));
    return { caller, file: await findOrganizationFile(files, caller, fileId), modelId: target.modelId };
  }

  return {
    async setAcceptedValues({ fileId, modelId, tables }, context) {
      const caller = getCaller(context);
      await visibility.file(caller, fileId);
      const { projectId } = await findOrganizationFile(files, caller, fileId);
      const model = await acceptance.model(caller, modelId, projectId, callOptions(context));
      const violations = validateTables(tables, model.configuration);
      if (violations.length > 0) throw invalid(violations);
      if (!(await acceptance.set({ id: fileId, projectId }, model.modelId, tables, context)))
        throw fileNotFound(fileId);
      return create(AcceptedValuesSchema, { fileId, modelId: model.modelId, tables });
    },

    async getAcceptedValues({ fileId, modelId }, context) {
      const { modelId: id } = await named(fileId, modelId, context);
      const tables = await accepted.find(fileId, id);
      if (tables === null) throw notFound("accepted values", fileId, "deploymentId");
      return create(AcceptedValuesSchema, { fileId, modelId: id, tables });
    },

    async deleteAcceptedValues({ fileId, modelId }, context) {
      const { file, modelId: id } = await named(fileId, modelId, context);
      if (!(await acceptance.remove({ id: fileId, projectId: file.projectId }, id, context))) {
        throw notFound("accepted values", fileId, "deploymentId");
      }
      return create(DeleteAcceptedValuesResponseSchema);
    },

    async acceptExtraction({ extractionId, corrections }, context) {
      const caller = getCaller(context);
      const { fileId, modelId, projectId, schemaId, status } = await visibility.extraction(caller, extractionId);
      assertValid(validateShape(corrections));
      // The model may have been deleted, and then nothing can be accepted for it.
      await resolveTarget(targets, caller, modelId, callOptions(context));
      const configuration =
        corrections.length > 0 ? await targets.getSchema({ schemaId }, callOptions(context)) : undefined;
      if (configuration !== undefined) assertValid(validateCells(corrections, configuration));
      const values = status === ExtractionStatus.COMPLETED ? await extractions.getTables(extractionId) : null;
      if (values === null) {
        throw conflict("EXTRACTION_NOT_COMPLETED", "Only the values of a completed extraction can be accepted.");
      }
      const extracted = acceptedTables(decodeTables(values));
      const corrected = applyCorrections(extracted, corrections);
      if ("violations" in corrected) throw invalid(corrected.violations);
      const { tables } = corrected;
      const response = create(AcceptedValuesSchema, { fileId, modelId, tables });
      const count = configuration === undefined ? 0 : countCorrections(extracted, corrections, configuration);
      const from = { response, extractionId, corrections: count };
      if (!(await acceptance.set({ id: fileId, projectId }, modelId, tables, context, from)))
        throw fileNotFound(fileId);
      return response;
    },
  };
}

/** Returns the values of extracted tables, without confidence and evidence. */
function acceptedTables(tables: readonly ExtractedTable[]): AcceptedTable[] {
  return tables.map(({ slug, rows }) =>
    create(AcceptedTableSchema, { slug, rows: rows.map(({ values }) => ({ values })) }),
  );
}

function assertValid(violations: readonly Violation[]): void {
  if (violations.length > 0) throw invalid(violations);
}

function fileNotFound(fileId: string): Error {
  return notFound("file", fileId, "fileId");
}
