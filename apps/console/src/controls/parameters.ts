import { useLocation, useSearchParams } from "wouter";

/** The parameters of an address, and how to change some of them. An empty value removes a parameter. */
export interface Parameters {
  /** Returns a parameter; "" if the address does not have it. */
  get(name: string): string;
  has(name: string): boolean;
  getAll(name: string): string[];
  set(changes: Readonly<Record<string, string | readonly string[]>>): void;
  /** Returns the address of the page with changes, for a link. */
  link(changes: Readonly<Record<string, string | readonly string[]>>): string;
}

/** The parameters of the address of the page. Changes replace the address, so that "back" leaves the page. */
export function useParameters(): Parameters {
  const [parameters, setParameters] = useSearchParams();
  const [location] = useLocation();
  return {
    get: (name) => parameters.get(name) ?? "",
    has: (name) => parameters.has(name),
    getAll: (name) => parameters.getAll(name),
    set: (changes) => setParameters((current) => change(current, changes), { replace: true }),
    link: (changes) => `${location}?${change(parameters, changes).toString()}`,
  };
}

/** Returns parameters with changes. */
export function change(
  parameters: URLSearchParams,
  changes: Readonly<Record<string, string | readonly string[]>>,
): URLSearchParams {
  const changed = new URLSearchParams(parameters);
  for (const [name, value] of Object.entries(changes)) {
    changed.delete(name);
    for (const each of typeof value === "string" ? [value] : value) if (each !== "") changed.append(name, each);
  }
  return changed;
}
