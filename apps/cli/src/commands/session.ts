import { parseJsonBody, type Me } from "@switchyard/client";
import type { Command } from "../parsing/command.ts";
import { completionScript, shells } from "../parsing/completion.ts";
import { connect, defaultBaseUrl, readConnectionSettings } from "../connection/connection.ts";
import { exitCodes, UsageError } from "../terminal/exit-codes.ts";
import { defaultProfile } from "../connection/profiles.ts";
import { fields } from "@switchyard/terminal";

/** The commands for the session and for shell completion. */
export const sessionCommands: readonly Command[] = [
  {
    verb: "login",
    calls: ["getMe"],
    summary: "Store a server and a token for it in a profile",
    details:
      "Asks for the token, or reads it from standard input with --token-stdin. The token is verified, and then stored in a file that only you can read. Without --base-url, the server is that of the profile, if it exists.",
    options: [{ name: "token-stdin", description: "read the token from standard input" }],
    examples: [
      "switchyard login",
      "echo $TOKEN | switchyard login --token-stdin --base-url https://switchyard.example --profile work",
    ],
    async run(context, input) {
      const { profile: name = defaultProfile, baseUrl: given } = readConnectionSettings(input, context.io.environment);
      // Another token for a profile is one for its server.
      const baseUrl = given ?? (await context.profiles.get(name))?.baseUrl ?? defaultBaseUrl;
      const { askSecret, readText } = await import("../terminal/prompt.ts");
      const entered = input.on("token-stdin")
        ? await readText(context.io)
        : (input.text("token") ?? (await askSecret(context.io, `Token for ${baseUrl}: `, "use --token-stdin")));
      const token = entered.trim();
      if (token === "") throw new UsageError("the token is empty");
      const client = connect({ baseUrl, token }, input, context.io);
      const response = await client.exchange("getMe", {}, { signal: context.io.signal });
      const { user, organization } = parseJsonBody(response) as Me;
      await context.profiles.set(name, { baseUrl, token });
      if (context.json) context.body(response);
      context.note(
        `Logged in to ${baseUrl} as ${user?.name} of ${organization?.name}; profile "${name}" in ${context.profiles.path}.`,
      );
    },
  },
  {
    verb: "logout",
    summary: "Delete the token of a profile",
    details: "The token itself stays valid until it expires or is revoked.",
    async run(context, input) {
      const { profile: name = defaultProfile } = readConnectionSettings(input, context.io.environment);
      if (await context.profiles.remove(name)) context.note(`The profile "${name}" was deleted.`);
      else {
        context.note(`There is no profile "${name}".`);
        return exitCodes.notFound;
      }
      return exitCodes.done;
    },
  },
  {
    verb: "whoami",
    calls: ["getMe"],
    summary: "Show the user and the permissions of the token",
    run: async (context) => {
      const { baseUrl, tokenFrom } = await context.connection();
      await context.call("getMe", {}, ({ token, user, organization }) => [
        fields(
          ["user", user === null ? null : `${user.name} (${user.id})`],
          ["organization", organization === null ? null : `${organization.name} (${organization.id})`],
          ["token", token === null ? null : `${token.name} (${token.id})`],
          ["scope", token?.scope],
          ["project", token?.projectId],
          ["teams", token?.teamIds.join(", ")],
          ["permissions", token?.permissions.join(", ")],
          ["expires", token?.expiresAt],
          ["server", baseUrl],
          ["token from", tokenFrom],
        ),
      ]);
    },
  },
  {
    verb: "completion",
    summary: "Print a script for shell completion",
    arguments: [{ name: "shell", description: shells.join(", "), choices: shells }],
    examples: ["source <(switchyard completion bash)"],
    offline: true,
    async run(context, input) {
      const shell = shells.find((known) => known === input.argument("shell"));
      if (shell === undefined) throw new UsageError(`completion is available for ${shells.join(", ")}`);
      context.io.stdout.write(completionScript(shell));
    },
  },
];
