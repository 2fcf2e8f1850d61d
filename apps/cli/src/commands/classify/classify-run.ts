import { allFilesOption, type Command } from "../../parsing/command.ts";

/** The command that classifies many documents. */
export const classifyRun: Command = {
  noun: "classify",
  verb: "run",
  summary: "Classify documents, and extract them with the models that they are routed to",
  details:
    "Takes files, folders (recursively), patterns such as 'in/**/*.pdf', and - for a document on standard input. In folders, it selects PDF, e-mail (.eml), HTML, RTF, CSV, XML, Office (.docx, .xlsx, .pptx, .odt, .ods) and plain text (.txt) files and pictures. It asks before it sends other files; without a terminal, it skips them and prints a note. A journal records the classified documents. To continue an interrupted run, repeat the same command; within 24 hours, no document is classified twice. A document is identified by its path and its content.",
  calls: ["classify", "getMe"],
  arguments: [
    { name: "classifierId", description: "the classifier's ID" },
    { name: "path", description: "files, folders, patterns, or -", rest: "any", choices: "path" },
  ],
  options: [
    { name: "paths-from", value: "FILE", description: "a file with more paths, one per line; - for standard input" },
    { name: "filename", value: "NAME", description: "the name of the document on standard input (default: document)" },
    allFilesOption,
    { name: "no-extract", description: "do not extract the documents" },
    { name: "explain", description: "include the terms that contributed to the scores (with JSON output)" },
    {
      name: "concurrency",
      value: "NUMBER",
      description: "the maximum number of documents in progress (default: 4)",
      between: [1, 32],
    },
    { name: "again", description: "also classify documents that were already classified" },
    { name: "journal", value: "FILE", description: "the file that records the classified documents" },
    { name: "fail-on-unclassified", description: "exit with code 8 if a document is not routed" },
  ],
  examples: [
    "switchyard classify run clf_01 inbox/ 'more/**/*.pdf'",
    "cat letter.pdf | switchyard classify run clf_01 - --filename letter.pdf",
    "find . -newer last -name '*.eml' | switchyard classify run clf_01 --paths-from -",
  ],
  run: async (context, input) => (await import("./classify-run-task.ts")).runDocuments(context, input),
};
