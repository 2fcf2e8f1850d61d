import { decimal } from "@switchyard/environment";
import { z } from "zod";
import type { ServiceSettings } from "./service/settings.ts";

/** The operator's settings for documents. Times are in milliseconds. */
export interface DocumentSettings {
  /** The retention period of files without a project. */
  retentionMs: number;
  /** The maximum number of documents that are read and extracted at the same time. */
  parallel: number;
  /** The duration of the lease of an extraction. If its owner does not renew it, another process takes over the extraction. */
  leaseMs: number;
  /** The time limit for reading a document. */
  readTimeoutMs: number;
  /** The maximum number of pages of a document that are read by recognizing text in pictures; 0 for none. */
  maxPictures: number;
  /** The number of pictures that are recognized at the same time. */
  parallelPictures: number;
  /** The folder of the models that recognize text; undefined for the installed ones. */
  modelFolder: string | undefined;
}

const day = 24 * 60 * 60;

/** The environment variables for the settings. */
export const documentVariables = {
  SWITCHYARD_FILE_RETENTION_DAYS: decimal(z.number().positive().max(36_500)).default(30),
  SWITCHYARD_EXTRACTION_PARALLEL: decimal(z.number().int().min(1).max(64)).default(2),
  SWITCHYARD_EXTRACTION_LEASE_SECONDS: decimal(z.number().min(1).max(3_600)).default(30),
  SWITCHYARD_READ_TIMEOUT_SECONDS: decimal(z.number().min(1).max(600)).default(20),
  SWITCHYARD_OCR: z.enum(["on", "off"]).default("on"),
  SWITCHYARD_OCR_PAGES: decimal(z.number().int().min(1).max(100)).default(10),
  SWITCHYARD_OCR_PARALLEL: decimal(z.number().int().min(1).max(16)).default(1),
  SWITCHYARD_OCR_MODELS: z.string().min(1).optional(),
};

/** Converts the values of environment variables to settings. */
export function documentSettings(values: z.infer<z.ZodObject<typeof documentVariables>>): DocumentSettings {
  return {
    retentionMs: values.SWITCHYARD_FILE_RETENTION_DAYS * day * 1_000,
    parallel: values.SWITCHYARD_EXTRACTION_PARALLEL,
    leaseMs: values.SWITCHYARD_EXTRACTION_LEASE_SECONDS * 1_000,
    readTimeoutMs: values.SWITCHYARD_READ_TIMEOUT_SECONDS * 1_000,
    maxPictures: values.SWITCHYARD_OCR === "off" ? 0 : values.SWITCHYARD_OCR_PAGES,
    parallelPictures: values.SWITCHYARD_OCR_PARALLEL,
    modelFolder: values.SWITCHYARD_OCR === "off" ? undefined : values.SWITCHYARD_OCR_MODELS,
  };
}

/** Returns the settings of the service. Leases are renewed three times within their duration. */
export function serviceSettings({ retentionMs, parallel, leaseMs }: DocumentSettings): Partial<ServiceSettings> {
  return { retentionMs, parallel, leaseMs, heartbeatIntervalMs: leaseMs / 3 };
}
