import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { findSums, type Sum } from "./amounts.ts";
import { findLabeledCandidates } from "./association.ts";
import type { Candidate } from "../../../candidates/candidate.ts";
import { isTitle } from "../../../candidates/names.ts";
import { findCurrencies, findEnums, findBooleans } from "./choices.ts";
import type { Field } from "../../../concepts.ts";
import type { Context } from "../../../context.ts";
import { findHits, labeled } from "./labeled.ts";
import type { Kind } from "../../../lexicon/concept.ts";
import { findAddressees, findBuyers, findSellers } from "./organizations.ts";
import { findAddresses } from "./postal-addresses.ts";
import { titleDates, titleNumbers } from "./titles.ts";
import { findEffectiveDates, findJurisdictions, findParties, findTerms } from "./prose.ts";
import { choose, type Scored } from "./scoring.ts";
import { printed } from "../../../layout/span.ts";

/** The scores of candidates without a label, by kind. Kinds that are missing need a label. */
const UNLABELLED: Partial<Record<Kind, number>> = { iban: 0.6, email: 0.5, url: 0.45, bic: 0.4, "tax-identifier": 0.5 };

/** Returns the key of a column's own labels. */
export function ownKey(field: Field): string {
  return `column:${field.column.tableId}/${field.column.slug}`;
}

/** Finds the candidates of a document for a field of its primary table, with scores, in no particular order. Never throws. */
export function scoredFor(field: Field, context: Context): Scored[] {
  const own = ownKey(field);
  const concept = field.concept?.id;
  const keys = concept ? [own, concept] : [own];
  if (field.column.type === ColumnType.BOOLEAN) return findBooleans(context, keys);
  if (field.column.type === ColumnType.ENUM) return findEnums(field, context, keys);
  switch (concept) {
    case "gross":
    case "net":
    case "tax":
    case "due":
      return [...(findSums(context, new Map<Sum, readonly string[]>([[concept, [own]]])).get(concept) ?? [])];
    case "document-date":
      return documentDates(context, keys);
    case "effective-date":
      return [...labeled(context, keys, "date"), ...findEffectiveDates(context)];
    case "period-end":
      return periodEnds(context, keys);
    case "seller":
      return findSellers(context, keys);
    case "buyer":
      return findBuyers(context, keys);
    case "ship-to":
      return findAddressees(context, keys);
    case "seller-address":
      return findAddresses(context, keys, choose(findSellers(context, ["seller"]))?.candidate);
    case "buyer-address":
      return findAddresses(context, keys, choose(findBuyers(context, ["buyer"]))?.candidate);
    case "currency":
      return findCurrencies(context, keys);
    case "governing-law":
      return [...labeled(context, keys, "text").filter(isShort), ...findJurisdictions(context)];
    case "term":
      return field.column.type === ColumnType.NUMBER
        ? labeled(context, keys, field.kind)
        : [...labeled(context, keys, "text").filter(isShort), ...findTerms(context)];
    case "party-disclosing":
    case "party-receiving":
    case "parties":
      return [...labeled(context, keys, "name"), ...agreementParties(concept, context)];
    case "title":
      return [...labeled(context, [own], "text"), ...titles(context)];
    case "document-number":
      return documentNumbers(context, keys, field.kind);
    default:
      return [...labeled(context, keys, field.kind), ...unlabeled(field, context)];
  }
}

function documentNumbers(context: Context, keys: readonly string[], kind: Kind): Scored[] {
  // The number of a document is near its top. The same label further down usually refers to another document.
  const rows = Math.max(1, context.layout.rows.length);
  const early = (row: number): number => 1 - 0.25 * Math.min(1, row / Math.min(rows, 80));
  const found = labeled(context, keys, kind === "number" ? "number" : "identifier").map(({ candidate, score }) => ({
    candidate,
    score: score * early(candidate.spans[0].cell.row),
  }));
  if (kind === "number") return found;
  return [
    ...found,
    ...titleNumbers(context).map((each) => ({ ...each, score: each.score * early(each.candidate.spans[0].cell.row) })),
  ];
}

