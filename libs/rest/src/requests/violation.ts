/** What is wrong with one field of a request; `field` by its REST name, as `routes[0].deploymentId`. */
export interface Violation {
  readonly field: string;
  readonly message: string;
}

/** A value, or everything that is wrong with what should have become one. */
export type Outcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly violations: readonly Violation[] };

/** More violations than this are not reported: the answer stays small whatever the request. */
export const maxViolations = 50;

/** The path of a member of an object; a hostile key is cut short. */
export function member(path: string, key: string): string {
  const short = key.length > 100 ? `${key.slice(0, 100)}…` : key;
  return path === "" ? short : `${path}.${short}`;
}
