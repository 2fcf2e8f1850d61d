// Electronic invoices for tests.

/** The values of an invoice for tests, all as the XML states them. */
export interface InvoiceValues {
  readonly number: string;
  readonly gross: string;
}

const defaults: InvoiceValues = { number: "INV-77", gross: "119.00" };

/** Creates an invoice in the format UBL, as Peppol uses it; or a credit note or an order, without changing its values. */
export function ublInvoice(values: Partial<InvoiceValues> = {}, root = "Invoice"): string {
  const { number, gross } = { ...defaults, ...values };
  const [supplier, customer, sums] =
    root === "Order"
      ? ["SellerSupplierParty", "BuyerCustomerParty", "AnticipatedMonetaryTotal"]
      : ["AccountingSupplierParty", "AccountingCustomerParty", "LegalMonetaryTotal"];
  const quantity = { Invoice: "InvoicedQuantity", CreditNote: "CreditedQuantity" }[root] ?? "Quantity";
  const line = (id: number, name: string, amount: string): string => {
    const item = `<cbc:ID>${id}</cbc:ID><cbc:${quantity} unitCode="C62">2</cbc:${quantity}>
      <cbc:LineExtensionAmount currencyID="EUR">${amount}</cbc:LineExtensionAmount>
      <cac:Item><cbc:Name>${name}</cbc:Name>
        <cac:ClassifiedTaxCategory><cbc:Percent>19</cbc:Percent></cac:ClassifiedTaxCategory></cac:Item>
      <cac:Price><cbc:PriceAmount>${(Number(amount) / 2).toFixed(2)}</cbc:PriceAmount></cac:Price>`;
    return `<cac:${root}Line>${root === "Order" ? `<cac:LineItem>${item}</cac:LineItem>` : item}</cac:${root}Line>`;
  };
  const party = (name: string, taxId: string): string => `<cac:Party>
      <cac:PostalAddress><cbc:StreetName>Quay 7</cbc:StreetName><cbc:CityName>Bremen</cbc:CityName>
        <cbc:PostalZone>28195</cbc:PostalZone></cac:PostalAddress>
      <cac:PartyTaxScheme><cbc:CompanyID>${taxId}</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
      <cac:PartyLegalEntity><cbc:RegistrationName>${name}</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<${root} xmlns="urn:oasis:names:specification:ubl:schema:xsd:${root}-2"
  xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
  xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
  <cbc:ID>${number}</cbc:ID>
  <cbc:IssueDate>2026-03-31</cbc:IssueDate>
  <cbc:DueDate>2026-04-30</cbc:DueDate>
  <cbc:Note>Thank you &amp; goodbye</cbc:Note>
  <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
  <cac:${supplier}>${party("Möller & Söhne GmbH".replace("&", "&amp;"), "DE123456789")}</cac:${supplier}>
  <cac:${customer}>${party("Fernhill School", "FR12345678901")}</cac:${customer}>
  <cac:TaxTotal><cbc:TaxAmount currencyID="GBP">16.00</cbc:TaxAmount></cac:TaxTotal>
  <cac:TaxTotal><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount>
    <cac:TaxSubtotal><cbc:TaxableAmount>100.00</cbc:TaxableAmount><cbc:TaxAmount>19.00</cbc:TaxAmount>
      <cac:TaxCategory><cbc:Percent>19</cbc:Percent></cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal>
  <cac:${sums}><cbc:LineExtensionAmount>100.00</cbc:LineExtensionAmount>
    <cbc:TaxExclusiveAmount>100.00</cbc:TaxExclusiveAmount>
    <cbc:TaxInclusiveAmount>${gross}</cbc:TaxInclusiveAmount><cbc:PayableAmount>${gross}</cbc:PayableAmount></cac:${sums}>
  ${line(1, "Steel part", "60.00")}
  ${line(2, "Brass part", "40.00")}
</${root}>`;
}

