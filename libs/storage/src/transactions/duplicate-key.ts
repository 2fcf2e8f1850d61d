/** Whether a write failed because a unique index already contains the key. `index` restricts this to one index. */
export function isDuplicateKey(error: unknown, index?: string): boolean {
  if (typeof error !== "object" || error === null || !("code" in error) || error.code !== 11000) return false;
  if (index === undefined) return true;
  const message = "message" in error && typeof error.message === "string" ? error.message : "";
  return message.includes(` index: ${index} `);
}
