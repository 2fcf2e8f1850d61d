import { notImplemented, serverError } from "./errors.ts";

/**
 * Compiles a pattern of MongoDB (PCRE) to JavaScript's, for the part that both read alike; the differences in `.`,
 * `$` and `\s` are translated. Options: i, m, s. What JavaScript cannot read as it is meant is refused.
 */
export function compilePattern(pattern: string, options: string): RegExp {
  for (const option of options) {
    if (!"ims".includes(option)) throw notImplemented(`the regular expression option "${option}"`);
  }
  if (pattern.includes("\0")) throw serverError("BadValue", "a regular expression must not contain a zero byte");
  const dotAll = options.includes("s");
  const flags = `u${options.includes("i") ? "i" : ""}${options.includes("m") ? "m" : ""}`;
  try {
    return new RegExp(translate(pattern, dotAll, options.includes("m")), flags);
  } catch {
    throw notImplemented(`the regular expression /${pattern}/${options}`);
  }
}

function translate(pattern: string, dotAll: boolean, multiline: boolean): string {
  let result = "";
  let inClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] as string;
    if (character === "\\") {
      const next = pattern[++at] ?? "";
      if (next === "s") result += inClass ? " \\t\\n\\v\\f\\r" : "[ \\t\\n\\v\\f\\r]";
      else if (next === "S" && !inClass) result += "[^ \\t\\n\\v\\f\\r]";
      else if ("Spk".includes(next)) throw notImplemented(`\\${next} in a regular expression`);
      // PCRE takes an escaped character without a meaning for itself; JavaScript's unicode mode refuses it.
      else result += /[-"#%&',:;<=>@_`~! ]/.test(next) ? (inClass && next === "-" ? "\\-" : next) : `\\${next}`;
    } else if (inClass) {
      // PCRE reads [:name:] as a class of characters.
      if (character === "[" && /[:.=]/.test(pattern[at + 1] ?? "")) throw notImplemented("a named character class");
      if (character === "]") inClass = false;
      result += character === "[" ? "\\[" : character;
    } else if (character === "[") {
      inClass = true;
      result += character;
      if (pattern[at + 1] === "^") result += pattern[++at];
      if (pattern[at + 1] === "]") {
        result += "\\]";
        at++;
      }
    } else if (character === ".") {
      result += dotAll ? "[^]" : "[^\\n]";
    } else if (character === "$") {
      result += multiline ? "(?=\\n|(?![^]))" : "(?=\\n?(?![^]))";
    } else if (character === "^" && multiline) {
      result += "(?<=\\n|(?<![^]))";
    } else {
      result += character;
    }
  }
  return result;
}
