import { element, type InvoiceFormat } from "./elements.ts";

const seller = "AccountingSupplierParty|SellerSupplierParty/Party";
const buyer = "AccountingCustomerParty|BuyerCustomerParty/Party";
const sums = "LegalMonetaryTotal|RequestedMonetaryTotal|AnticipatedMonetaryTotal";
const item = "LineItem/Item";

/** The Universal Business Language of OASIS, version 2: invoices, credit notes and orders, as in Peppol BIS and XRechnung. */
export const universal: InvoiceFormat = {
  currency: "DocumentCurrencyCode",
  type: "InvoiceTypeCode|CreditNoteTypeCode|OrderTypeCode",
  document: [
    element("document-number", "text", "ID"),
    element("document-date", "date", "IssueDate"),
    element("due-date", "date", "DueDate", "PaymentMeans/PaymentDueDate", "PaymentTerms/PaymentDueDate"),
    element("delivery-date", "date", "Delivery/ActualDeliveryDate", "Delivery/RequestedDeliveryPeriod/StartDate"),
    element("period-start", "date", "InvoicePeriod/StartDate"),
    element("period-end", "date", "InvoicePeriod/EndDate"),
    element("order-number", "text", "OrderReference/ID"),
    element("order-date", "date", "OrderReference/IssueDate"),
    element("contract-number", "text", "ContractDocumentReference/ID", "Contract/ID"),
    element("delivery-note", "text", "DespatchDocumentReference/ID"),
    element("customer-number", "text", `${buyer}/PartyIdentification/ID`),
    element("supplier-number", "text", `${seller}/PartyIdentification/ID`),
    element("reference", "text", "BuyerReference", "CustomerReference"),
    element("company-registration", "text", `${seller}/PartyLegalEntity/CompanyID`),
    element("vat-id", "text", `${seller}/PartyTaxScheme[TaxScheme/ID=VAT]/CompanyID`),
    element("buyer-vat-id", "text", `${buyer}/PartyTaxScheme[TaxScheme/ID=VAT]/CompanyID`),
    element("tax-number", "text", `${seller}/PartyTaxScheme[TaxScheme/ID!=VAT]/CompanyID`),
    element("seller", "text", `${seller}/PartyLegalEntity/RegistrationName`, `${seller}/PartyName/Name`),
    element("seller-address", "address", `${seller}/PostalAddress`),
    element("contact", "text", `${seller}/Contact/Name`),
    element("phone", "text", `${seller}/Contact/Telephone`),
    element("email-address", "text", `${seller}/Contact/ElectronicMail`),
    element("buyer", "text", `${buyer}/PartyLegalEntity/RegistrationName`, `${buyer}/PartyName/Name`),
    element("buyer-address", "address", `${buyer}/PostalAddress`),
    element("ship-to", "text", "Delivery/DeliveryParty/PartyName/Name"),
    element("iban", "text", "PaymentMeans/PayeeFinancialAccount/ID"),
    element("bic", "text", "PaymentMeans/PayeeFinancialAccount/FinancialInstitutionBranch/ID"),
    element("payment-terms", "text", "PaymentTerms/Note"),
    element("currency", "text", "DocumentCurrencyCode"),
    element("lines", "number", `${sums}/LineExtensionAmount`),
    element("charges", "number", `${sums}/ChargeTotalAmount`),
    element("discount", "number", `${sums}/AllowanceTotalAmount`),
    element("net", "number", `${sums}/TaxExclusiveAmount`),
    element("tax", "number", "TaxTotal/TaxAmount[@currencyID=CURRENCY]", "TaxTotal/TaxAmount"),
    element("gross", "number", `${sums}/TaxInclusiveAmount`),
    element("prepaid", "number", `${sums}/PrepaidAmount`),
    element("rounding", "number", `${sums}/PayableRoundingAmount`),
    element("due", "number", `${sums}/PayableAmount`),
    element("note", "text", "Note"),
  ],
  taxes: {
    path: "TaxTotal/TaxSubtotal",
    elements: [
      element("tax-rate", "number", "TaxCategory/Percent", "Percent"),
      element("tax-basis", "number", "TaxableAmount"),
      element("tax", "number", "TaxAmount"),
    ],
  },
  lines: {
    path: "InvoiceLine|CreditNoteLine|OrderLine",
    elements: [
      element("line-number", "text", "ID", "LineItem/ID"),
      element(
        "line-article",
        "text",
        ...["Item", item].flatMap((each) =>
          ["SellersItemIdentification", "StandardItemIdentification", "BuyersItemIdentification"].map(
            (kind) => `${each}/${kind}/ID`,
          ),
        ),
      ),
      element("line-description", "text", "Item/Name", `${item}/Name`, "Item/Description", `${item}/Description`),
      element("line-quantity", "number", "InvoicedQuantity|CreditedQuantity", "LineItem/Quantity"),
      element("line-unit", "unit", "InvoicedQuantity|CreditedQuantity", "LineItem/Quantity"),
      element("line-price", "number", "Price/PriceAmount", "LineItem/Price/PriceAmount"),
      element("line-tax-rate", "number", "Item/ClassifiedTaxCategory/Percent", `${item}/ClassifiedTaxCategory/Percent`),
      element("line-amount", "number", "LineExtensionAmount", "LineItem/LineExtensionAmount"),
    ],
  },
};
