import { projectIdOption } from "../ids.ts";
import { allFilesOption, type Command } from "../../parsing/command.ts";

/** The command that uploads files one by one. */
export const uploadCommand: Command = {
  noun: "files",
  verb: "upload",
  summary: "Upload files to a project",
  details:
    "Takes files, folders (recursively), patterns, and - for a file on standard input. In folders, it selects documents, as `classify run` does. A file that fails does not stop the others; a server that is unavailable or a token that is not sufficient does.",
  calls: ["uploadFile"],
  arguments: [{ name: "path", description: "files, folders, patterns, or -", rest: "some", choices: "path" }],
  options: [
    projectIdOption,
    allFilesOption,
    { name: "filename", value: "NAME", description: "the name of the file on standard input (default: document)" },
  ],
  run: async (context, input) => (await import("./files-upload-task.ts")).uploadFiles(context, input),
};
