import { allFilesOption, type Command } from "../parsing/command.ts";

/** Uploads files, one after the other; one that fails does not stop the others. */
export const uploadCommand: Command = {
  noun: "files",
  verb: "upload",
  summary: "Upload files to a project",
  details:
    "Takes files, folders with all below them, patterns, and - for a file on standard input. Of folders it takes documents, as `classify run` does.",
  arguments: [{ name: "path", describes: "files, folders, patterns, or -", rest: "some", choices: "path" }],
  options: [
    { name: "project-id", value: "ID", describes: "the project", required: true },
    allFilesOption,
    { name: "filename", value: "NAME", describes: "the name of the file on standard input (document)" },
  ],
  run: async (context, input) => (await import("./files-upload-task.ts")).uploadFiles(context, input),
};
