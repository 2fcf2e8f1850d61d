import { findDates } from "@switchyard/text";
import { nameShape } from "../../../candidates/names.ts";
import type { Context } from "../../../context.ts";
import { createFlow, type Flow } from "../../../layout/flow.ts";
import { collapse } from "../../../fold.ts";
import type { Scored } from "./scoring.ts";

const READ = 120_000;
const OPENING = 6_000;
const COUNT =
  "(?:\\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|eighteen|twenty[- ]four|twenty|thirty[- ]six|thirty|forty[- ]five|sixty|ninety|ein|eine|einem|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|un|une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|douze)";
const UNIT = "(?:years?|months?|weeks?|days?|Jahren?|Monaten?|Wochen?|Tagen?|ans?|années?|mois|semaines?|jours?)";
const DURATION = `(?<![\\p{L}-])(${COUNT}(?:[- ]?\\(\\s?\\d{1,3}\\s?\\))?[- ](?:full |calendar |business |consecutive )?${UNIT})(?!\\p{L})`;
const TERM_LEAD =
  "(?:period|term|duration|Dauer|Zeitraum|Laufzeit|Frist|durée|période)\\s(?:of|von|de)\\s(?:at least |up to |approximately |d'|mindestens )?";
const FROM = "(?:from|after|following|ab|nach|à compter|à partir)";

/** Finds the term of an agreement: "for a period of two (2) years". Periods about hiring and competition score lower. */
export function findTerms(context: Context): Scored[] {
  const flow = createFlow(context.layout, READ);
  const found: Scored[] = [];
  const add = (match: RegExpExecArray, base: number): void => {
    const value = match[1] as string;
    const start = match.index + match[0].indexOf(value);
    const around = flow.text.slice(Math.max(0, start - 250), start + value.length + 200).toLowerCase();
    let score = base;
    if (
      /confiden|disclos|agreement shall|survive|expire|remain in|in effect|in force|vertrag|vereinbarung|gilt|contrat|accord/u.test(
        around,
      )
    )
      score += 0.12;
    if (/solicit|compet|employ|hire|notice|cure|severance|salary|purchase|acquire|arbeitsverhältnis/u.test(around))
      score -= 0.25;
    push(found, flow, start, start + value.length, score - (0.08 * start) / READ);
  };
  for (const match of flow.text.matchAll(new RegExp(TERM_LEAD + DURATION, "giu"))) add(match, 0.55);
  for (const match of flow.text.matchAll(new RegExp(`${DURATION}(?= ${FROM} )`, "giu"))) add(match, 0.4);
  return found;
}

const PLACE =
  "((?:Federal Republic of |Republic of |Kingdom of |Province of |People['’]s Republic of )?\\p{Lu}(?:\\p{L}+|(?:\\.\\p{Lu})+\\.?)(?: (?:and |of )?\\p{Lu}\\p{L}+){0,3})";
const GERMAN_LAW =
  /(?:Rechts?|Gesetzen?) (?:der|des|von) (?:the )?(Bundesrepublik Deutschland|Republik Österreich|Schweiz(?:erischen Eidgenossenschaft)?|\p{Lu}\p{L}+)/gu;
const NATIONAL_LAW =
  /(?<!\p{L})((?:deutsche[smn]|österreichische[smn]|schweizer(?:ische[smn])?) (?:materielle[smn] )?Recht|droit (?:français|suisse|belge|allemand|luxembourgeois|canadien|anglais))(?!\p{L})/giu;

/** Finds the governing law of an agreement: "the laws of the State of Ohio" gives "Ohio". */
export function findJurisdictions(context: Context): Scored[] {
  const flow = createFlow(context.layout, READ);
  const found: Scored[] = [];
  const add = (match: RegExpExecArray, base: number): void => {
    const value = (match[1] ?? "").replace(/\.$/u, "");
    const start = match.index + match[0].lastIndexOf(match[1] ?? "");
    const before = flow.text.slice(Math.max(0, start - 200), start).toLowerCase();
    const isGoverned =
      /govern|constru|interpret|in accordance|unterlieg|anwendbar|findet|gilt|régi|soumis|droit applicable/u.test(
        before,
      );
    push(found, flow, start, start + value.length, isGoverned ? base : base - 0.35);
  };
  const lead =
    "\\blaws?,?(?: and not the law of conflicts,?)? of (?:the )?(?:(?:State|STATE|Commonwealth|COMMONWEALTH|District|state) (?:of|OF) )?";
  for (const match of flow.text.matchAll(new RegExp(lead + PLACE, "gu"))) add(match, 0.85);
  for (const match of flow.text.matchAll(
    new RegExp(`\\b(?:State|STATE|Commonwealth|COMMONWEALTH) (?:of|OF) ${PLACE}`, "gu"),
  ))
    add(match, 0.7);
  for (const match of flow.text.matchAll(/governed by (?:the )?(\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?) laws?\b/gu))
    add(match, 0.85);
  for (const match of flow.text.matchAll(GERMAN_LAW)) add(match, 0.8);
  for (const match of flow.text.matchAll(NATIONAL_LAW)) add(match, 0.8);
  return found;
}

