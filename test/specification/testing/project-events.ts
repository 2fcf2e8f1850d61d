/** 2 s are documented, but tests share the machine. */
export const timeoutMs = 60_000;

/** Listens to a project over REST. Resolves when the stream has begun. */
export async function listen(url: string, token: string, projectId: string, accept = "text/event-stream") {
  const closing = new AbortController();
  const headers = { authorization: `Bearer ${token}`, accept };
  const { signal } = closing;
  const response = await fetch(`${url}/api/v1/projects/${projectId}/events`, { headers, signal });
  if (response.body === null || response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let isEnded = false;
  const reading = (async () => {
    for (let step = await reader.read(); !step.done; step = await reader.read()) text += decoder.decode(step.value);
  })()
    .catch(() => undefined)
    .finally(() => (isEnded = true));
  const until = async (what: string, isMet: () => boolean) => {
    for (const deadline = Date.now() + timeoutMs; !isMet(); await new Promise((resolve) => setTimeout(resolve, 20))) {
      if (Date.now() > deadline) throw new Error(`${what} did not arrive: ${text}`);
    }
  };
  await until("the beginning", () => text !== "");
  return {
    text: () => text,
    /** Waits for an event, and returns its line of data. */
    async event(kind: string, id: string, status: string): Promise<any> {
      const find = () =>
        text.split("\n").find((line) => line.includes(`{"kind":"${kind}","id":"${id}","status":"${status}"`));
      await until(`${kind} ${id} ${status}`, () => find() !== undefined);
      return JSON.parse((find() ?? "").replace(/^data: /, ""));
    },
    ended: () => until("the end", () => isEnded),
    async close() {
      closing.abort();
      await reading;
    },
  };
}
