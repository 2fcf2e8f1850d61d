import type { LabelledText } from "../domain/learning/labelled-text.ts";

/** What people said about the documents of a classifier. */
export interface ReviewedDocuments {
  /** Returns the version of the reviews of a classifier, which changes with every review that is made, changed or taken back. Cheap. */
  getVersion(classifierId: string): Promise<string>;
  /** Lists the reviewed documents of a classifier, in batches, in order of their IDs. */
  list(classifierId: string): AsyncIterable<readonly LabelledText[]>;
}

/** The reviewed documents of a service that stores none. */
export const noReviewedDocuments: ReviewedDocuments = {
  getVersion: () => Promise.resolve(""),

  async *list() {
    yield [];
  },
};
