import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ListAcceptedFilesResponseSchema } from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import type {
  AcceptedFile,
  ListAcceptedFilesResponse,
} from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import { toBytes } from "@switchyard/storage";
import type { PlanDocument } from "../../store/execution-documents.ts";

/** The plan of an execution, which does not change after its creation. */
export interface Plan {
  readonly configuration: Configuration;
  /** The files, ordered by ID, with the hashes of their content and of their accepted values. */
  readonly files: readonly AcceptedFile[];
}

/** Converts a plan to its stored form. */
export function toPlanDocument(
  configuration: Configuration,
  files: ListAcceptedFilesResponse,
): Omit<PlanDocument, "_id"> {
  return {
    configuration: Buffer.from(toBinary(ConfigurationSchema, configuration)),
    files: Buffer.from(toBinary(ListAcceptedFilesResponseSchema, files)),
  };
}

/** Converts a stored plan. */
export function toPlan({ configuration, files }: PlanDocument): Plan {
  return {
    configuration: fromBinary(ConfigurationSchema, toBytes(configuration)),
    files: fromBinary(ListAcceptedFilesResponseSchema, toBytes(files)).files,
  };
}
