import { concept, type Concept } from "./concept.ts";

/** Dates in documents. */
export const DATES: readonly Concept[] = [
  concept(
    "document-date",
    "date",
    "date|invoice date|document date|issue date|date of issue|receipt date|bill date|transaction date|purchase date|date issued|datum|rechnungsdatum|belegdatum|ausstellungsdatum|date de facture|date facture|date de la facture|date d emission|date du document|letter date",
    "invoice dt|inv date|date of invoice|tax invoice date|bill dt|dated|dat|trans date|date time|date and time|rech datum|rechnungs datum|rechnung vom|facture du|emise le|fait le|le|factuurdatum|fecha|data|datum uhrzeit|date of purchase|sales date|sale date|cash bill date|trn date|sent",
  ),
  concept(
    "due-date",
    "date",
    "due date|payment due date|payment date|pay by|date due|payable by|falligkeit|falligkeitsdatum|fallig am|zahlbar bis|zahlungsziel|date d echeance|echeance|date limite de paiement|a payer avant le|payment deadline",
    "payment due|due by|due on|fallig|fallig bis|bitte uberweisen sie bis zum|bis zum|zahlung bis|uberweisen sie bitte bis zum|zahlbar netto bis|netto bis|please pay by|vervaldatum|reglement avant le|a regler avant le|netto falligkeit",
  ),
  concept(
    "delivery-date",
    "date",
    "delivery date|service date|date of supply|ship date|shipping date|date of delivery|lieferdatum|leistungsdatum|liefertermin|date de livraison|date of service|liefer und leistungsdatum",
    "lieferschein datum|lieferscheindatum|versanddatum|date d expedition|date livraison|delivery note date|supply date|leistungszeitpunkt",
  ),
  concept(
    "order-date",
    "date",
    "order date|purchase order date|po date|bestelldatum|auftragsdatum|date de commande|date of order",
    "bestell datum|bestellt am|date commande|orderdatum",
  ),
  concept("print-date", "date", "print date|printed on|druckdatum|date d impression", "printed|print time|gedruckt am"),
  concept(
    "period-start",
    "date",
    "period start|start date|service period start|flight from|from date|period from|valid from|leistungszeitraum von|beginn|vertragsbeginn|date de debut|begin date|flight start|flight start date",
    "zeitraum von|gultig ab|abrechnungszeitraum|leistungszeitraum|billing period|service period|periode|flight dates|contract dates|contract dates from",
  ),
  concept(
    "period-end",
    "date",
    "period end|end date|service period end|flight to|to date|period to|valid until|valid to|expiry date|expiration date|ablaufdatum|gultig bis|ende|vertragsende|date de fin|date d expiration|expires|leistungszeitraum bis|flight end|flight end date",
    "valid till|expires on|exp date|zeitraum bis",
  ),
  concept(
    "effective-date",
    "date",
    "effective date|agreement date|contract date|date of agreement|commencement date|vertragsdatum|inkrafttreten|datum des inkrafttretens|date d effet|date d entree en vigueur|date of the agreement|signing date|date of contract|execution date",
    "dated as of|made as of|entered into as of|effective as of|with effect from|in kraft ab",
  ),
  concept(
    "birth-date",
    "date",
    "birth date|date of birth|birthday|geburtsdatum|geboren am|date de naissance",
    "dob|born",
  ),
];
