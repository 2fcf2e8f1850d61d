/** The values from which headers can be created. */
export type HeaderSource = ConstructorParameters<typeof Headers>[0];

/**
 * Creates the headers or the trailers of a call. They behave like the `Headers` of the platform, which take several times as long: every
 * call creates three of them and reads and writes a dozen entries.
 */
export function createHeaders(source?: HeaderSource): Headers {
  const headers = new CallHeaders();
  if (source === undefined) return headers;
  const entries = Symbol.iterator in source ? source : Object.entries(source);
  for (const [name, value] of entries as Iterable<[string, string]>) headers.append(name, value);
  return headers;
}

/** The only header whose values are not joined. */
const cookie = "set-cookie";

class CallHeaders implements Headers {
  /** By names in lower case. */
  readonly #values = new Map<string, string | readonly string[]>();

  get(name: string): string | null {
    const value = this.#values.get(name.toLowerCase());
    return typeof value === "object" ? value.join(", ") : (value ?? null);
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    const normalized = normalize(name, value);
    const key = name.toLowerCase();
    this.#values.set(key, key === cookie ? [normalized] : normalized);
  }

  append(name: string, value: string): void {
    const key = name.toLowerCase();
    const before = this.#values.get(key);
    if (before === undefined) return this.set(name, value);
    const normalized = normalize(name, value);
    this.#values.set(key, typeof before === "string" ? `${before}, ${normalized}` : [...before, normalized]);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  getSetCookie(): string[] {
    return [this.#values.get(cookie) ?? []].flat();
  }

  forEach(callback: (value: string, name: string, headers: Headers) => void): void {
    for (const [name, value] of this.#list()) callback(value, name, this);
  }

  entries(): ReturnType<Headers["entries"]> {
    return this.#list().values();
  }

  keys(): ReturnType<Headers["keys"]> {
    return this.#list()
      .map(([name]) => name)
      .values();
  }

  values(): ReturnType<Headers["values"]> {
    return this.#list()
      .map(([, value]) => value)
      .values();
  }

  [Symbol.iterator](): ReturnType<Headers["entries"]> {
    return this.entries();
  }

  #list(): [string, string][] {
    const list: [string, string][] = [];
    for (const name of [...this.#values.keys()].sort()) {
      const value = this.#values.get(name);
      if (typeof value === "string") list.push([name, value]);
      else value?.forEach((each) => list.push([name, each]));
    }
    return list;
  }
}

const plainName = /^[\w-]+$/;
const plainValue = /^[!-~](?:[ -~]*[!-~])?$/;

/** Returns a value as it is stored. Names and values that are not plain are left to the platform: it removes spaces around a value, or throws. */
function normalize(name: string, value: string): string {
  if (plainName.test(name) && plainValue.test(value)) return value;
  return new Headers([[name, value]]).get(name) ?? "";
}
