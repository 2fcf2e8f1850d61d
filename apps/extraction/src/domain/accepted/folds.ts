import { hashText } from "../hashing.ts";

/** A file whose fold is sought. `issuer` is the accepted name of who issued the document, normalized, or null if it is not known. */
export interface FoldedFile {
  readonly id: string;
  readonly sha256: string;
  readonly issuer: string | null;
}

/** The number of folds in which accepted files are measured: each is extracted with what the other folds taught. */
export const FOLDS = 5;

/**
 * Assigns files to folds, by a hash of what keeps them together: files with the same bytes, and files of the same issuer, are in the same
 * fold. The fold of a file depends only on the files that are kept together with it.
 */
export function assignFolds(files: readonly FoldedFile[]): Map<string, number> {
  const parents = new Map<string, string>();
  const find = (key: string): string => {
    let root = key;
    for (let parent = parents.get(root); parent !== undefined && parent !== root; parent = parents.get(root))
      root = parent;
    parents.set(key, root);
    return root;
  };
  for (const { sha256, issuer } of files) {
    const own = find(`bytes:${sha256}`);
    if (issuer === null) continue;
    const other = find(`issuer:${issuer}`);
    // The smaller key is the root, so that the result does not depend on the order of files.
    if (own < other) parents.set(other, own);
    else if (other < own) parents.set(own, other);
  }
  return new Map(files.map(({ id, sha256 }) => [id, hashText(find(`bytes:${sha256}`)) % FOLDS]));
}
