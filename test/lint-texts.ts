/** Lints texts in the places of files that exist: a list of {file, text} in on standard input, the rules broken by each out. */
import { ESLint } from "eslint";
import { text } from "node:stream/consumers";

const cases = JSON.parse(await text(process.stdin)) as { file: string; text: string }[];
const eslint = new ESLint();
const broken: string[][] = [];
for (const { file, text: source } of cases) {
  const [result] = await eslint.lintText(source, { filePath: file });
  broken.push((result?.messages ?? []).map(({ ruleId, message }) => ruleId ?? message));
}
process.stdout.write(JSON.stringify(broken));
