import { fold, joined } from "../fold.ts";

const LEGAL_FORMS =
  /(?<![\p{L}\d])(?:gmbh(?: ?& ?co\.?(?: ?kg)?)?|mbh|ug|ag|kg|kgaa|ohg|gbr|e\.? ?k\.?|e\.? ?v\.?|a\.g|vvag|eg|se|ltd|limited|llc|l\.l\.c|llp|plc|inc|incorporated|corp|corporation|company|co|lp|sarl|s\.a\.r\.l|sas|sasu|s\.a\.s|eurl|sa|s\.a|snc|sci|scop|bv|b\.v|nv|n\.v|srl|s\.r\.l|spa|s\.p\.a|oy|ab|as|a\/s|aps|kft|zrt|s\.r\.o|sro|sp\. ?z ?o\.?o|sdn\.? ?bhd|s\/b|plt|bhd|pte|pty|pvt)(?![\p{L}\d])/iu;

const SALUTATIONS =
  /^(?:dear|hello|hi|sehr geehrte[rs]?|liebe[rs]?|guten tag|bonjour|chere?|cher|madame|monsieur|(?:kind|best) regards|yours|mit freundlichen|cordialement|thank|thanks|vielen dank|danke|merci|welcome|willkommen|bienvenue|goods sold|please)(?!\p{L})/iu;

/** Words in the names of organizations, often before a legal form. */
const ORGANIZATION_WORDS =
  /(?<!\p{L})(?:enterprises?|trading|holdings?|group|gruppe|groupe|foundation|stiftung|association|partnership|partners)(?!\p{L})/iu;

/** Titles of documents and stamps on them that are not names, folded and joined. */
const TITLES: ReadonlySet<string> = new Set(
  "invoice taxinvoice simplifiedtaxinvoice receipt officialreceipt cashreceipt salesreceipt cashbill cashsales cashsale bill guestcheck creditnote proformainvoice originalinvoice original copy duplicate customercopy merchantcopy thankyou welcome rechnung handelsrechnung gutschrift rechnungskorrektur lieferschein angebot mahnung quittung beleg kassenbon kopie facture avoir devis recu ticket bondelivraison ticketdecaisse statement page seite order purchaseorder contract agreement exhibit confidential privilegedandconfidential draft taxinvoicereceipt receipttaxinvoice deliverynote quotation retailinvoicesbill information inhalt firma retailinvoice selfservice dinein takeaway reprint paid bezahlt paye acquitte".split(
    " ",
  ),
);

/** Whether a text is only the title of a document or a stamp, such as "TAX INVOICE" or "PAID". */
export function isTitle(text: string): boolean {
  const letters = joined(text);
  return TITLES.has(letters) || /^\p{L}{3,24}(?:rechnung|gutschrift)$/u.test(letters);
}

/** Whether a text contains a word of organizations, such as "Trading" or "Holdings". */
export function hasOrganizationWord(text: string): boolean {
  return ORGANIZATION_WORDS.test(fold(text));
}

/** Whether a text contains a legal form, such as "GmbH", "Ltd" or "SARL". */
export function hasLegalForm(text: string): boolean {
  return LEGAL_FORMS.test(fold(text));
}

/** Whether a text consists of little more than a legal form, as in the second line of "SMITH & SONS" / "(EUROPE) LTD". */
export function onlyLegalForm(text: string): boolean {
  const folded = fold(text);
  if (!LEGAL_FORMS.test(folded) && !ORGANIZATION_WORDS.test(folded)) return false;
  const rest = folded
    .replace(/\([^()]{0,20}\)/gu, "")
    .replace(new RegExp(`${LEGAL_FORMS.source}|${ORGANIZATION_WORDS.source}`, "giu"), "");
  return rest.replace(/[^\p{L}\d]/gu, "").length <= 2;
}

const FINAL_LEGAL_FORM = new RegExp(`${LEGAL_FORMS.source}\\.?\\W*$`, "iu");

/** Whether a text ends with a legal form, before numbers and words in brackets if there are any: "SMITH LTD (123456-A)". */
export function endsWithLegalForm(text: string): boolean {
  return FINAL_LEGAL_FORM.test(fold(text).replace(/\s*\([^()]*\)\W*$/u, ""));
}

/** Whether a text stops between the words of a legal form, as in "SMITH SDN" / "BHD". */
export function endsWithinLegalForm(text: string): boolean {
  return /(?<!\p{L})(?:sdn|pte|pty|pvt)\.?$/iu.test(text.trim());
}

/** Whether a line can only be the rest of a name that begins above: "LTD", or "& SONS LTD". */
export function continuesName(text: string): boolean {
  return text.startsWith("& ") || /^(?:bhd|ltd)\.?$/iu.test(text.trim());
}

/** Words of the headings of tables. Three of them are not a name, although "Amt inc. tax" contains a legal form. */
const HEADINGS =
  /(?<!\p{L})(?:qty|uom|u\.?price|price|amt|amount|total|tax|disc|code|item|description|menge|preis|betrag|prix|montant)(?!\p{L})/giu;

/**
 * Rates how much a text looks like the name of a person or an organization, from 0 to 1: a few words of letters, with capitals, and without
 * amounts or contact data. A legal form makes it likely.
 */
export function nameShape(text: string): number {
  const trimmed = text.trim();
  const letters = (trimmed.match(/\p{L}/gu) ?? []).length;
  const digits = (trimmed.match(/\d/gu) ?? []).length;
  if (letters < 2 || trimmed.length > 90 || isTitle(trimmed)) return 0;
  if (SALUTATIONS.test(trimmed) || (trimmed.match(HEADINGS) ?? []).length > 2) return 0;
  if (/[@:;=<>|{}[\]]|https?|www\./iu.test(trimmed) || /\d[.,]\d{2}(?!\d)/u.test(trimmed)) return 0;
  if (digits > letters || /^[^\p{L}\d]*\d{4,}/u.test(trimmed)) return 0;
  let shape = 0.6;
  const words = trimmed.split(/\s+/u);
  const small = words.filter((word) => /^\p{Ll}/u.test(word)).length;
  const organization =
    (hasLegalForm(trimmed) || ORGANIZATION_WORDS.test(trimmed)) && words.length <= 10 && small <= words.length / 2;
  if (organization) shape += 0.35;
  if (!/\p{Lu}/u.test(trimmed)) shape -= 0.25;
  if (digits > 0) shape -= 0.2;
  if (words.length > 8) shape -= 0.3;
  if (/[.!?]$/u.test(trimmed) && !organization) shape -= 0.15;
  if (small > words.length / 2) shape -= 0.25;
  return Math.max(0, Math.min(1, shape));
}
