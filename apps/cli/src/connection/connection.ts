import { createClient, type Client } from "@switchyard/client";
import { exitCodes, Failure, UsageError } from "../terminal/exit-codes.ts";
import type { Input } from "../parsing/input.ts";
import type { Io } from "../terminal/io.ts";
import { createPatientFetch } from "./patient-fetch.ts";
import { defaultProfile, type ProfileStore } from "./profiles.ts";
import { createWaitNotice } from "./wait-notice.ts";

/** A server, the token to call it with, and where the token comes from. */
export interface Connection {
  readonly baseUrl: string;
  readonly token: string;
  readonly tokenFrom: string;
}

/** The server that is used if no other is configured. */
export const defaultBaseUrl = "http://127.0.0.1:8080";

/**
 * Resolves the connection. Options take precedence over environment variables, and these over the profile. The token of a profile is
 * only sent to the server of that profile.
 * @throws Failure if there is no token; UsageError if the profile does not exist or its token is for another server
 */
export async function resolveConnection(
  input: Input,
  { environment }: Pick<Io, "environment">,
  profiles: ProfileStore,
): Promise<Connection> {
  const { profile: named, baseUrl: givenUrl } = readConnectionSettings(input, environment);
  const name = named ?? defaultProfile;
  const option = input.text("token");
  const variable = environment["SWITCHYARD_TOKEN"] || undefined;
  const token = option ?? variable;
  // If token and server are given, the file of profiles is not needed, and may be damaged.
  const profile =
    token !== undefined && givenUrl !== undefined && named === undefined ? undefined : await profiles.get(name);
  if (named !== undefined && profile === undefined)
    throw new UsageError(`there is no profile "${named}"; \`switchyard login --profile ${named}\` creates it`);
  const baseUrl = givenUrl ?? profile?.baseUrl ?? defaultBaseUrl;
  if (token !== undefined) return { baseUrl, token, tokenFrom: option === undefined ? "SWITCHYARD_TOKEN" : "--token" };
  if (profile === undefined)
    throw new Failure(exitCodes.notAuthenticated, "there is no token: run `switchyard login`, or set SWITCHYARD_TOKEN");
  if (givenUrl !== undefined && !sameServer(givenUrl, profile.baseUrl))
    throw new UsageError(
      `the token of the profile "${name}" is for ${profile.baseUrl}, not for ${givenUrl}; set SWITCHYARD_TOKEN, or name another --profile`,
    );
  return { baseUrl, token: profile.token, tokenFrom: `profile ${name}` };
}

/**
 * Creates the client of a connection, with the --timeout of the command line. If it waits long before it retries a call, this is printed on
 * standard error, once for simultaneous calls.
 */
export function connect(
  { baseUrl, token }: Pick<Connection, "baseUrl" | "token">,
  input: Input,
  { stderr }: Pick<Io, "stderr">,
): Client {
  const seconds = input.integer("timeout") ?? defaultTimeoutSeconds;
  return createClient({
    baseUrl,
    token,
    timeoutMs: seconds * 1000,
    ...(seconds >= fetchLimitSeconds && { fetch: createPatientFetch() }),
    onRetry: createWaitNotice(stderr),
  });
}

/** The timeout of each attempt if there is no --timeout, in seconds. */
export const defaultTimeoutSeconds = 60;

/** The time after which fetch of Node.js itself ends an attempt, in seconds. */
const fetchLimitSeconds = 300;

/** Reads the profile and the server from the options and the environment. */
export function readConnectionSettings(
  input: Input,
  environment: Io["environment"],
): { profile: string | undefined; baseUrl: string | undefined } {
  return {
    profile: input.text("profile") ?? (environment["SWITCHYARD_PROFILE"] || undefined),
    baseUrl: input.text("base-url") ?? (environment["SWITCHYARD_BASE_URL"] || undefined),
  };
}

function sameServer(a: string, b: string): boolean {
  const plain = (url: string): string => url.replace(/\/+$/, "");
  return plain(a) === plain(b);
}
