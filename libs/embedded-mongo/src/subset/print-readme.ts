// Prints the lists of supported features into README.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { replaceLists } from "./readme.ts";

const file = join(import.meta.dirname, "../../README.md");
writeFileSync(file, replaceLists(readFileSync(file, "utf8")));
