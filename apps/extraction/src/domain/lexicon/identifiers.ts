import { concept, type Concept } from "./concept.ts";

/** Numbers and codes that identify documents, persons, accounts and things. */
export const IDENTIFIERS: readonly Concept[] = [
  concept(
    "document-number",
    "identifier",
    "invoice number|invoice no|invoice id|invoice|number~|nummer~|facture|document number|receipt number|receipt no|bill number|bill no|invoice nr|credit note number|rechnungsnummer|rechnungsnr|belegnummer|beleg nr|numero de facture|facture no|numero facture|no facture|reference number of invoice|rechnung nr",
    "inv no|inv num|invoice num|inv nr|tax invoice no|tax invoice number|tax inv no|invoice ref|cash bill no|bill|receipt|rcpt no|rcpt|receipt id|receipt num|doc no|document no|cash receipt no|trans no|transaction no|transaction number|slip no|chit no|check no|rechn nr|rechnung|rechnungs nr|re nr|rg nr|beleg|gutschrift nr|gutschrift|gutschriftsnummer|rechnungskorrektur nr|rechnungskorrektur|facture n|facture numero|n facture|n de facture|avoir|avoir n|credit note no|credit note|factuurnummer|factuur|fattura n|numero factura|handelsrechnung|handelsrechnung nr|schlussrechnung|teilrechnung|abschlagsrechnung|invoice code|cs no|ref no|proforma invoice no|kaufmannische rechnung nr",
  ),
  concept(
    "order-number",
    "identifier",
    "order number|order no|purchase order number|purchase order|po number|order id|buyer order number|sales order number|bestellnummer|bestellung|bestell nr|auftragsnummer|auftrags nr|auftrag|ihre bestellung|numero de commande|commande|no de commande|bon de commande|order reference",
    "po|p o no|po no|po nr|p o number|your order|your order no|order ref|bestellnr|bestellung nr|bestellreferenz|n commande|n de commande|commande n|so no|sales order|order|auftragsnr|ordernummer|job no",
  ),
  concept(
    "contract-number",
    "identifier",
    "contract number|contract no|contract id|agreement number|vertragsnummer|vertrags nr|numero de contrat|contract|policy number|policennummer",
    "contract revision|contract nr|vertrag nr|vertragsnr|contrat n|est number|estimate number|policy no",
  ),
  concept(
    "delivery-note",
    "identifier",
    "delivery note number|delivery note|delivery number|lieferscheinnummer|lieferschein|bon de livraison|delivery order number",
    "lieferschein nr|lieferscheinnr|do no|d o no|delivery no|delivery order no|bl n|n bon de livraison|lieferung nr",
  ),
  concept(
    "customer-number",
    "identifier",
    "customer number|customer no|customer id|client number|client id|account number of customer|kundennummer|kunden nr|kundennr|kunden id|numero client|no client|code client|customer code|debtor number|buyer id",
    "cust no|customer|client no|client code|debitor|debitorennummer|debitor nr|id client|n client|klantnummer|a c no|customer acc no|member no|member id|member|membership no|reference client|account id",
  ),
  concept(
    "supplier-number",
    "identifier",
    "supplier number|vendor number|seller id|supplier id|vendor id|lieferantennummer|lieferanten nr|numero fournisseur|code fournisseur",
    "lief nr|lieferantennr|supplier no|vendor no|supplier code",
  ),
  concept(
    "reference",
    "identifier",
    "reference|reference number|your reference|our reference|payment reference|referenz|verwendungszweck|ihr zeichen|unser zeichen|zahlungsreferenz|votre reference|notre reference|reference de paiement|file number|aktenzeichen|case number|registration number|mandatsreferenz",
    "ref|reference no|your ref|our ref|buchungsreferenz|weitere referenz|ref paiement|n reference|registration no|leitweg id|leitwege id|buyer reference|re",
  ),
  concept(
    "company-registration",
    "identifier",
    "company registration number|company registration|registration of company|business registration number|handelsregisternummer|handelsregister|siret|siren|company number|registered number|hrb|business number",
    "co reg no|company reg no|co no|roc no|reg no|business reg no|co reg|company no|hrb nr|rcs|kvk|abn|uen|ein|gln|globale nummer",
  ),
  concept(
    "vat-id",
    "tax-identifier",
    "vat id|vat number|seller vat id|vat registration number|vat identification number|tax id|tax number|supplier vat id|ust id|ust idnr|umsatzsteuer id|umsatzsteuer identifikationsnummer|umsatzsteueridentifikationsnummer|vat no|vat reg no|numero de tva|numero tva|tva intracommunautaire|gst number|gst registration number|gst id|seller tax id",
    "ust id nr|ustid|ustidnr|ust identnr|umsatzsteuer id nr|uid|uid nr|vat reg|vat registration no|gst no|gst reg no|gst id no|gst reg|gst registration no|gstin|gst regn no|n tva|no tva|tva no|id tva|n tva intracommunautaire|n tva intra|tva intra|btw nummer|btw nr|btw|vat tin|tin|vat|tva|tax reg no|partita iva|nif|mwst nr|service tax",
  ),
  concept(
    "buyer-vat-id",
    "tax-identifier",
    "buyer vat id|customer vat id|customer vat number|client vat id|ust id kunde|tva client|numero tva client",
    "n tva client|ihre ust idnr|ihre ust id|ihre ust id nr|your vat id|your vat no|your vat number|customer vat no|ust idnr kunde|ihre umsatzsteuer id",
  ),
  concept(
    "tax-number",
    "identifier",
    "local tax number|steuernummer|steuer nr|numero fiscal|fiscal number",
    "steuernr|st nr|fiscal code|ssm no",
  ),
  concept(
    "iban",
    "iban",
    "iban|bank account|account iban|bank account number|account number|kontonummer|konto|bankverbindung|compte bancaire|iban number|numero de compte",
    "account no|konto nr|acc no|bank acc|a c|kto nr|ktonr|kontonr|bank details",
  ),
  concept("bic", "bic", "bic|swift|bic code|swift code|bic swift|swift bic", "verkaufer bic"),
  concept("bank", "name", "bank|bank name|banque|name der bank|kreditinstitut|nom de la banque", ""),
  concept(
    "email-address",
    "email",
    "email|e mail|email address|mail|e mail adresse|courriel|adresse email|contact email|seller email",
    "",
  ),
  concept(
    "phone",
    "phone",
    "phone|telephone|phone number|telephone number|tel|telefon|telefonnummer|mobile|handy|contact number|numero de telephone",
    "tel no|fon|h p|hp|mobil|portable|phone no|hotline|rufnummer",
  ),
  concept("fax", "phone", "fax|fax number|telefax|faxnummer|telecopie", "fax no|fax nr"),
  concept("website", "url", "website|web|url|homepage|internet|site web|web site|webseite", "www"),
  concept(
    "currency",
    "currency",
    "currency|currency code|invoice currency|document currency|wahrung|rechnungswahrung|devise|monnaie",
    "wahrungscode|betrage in|alle betrage in|angaben in|preise in|amounts in|all amounts in|prices in|montants en|tous les montants en|montants exprimes en|prix en|importes en|importi in|bedragen in",
  ),
  concept(
    "position-reference",
    "identifier",
    "store number|terminal|pos number|cashier number|table number|till",
    "cashier|counter|table no|table|station|terminal id|salesperson|sales person|server|waiter|kasse|kassierer|bediener|tisch|caisse|caissier|time|uhrzeit|heure|cust name|mode of payment|approval code|approval no|batch no|auth code|card no|kartennummer|seite|page|page no",
  ),
];
