/**
 * `npm run evaluate -- invoices`: measures the extraction of the invoices of the folder DOCUMENT_SETS with the XML in them, which is also where
 * the accepted values come from (aim: header F1 0.99, rows F1 0.98).
 */
import { measureInvoices } from "./invoice-set.ts";

const folder = process.env["DOCUMENT_SETS"];
if (!folder) console.log("skipped: DOCUMENT_SETS is not set");
else await measureInvoices(folder, { xml: true });
