/**
 * Converts the models for which a file is accepted to one string, which is independent of their order, and empty for none. Files with the
 * same set are adjacent in an index, which a list of models does not achieve.
 */
export function toAcceptedSet(modelIds: readonly string[]): string {
  return [...modelIds].sort().join(" ");
}

/**
 * Returns the sets of a project that do not contain a model. `fileAfter` returns a file with the next set after another one, or with the
 * first set, or null if there is none. Each set takes one lookup in an index, and there are about as many sets as models. Returns undefined
 * if there are more than `maxSets`, or if a file was stored before files had a set.
 */
export async function setsWithout(
  modelId: string,
  maxSets: number,
  fileAfter: (set?: string) => Promise<{ acceptedSet?: string } | null>,
): Promise<string[] | undefined> {
  const sets: string[] = [];
  for (let file = await fileAfter(); file !== null; file = await fileAfter(file.acceptedSet)) {
    if (file.acceptedSet === undefined || sets.length === maxSets) return undefined;
    sets.push(file.acceptedSet);
  }
  return sets.filter((set) => !set.split(" ").includes(modelId));
}
