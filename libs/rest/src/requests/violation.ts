/** A violation of the rules for a field of a request. `field` is its REST path, such as `routes[0].deploymentId`. */
export interface Violation {
  readonly field: string;
  readonly message: string;
}

/** A value, or all violations. */
export type Outcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly violations: readonly Violation[] };

/** The maximum number of reported violations, which keeps the response small for any request. */
export const maxViolations = 50;

/** Returns the path of a member of an object. A long key is truncated, and an empty one is written as `""`. */
export function memberPath(path: string, key: string): string {
  const short = key === "" ? '""' : key.length > 100 ? `${key.slice(0, 100)}…` : key;
  return path === "" ? short : `${path}.${short}`;
}
