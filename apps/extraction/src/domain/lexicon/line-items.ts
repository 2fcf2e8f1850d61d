import { concept, type Concept } from "./concept.ts";

/** Columns in tables of goods, services and payments. */
export const LINE_ITEMS: readonly Concept[] = [
  concept(
    "line-description",
    "text",
    "description|item description|product description|item name|item|product|product name|service|article|name|goods|details|text|line description|beschreibung|bezeichnung|artikel|artikelbezeichnung|produkt|leistung|ware|warenbezeichnung|designation|libelle|produit|descriptif|program|activity",
    "description of goods|goods description|item desc|descr|desc|particulars|position beschreibung|leistungsbeschreibung|positionstext|material beschreibung|material|artikelbeschreibung|designation du produit|omschrijving|descripcion|descrizione|dienstleistung|artikel bezeichnung|title|item s|product title|services|description of services",
  ),
  concept(
    "line-quantity",
    "number",
    "quantity|qty|number of units|units|pieces|hours|count|menge|anzahl|stuck|stuckzahl|stunden|quantite|qte|nombre|billed quantity|spots",
    "quant|qty unit|qnty|qty s|quantity unit|menge einheit|stk|aantal|cantidad|quantita|q ty|qte unite|qtt|hrs|qty pcs|std|number of spots",
  ),
  concept(
    "line-price",
    "money",
    "unit price|price|price per unit|net price|item price|rate|unit cost|cost|einzelpreis|preis|stuckpreis|nettopreis|einheitspreis|e preis|ep|prix unitaire|prix|prix unitaire ht|pu|pu ht|p u|price each|list price",
    "price unit|u price|unit price rm|u p|price rm|up|u p rm|unit amount|einzel preis|einzelpreis eur|einzelpreis netto|preis pro einheit|preis einheit|prix unit|prix unit ht|prijs|precio|prezzo|preis stuck|netto einzelpreis|prijs per stuk|vk preis|rate rm|preis eur|einzelbetrag|s price",
  ),
  concept(
    "line-amount",
    "money",
    "amount|line total|line amount|total|total price|net amount|line net amount|item total|extended price|subtotal|sub amount|sum|value|total amount|gesamtpreis|gesamt|betrag|summe|nettobetrag|gesamtbetrag|positionsbetrag|positionssumme|wert|entgelt|montant|montant ht|prix ht|total ht|prix total|line value|net total|net line total|gesamtpreis netto|gross amount",
    "amt|amount rm|amt rm|total rm|nett amount|amount eur|ext price|extension|extended|ext amount|zeilensumme|zeilenbetrag|gesamt eur|betrag eur|gesamt netto|betrag netto|g preis|gp|gesamtwert|positions betrag|positionsbetrag ohne ust|prix total ht|montant net|montant ttc|total ttc|prix ttc|bedrag|importe|importo|totaal|sub total|total rs|prijs incl btw|amount usd|gross|net|warenwert|total inc gst|total excl gst|nettowert",
  ),
  concept(
    "line-tax-rate",
    "percent",
    "tax rate|vat rate|vat|tax|gst rate|vat percent|tax percent|gst|steuersatz|ust|mwst|ust satz|mwst satz|umsatzsteuer|steuer|tva|taux tva|taux de tva|taux",
    "tax code|vat %|tax %|gst %|ust %|mwst %|tva %|btw|iva|ust in %|mwst in %|steuersatz %|vat code|tax type|st|steuerschlussel",
  ),
  concept(
    "line-tax-amount",
    "money",
    "tax amount|vat amount|gst amount|ust betrag|mwst betrag|steuerbetrag|montant tva",
    "tax amt|tax rm|gst rm|gst amt|vat amt|tva montant",
  ),
  concept(
    "line-number",
    "identifier",
    "position|pos|line number|line|item number|no|line no|line item number|position number|positionsnummer|pos nr|ligne|numero de ligne|row number",
    "#|nr|lfd nr|sl no|s no|sr no|sno|posten|lfd|n|item no|serial no",
  ),
  concept(
    "line-article",
    "identifier",
    "article number|article no|sku|product code|item code|part number|product number|material number|item id|code|artikelnummer|artikel nr|art nr|materialnummer|produktnummer|reference|ref|code article|reference article|ean|gtin|upc|product id|style",
    "art no|art nr art|art nr lief|art nr kunde|artikelnr|artnr|part no|stock code|model|model no|isbn|hsn|hsn code|ref article|reference produit|item ref|material nr|barcode",
  ),
  concept(
    "line-unit",
    "text",
    "unit|unit of measure|uom|measure|unit code|einheit|mengeneinheit|me|unite|unite de mesure",
    "eh|einh|u m|um|unit s",
  ),
  concept(
    "line-discount",
    "money",
    "discount|rebate|rabatt|remise|discount amount|discount percent|nachlass",
    "disc|disc %|discount %|rab|rabatt %|rem|remise %|disc rm|dis|disc amt",
  ),
  concept(
    "line-date",
    "date",
    "date|service date|delivery date|datum|leistungsdatum|lieferdatum|date de livraison|line date|transaction date|booking date|buchungstag|air date",
    "valuta|wertstellung|tag",
  ),
  concept(
    "line-balance",
    "money",
    "running balance|balance after|balance|saldo|kontostand|solde|solde progressif",
    "balance rm|balance eur|new balance|neuer saldo|saldo eur",
  ),
  concept(
    "line-debit",
    "money",
    "debit|debits|debit amount|withdrawal|withdrawals|paid out|money out|soll|belastung|debito|cargo",
    "payments out|dr|debet|debit eur|soll eur",
  ),
  concept(
    "line-credit",
    "money",
    "credit|credits|credit amount|paid in|money in|haben|gutschriften|credito|abono",
    "payments in|cr|credit eur|haben eur",
  ),
  concept("line-due-date", "date", "due date|falligkeit|fallig am|echeance", ""),
  concept("line-person", "name", "party|party name|person|employee|contact|signer|partei|personne", ""),
];
