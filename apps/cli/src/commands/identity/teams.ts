import type { Team, User } from "@switchyard/client";
import { table, type View } from "@switchyard/terminal";
import type { Field } from "../../operations/field.ts";
import { operation } from "../../operations/operation.ts";
import type { Command } from "../../parsing/command.ts";
import { ids, nameOption } from "../ids.ts";

function teamView(teams: readonly Team[]): View {
  return [
    table(
      [
        { title: "id", content: "id" },
        { title: "name", content: "text" },
        { title: "projects", content: "reference" },
        { title: "users", content: "reference" },
        { title: "created", content: "time" },
      ],
      teams.map(({ id, name, projectIds, userIds, createdAt }) => [
        id,
        name,
        projectIds.join(", "),
        userIds.join(", "),
        createdAt,
      ]),
    ),
  ];
}

function userView(users: readonly User[]): View {
  return [
    table(
      [
        { title: "id", content: "id" },
        { title: "name", content: "text" },
        { title: "created", content: "time" },
      ],
      users.map(({ id, name, createdAt }) => [id, name, createdAt]),
    ),
  ];
}

const members: readonly Field[] = [
  {
    name: "project-id",
    member: "projectIds",
    value: "ID",
    description: "a project that the team grants",
    repeats: true,
    cleared: [],
  },
  { name: "user-id", member: "userIds", value: "ID", description: "a user of the team", repeats: true, cleared: [] },
];

/** The commands for teams and users. */
export const teamCommands: readonly Command[] = [
  operation({
    noun: "teams",
    verb: "list",
    summary: "List the teams of the organization",
    call: "listTeams",
    view: ({ data }) => teamView(data),
  }),
  operation({
    noun: "teams",
    verb: "create",
    summary: "Create a team",
    call: "createTeam",
    options: [nameOption("team", "required"), ...members.map(({ cleared: _, ...field }) => field)],
    view: (team) => teamView([team]),
  }),
  operation({
    noun: "teams",
    verb: "update",
    summary: "Change the name, the projects or the users of a team",
    details: "The projects, or the users, that are given replace the previous ones.",
    call: "updateTeam",
    arguments: [ids.team],
    options: [nameOption("team"), ...members],
    examples: ["switchyard teams update team_01 --project-id prj_01 --project-id prj_02"],
    view: (team) => teamView([team]),
  }),
  operation({
    noun: "teams",
    verb: "delete",
    summary: "Delete a team, so that it grants nothing any more",
    call: "deleteTeam",
    arguments: [ids.team],
    done: (input) => `The team ${input.argument("teamId")} is deleted.`,
  }),
  operation({
    noun: "users",
    verb: "list",
    summary: "List the users of the organization",
    call: "listUsers",
    view: ({ data }) => userView(data),
  }),
  operation({
    noun: "users",
    verb: "create",
    summary: "Create a user",
    call: "createUser",
    options: [nameOption("user", "required")],
    view: (user) => userView([user]),
  }),
];
