import { table } from "@switchyard/terminal";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";

/** The command for the audit trail. */
export const auditCommands: readonly Command[] = [
  operation({
    noun: "audit",
    verb: "list",
    summary: "List administrative changes and refused attempts, newest first",
    details: "JSON output contains the values before and after each change.",
    call: "listAuditEntries",
    options: [
      { name: "action", value: "NAME", description: "only list entries of this action" },
      { name: "actor-id", value: "ID", description: "only list entries of this user or token" },
      { name: "target-id", value: "ID", description: "only list entries about this object" },
      { name: "from", value: "TIME", description: "only list entries from this time on" },
      { name: "to", value: "TIME", description: "only list entries before this time" },
    ],
    view: ({ data }) => [
      table(
        [
          { title: "at", content: "time" },
          { title: "action" },
          { title: "outcome" },
          { title: "target", content: "id" },
          { title: "user", content: "reference" },
          { title: "token", content: "reference" },
          { title: "request", content: "reference" },
        ],
        data.map(({ at, action, outcome, targetId, userId, tokenId, requestId }) => [
          at,
          action,
          outcome,
          targetId,
          userId,
          tokenId,
          requestId,
        ]),
      ),
    ],
  }),
];
