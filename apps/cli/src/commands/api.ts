import type { Command } from "../parsing/command.ts";

/** The option of commands that can write a response to a file. */
export const outputFileOption = {
  name: "output-file",
  value: "FILE",
  description:
    "write the response to a file instead of standard output (-); it replaces an existing file when it is complete",
} as const;

/** The command that reaches every operation of the API. */
export const apiCommand: Command = {
  verb: "api",
  summary: "Send a request to any operation of the API",
  details:
    "Prints the body of the response as it is, while it arrives; on a terminal, JSON is indented. The token, the retries, the errors and the exit codes are those of the other commands. A path to another server is refused, so that the token is never sent there.",
  arguments: [
    {
      name: "method",
      description: "GET, HEAD, POST, PUT, PATCH or DELETE",
      choices: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    },
    { name: "path", description: "the path of the operation, with or without /api/v1, and with or without a query" },
  ],
  options: [
    {
      name: "data",
      value: "JSON",
      description: "the body of the request: JSON, @FILE for the bytes of a file, or - for standard input",
    },
    {
      name: "form",
      value: "NAME=VALUE",
      description: "a field of a multipart form: text, or @FILE for a file",
      repeats: true,
    },
    { name: "query", value: "NAME=VALUE", description: "a parameter of the query", repeats: true },
    {
      name: "header",
      value: "NAME:VALUE",
      description: "a header of the request; a body has the content type application/json without it",
      repeats: true,
    },
    { name: "include", description: "print the status and the headers of the response on standard error" },
    outputFileOption,
  ],
  examples: [
    "switchyard api GET projects/prj_01/files --query accepted=true --query limit=100",
    'switchyard api PATCH classify/clf_01 --data \'{"description": "All mail"}\'',
    "switchyard api POST classify/clf_01 --form file=@letter.pdf --form explain=true",
    "switchyard api POST projects/prj_01/files --query filename=letter.pdf --header content-type:application/pdf --data @letter.pdf",
    "switchyard api GET benchmarks/bmk_01/events --header accept:application/x-ndjson",
  ],
  run: async (context, input) => (await import("./api-task.ts")).sendRequest(context, input),
};
