import { parseJsonBody, nextPageToken, calls } from "@switchyard/client";
import type { ClientResponse, Api, Client, PagedCall } from "@switchyard/client";
import pc from "picocolors";
import { connect, resolveConnection, type Connection } from "./connection/connection.ts";
import type { Input } from "./parsing/input.ts";
import { supportsColor, type Io } from "./terminal/io.ts";
import { printable, printableJson } from "@switchyard/terminal";
import type { ProfileStore } from "./connection/profiles.ts";
import { renderView, renderPlainView } from "@switchyard/terminal";
import type { View } from "@switchyard/terminal";

/** The context of a command. */
export interface Context {
  readonly io: Io;
  readonly profiles: ProfileStore;
  readonly json: boolean;
  /** Resolves the server and the token. Throws if the options and the profiles contradict each other. */
  connection(): Promise<Connection>;
  client(): Promise<Client>;
  /** Makes a call and shows the response. */
  call<Name extends keyof Api>(
    name: Name,
    request: Api[Name]["request"],
    view: (body: Api[Name]["response"]) => View,
  ): Promise<void>;
  /** Makes a call of a paged list and shows the response, according to `pageOptions`. */
  list<Name extends PagedCall>(
    name: Name,
    request: Omit<Api[Name]["request"], "limit" | "pageToken">,
    input: Input,
    view: (body: Api[Name]["response"]) => View,
  ): Promise<void>;
  /** Shows a view, unless the output is JSON. */
  show(view: View, header?: boolean): void;
  /** Prints the body of a response unchanged. Several bodies are printed as lines. */
  body(response: Pick<ClientResponse, "bytes" | "text">, among?: "several"): void;
  /** Prints a line for people on standard error. */
  note(text: string): void;
}

/** Creates the context of a command. */
export function createContext(io: Io, profiles: ProfileStore, input: Input): Context {
  const json = input.text("output") === "json";
  const colors = pc.createColors(supportsColor(io.stdout, io.environment));
  const connection = () => resolveConnection(input, io, profiles);
  let made: Promise<Client> | undefined;
  const client = () => (made ??= connection().then((found) => connect(found, input, io)));

  const note = (text: string): void => io.stderr.write(`${printable(text)}\n`);

  let hasNotedShortIds = false;
  const show = (view: View, header = true): void => {
    const titles = header && !input.on("no-header");
    if (!io.stdout.isTerminal) return io.stdout.write(renderPlainView(view, titles));
    const { columns } = io.stdout;
    const style = { columns, header: titles, bold: colors.bold, state: colorizeState(colors) };
    const { text, shortensIds } = renderView(view, style);
    io.stdout.write(text);
    if (!shortensIds || hasNotedShortIds) return;
    hasNotedShortIds = true;
    note("IDs are truncated to fit the terminal. A wider terminal, a pipe or --output json shows them in full.");
  };

  const body = (response: Pick<ClientResponse, "bytes" | "text">, among?: "several"): void => {
    if (io.stdout.isTerminal) return io.stdout.write(`${printableJson(response.text())}\n`);
    io.stdout.write(response.bytes);
    if (among === "several") io.stdout.write("\n");
  };

  return {
    io,
    profiles,
    json,
    connection,
    client,
    show,
    body,
    note,
    async call(name, request, view) {
      const response = await (await client()).exchange(name, ...([request, { signal: io.signal }] as never));
      const parsed = parseJsonBody(response);
      if (json) body(response);
      else show(view(parsed as never));
    },
    async list(name, request, input, view) {
      const every = input.on("all");
      const limit = input.integer("limit") ?? (every ? 500 : undefined);
      let pageToken = input.text("page-token");
      for (let first = true; first || (every && pageToken !== undefined); first = false) {
        const page = {
          ...request,
          ...(limit === undefined ? {} : { limit }),
          ...(pageToken === undefined ? {} : { pageToken }),
        };
        const response = await (await client()).exchange(name, ...([page, { signal: io.signal }] as never));
        const parsed = parseJsonBody(response);
        if (json) body(response, every ? "several" : undefined);
        else show(view(parsed as never), first);
        pageToken = nextPageToken(calls[name], response, parsed);
      }
      if (pageToken !== undefined && !json) note(`There are more items: use --page-token ${pageToken}, or --all.`);
    },
  };
}

function colorizeState(colors: ReturnType<typeof pc.createColors>): (text: string) => string {
  const colorizers: Readonly<Record<string, (text: string) => string>> = {
    ACTIVE: colors.green,
    CLASSIFIED: colors.green,
    COMPLETED: colors.green,
    READ: colors.green,
    RUNNING: colors.cyan,
    PAUSED: colors.yellow,
    UNCLASSIFIED: colors.yellow,
    CANCELLED: colors.yellow,
    UNREADABLE: colors.yellow,
    FAILED: colors.red,
    DELETED: colors.red,
  };
  return (text) => (Object.hasOwn(colorizers, text) ? (colorizers[text]?.(text) ?? text) : text);
}
