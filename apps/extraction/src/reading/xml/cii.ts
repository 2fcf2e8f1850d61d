import { element, type InvoiceFormat } from "./elements.ts";

const header = "ExchangedDocument|HeaderExchangedDocument";
const transaction = "SupplyChainTradeTransaction|SpecifiedSupplyChainTradeTransaction";
const agreement = `${transaction}/ApplicableHeaderTradeAgreement|ApplicableSupplyChainTradeAgreement`;
const delivery = `${transaction}/ApplicableHeaderTradeDelivery|ApplicableSupplyChainTradeDelivery`;
const settlement = `${transaction}/ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement`;
const sums = `${settlement}/SpecifiedTradeSettlementHeaderMonetarySummation|SpecifiedTradeSettlementMonetarySummation`;
const seller = `${agreement}/SellerTradeParty`;
const buyer = `${agreement}/BuyerTradeParty`;
const contact = `${seller}/DefinedTradeContact`;
const means = `${settlement}/SpecifiedTradeSettlementPaymentMeans`;
const date = "DateTimeString|DateTime|Date";
const lineAgreement = "SpecifiedLineTradeAgreement|SpecifiedSupplyChainTradeAgreement";
const lineDelivery = "SpecifiedLineTradeDelivery|SpecifiedSupplyChainTradeDelivery";
const lineSettlement = "SpecifiedLineTradeSettlement|SpecifiedSupplyChainTradeSettlement";
const lineSums = "SpecifiedTradeSettlementLineMonetarySummation|SpecifiedTradeSettlementMonetarySummation";

/**
 * The Cross Industry Invoice of UN/CEFACT, as in Factur-X, XRechnung and ZUGFeRD 1 and 2, and the order of Order-X. The terms are those of
 * EN 16931-3-3.
 */
export const crossIndustry: InvoiceFormat = {
  currency: `${settlement}/InvoiceCurrencyCode|OrderCurrencyCode`,
  type: `${header}/TypeCode`,
  document: [
    element("document-number", "text", `${header}/ID`),
    element("document-date", "date", `${header}/IssueDateTime/${date}`),
    element("due-date", "date", `${settlement}/SpecifiedTradePaymentTerms/DueDateDateTime/${date}`),
    element("delivery-date", "date", `${delivery}/ActualDeliverySupplyChainEvent/OccurrenceDateTime/${date}`),
    element("period-start", "date", `${settlement}/BillingSpecifiedPeriod/StartDateTime/${date}`),
    element("period-end", "date", `${settlement}/BillingSpecifiedPeriod/EndDateTime/${date}`),
    element("order-number", "text", `${agreement}/BuyerOrderReferencedDocument/IssuerAssignedID|ID`),
    element(
      "order-date",
      "date",
      `${agreement}/BuyerOrderReferencedDocument/FormattedIssueDateTime|IssueDateTime/${date}`,
      `${agreement}/BuyerOrderReferencedDocument/IssueDateTime`,
    ),
    element("contract-number", "text", `${agreement}/ContractReferencedDocument/IssuerAssignedID|ID`),
    element("delivery-note", "text", `${delivery}/DeliveryNoteReferencedDocument/IssuerAssignedID|ID`),
    element("customer-number", "text", `${buyer}/ID`),
    element("supplier-number", "text", `${seller}/ID`),
    element("reference", "text", `${agreement}/BuyerReference`),
    element("company-registration", "text", `${seller}/SpecifiedLegalOrganization/ID`),
    element("vat-id", "text", `${seller}/SpecifiedTaxRegistration/ID[@schemeID=VA]`),
    element("buyer-vat-id", "text", `${buyer}/SpecifiedTaxRegistration/ID[@schemeID=VA]`),
    element("tax-number", "text", `${seller}/SpecifiedTaxRegistration/ID[@schemeID=FC]`),
    element("seller", "text", `${seller}/Name`),
    element("seller-address", "address", `${seller}/PostalTradeAddress`),
    element("contact", "text", `${contact}/PersonName`),
    element("phone", "text", `${contact}/TelephoneUniversalCommunication/CompleteNumber`),
    element("email-address", "text", `${contact}/EmailURIUniversalCommunication/URIID`),
    element("buyer", "text", `${buyer}/Name`),
    element("buyer-address", "address", `${buyer}/PostalTradeAddress`),
    element("ship-to", "text", `${delivery}/ShipToTradeParty/Name`),
    element("iban", "text", `${means}/PayeePartyCreditorFinancialAccount/IBANID`),
    element("bic", "text", `${means}/PayeeSpecifiedCreditorFinancialInstitution/BICID`),
    element("payment-terms", "text", `${settlement}/SpecifiedTradePaymentTerms/Description`),
    element("currency", "text", `${settlement}/InvoiceCurrencyCode|OrderCurrencyCode`),
    element("lines", "number", `${sums}/LineTotalAmount`),
    element("charges", "number", `${sums}/ChargeTotalAmount`),
    element("discount", "number", `${sums}/AllowanceTotalAmount`),
    element("net", "number", `${sums}/TaxBasisTotalAmount`),
    element("tax", "number", `${sums}/TaxTotalAmount[@currencyID=CURRENCY]`, `${sums}/TaxTotalAmount`),
    element("gross", "number", `${sums}/GrandTotalAmount`),
    element("prepaid", "number", `${sums}/TotalPrepaidAmount`),
    element("rounding", "number", `${sums}/RoundingAmount`),
    element("due", "number", `${sums}/DuePayableAmount`),
    element("note", "text", `${header}/IncludedNote/Content`),
  ],
  taxes: {
    path: `${settlement}/ApplicableTradeTax`,
    elements: [
      element("tax-rate", "number", "RateApplicablePercent|ApplicablePercent"),
      element("tax-basis", "number", "BasisAmount"),
      element("tax", "number", "CalculatedAmount"),
    ],
  },
  lines: {
    path: `${transaction}/IncludedSupplyChainTradeLineItem`,
    elements: [
      element("line-number", "text", "AssociatedDocumentLineDocument/LineID"),
      element(
        "line-article",
        "text",
        "SpecifiedTradeProduct/SellerAssignedID",
        "SpecifiedTradeProduct/GlobalID",
        "SpecifiedTradeProduct/BuyerAssignedID",
      ),
      element("line-description", "text", "SpecifiedTradeProduct/Name", "SpecifiedTradeProduct/Description"),
      element("line-quantity", "number", `${lineDelivery}/BilledQuantity|RequestedQuantity`),
      element("line-unit", "unit", `${lineDelivery}/BilledQuantity|RequestedQuantity`),
      element("line-price", "number", `${lineAgreement}/NetPriceProductTradePrice/ChargeAmount`),
      element(
        "line-tax-rate",
        "number",
        `${lineSettlement}/ApplicableTradeTax/RateApplicablePercent|ApplicablePercent`,
      ),
      element("line-amount", "number", `${lineSettlement}/${lineSums}/LineTotalAmount`),
    ],
  },
};
