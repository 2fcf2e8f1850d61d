/** The environment of a client. */
export interface Environment {
  readonly baseUrl: string | undefined;
  readonly token: string | undefined;
}

/** Reads SWITCHYARD_BASE_URL and SWITCHYARD_TOKEN. In a browser, both are absent. An empty variable counts as absent. */
export function readEnvironment(): Environment {
  const variables = (globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } }).process?.env;
  return {
    baseUrl: variables?.["SWITCHYARD_BASE_URL"] || undefined,
    token: variables?.["SWITCHYARD_TOKEN"] || undefined,
  };
}
