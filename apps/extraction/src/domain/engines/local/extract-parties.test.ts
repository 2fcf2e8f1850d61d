import { createConfiguration, plainDocument, plainValues } from "../../../testing/documents.ts";
import { extractTables } from "./extract.ts";

const columns = createConfiguration({
  receipt: [
    ["company", "Company"],
    ["address", "Address"],
    ["buyer", "Buyer name"],
  ],
});
const extract = (...lines: string[]) =>
  plainValues(extractTables(plainDocument(lines.join("\n")), columns)[0]?.rows[0]);

describe("the issuer of a document", () => {
  it("has its address below its name, without the telephone number in the last line", () => {
    const lines = [
      "HILL BAKERY SDN BHD",
      "12, Jalan Besar",
      "45600 Batang Hill, Selangor, Tel. 03-3271 9872",
      "Total 12.00",
    ];
    expect(extract(...lines)).toMatchObject({
      company: "HILL BAKERY SDN BHD",
      address: "12, Jalan Besar 45600 Batang Hill, Selangor,",
    });
  });

  it("may be named below its address, as the owner of a shop", () => {
    const address = ["No. 31G, Jalan Setia X", "40170 Setia Hill"];
    expect(extract("CORNER STATIONERY", ...address, "Owned by:", "Corner Supply Sdn Bhd", "Total 3.00")).toMatchObject({
      address: address.join(" "),
    });
  });

  it("has an address without the name of its owner above or below", () => {
    const address = ["12 High Street", "45600 Hilltown"];
    expect(extract("CORNER SHOP", "HILL SUPPLY LTD (123456-A)", ...address, "Total 3.00")).toMatchObject({
      address: address.join(" "),
    });
    expect(extract("CORNER SHOP", ...address, "HILL SUPPLY LTD", "Total 3.00")).toMatchObject({
      address: address.join(" "),
    });
  });

  it("has an address with the place below the postcode", () => {
    const address = ["No: G3, Jalan Hill 3, 47301", "Hilltown North, Selangor Darul Ehsan."];
    expect(extract("CORNER SUPPLY LTD", ...address, "Total 3.00")).toMatchObject({ address: address.join(" ") });
  });

  it("has an address that ends with a country, in a line of any number of words", () => {
    const address = ["No: 28, Jalan Astana 1C,", "Bandar Bukit, 41050", "Hill Town North D. E, Malaysia"];
    expect(extract("LAMP GALLERY SDN BHD", ...address, "GST No.: 000584089600")).toMatchObject({
      address: address.join(" "),
    });
  });

  it.each([
    ["THE COFFEE BEAN\n& TEA LEAF SDN BHD", "THE COFFEE BEAN & TEA LEAF SDN BHD"],
    ["HILL HEALTHCARE SDN\nBHD", "HILL HEALTHCARE SDN BHD"],
    ["HILL PETROKIOSK\nCompany No.\n123456-X", "HILL PETROKIOSK"],
    ["MOON CAKE HOUSE SDN BHD 862725-U", "MOON CAKE HOUSE SDN BHD"],
    ["MOON CAKE HOUSE S/B 273500-U (KSB)", "MOON CAKE HOUSE S/B"],
  ])("is read from %j", (head, company) => {
    expect(extract(...head.split("\n"), "12 High Street, 45600 Hilltown", "Total 12.00")).toMatchObject({ company });
  });

  it("may have a name of two lines, which are printed together in several places", () => {
    const address = ["12 High Street", "45600 Hilltown", "Total 12.00"];
    const name = ["Hill Mutual", "Insurance Society VVaG"];
    expect(extract(...name, ...address, ...name)).toMatchObject({ company: name.join(" ") });
    expect(extract(...name, ...address)).toMatchObject({ company: "Insurance Society VVaG" });
  });

  it("is not whom a letter addresses as a company", () => {
    const addressee = ["Firma", "Corner Market", "Talweg 3", "12345 Talheim"];
    const sender = "Hill Office Supply - 12 High Street - 45600 Hilltown";
    expect(extract(sender, "Rechnung 12", ...addressee)).toMatchObject({
      company: "Hill Office Supply",
      buyer: "Corner Market",
    });
    expect(extract("Rechnung 12", "Firma: Hill Office Supply")).toMatchObject({ company: "Hill Office Supply" });
  });

  it("is named by its own label rather than as the holder of an account", () => {
    const seller = ["Seller:", "Garden Design", "12 High Street", "45600 Hilltown"];
    expect(extract(...seller, "Total 12.00", "Account holder: Mary Hill")).toMatchObject({ company: "Garden Design" });
    expect(extract("Total 12.00", "Account holder: Mary Hill")).toMatchObject({ company: "Mary Hill" });
  });

  it("is not a line of an address or a heading of a table", () => {
    const lines = ["HILL HOME HARDWARE", "U13/EG Bandar Setia, 40170 Setia", "QTY UOM U.PRICE AMT INC. TAX CODE"];
    expect(extract(...lines)).toMatchObject({ company: "HILL HOME HARDWARE" });
  });
});

describe("the addressee of a document", () => {
  it("is found without a label, by the form of its address", () => {
    const sender = "Moulin SARL - 1242 chemin de l'olive - 84340 Malaucene - France";
    const addressee = ["M.", "Alexandre Payet", "35 rue de la Colline", "69001 Lyon"];
    expect(extract(sender, "Facture FA-2017-0010", ...addressee, "Date de facture 13/11/2017")).toMatchObject({
      buyer: "Alexandre Payet",
    });
  });

  it("is not the issuer", () => {
    const lines = ["Hill Ltd", "35 High Street", "69001 Hilltown", "Invoice 12", "Total 12.00"];
    expect(extract(...lines)).toMatchObject({ company: "Hill Ltd", buyer: null });
  });
});
