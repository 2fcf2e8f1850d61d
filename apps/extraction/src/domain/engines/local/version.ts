/** The extraction engine. A new version means that the same document may give other values. */
export const engine = { name: "local", version: "8" } as const;
