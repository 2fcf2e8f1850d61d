/** Where a client's server is and who the client is, as far as the environment says. */
export interface Environment {
  readonly baseUrl: string | undefined;
  readonly token: string | undefined;
}

/** What SWITCHYARD_BASE_URL and SWITCHYARD_TOKEN say; nothing in a browser. An empty variable counts as none. */
export function readEnvironment(): Environment {
  const variables = (globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } }).process?.env;
  return {
    baseUrl: variables?.["SWITCHYARD_BASE_URL"] || undefined,
    token: variables?.["SWITCHYARD_TOKEN"] || undefined,
  };
}
