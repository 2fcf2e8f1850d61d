import type { Job } from "@switchyard/client";

/** The texts of the page about values across documents. */
export const values = {
  model: "Model",
  modelId: "ID of a model",
  table: "Table",
  status: "Status",
  allStatuses: "All",
  statuses: { ACCEPTED: "Accepted", NEEDS_REVIEW: "Needs review", UNREVIEWED: "Not reviewed" },
  notAccepted: "Not accepted",
  search: "Search",
  searchHint: "In file names and texts",
  from: "Files from",
  to: "Files until",
  name: "Values",
  file: "File",
  row: "Row",
  stored: "Stored",
  none: "This model has no values yet.",
  noneHint:
    "Values appear when documents are classified or tried, or when files are extracted. Drop a document on the page Try it, or run: switchyard classify run CLASSIFIER FILE",
  tryDocument: "Try a document",
  toModels: "Go to the models",
  noneMatch: "No row matches these filters.",
  noModels: "This project has no model with a schema yet.",
  noModelsHint: "Create a model on the page Models. Its values appear here as soon as documents are extracted with it.",
  download: {
    menu: "Download all rows",
    formats: { CSV: "CSV", JSONL: "JSON lines", XLSX: "Excel workbook" },
    hint: "With the current filters",
    progress: (size: string) => `Downloading: ${size}`,
    done: (filename: string, size: string) => `${filename} is complete: ${size}.`,
    large:
      "This download is large, and the browser keeps it in memory until it is complete. The command line writes it to a file directly: switchyard values export",
    cancel: "Cancel the download",
  },
  extractAll: {
    open: "Extract all again",
    message: (model: string) =>
      `Every file that was extracted or accepted for “${model}” is extracted again with the current configuration. Accepted values stay as they are, and earlier extractions are kept.`,
    submit: "Extract",
    progress: (done: number, total: number) => `${done} of ${total} files extracted`,
    failed: (failed: number) => `${failed} failed`,
    cancel: "Cancel the extraction",
    dismiss: "Hide",
    statuses: {
      RUNNING: "Extraction is running",
      COMPLETED: "Extraction is completed",
      FAILED: "Extraction failed",
      CANCELLED: "Extraction was cancelled",
    } satisfies Record<Job["status"], string>,
  },
};
