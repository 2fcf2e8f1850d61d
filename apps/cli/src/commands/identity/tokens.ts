import type { IssuedToken, Token } from "@switchyard/client";
import { fields, table, type View } from "@switchyard/terminal";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";
import { ids, nameOption } from "../ids.ts";

function tokenView(tokens: readonly Token[]): View {
  return [
    table(
      [
        { title: "id", content: "id" },
        { title: "name", content: "text" },
        { title: "scope" },
        { title: "project", content: "reference" },
        { title: "teams", content: "reference" },
        { title: "permissions", right: true },
        { title: "status" },
        { title: "user", content: "reference" },
        { title: "expires", content: "time" },
        { title: "last used", content: "time" },
      ],
      tokens.map((token) => [
        token.id,
        token.name,
        token.scope,
        token.projectId,
        token.teamIds.join(", "),
        token.permissions.length,
        token.status,
        token.userId,
        token.expiresAt,
        token.lastUsedAt,
      ]),
    ),
  ];
}

function issuedView(token: IssuedToken): View {
  return [
    fields(
      ["id", token.id],
      ["name", token.name],
      ["scope", token.scope],
      ["project", token.projectId],
      ["teams", token.teamIds.join(", ")],
      ["permissions", token.permissions.join(", ")],
      ["expires", token.expiresAt],
      ["secret", token.secret],
    ),
  ];
}

const secretNote = "The secret is shown only this once: store it now, in a place that others cannot read.";

/** The commands for access tokens. */
export const tokenCommands: readonly Command[] = [
  operation({
    noun: "tokens",
    verb: "list",
    summary: "List the access tokens of the organization that the token may see",
    call: "listTokens",
    view: ({ data }) => tokenView(data),
  }),
  operation({
    noun: "tokens",
    verb: "create",
    summary: "Issue an access token, and print its secret",
    details: "The secret is printed only once. A token cannot issue a token with more rights than its own.",
    call: "createToken",
    options: [
      nameOption("token", "required"),
      {
        name: "scope",
        value: "SCOPE",
        description: "what the token has access to",
        required: true,
        choices: ["ORGANIZATION", "PROJECT"],
      },
      {
        name: "permission",
        member: "permissions",
        value: "NAME",
        description: "a permission of the token, such as classify; at least one",
        required: true,
        repeats: true,
      },
      { name: "project-id", value: "ID", description: "the project of a token with the scope PROJECT" },
      {
        name: "team-id",
        member: "teamIds",
        value: "ID",
        description: "a team whose projects a token with the scope ORGANIZATION has access to",
        repeats: true,
      },
      { name: "user-id", value: "ID", description: "the user who will hold the token; by default, your own user" },
      { name: "expires-at", value: "TIME", description: "when the token expires, such as 2027-01-31T00:00:00Z" },
    ],
    examples: [
      "switchyard tokens create --name Scanner --scope PROJECT --project-id prj_01 --permission classify --permission documents:read",
    ],
    view: issuedView,
    done: () => secretNote,
  }),
  operation({
    noun: "tokens",
    verb: "rotate",
    summary: "Issue a new secret for a token, and print it",
    call: "rotateToken",
    arguments: [ids.token],
    options: [
      {
        name: "grace-seconds",
        value: "SECONDS",
        description: "how long the previous secret stays valid; 0 revokes it at once",
        required: true,
        between: [0, 604_800],
      },
    ],
    view: issuedView,
    done: () => secretNote,
  }),
  operation({
    noun: "tokens",
    verb: "revoke",
    summary: "Revoke a token at once",
    call: "revokeToken",
    arguments: [ids.token],
    done: (input) => `The token ${input.argument("tokenId")} is revoked.`,
  }),
];
