import { administration } from "./administration.ts";
import { benchmarks } from "./benchmarks.ts";
import { classifiers } from "./classifiers.ts";
import { engines } from "./engines.ts";
import { general } from "./general.ts";
import { inbox } from "./inbox.ts";
import { models } from "./models.ts";
import { quality } from "./quality.ts";
import { tryIt } from "./try-it.ts";
import { values } from "./values-page.ts";

const pages = { administration, benchmarks, classifiers, engines, models, quality, values };

/** Every text of the console. */
export const texts = { ...general, ...inbox, ...tryIt, ...pages };
