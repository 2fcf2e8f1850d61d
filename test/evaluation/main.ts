/**
 * `npm run evaluate -- NAME...`: measures the engines on real documents, which are not part of the project, and the verdicts of comparisons
 * on simulated runs. DOCUMENT_SETS is the folder that contains the documents; if it is not set, measurements that need them are skipped.
 */
import { runMeasurements } from "../measurements.ts";

// A measurement runs when its module is loaded.
await runMeasurements<unknown>({
  files: () => import("./files.ts"),
  routing: () => import("./routing.ts"),
  extraction: () => import("./extraction.ts"),
  invoices: () => import("./invoices.ts"),
  boxes: () => import("./boxes.ts"),
  receipts: () => import("./receipts.ts"),
  hidden: () => import("./hidden.ts"),
  photographs: () => import("./photographs.ts"),
  statistics: () => import("./statistics.ts"),
});
