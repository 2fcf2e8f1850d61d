import type { Job } from "@switchyard/client";
import { table, type View } from "@switchyard/terminal";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";
import { ids } from "../ids.ts";

function jobView({ id, deploymentId, status, total, done, failed, createdAt, completedAt }: Job): View {
  return [
    table(
      [
        { title: "id", content: "id" },
        { title: "model", content: "reference" },
        { title: "status" },
        { title: "total", right: true },
        { title: "done", right: true },
        { title: "failed", right: true },
        { title: "created", content: "time" },
        { title: "completed", content: "time" },
      ],
      [[id, deploymentId, status, total, done, failed, createdAt, completedAt]],
    ),
  ];
}

const job = { name: "jobId", description: "the job's ID" } as const;

/** The commands for jobs that extract files again. */
export const jobCommands: readonly Command[] = [
  operation({
    noun: "deployments",
    verb: "extract-all",
    summary: "Extract the files of a model again, as a job",
    details: "`jobs get` shows how far the job is.",
    call: "extractAll",
    arguments: [ids.target],
    options: [
      {
        name: "file-id",
        member: "fileIds",
        value: "ID",
        description: "a file to extract; by default, all that were extracted or accepted for the model",
        repeats: true,
      },
      {
        name: "extraction-schema-id",
        value: "ID",
        description: "a version of the model's configuration to extract with",
      },
    ],
    view: jobView,
  }),
  operation({
    noun: "jobs",
    verb: "get",
    summary: "Show a job",
    call: "getJob",
    arguments: [job],
    view: jobView,
  }),
  operation({
    noun: "jobs",
    verb: "cancel",
    summary: "Cancel a job",
    details: "A job that has ended stays as it is.",
    call: "cancelJob",
    arguments: [job],
    view: jobView,
  }),
];
