/** Runs a task after the earlier ones with the same key have ended, however they ended. */
export type InTurn = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/** Creates a function that runs tasks with the same key one after the other, and others at the same time. */
export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return async (key, task) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(task, task);
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}
