/**
 * Exchanges the code of a sign-in link for a token. Returns undefined if the code was used before, has expired, or was never issued.
 * Throws if the server cannot be reached.
 */
export async function redeemCode(code: string): Promise<string | undefined> {
  const response = await fetch("/console/sign-in", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  if (!response.ok) return undefined;
  const { token } = (await response.json()) as { token: string };
  return token;
}
