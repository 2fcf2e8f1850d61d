/** What sends the requests of fetch: a class of the package `undici`, which is a part of Node.js. */
type Dispatcher = object;

type DispatcherClass = new (limits: { readonly headersTimeout: number; readonly bodyTimeout: number }) => Dispatcher;

/** Where Node.js keeps the dispatcher that is in use. */
const place = Symbol.for("undici.globalDispatcher.1");

/** The classes that take these limits: the usual one, and the one for the proxies of the environment (`NODE_USE_ENV_PROXY`). */
const known: readonly string[] = ["Agent", "EnvHttpProxyAgent"];

/**
 * Creates a fetch without the limits that it has in Node.js: five minutes until a response begins, and between two parts of its body. They
 * cannot be set without the package `undici`. The limit of the signal remains. Where Node.js has no such dispatcher, it is fetch as it is.
 */
export function createPatientFetch(): typeof globalThis.fetch {
  let dispatcher: Dispatcher | undefined;
  return (input, init) => {
    dispatcher ??= createDispatcher();
    return fetch(input, dispatcher === undefined ? init : ({ ...init, dispatcher } as RequestInit));
  };
}

/** Creates a dispatcher of the class that is in use. */
function createDispatcher(): Dispatcher | undefined {
  // Node.js loads fetch, and creates its dispatcher, when the first class of it is read.
  void globalThis.Response;
  const used = Reflect.get(globalThis, place) as Dispatcher | undefined;
  if (used === undefined || !known.includes(used.constructor.name)) return undefined;
  return new (used.constructor as DispatcherClass)({ headersTimeout: 0, bodyTimeout: 0 });
}
