import type { Input } from "../parsing/input.ts";
import type { Option } from "../parsing/command.ts";
import { UsageError } from "../terminal/exit-codes.ts";
import type { Io } from "../terminal/io.ts";
import { readJson } from "../transfer/input-data.ts";

/** An option that sets a member of a request. */
export interface Field extends Option {
  /** The name of the member; by default the name of the option in camel case. */
  readonly member?: string;
  /** The value that a switch sets; true by default. */
  readonly to?: boolean | null;
  /** What a value is, if it is not text: a number, or JSON in one of the forms of `readData`. */
  readonly as?: "number" | "json";
  /** The value that `--clear` sets. Without it, the option cannot be cleared. */
  readonly cleared?: null | readonly [];
}

/** Returns the options of fields, with `--clear` if some can be cleared. */
export function fieldOptions(fields: readonly Field[]): readonly Option[] {
  const names = fields.filter(({ cleared }) => cleared !== undefined).map(({ name }) => name);
  if (names.length === 0) return fields;
  const description = "remove the value that this option would set";
  return [...fields, { name: "clear", value: "OPTION", description, repeats: true, choices: names }];
}

/**
 * Reads the members of a request from the options that were given. An option that is absent leaves its member out.
 * @throws UsageError for a value of the wrong type, and for options that contradict each other
 */
export async function readFields(
  io: Pick<Io, "stdin" | "folder" | "signal">,
  input: Input,
  fields: readonly Field[],
): Promise<Record<string, unknown>> {
  const members: Record<string, unknown> = {};
  const cleared = fields.some((field) => field.cleared !== undefined) ? input.list("clear") : [];
  const unknown = cleared.find((name) => !fields.some((field) => field.name === name && field.cleared !== undefined));
  if (unknown !== undefined) throw new UsageError(`--clear does not take "${unknown}"`);
  for (const field of fields) {
    const value = await readField(io, input, field);
    const isCleared = cleared.includes(field.name);
    if (isCleared && value !== undefined) throw new UsageError(`--${field.name} is given, and cleared as well`);
    const set = isCleared ? field.cleared : value;
    if (set === undefined) continue;
    if (Object.hasOwn(members, memberName(field))) throw new UsageError(`--${field.name} contradicts another option`);
    members[memberName(field)] = set;
  }
  return members;
}

function memberName({ name, member }: Field): string {
  return member ?? name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

async function readField(io: Pick<Io, "stdin" | "folder" | "signal">, input: Input, field: Field): Promise<unknown> {
  const { name } = field;
  if (field.value === undefined) return input.on(name) ? (field.to === undefined ? true : field.to) : undefined;
  if (field.repeats === true) return input.list(name).length > 0 ? input.list(name) : undefined;
  if (field.between !== undefined) return input.integer(name);
  const text = input.text(name);
  if (text === undefined || field.as === undefined) return text;
  return field.as === "json" ? readJson(io, name, text) : toNumber(name, text);
}

function toNumber(name: string, text: string): number {
  if (!/^-?(?:\d+(?:\.\d+)?|\.\d+)$/.test(text)) throw new UsageError(`--${name} takes a number, not "${text}"`);
  return Number(text);
}
