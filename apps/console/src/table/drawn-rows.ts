/** The member of the state of an entry of the history that holds how many rows of each of its tables were drawn, by the name of the table. */
const member = "switchyardRows";

type Drawn = Readonly<Record<string, number>>;

/** Returns how many rows of a table were drawn when the open entry of the history was left; undefined if it is a new one. */
export function readDrawn(table: string): number | undefined {
  const drawn = (history.state as { readonly [member]?: Drawn } | null)?.[member];
  return drawn !== undefined && Object.hasOwn(drawn, table) ? drawn[table] : undefined;
}

/** Keeps how many rows of a table are drawn, so that there are as many when the browser comes back to this entry of its history. */
export function keepDrawn(table: string, count: number): void {
  const state = history.state as { readonly [member]?: Drawn } | null;
  history.replaceState({ ...state, [member]: { ...state?.[member], [table]: count } }, "");
}
