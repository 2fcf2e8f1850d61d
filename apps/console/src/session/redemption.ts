import { ConnectionError } from "@switchyard/client";

/**
 * Exchanges the code of a sign-in link for a token. Returns undefined if the code was used before, has expired, or was never issued.
 * @throws ConnectionError if the server cannot be reached or cannot exchange it now: the code remains valid
 */
export async function redeemCode(code: string): Promise<string | undefined> {
  const response = await fetch("/console/sign-in", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  }).catch((cause: unknown) => {
    throw new ConnectionError("no connection to the server", { cause });
  });
  if (response.status >= 500 || response.status === 429)
    throw new ConnectionError(`the server responded with ${response.status}`);
  if (!response.ok) return undefined;
  const { token } = (await response.json()) as { token: string };
  return token;
}
