import { classifiers } from "./classifiers.ts";
import { general } from "./general.ts";

/** Every text of the console. */
export const texts = { ...general, classifiers };
