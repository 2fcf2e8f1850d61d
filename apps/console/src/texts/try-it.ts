/** The texts of the page on which documents are tried. */
export const tryIt = {
  tryIt: {
    classifier: "Classifier",
    noClassifier: "This project has no classifier yet. Create one on the page",
    drop: "Drop documents here",
    choose: "Choose documents",
    formats: "PDF, pictures, Office files, mail, invoices in XML and text, up to 25 MiB each",
    clear: "Clear the results",
    sending: "Sending",
    leave: "Documents are still being sent. Leave the page without their results?",
    duration: (duration: string) => `Decided in ${duration}`,
    review: "Review this decision",
    behind: (lead: string) => `${lead} behind`,
    wouldHaveWon: (route: string, reason: string) => `${route} would have won, but it is excluded: ${reason}.`,
    values: "Extracted values",
    column: "Column",
    value: "Value",
    moreRows: (count: number) => `${count} more ${count === 1 ? "row" : "rows"}`,
  },
};
