import type { Value } from "@bufbuild/protobuf/wkt";
import { isEqualValue, toScalar } from "@switchyard/matching";
import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { isTitle } from "../../../candidates/names.ts";
import type { Field } from "../../../concepts.ts";
import type { Context } from "../../../context.ts";
import { getLetters } from "../../../fold.ts";
import { printed } from "../../../layout/span.ts";
import { choose, type Choice } from "../fields/scoring.ts";
import { findCandidates, type RuledCandidate } from "./candidates.ts";
import type { Example, FormExample, Option } from "./example.ts";
import { createDescriber } from "./features.ts";
import { getPlace, hashText } from "../../../hashing.ts";
import { computeSimilarity, normalizeCandidate, normalizeValue } from "./normal-form.ts";

/** The candidates of a document for a column, with the options that describe them. The last option is that there is no value. */
export interface Choices {
  readonly candidates: readonly RuledCandidate[];
  readonly normals: readonly string[];
  readonly options: readonly Option[];
  readonly heads: Uint32Array;
  readonly rule: Choice | undefined;
}

/** The prior of "there is no value" if the rules have no answer. */
const NONE_PRIOR = 0.5;
/** How similar an accepted text must be to a candidate to be taken for it. Scans are misread, and people correct what they see. */
const MIN_SIMILARITY = 0.85;
const HEAD_ROWS = 10;

/** Finds and describes the candidates of a document for a field. Never throws. */
export function findChoices(field: Field, context: Context, heads: Uint32Array): Choices {
  const candidates = findCandidates(field, context);
  const rule = choose(candidates.map(({ candidate, rule: score }) => ({ candidate, score })));
  const answer = rule && candidates.find(({ candidate }) => candidate === rule.candidate);
  const normals = candidates.map(({ candidate }) => normalizeCandidate(candidate, field, context));
  const counts = new Map<string, number>();
  for (const normal of normals) counts.set(normal, (counts.get(normal) ?? 0) + 1);
  const given = candidates.flatMap(({ candidate }) => (typeof candidate.value === "number" ? [candidate.value] : []));
  const numbers = [...new Set(given)].sort((one, other) => other - one);
  const describer = createDescriber({ answer, numbers, counts, context });
  const answerNormal = answer && normals[candidates.indexOf(answer)];
  const options = candidates.map((ruled, index): Option => {
    const normal = normals[index] as string;
    return {
      features: describer.describe(ruled, normal),
      prior: answer === undefined ? 0 : normal === answerNormal ? 1 : 0.5 * (ruled.rule / answer.rule),
      value: hashText(normal),
      anchor: hashText(describer.anchorOf(ruled)),
    };
  });
  const none = ["none", `none:${String(answer === undefined)}`, `none-of:${Math.min(10, candidates.length)}`];
  options.push({
    features: Uint32Array.from(none.map(getPlace)),
    prior: answer === undefined ? NONE_PRIOR : 0,
    value: hashText("none"),
    anchor: hashText("none"),
  });
  return { candidates, normals, options, heads, rule };
}

/** Returns the hashes of the lines at the head of a document, without titles and numbers. Documents of an issuer share some of them. */
export function findHeads(context: Context): Uint32Array {
  const heads = new Set<number>();
  for (const row of context.layout.rows.slice(0, HEAD_ROWS)) {
    for (const cell of row.cells) {
      const letters = getLetters(cell.text);
      if (letters.length >= 6 && !isTitle(cell.text) && /\p{L}{4}/u.test(letters)) heads.add(hashText(letters));
    }
  }
  return Uint32Array.from(heads);
}

/** Makes an example of a labeled document for a field. `value` is the accepted value. Never throws. */
export function toExample(id: string, field: Field, context: Context, choices: Choices, value: Value): Example {
  const { candidates, normals, options, heads, rule } = choices;
  const wanted = normalizeValue(value, field, context);
  const isNull = wanted === undefined || wanted === "";
  const matching = isNull ? [] : findMatching(candidates, field, value);
  const right = isNull ? [] : findRight(normals, wanted, field, matching);
  const first = right.indexOf(true);
  const accepted = value.kind.case === "stringValue" ? value.kind.value : undefined;
  const answer = rule && candidates.findIndex(({ candidate }) => candidate === rule.candidate);
  const { type, matching: comparison } = field.column;
  return {
    id,
    column: { type, ...(comparison && { matching: comparison }) },
    heads,
    options,
    right: [...normals.map((_, index) => right[index] === true), isNull],
    ruleRight: answer === undefined ? isNull : normals[answer] === wanted || matching[answer] === true,
    ruleConfidence: rule?.confidence ?? 0,
    accepted,
    form:
      first < 0 || field.column.type !== ColumnType.TEXT
        ? undefined
        : toFormExample(candidates[first] as RuledCandidate),
  };
}

/**
 * Finds the candidates that match the accepted value by the matching of the column. A value that is only written in another way is not a
 * correction. None without a matching.
 */
function findMatching(candidates: readonly RuledCandidate[], { column }: Field, value: Value): boolean[] {
  if (column.matching === undefined) return [];
  const accepted = toScalar(value);
  const isText = column.type === ColumnType.TEXT;
  return candidates.map(({ candidate }) =>
    isEqualValue(column, accepted, isText ? candidate.spans.map(printed).join(" ") : candidate.value),
  );
}

/**
 * Finds the candidates that are the accepted value, or else those that match it; for texts also the most similar ones, which may be misread.
 */
function findRight(normals: readonly string[], wanted: string, field: Field, matching: readonly boolean[]): boolean[] {
  const equal = normals.map((normal) => normal === wanted);
  if (equal.includes(true)) return equal;
  if (matching.includes(true)) return [...matching];
  if (field.column.type !== ColumnType.TEXT || !/\p{L}/u.test(wanted)) return equal;
  const similarities = normals.map((normal) => computeSimilarity(normal, wanted, MIN_SIMILARITY));
  const best = Math.max(0, ...similarities);
  return similarities.map((similarity) => best > 0 && similarity >= best);
}

/** Returns what the printed form of a candidate consists of. */
export function toFormExample({ candidate }: RuledCandidate): FormExample {
  const [first] = candidate.spans;
  const last = candidate.spans.at(-1) ?? first;
  return {
    lines: candidate.spans.map(printed),
    before: first.cell.text.slice(Math.max(0, first.start - 8), first.start),
    after: last.cell.text.slice(last.end, last.end + 8),
    value: candidate.value,
  };
}
