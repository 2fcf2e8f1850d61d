import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import type { Budget } from "../../limits.ts";
import type { FilledField } from "../forms.ts";
import { createStopwatch } from "../stopwatch.ts";
import type { Run } from "../words.ts";
import { separateFields } from "./fields.ts";
import type { SeparatedFields } from "./fields.ts";
import { followPage, separateHidden } from "./page.ts";
import type { LookedAtPage } from "./page.ts";

/** Looks for what people cannot see of the pages of a PDF. */
export interface Look {
  /** Separates the runs of a page from its hidden text. */
  readonly look: (page: PDFPageProxy, runs: readonly Run[]) => Promise<LookedAtPage>;
  /** Separates its fields and notes from hidden ones. */
  readonly lookAtFields: (page: PDFPageProxy, fields: readonly FilledField[]) => Promise<SeparatedFields>;
}

/** Creates the functions that separate hidden text where there are signs of it, and hidden fields, within a limit of time. */
export function createLook(pdf: PDFDocumentProxy, signs: boolean, budget: Budget): Look {
  const stopwatch = createStopwatch();
  const isLate = (page: PDFPageProxy): boolean => {
    if (stopwatch.spentMs <= lookingMs) return false;
    budget.recordOmission(
      `Hidden text from page ${page.pageNumber} on was not looked for, because that takes too long.`,
    );
    return true;
  };
  return {
    look: async (page, runs) => {
      const mayHide = signs || runs.some(({ height }) => height < 1);
      if (!mayHide || isLate(page)) return { runs, hidden: [], isLayer: false };
      return stopwatch.measure(() => separateHidden(pdf, page, runs));
    },
    lookAtFields: async (page, fields) => {
      if (fields.length === 0 || isLate(page)) return { fields, hidden: [] };
      const painting = await stopwatch.measure(() => followPage(pdf, page));
      return separateFields(fields, painting, page.getViewport({ scale: 1 }));
    },
  };
}

/** The processor time after which hidden text is no longer looked for, in milliseconds, so that the rest of the document can be read in time. */
const lookingMs = 6_000;
