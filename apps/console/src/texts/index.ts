import { classifiers } from "./classifiers.ts";
import { general } from "./general.ts";
import { inbox } from "./inbox.ts";
import { models } from "./models.ts";
import { quality } from "./quality.ts";
import { tryIt } from "./try-it.ts";

/** Every text of the console. */
export const texts = { ...general, ...inbox, ...tryIt, classifiers, models, quality };
