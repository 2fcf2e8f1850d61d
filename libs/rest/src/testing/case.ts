import type { Rule } from "./contract.ts";

/** A path template: its segments, variables and verb, or that it is refused. */
export interface TemplateCase {
  readonly kind: "template";
  readonly src: string;
  readonly template: string;
  readonly error?: boolean;
  readonly segments?: readonly string[];
  /** The field of each variable, its first segment, and the segment after its last one; -1 is the end of a path that is open. */
  readonly vars?: readonly (readonly [field: string, start: number, end: number])[];
  readonly verb?: string;
}

/** A path that a router looks up: the number of its route and the values of its variables, or null if none matches. */
export interface MatchCase {
  readonly kind: "match";
  readonly src: string;
  readonly routes: readonly string[];
  readonly req: string;
  readonly query?: string;
  readonly route: number | null;
  readonly vars?: Readonly<Record<string, string>> | null;
  readonly options?: readonly string[];
}

/** What becomes of a request: the fields of its message that are not at their default, its faults, or a status. */
export interface Want {
  readonly ok?: Readonly<Record<string, unknown>>;
  readonly violations?: true | readonly string[];
  readonly kind?: "not-found" | "method-not-allowed";
  readonly patchId?: string;
  /** A part of the message with which the rule is refused at start. */
  readonly start?: string;
}

/** A request to the service of `requests.ts`. */
export interface RequestCase {
  readonly kind: "request";
  readonly src: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body?: string;
  readonly want: Want;
}

/** A JSON body, which is valid for the message `Everything` or not. */
export interface JsonCase {
  readonly kind: "json";
  readonly src: string;
  readonly body: string;
  readonly valid: boolean;
}

/** An HTTP rule of a method that takes and returns a `Request`, and a request to it. `answer` is the response that repeats the request. */
export interface RuleCase {
  readonly kind: "rule";
  readonly src: string;
  readonly rule: Rule;
  /** The messages, with `Request` among them; without, the ones of `messages.ts`, and `Everything` is the request. */
  readonly messages?: Readonly<Record<string, readonly string[]>>;
  readonly req?: string;
  readonly body?: string;
  readonly want: Want;
  readonly answer?: string;
}

/** A fact about transcoding, with its source. */
export type Case = TemplateCase | MatchCase | RequestCase | JsonCase | RuleCase;

/** Returns the first line of a text that describes an error. */
export function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
