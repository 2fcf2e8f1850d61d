import { exitCodes, Failure, UsageError } from "../terminal/exit-codes.ts";
import type { Input } from "../parsing/input.ts";
import type { Io } from "../terminal/io.ts";
import { defaultProfile, type ProfileStore } from "./profiles.ts";

/** Where a server is, who calls it, and where that was said. */
export interface Connection {
  readonly baseUrl: string;
  readonly token: string;
  readonly tokenFrom: string;
}

/** The server of a new installation. */
export const defaultBaseUrl = "http://127.0.0.1:8080";

/**
 * The connection: options before the environment before the profile. The token of a profile goes to the server of that profile
 * and to no other.
 * @throws Failure when there is no token, UsageError when the profile is not there or the token is for another server
 */
export async function resolveConnection(
  input: Input,
  { environment }: Pick<Io, "environment">,
  profiles: ProfileStore,
): Promise<Connection> {
  const { profile: named, baseUrl: saidUrl } = said(input, environment);
  const name = named ?? defaultProfile;
  const option = input.text("token");
  const variable = environment["SWITCHYARD_TOKEN"] || undefined;
  const token = option ?? variable;
  // With a token and a server that were said, nobody needs the file, and it may be broken.
  const profile =
    token !== undefined && saidUrl !== undefined && named === undefined ? undefined : await profiles.get(name);
  if (named !== undefined && profile === undefined)
    throw new UsageError(`there is no profile "${named}"; \`switchyard login --profile ${named}\` makes it`);
  const baseUrl = saidUrl ?? profile?.baseUrl ?? defaultBaseUrl;
  if (token !== undefined) return { baseUrl, token, tokenFrom: option === undefined ? "SWITCHYARD_TOKEN" : "--token" };
  if (profile === undefined)
    throw new Failure(exitCodes.notAuthenticated, "there is no token: run `switchyard login`, or set SWITCHYARD_TOKEN");
  if (saidUrl !== undefined && !sameServer(saidUrl, profile.baseUrl))
    throw new UsageError(
      `the token of the profile "${name}" is for ${profile.baseUrl}, not for ${saidUrl}; set SWITCHYARD_TOKEN, or name another --profile`,
    );
  return { baseUrl, token: profile.token, tokenFrom: `profile ${name}` };
}

/** The profile and the server that options and environment name. */
export function said(
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
