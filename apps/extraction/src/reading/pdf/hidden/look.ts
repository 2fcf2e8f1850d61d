import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import type { Budget } from "../../limits.ts";
import type { FilledField } from "../forms.ts";
import { createStopwatch } from "../stopwatch.ts";
import type { Run } from "../words.ts";
import { separateFields } from "./fields.ts";
import type { SeparatedFields } from "./fields.ts";
import { followPage, separateHidden } from "./page.ts";
import type { SeparatedText } from "./page.ts";

/** What people can see of the text and of the fields of a page, and what is hidden of both. */
export type LookedAtPage = SeparatedText & SeparatedFields;

/** Separates the runs, the fields and the notes of a page from those that people cannot see. */
export type Look = (
  page: PDFPageProxy,
  parts: { readonly runs: readonly Run[]; readonly fields: readonly FilledField[] },
) => Promise<LookedAtPage>;

/** Creates the function that separates hidden text where there are signs of it, and hidden fields, within a limit of time. */
export function createLook(pdf: PDFDocumentProxy, signs: boolean, budget: Budget): Look {
  const stopwatch = createStopwatch();
  const isLate = (page: PDFPageProxy): boolean => {
    if (stopwatch.spentMs <= lookingMs) return false;
    budget.recordOmission(
      `Hidden text from page ${page.pageNumber} on was not looked for, because that takes too long.`,
    );
    return true;
  };
  return async (page, { runs, fields }) => {
    const mayHide = signs || runs.some(({ height }) => height < 1);
    const unchanged = { runs, hidden: [], isLayer: false };
    if ((!mayHide && fields.length === 0) || isLate(page)) return { ...unchanged, fields };
    return stopwatch.measure(async () => {
      const painting = await followPage(pdf, page);
      const text = mayHide ? separateHidden(page, painting, runs) : unchanged;
      const shown = separateFields(fields, painting, page.getViewport({ scale: 1 }));
      return { ...text, fields: shown.fields, hidden: [...text.hidden, ...shown.hidden] };
    });
  };
}

/** The processor time after which hidden text is no longer looked for, in milliseconds, so that the rest of the document can be read in time. */
const lookingMs = 6_000;
