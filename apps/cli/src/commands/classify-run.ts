import { allFilesOption, type Command } from "../parsing/command.ts";

/** Classifies many documents. */
export const classifyRun: Command = {
  noun: "classify",
  verb: "run",
  summary: "Classify documents, and extract them with the models that they are routed to",
  details:
    "Takes files, folders with all below them, patterns such as 'in/**/*.pdf', and - for a document on standard input. Of folders it takes PDF, mail (.eml), HTML, RTF, CSV, XML and plain text (.txt); before it sends anything else it asks, and without a terminal it leaves that out and says so. What was classified is kept in a journal: when the run stops for whatever reason, the same command goes on where it stopped, and classifies no document twice as long as it is given within 24 hours. A document is told by its path and its content.",
  arguments: [
    { name: "classifierId", describes: "the classifier's id" },
    { name: "path", describes: "files, folders, patterns, or -", rest: "any", choices: "path" },
  ],
  options: [
    { name: "paths-from", value: "FILE", describes: "a file with more paths, one per line; - for standard input" },
    { name: "filename", value: "NAME", describes: "the name of the document on standard input (document)" },
    allFilesOption,
    { name: "no-extract", describes: "only classify the documents" },
    { name: "explain", describes: "include the terms that contributed to the scores (in json)" },
    { name: "concurrency", value: "NUMBER", describes: "how many documents at once (4)", between: [1, 32] },
    { name: "again", describes: "classify documents again that were classified before" },
    { name: "journal", value: "FILE", describes: "the file that records what was classified" },
    { name: "fail-on-unclassified", describes: "exit with code 8 if a document is not routed" },
  ],
  examples: [
    "switchyard classify run clf_01 inbox/ 'more/**/*.pdf'",
    "cat letter.pdf | switchyard classify run clf_01 - --filename letter.pdf",
    "find . -newer last -name '*.eml' | switchyard classify run clf_01 --paths-from -",
  ],
  run: async (context, input) => (await import("./classify-run-task.ts")).runDocuments(context, input),
};
