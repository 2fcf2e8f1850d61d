/** A request that the console has sent. */
export interface SentCall {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** The body if it is JSON. */
  readonly body: string | undefined;
  /** The fields if the body is a form, as NAME=VALUE; a file is NAME=@FILE. */
  readonly form: readonly string[] | undefined;
}

/** Something that notes calls. */
export interface CallSink {
  add(call: SentCall): void;
}

/** The calls behind the page that is open: each different one once, in the order in which they were first sent. */
export interface CallLog extends CallSink {
  /** Returns what notes the calls that are made for a page before it opens. Those for another page, which may never open, are forgotten. */
  ahead(path: string): CallSink;
  /** Forgets all calls when another page opens, but for those that were made for it before. */
  open(path: string): void;
  /** Returns the calls. The array is replaced, not changed. */
  readonly list: () => readonly SentCall[];
  /** Calls `listener` after each change, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void;
}

/** The number of calls that are kept for a page. */
const limit = 30;

/** Creates an empty log. */
export function createCallLog(): CallLog {
  let calls: readonly SentCall[] = [];
  let expected: { readonly path: string; readonly calls: SentCall[]; isOpen: boolean } | undefined;
  const listeners = new Set<() => void>();
  function replace(next: readonly SentCall[]): void {
    calls = next;
    for (const listener of listeners) listener();
  }
  function add(call: SentCall): void {
    const isSame = (other: SentCall): boolean => toCurl("", other) === toCurl("", call);
    if (calls.length < limit && !calls.some(isSame)) replace([...calls, call]);
  }
  return {
    add,
    ahead(path) {
      // Someone points to a link before it has the focus. What was requested the first time is not requested again.
      const page = expected?.path === path ? expected : { path, calls: [] as SentCall[], isOpen: false };
      expected = page;
      // A request may be sent after the page has opened.
      return {
        add(call) {
          if (page.isOpen) add(call);
          else if (page.calls.length < limit) page.calls.push(call);
        },
      };
    },
    open(path) {
      const page = expected?.path === path ? expected : undefined;
      expected = undefined;
      if (calls.length > 0) replace([]);
      if (page === undefined) return;
      page.isOpen = true;
      for (const call of page.calls) add(call);
    },
    list: () => calls,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns a call as a command line of curl, with the token in the variable SWITCHYARD_TOKEN. */
export function toCurl(origin: string, { method, path, body, form = [] }: SentCall): string {
  const parts = ["curl"];
  if (method !== "GET") parts.push(`-X ${method}`);
  parts.push('-H "Authorization: Bearer $SWITCHYARD_TOKEN"');
  for (const field of form) parts.push(`-F ${quote(field)}`);
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d ${quote(body)}`);
  return [...parts, quote(`${origin}${path}`)].join(" ");
}

/**
 * Returns a call as a command of `switchyard`, which takes the server and the token from its profile or its variables. A path outside of the
 * API is named with the server, because the command completes any other one.
 */
export function toCommand(origin: string, { method, path, body, form = [] }: SentCall): string {
  const parts = ["switchyard api", method, quote(path.startsWith("/api/") ? path : `${origin}${path}`)];
  for (const field of form) parts.push(`--form ${quote(field)}`);
  if (body !== undefined) parts.push(`--data ${quote(body)}`);
  return parts.join(" ");
}

/** Quotes a word for a POSIX shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
