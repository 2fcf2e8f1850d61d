/** A request that the console has sent. */
export interface SentCall {
  readonly method: string;
  /** The path with its query, from /api/v1 on. */
  readonly path: string;
  /** The body if it is JSON. */
  readonly body: string | undefined;
  /** Whether the body is a form with a file instead. */
  readonly hasFile: boolean;
}

/** The calls behind the page that is open: each differing one once, in the order in which they were first sent. */
export interface CallLog {
  add(call: SentCall): void;
  /** Forgets all calls, when another page opens. */
  clear(): void;
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
  const listeners = new Set<() => void>();
  function replace(next: readonly SentCall[]): void {
    calls = next;
    for (const listener of listeners) listener();
  }
  return {
    add(call) {
      const isSame = (other: SentCall): boolean =>
        other.method === call.method && other.path === call.path && other.body === call.body;
      if (calls.length < limit && !calls.some(isSame)) replace([...calls, call]);
    },
    clear() {
      if (calls.length > 0) replace([]);
    },
    list: () => calls,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns a call as a command line of curl, with the token in the variable SWITCHYARD_TOKEN. */
export function toCurl(origin: string, { method, path, body, hasFile }: SentCall): string {
  const parts = ["curl"];
  if (method !== "GET") parts.push(`-X ${method}`);
  parts.push('-H "Authorization: Bearer $SWITCHYARD_TOKEN"');
  if (hasFile) parts.push("-F file=@FILE");
  else if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d ${quote(body)}`);
  return [...parts, quote(`${origin}${path}`)].join(" ");
}

/** Returns a call as a command of `switchyard`, which takes the server and the token from its profile or its variables. */
export function toCommand({ method, path, body, hasFile }: SentCall): string {
  const parts = ["switchyard api", method, quote(path)];
  if (hasFile) parts.push("--data @FILE");
  else if (body !== undefined) parts.push(`--data ${quote(body)}`);
  return parts.join(" ");
}

/** Quotes a word for a POSIX shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
