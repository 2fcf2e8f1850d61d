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

/** What is fixed when an execution is created. */
export interface Plan {
  readonly configuration: Configuration;
  /** In the order of their ids, each with the hashes of its bytes and of its accepted values. */
  readonly files: readonly AcceptedFile[];
}

/** A plan as it is stored. */
export function planDocument(
  configuration: Configuration,
  files: ListAcceptedFilesResponse,
): Omit<PlanDocument, "_id"> {
  return {
    configuration: Buffer.from(toBinary(ConfigurationSchema, configuration)),
    files: Buffer.from(toBinary(ListAcceptedFilesResponseSchema, files)),
  };
}

/** A stored plan. */
export function toPlan({ configuration, files }: PlanDocument): Plan {
  return {
    configuration: fromBinary(ConfigurationSchema, toBytes(configuration)),
    files: fromBinary(ListAcceptedFilesResponseSchema, toBytes(files)).files,
  };
}