function documentDates(context: Context, keys: readonly string[]): Scored[] {
  const rows = Math.max(1, context.layout.rows.length);
  const found = labeled(context, keys, "date").map(({ candidate, score }) => ({
    candidate,
    score: score * (1 - 0.15 * (candidate.spans[0].cell.row / rows)),
  }));
  found.push(
    ...titleDates(context).map(({ candidate, score }) => ({
      candidate,
      score: score * (1 - 0.15 * (candidate.spans[0].cell.row / rows)),
    })),
  );
  const taken = findUsedDates(context);
  const values = new Set<string | number>();
  let rank = 0;
  for (const cell of context.layout.cells) {
    for (const candidate of context.candidates("date", cell)) {
      values.add(candidate.value);
      const time = /^\W{0,4}\d{1,2}[:.]\d{2}/u.test(cell.text.slice(candidate.spans[0].end)) ? 0.08 : 0;
      const other = taken.has(candidate) ? 0.4 : 1;
      if (rank < 20) found.push({ candidate, score: candidate.shape * other * (0.46 - 0.02 * rank + time) });
      rank += 1;
    }
  }
  return values.size === 1
    ? found.map((each) => ({ ...each, score: Math.max(each.score, 0.6 * each.candidate.shape) }))
    : found;
}

/** Finds the dates to which labels with other meanings point. */
function findUsedDates(context: Context): ReadonlySet<Candidate> {
  const others = [
    "due-date",
    "delivery-date",
    "order-date",
    "period-start",
    "period-end",
    "birth-date",
    "print-date",
    "delivery-note",
    "order-number",
  ];
  const taken = new Set<Candidate>();
  for (const { hit } of findHits(context, others)) {
    for (const { candidate, proximity } of findLabeledCandidates(hit, "date", context))
      if (proximity > 0.5) taken.add(candidate);
  }
  return taken;
}

/** Finds the end of a period: by its own label, or else as the second date after the label of the period. */
function periodEnds(context: Context, keys: readonly string[]): Scored[] {
  const found = labeled(context, keys, "date");
  for (const { hit, weight } of findHits(context, ["period-start"])) {
    const [first, second] = findLabeledCandidates(hit, "date", context);
    if (first && second && first.candidate.spans[0].cell === second.candidate.spans[0].cell) {
      found.push({ candidate: second.candidate, score: 0.8 * weight * hit.prominence });
    }
  }
  return found;
}

function agreementParties(concept: "party-disclosing" | "party-receiving" | "parties", context: Context): Scored[] {
  const parties = findParties(context);
  const [first, second] = parties;
  if (!first) return [];
  if (concept === "parties") {
    const value = parties.map((party) => String(party.scored.candidate.value)).join("; ");
    const [head, ...rest] = parties.flatMap((party) => party.scored.candidate.spans);
    return head ? [{ candidate: { spans: [head, ...rest], value, shape: 1 }, score: 0.7 }] : [];
  }
  const disclosing = parties.find((party) => /disclos|divulg|offenleg|owner|company|employer/iu.test(party.called));
  const receiving = parties.find((party) =>
    /recei|recip|empf|récept|employee|executive|consultant/iu.test(party.called),
  );
  const [named, other] = concept === "party-disclosing" ? [disclosing, receiving] : [receiving, disclosing];
  const inOrder = concept === "party-disclosing" ? [first, second] : [second, first];
  const fallback = inOrder.find((party) => party && party !== other);
  return parties.map((party) => ({
    candidate: party.scored.candidate,
    score: party === named && party !== other ? 0.82 : party === fallback ? 0.55 : 0.15,
  }));
}

/** Finds the title of a document: a short line near the top in capitals or larger print. */
function titles(context: Context): Scored[] {
  return context.layout.rows.slice(0, 12).flatMap((row, index) =>
    row.cells.flatMap((cell) => {
      const letters = cell.text.replace(/[^\p{L}]/gu, "");
      if (letters.length < 4 || cell.text.length > 120) return [];
      let score = 0.34 - 0.015 * index;
      if (letters === letters.toUpperCase()) score += 0.12;
      if (isTitle(cell.text) || /(?:agreement|contract|vertrag|vereinbarung|contrat|accord)$/iu.test(cell.text.trim()))
        score += 0.3;
      if (cell.box && cell.box.y1 - cell.box.y0 > 1.25 * context.layout.height) score += 0.15;
      const span = { cell, start: 0, end: cell.text.length };
      return [{ candidate: { spans: [span], value: printed(span), shape: 1 } as const, score }];
    }),
  );
}

function unlabeled(field: Field, context: Context): Scored[] {
  const base = UNLABELLED[field.kind];
  if (base === undefined || (field.concept?.id === "buyer-vat-id" && field.kind === "tax-identifier")) return [];
  let rank = 0;
  return context.layout.cells.flatMap((cell) =>
    context.candidates(field.kind, cell).flatMap((candidate) => {
      if (candidate.shape < 0.8) return [];
      rank += 1;
      return [{ candidate, score: base * candidate.shape - 0.02 * Math.min(10, rank) }];
    }),
  );
}

function isShort(scored: Scored): boolean {
  return String(scored.candidate.value).length <= 60;
}