/** Finds the effective date of an agreement: "dated as of", "effective", "entered into this 3rd day of"; or else its first date. */
export function findEffectiveDates(context: Context): Scored[] {
  const flow = createFlow(context.layout, OPENING);
  const found: Scored[] = [];
  findDates(flow.text, context.order).forEach(({ start, end, value, shape }, index) => {
    const before = flow.text.slice(Math.max(0, start - 45), start).toLowerCase();
    let score = Math.max(0.2, 0.42 - 0.06 * index);
    if (/(?:effective|in kraft|effet|wirkung)[^.]{0,30}$/u.test(before)) score = 0.85;
    else if (
      /(?:dated|as of|made|entered into|executed|on this|geschlossen|conclu|en date du)[^.]{0,25}$/u.test(before)
    )
      score = 0.78;
    const spans = flow.spans(start, end);
    if (spans) found.push({ candidate: { spans, value, shape }, score: score * shape - 0.02 * index });
  });
  return found;
}

/** A party in the opening of an agreement, with its designation in brackets. */
export interface Party {
  readonly scored: Scored;
  /** The designation, for example "Disclosing Party"; empty if there is none. */
  readonly called: string;
}

const PARTY_END =
  /,? (?:a|an|with|having|whose|located|organized|hereinafter|hereafter|residing|resident|acting|represented|mit Sitz|vertreten|ayant|dont|sise?|une?|société|effective|dated|as of|relating|regarding|in connection|is|are|wird|wherein)(?!\p{L})|\s*[("“„«[]|,(?! ?(?:Inc|INC|LLC|L\.L\.C|Ltd|LTD|L\.P|LP|LLP|Corp|Co|N\.A|S\.A|PLC|GmbH|AG|Limited|Incorporated|N\.V|B\.V)(?!\p{L}))| (?:and|und|et|AND) |[;:]|(?<=\p{L}{3})\.(?= \p{Lu}\p{Ll})/u;

/** Finds the parties in the opening of an agreement: "by and between X ("Discloser"), and Y ("Recipient")". At most six. */
export function findParties(context: Context): Party[] {
  const flow = createFlow(context.layout, OPENING);
  const parties: Party[] = [];
  for (const match of flow.text.matchAll(
    /(?<!\p{L})(?:by and between|by and among|between|among|BY AND BETWEEN|BETWEEN|zwischen|ZWISCHEN|entre|ENTRE)(?!\p{L})\s?:?\s?/gu,
  )) {
    const from = match.index + match[0].length;
    const found: Party[] = [];
    let at: number | undefined = from;
    while (at !== undefined && found.length < 6) {
      const party = partyAt(flow, at, found.length);
      if (!party) break;
      found.push(party.party);
      at = nextParty(flow.text, party.end, from + 1_500);
    }
    if (found.length >= 2) return found;
    if (parties.length === 0) parties.push(...found);
  }
  return parties;
}

function partyAt(flow: Flow, from: number, rank: number): { party: Party; end: number } | undefined {
  const lead = /^(?:the |\(?\d\)|\(?[a-z]\)|,|\s)*/u.exec(flow.text.slice(from, from + 20))?.[0].length ?? 0;
  const rest = flow.text.slice(from + lead, from + lead + 110);
  const stop = PARTY_END.exec(rest)?.index ?? -1;
  if (stop < 2 || !/^\p{Lu}|^\d/u.test(rest)) return undefined;
  const value = collapse(rest.slice(0, stop));
  const spans = flow.spans(from + lead, from + lead + stop);
  if (!spans || nameShape(value) < 0.4) return undefined;
  const after = flow.text.slice(from + lead + stop, from + lead + stop + 400);
  const called =
    /[("“„«]\s*(?:the |hereinafter |die |der |le |la )?["“„«]?([\p{L} ]{2,40})["”“»)]/u.exec(after)?.[1] ?? "";
  return {
    party: { scored: { candidate: { spans, value, shape: 1 }, score: 0.75 - 0.02 * rank }, called },
    end: from + lead + stop,
  };
}

function nextParty(text: string, from: number, limit: number): number | undefined {
  const whole = text.slice(from, Math.min(limit, from + 700));
  const sentence = /(?<=\p{L}{3}|[)”"])(?<!Inc|Ltd|Corp|LTD|INC|Mrs)\.\s+(?=\p{Lu})|WHEREAS|WITNESSETH|RECITALS/u.exec(
    whole,
  );
  const rest = whole.slice(0, sentence?.index ?? whole.length);
  const next = /[,)”"“.\p{L}\d] (?:and|und|et|AND) (?=(?:the )?\p{Lu})|^ (?:and|und|et|AND) (?=(?:the )?\p{Lu})/u.exec(
    rest,
  );
  return next ? from + next.index + next[0].length : undefined;
}

function push(found: Scored[], flow: Flow, start: number, end: number, score: number): void {
  const spans = flow.spans(start, end);
  if (spans) found.push({ candidate: { spans, value: collapse(flow.text.slice(start, end)), shape: 1 }, score });
}
