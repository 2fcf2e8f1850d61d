import { concept, type Concept } from "./concept.ts";

/** Sums and rates of a whole document, and other amounts whose labels must not be confused with them. */
export const AMOUNTS: readonly Concept[] = [
  concept(
    "gross",
    "money",
    "total|grand total|total amount|gross amount|gross total|total gross|invoice total|total incl vat|total including tax|amount incl tax|invoice amount|receipt total|grand|gross|bruttobetrag|gesamtbetrag|rechnungsbetrag|bruttosumme|gesamtsumme|rechnungssumme|endbetrag|brutto|total ttc|montant ttc|montant total|total facture|somme totale|montant total ttc",
    "total includes gst|total includes tax|total includes vat|amount incl gst|amount including gst|net total~|nett total|net amount payable|total due|total payable|total sales|total rm|total inclusive of gst|total sales inclusive of gst|total sales inclusive gst|total inclusive gst|total incl gst|total amount incl gst|total including gst|total amt incl gst|total with gst|total gst incl|total sales incl gst|total amount rm|total amt payable|total amount payable|nett total|net total rm|round total|final total|rounded total|total rounded|total after rounding|total rounding adj|total incl|total incl taxes|total eur|summe|gesamt|summe brutto|gesamt brutto|brutto gesamt|total brutto|summe eur|totaal|totaal incl btw|totale|importe total|total a pagar|nett|amount total|order total|bill total|contract total|gesamtpreis brutto|gesamtbetrag brutto|gesamtsumme brutto|zahlungsbetrag|tax inclusive amount|total tax inclusive|total bill|invoice total amount|total invoice amount|total invoice|total amount incl vat|total including vat|total with tax|total with vat|gross sum|gross invoice amount|gesamtrechnungsbetrag|bruttorechnungsbetrag|gesamtbetrag inkl mwst|gesamtbetrag inkl ust|gesamt inkl mwst|summe inkl mwst|endsumme|gesamtendbetrag|rechnungsbetrag brutto|rechnungsendbetrag|rechnungsbetrag gesamt|total toutes taxes comprises|total general|montant total tva comprise|total de la facture|montant de la facture|total factura|total con iva|totale fattura|totale documento|totaal inclusief btw|totaalbedrag|summa|razem|suma|total included gst rm~",
  ),
  concept(
    "net",
    "money",
    "net amount|net total|total net|subtotal|net|net sum|total excl vat|total excluding tax|amount excl tax|amount before tax|taxable amount|tax basis|nettobetrag|nettosumme|gesamtnetto|netto|warenwert netto|summe netto|total ht|montant ht|montant net|sous total|total hors taxes",
    "total before tax|total without tax|total excl gst|total excluding gst|sub total excl gst|sub total excluding gst|total excl|rechnungssumme ohne ust|rechnungssumme netto|gesamtbetrag netto|gesamt netto|netto gesamt|gesamtsumme netto|summe ohne ust|summe ohne mwst|zwischensumme|zwischensumme netto|total net ht|total net hors taxes|total hors taxe|subtotaal|exclusief btw|totaal excl btw|base imponible|imponibile|tax exclusive amount|total before gst|netto summe|nettowert|netto total|gesamt ohne mwst|sub total|total excluding vat|amount excluding vat|total without vat|net value|total net value|net invoice amount|nettobetrag gesamt|gesamt nettobetrag|nettorechnungsbetrag|summe nettobetrage|total hors tva|montant hors taxes|montant total ht|montant hors tva|total net de taxes|base imponible total|totale imponibile|subtotal sin iva|bedrag excl btw|totaal exclusief btw|total net amount",
  ),
  concept(
    "tax-basis",
    "money",
    "tax base|tax basis amount|basisbetrag|steuerbasisbetrag|base ht|base taxable",
    "basis|base|steuerbasis|bemessungsgrundlage|montant de base|assiette|teilzahlung|grundbetrag|basismenge|warenwert zu abschlag|goods amount|gst summary|tax summary|gst amount summary",
  ),
  concept(
    "opening-balance",
    "money",
    "opening balance|previous balance|starting balance|beginning balance|anfangssaldo|alter saldo|ancien solde|solde initial|solde precedent|saldo inicial|saldo iniziale",
    "balance forward|last balance|alter kontostand|saldo alt|anfangsbestand",
  ),
  concept(
    "closing-balance",
    "money",
    "closing balance|new balance|ending balance|final balance|endsaldo|neuer saldo|schlusssaldo|nouveau solde|solde final|saldo final|saldo finale",
    "neuer kontostand|saldo neu|endbestand|balance at end of period",
  ),
  concept(
    "carry",
    "money",
    "carried forward|brought forward|carry over|ubertrag|report a nouveau",
    "carry forward|balance carried forward|balance brought forward|amount carried forward|amount brought forward|subtotal carried forward|total carried forward|total brought forward|carried over|continued|page total|page subtotal|total this page|total of this page|ubertrag von seite|ubertrag auf seite|ubertrag seite|summe ubertrag|vortrag|saldovortrag|seitensumme|zwischensumme seite|a reporter|report|total a reporter|report page precedente|sous total a reporter|total page|a nuovo riporto|riporto|suma y sigue|suma anterior|transport|te transporteren",
  ),
  concept(
    "lines",
    "money",
    "sum of lines|line total amount|positionssumme|total lines|lines total",
    "summe positionen|summe der positionen|warenwert|total lignes|total articles ht|item subtotal",
  ),
  concept(
    "tax",
    "money",
    "tax|tax amount|vat|vat amount|total tax|total vat|gst|gst amount|sales tax|tax total|vat total|steuerbetrag|umsatzsteuer|mehrwertsteuer|steuer|mwst|ust|mwst betrag|ust betrag|umsatzsteuerbetrag|tva|montant tva|total tva|total taxes|taxes|montant de la tva|montant taxe",
    "total gst|total included gst|ust gesamt|mwst gesamt|gesamt mwst|gesamt ust|summe ust|summe mwst|summe steuer|steuer gesamt|zzgl mwst|zzgl ust|zuzuglich mwst|zzgl umsatzsteuer|zuzuglich umsatzsteuer|inkl mwst|enthaltene mwst|gesetzl mwst|steuerbetrag in eur|tva collectee|btw|iva|hst|pst|gst payable|total iva|gst tax|tax gst|service tax|add vat|plus vat|summe umsatzsteuer|summe mehrwertsteuer|gesamt umsatzsteuer|zzgl ust gesamt|mehrwertsteuerbetrag|summe der steuern|total des taxes|total de la tva|totale iva|total impuestos|cuota iva|impuestos|imposta|btw bedrag|totaal btw|total hst|moms|mva|pdv|dph|vat due|dont tva|total tax amount|vat total amount|versicherungssteuer",
  ),
  concept(
    "tax-rate",
    "percent",
    "tax rate|vat rate|gst rate|vat percent|tax percent|steuersatz|mwst satz|ust satz|umsatzsteuersatz|taux tva|taux de tva|tax percentage",
    "vat %|tax %|ust %|mwst %|tva %|taux",
  ),
  concept(
    "due",
    "money",
    "amount due|due amount|balance due|due|payable amount|amount payable|outstanding amount|balance|amount to pay|due payable|zahlbetrag|zahlbetrag offen|offener betrag|restbetrag|falliger betrag|zu zahlen|zu zahlender betrag|net a payer|solde a payer|reste a payer|montant a payer|somme a payer|montant du|net payable",
    "total amount due|total due amount|please pay|balance to pay|noch zu zahlen|zahllast|uberweisungsbetrag|forderungsbetrag|net a payer ttc|te betalen|solde|solde du|residual|residual amount|remaining amount|remaining balance|amount remaining|outstanding|outstanding balance|open amount|open balance|total balance due|total outstanding|amount owing|balance payable|now due|total now due|reste du|restsumme|noch offen|offene forderung|zu bezahlen|zu bezahlender betrag|zahlbar|faelliger gesamtbetrag|falliger gesamtbetrag|total a regler|montant a regler|a payer|importe pendiente|saldo pendiente|da pagare|totale da pagare|te betalen bedrag|openstaand bedrag|payment due|pay this amount",
  ),
  concept(
    "prepaid",
    "money",
    "prepaid amount|amount paid|deposit|paid amount|anzahlung|erhaltene anzahlungen|acompte|deja paye|prepaid|advance payment",
    "bereits bezahlt|bereits gezahlt|abzuglich anzahlung|acomptes verses|acompte verse|total paid|less paid|paid",
  ),
  concept(
    "cash",
    "money",
    "cash|cash tendered|tendered|cash received|amount tendered|bar|bargeld|especes",
    "cash paid|payment|paid amount|amount paid|paid|pay|tender|accepted total|total paid|tendered amount|amount tender|gegeben|bar gegeben|rendered|paid amount cash|tunai|visa|visa card|credit card|master|mastercard|amex|debit|card|ec karte|carte bancaire",
  ),
  concept(
    "change",
    "money",
    "change|change due|ruckgeld|rendu|monnaie rendue",
    "change rm|amount change|change amount|cash change|balance change|wechselgeld|zuruck|a rendre|chg|baki",
  ),
  concept(
    "rounding",
    "money",
    "rounding|rounding adjustment|rounding amount|rundung|arrondi",
    "rounding adj|round adj|round off|rnd adj|rounding diff|rundungsbetrag|round amt|rounding adjustments|rounding adjustment rm|rounding rm|cash rounding",
  ),
  concept(
    "discount",
    "money",
    "discount|discount amount|total discount|rebate|rabatt|skonto|nachlass|remise|rabais|escompte",
    "disc|discounts|total disc|total savings|savings|you saved|item discount|bill discount|gesamtbetrag der abschlage|abschlage|abschlag|gesamtrabatt|total remise|less discount",
  ),
  concept(
    "charges",
    "money",
    "charges|charge amount|service charge|zuschlag|zuschlage|frais",
    "gesamtbetrag der zuschlage|svc chg|service chg|servc charge|zu abschlag",
  ),
  concept(
    "shipping",
    "money",
    "shipping|shipping cost|freight|delivery charge|postage|versand|versandkosten|frachtkosten|frais de port|frais d expedition|livraison",
    "shipping charges|shipping handling|transportkosten|port et emballage|delivery fee",
  ),
  concept("tip", "money", "tip|gratuity|trinkgeld|pourboire"),
  concept(
    "total-quantity",
    "number",
    "total quantity|item count|total items|number of items|total qty|anzahl artikel|anzahl positionen|nombre d articles",
    "total item s|qty count|total no of items|no of items|items count|total item|item s|total pcs|total quantity sold|total item count|total unit s|gesamtmenge|gesamtgewicht",
  ),
  concept("points", "number", "points|loyalty points|reward points", "total points|points earned|punkte|point balance"),
];
