/**
 * Lints texts as the contents of files, which need not exist. Reads a list of {file, text} in JSON from standard input, and writes a list
 * of the rules that each breaks. Rules that need types are off, because building the types takes seconds for each text.
 */
import { ESLint } from "eslint";
import { text } from "node:stream/consumers";
import typescript from "typescript-eslint";

const cases = JSON.parse(await text(process.stdin)) as { file: string; text: string }[];
const eslint = new ESLint({ overrideConfig: typescript.configs.disableTypeChecked });
const broken: string[][] = [];
for (const { file, text: source } of cases) {
  const [result] = await eslint.lintText(source, { filePath: file });
  broken.push((result?.messages ?? []).map(({ ruleId, message }) => ruleId ?? message));
}
process.stdout.write(JSON.stringify(broken));