/** Creates an invoice in the format CII, as Factur-X and XRechnung use it. */
export function ciiInvoice(values: Partial<InvoiceValues> = {}): string {
  const { number, gross } = { ...defaults, ...values };
  const line = (id: number, name: string, amount: string): string => `<ram:IncludedSupplyChainTradeLineItem>
      <ram:AssociatedDocumentLineDocument><ram:LineID>${id}</ram:LineID></ram:AssociatedDocumentLineDocument>
      <ram:SpecifiedTradeProduct><ram:Name>${name}</ram:Name></ram:SpecifiedTradeProduct>
      <ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>${(Number(amount) / 2).toFixed(2)}</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>
      <ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="C62">2.0000</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery>
      <ram:SpecifiedLineTradeSettlement><ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>${amount}</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation></ram:SpecifiedLineTradeSettlement>
    </ram:IncludedSupplyChainTradeLineItem>`;
  return `<?xml version='1.0' encoding='UTF-8'?>
<!-- made for a test -->
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
  xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
  xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
  <rsm:ExchangedDocument><ram:ID>${number}</ram:ID><ram:TypeCode>380</ram:TypeCode>
    <ram:IssueDateTime><udt:DateTimeString format="102">20260331</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>
  <rsm:SupplyChainTradeTransaction>
    ${line(1, "Steel part", "60.00")}
    ${line(2, "Brass part", "40.00")}
    <ram:ApplicableHeaderTradeAgreement>
      <ram:SellerTradeParty><ram:Name>Möller &amp; Söhne GmbH</ram:Name>
        <ram:SpecifiedTaxRegistration><ram:ID schemeID="FC">201/113/40209</ram:ID></ram:SpecifiedTaxRegistration>
        <ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE123456789</ram:ID></ram:SpecifiedTaxRegistration></ram:SellerTradeParty>
      <ram:BuyerTradeParty><ram:Name>Fernhill School</ram:Name></ram:BuyerTradeParty>
    </ram:ApplicableHeaderTradeAgreement>
    <ram:ApplicableHeaderTradeDelivery/>
    <ram:ApplicableHeaderTradeSettlement>
      <ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
      <ram:ApplicableTradeTax><ram:CalculatedAmount>19.00</ram:CalculatedAmount><ram:BasisAmount>100.00</ram:BasisAmount>
        <ram:RateApplicablePercent>19.00</ram:RateApplicablePercent></ram:ApplicableTradeTax>
      <ram:SpecifiedTradeSettlementHeaderMonetarySummation>
        <ram:TaxBasisTotalAmount>100.00</ram:TaxBasisTotalAmount><ram:TaxTotalAmount currencyID="EUR">19.00</ram:TaxTotalAmount>
        <ram:GrandTotalAmount>${gross}</ram:GrandTotalAmount><ram:DuePayableAmount>${gross}</ram:DuePayableAmount>
      </ram:SpecifiedTradeSettlementHeaderMonetarySummation>
    </ram:ApplicableHeaderTradeSettlement>
  </rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>`;
}

/** Draws the page of the invoice onto a PDF, with another total if one is given, and attaches the XML to it. */
export function drawInvoice(pdf: PDFKit.PDFDocument, xml: string, total = "119.00"): void {
  pdf.fontSize(16).text("Möller & Söhne GmbH", 50, 50).fontSize(10);
  const labeled = [
    ["Invoice number:", "INV-77"],
    ["Invoice date:", "31.03.2026"],
    ["Bill to:", "Fernhill School"],
  ] as const;
  labeled.forEach(([label, value], row) => pdf.text(label, 50, 100 + 15 * row).text(value, 200, 100 + 15 * row));
  const rows = [
    ["Description", "Quantity", "Unit price", "Amount"],
    ["Steel part", "2", "30.00", "60.00"],
    ["Brass part", "2", "20.00", "40.00"],
  ];
  rows.forEach((cells, row) => cells.forEach((cell, column) => pdf.text(cell, 50 + 120 * column, 200 + 15 * row)));
  const sums = [
    ["Net amount", "100.00"],
    ["VAT 19 %", "19.00"],
    ["Total amount", total],
  ] as const;
  sums.forEach(([label, value], row) => pdf.text(label, 290, 280 + 15 * row).text(value, 410, 280 + 15 * row));
  pdf.file(Buffer.from(xml), { name: "factur-x.xml", type: "text/xml" });
}
