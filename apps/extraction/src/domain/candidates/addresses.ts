import { fold } from "../fold.ts";

const STREETS =
  /(?<!\p{L})(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd|square|sq|highway|hwy|way|court|plaza|floor|suite|unit|block|blk|lot|no|building|bldg|tower|park|industrial|po box|p\.o\. box|postfach|platz|allee|weg|gasse|ring|ufer|damm|markt|rue|chemin|place|quai|impasse|cours|route|bp|cedex|via|viale|piazza|calle|avenida|jalan|jln|lorong|taman|bandar|kampung|persiaran)(?!\p{L})|stra(?:ss|b)e|str\.|\p{L}{2}(?:weg|platz|gasse|allee|ring|damm|ufer|straat|laan)\.? \d/u;

/** Rates how much a line looks like a part of a postal address, from 0 to 1, by postcodes, street words, house numbers and commas. */
export function addressShape(text: string): number {
  const folded = fold(text);
  if (/@|www\.|https?:/u.test(folded)) return 0;
  let shape = 0;
  if (/(?<!\d)\d{4,6}(?!\d)/u.test(text) || /(?<!\p{L})[A-Z]{1,2}\d{1,2}[A-Z]? ?\d[A-Z]{2}(?!\p{L})/u.test(text))
    shape += 0.4;
  if (STREETS.test(folded)) shape += 0.4;
  if (/(?<!\d)\d{1,4}\p{L}?(?:[-/]\d{1,4}\p{L}?)?(?![\d.,]\d)/u.test(text)) shape += 0.15;
  if (text.includes(",")) shape += 0.15;
  if (!/\d/u.test(text)) shape -= 0.15;
  if ((text.match(/(?<!\p{L})\p{Ll}{2,}/gu) ?? []).length > 5) shape -= 0.3;
  return Math.min(1, Math.max(0, shape));
}

/** What is not part of an address: telephone, registration and tax numbers, web addresses, titles with a colon, dates and times. */
const OTHER =
  /(?<!\p{L})(?:tel|telephone|telefon|fon|phone|fax|telefax|mobile|whatsapps?|h\/?p|gst|vat|tva|ust|reg|registration|(?:co|br)\.? ?no|company no|roc|rob|siret|siren|email|e-mail|mail|www|http|invoice|receipt|rechnung|facture|date|datum|time|cashier|counter|number|own(?:ed)? by|bill to|customer|careline|hotline|bank|iban|ssm)(?!\p{L})|@|\d{1,2}:\d{2}/u;

/** Whether a line ends an address block, because not all of it is part of an address. */
export function endsAddress(text: string): boolean {
  return OTHER.test(fold(text));
}

/** Returns where the part of a line begins that is not part of an address; the length of the line if there is none. */
export function findAddressEnd(text: string): number {
  const folded = fold(text);
  // Folding may change the length of a text.
  return folded.length === text.length ? (OTHER.exec(folded)?.index ?? text.length) : 0;
}

/** The end of a line that ends an address. */
const COUNTRY =
  /(?<!\p{L})(?:malaysia|singapore|germany|deutschland|france|austria|österreich|switzerland|schweiz|suisse|united kingdom|ireland|usa|canada|australia|belgium|belgique|spain|españa|italy|italia|netherlands|nederland|polska|poland|portugal|sweden|denmark|norway|finland|india)\W*$/iu;

/** Whether a line ends with the name of a country. */
export function endsWithCountry(text: string): boolean {
  return COUNTRY.test(text);
}
