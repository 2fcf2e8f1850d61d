import { calls, type Api, type Call, type PagedCall } from "@switchyard/client";
import type { View } from "@switchyard/terminal";
import type { Context } from "../context.ts";
import { pageOptions, type Command } from "../parsing/command.ts";
import type { Input } from "../parsing/input.ts";
import { fieldOptions, readFields, type Field } from "./field.ts";

/** A command that makes a single call. Its arguments are members of the request, and so are its options. */
export interface Operation<Name extends keyof Api> extends Omit<Command, "calls" | "options" | "run" | "hidden"> {
  readonly call: Name;
  readonly options?: readonly Field[];
  /** The displayed form of the response. Absent if the response is empty. */
  readonly view?: (response: Api[Name]["response"]) => View;
  /** A sentence about what was done, for standard error. */
  readonly done?: (input: Input) => string;
}

/** Creates the command of an operation. A paged list also gets the options `--limit`, `--page-token` and `--all`. */
export function operation<Name extends keyof Api>(definition: Operation<Name>): Command {
  const { call, options: fields = [], view, done, ...command } = definition;
  const { page, response }: Call = calls[call];
  const options = [...fieldOptions(fields), ...(page === undefined ? [] : pageOptions)];
  return {
    ...command,
    calls: [call],
    ...(options.length > 0 ? { options } : {}),
    async run(context, input) {
      const words = (command.arguments ?? []).map(({ name }) => [name, input.text(name)] as const);
      const request = { ...Object.fromEntries(words), ...(await readFields(context.io, input, fields)) };
      const show = (body: unknown): View => view?.(body as never) ?? [];
      if (page !== undefined) await context.list(call as PagedCall, request, input, show);
      else if (response === "none") await send(context, call, request);
      else await context.call(call, request, show);
      if (done !== undefined) context.note(done(input));
    },
  };
}

async function send(context: Context, call: keyof Api, request: object): Promise<void> {
  const client = await context.client();
  await client.exchange(call as "deleteFile", request as never, { signal: context.io.signal });
}
