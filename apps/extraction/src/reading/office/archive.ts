import { unzipSync } from "fflate";
import { maxArchive } from "../limits.ts";

/** What is wrong with an archive, as a sentence. */
export class ArchiveProblem extends Error {}

/** An archive whose files are unpacked when they are read. */
export interface Archive {
  /** The names of its files. */
  readonly names: ReadonlySet<string>;
  /**
   * Unpacks a file; undefined if there is none. Throws ArchiveProblem if all files that were read together exceed the maximum size, and other
   * errors if the file is damaged.
   */
  read(name: string): Uint8Array | undefined;
}

/** Opens a ZIP archive. Unpacks nothing. Throws ArchiveProblem for too many files, and other errors for a damaged archive. */
export function openArchive(bytes: Uint8Array): Archive {
  const names = new Set<string>();
  let count = 0;
  unzipSync(bytes, {
    filter({ name }) {
      names.add(name);
      count += 1;
      if (count > maxArchive.files) throw new ArchiveProblem(`The document has more than ${maxArchive.files} files.`);
      return false;
    },
  });
  let left = maxArchive.bytes;
  return {
    names,
    read(wanted) {
      if (!names.has(wanted)) return undefined;
      let taken = false;
      const files = unzipSync(bytes, {
        // The size is that of the directory. No more is unpacked, even if the file contains more.
        filter({ name, originalSize }) {
          if (name !== wanted || taken) return false;
          taken = true;
          if (originalSize <= left) {
            left -= originalSize;
            return true;
          }
          throw new ArchiveProblem(
            `The document is larger than ${maxArchive.bytes / 1024 / 1024} MiB when it is unpacked.`,
          );
        },
      });
      return files[wanted];
    },
  };
}
