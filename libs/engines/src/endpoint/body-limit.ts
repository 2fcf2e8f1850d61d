/** Returns the response with a body that fails after `limit` bytes, so that an endpoint cannot exhaust the memory. */
export function limitBody(response: Response, limit: number): Response {
  if (response.body === null) return response;
  let size = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      size += chunk.byteLength;
      if (size > limit) throw new Error("The response is too long.");
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
}
