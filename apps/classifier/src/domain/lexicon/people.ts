import type { ConceptSource } from "./concept-source.ts";

/** Documents about people: letters, work, health, identity, tax. */
export const peopleConcepts: readonly ConceptSource[] = [
  {
    id: "email",
    nature: "message",
    names: `e-mail, email, mail, mailing list, e-mail message, message, newsletter, courriel, e-mail-nachricht, nachricht`,
    evidence: `from:, to:, cc:, bcc:, subject, subject re, re:, fwd, wrote, original message, reply, forwarded, mailing list, list, unsubscribe, subscribe, mailto, sent, inbox, attachment, regards, thanks, hi, hello, cheers,
      http, www, listinfo, mailman, message-id, von:, an:, betreff, gesendet, schrieb, weitergeleitet, antwort, grüße, de:, à:, objet, envoyé, écrit, cordialement, bonjour, pièce jointe`,
  },
  {
    id: "letter",
    nature: "message",
    names: `letter, business letter, correspondence, cover letter, brief, *schreiben, anschreiben, geschäftsbrief, lettre, courrier, correspondance`,
    evidence: `dear, dear sir, sir madam, sincerely, yours sincerely, yours faithfully, faithfully, truly, enclosed, enclosure, reference, attention, kind regards, letter, hereby inform, look forward, writing,
      sehr geehrte, geehrte damen, damen herren, freundlichen grüßen, freundlichen, mit freundlichen, betreff, anbei, anlage, ihr schreiben, unser zeichen, hochachtungsvoll,
      madame, monsieur, madame monsieur, veuillez agréer, agréer, salutations distinguées, salutations, objet, ci-joint, courrier`,
  },
  {
    id: "resume",
    names: `cv, cvs, resume, résumé, curriculum vitae, vitae, curriculum, job application, candidate profile, lebenslauf, bewerbung, *bewerbung, candidature`,
    evidence: `curriculum vitae, resume, work experience, professional experience, experience, education, skills, languages, university, bachelor, master, degree, employment history, career objective, career summary, professional summary, references available, references request, internship, volunteer, volunteering, achievements, responsibilities, graduated, gpa, linkedin, date birth,
      hobbies, interests, certifications, proficient, fluent, nationality, lebenslauf, berufserfahrung, ausbildung, schulbildung, studium, kenntnisse, sprachkenntnisse, fähigkeiten, abitur, praktikum, abschluss, geburtsort, persönliche daten, edv-kenntnisse,
      expérience professionnelle, formation, compétences, langues, diplôme, stage, loisirs, centres intérêt, parcours, licence, baccalauréat`,
  },
  {
    id: "certificate-of-work",
    names: `reference letter, letter of recommendation, recommendation letter, arbeitszeugnis, zeugnis, *zeugnis, certificat de travail, attestation de travail, diploma, transcript, degree certificate, diplôme, attestation`,
    evidence: `certify, hereby certify, awarded, recommend, recommendation, grade, transcript, diploma, completed, graduated, conferred, zeugnis, arbeitszeugnis, note, zu unserer vollen zufriedenheit, vollen zufriedenheit, bescheinigen, bestanden, leistungen, aufgaben,
      certifie, certificat, attestation, atteste, délivré, fait valoir, mention, obtenu`,
  },
  {
    id: "payslip",
    nature: "numeric",
    names: `payslip, pay slip, pay stub, paystub, payroll, salary slip, wage slip, earnings statement, gehaltsabrechnung, lohnabrechnung, entgeltabrechnung, bulletin de paie, bulletin paie,
      fiche de paie, fiche paie, bulletin de salaire, nómina`,
    evidence: `payslip, pay period, pay date, gross pay, net pay, earnings, deductions, year date, ytd, employee id, withholding, social security, overtime, tax code, national insurance, pension, paye, fica, medicare, hours worked, hourly rate,
      gehaltsabrechnung, lohnabrechnung, entgeltabrechnung, bruttolohn, nettolohn, gesamtbrutto, auszahlungsbetrag, lohnsteuer, steuerklasse, solidaritätszuschlag, kirchensteuer, krankenversicherung, rentenversicherung, arbeitslosenversicherung,
      pflegeversicherung, sozialversicherung, personalnummer, bulletin paie, salaire brut, salaire net, net payer, cotisations, salariales, patronales, urssaf, csg, heures supplémentaires, prélèvement source, matricule`,
  },
  {
    id: "tax-form",
    names: `tax form, tax return, income tax, tax declaration, w2, w9, 1099, 1040, tax assessment, tax certificate, vat return, steuererklärung, *steuererklärung, steuerbescheid, *steuerbescheid, lohnsteuerbescheinigung,
      umsatzsteuervoranmeldung, déclaration de revenus, déclaration revenus, avis imposition, impôt`,
    evidence: `tax return, income tax, taxable income, taxable, taxpayer, taxpayer identification, adjusted gross, filing status, dependents, irs, internal revenue, revenue service, withholding, tax year, refund, form 1040, w2, w9, exempt, omb no, employer identification,
      einkommensteuer, steuerbescheid, finanzamt, steuererklärung, festsetzung, steuernummer, steuer, veranlagung, einkünfte, werbungskosten, identifikationsnummer, vorauszahlung, steuerpflichtige,
      impôt, impôts, revenus, avis imposition, déclaration revenus, revenu fiscal, foyer fiscal, contribuable, imposable, numéro fiscal, finances publiques`,
  },
  {
    id: "medical",
    names: `medical report, medical record, medical, health record, lab report, discharge letter, doctor's letter, prescription, diagnosis, sick note, patient, arztbrief, befund, *befund, rezept, krankmeldung,
      arbeitsunfähigkeitsbescheinigung, entlassungsbericht, ordonnance, compte rendu médical, arrêt de travail, arrêt travail`,
    evidence: `patient, diagnosis, physician, doctor, hospital, clinic, medical, medical history, symptoms, treatment, medication, dosage, prescription, mg, blood, laboratory, specimen, findings, examination, discharge, date birth, allergies, surgery, therapy,
      patientin, diagnose, arzt, ärztin, befund, anamnese, therapie, klinik, krankenhaus, medikation, untersuchung, behandlung, labor, überweisung, icd, arbeitsunfähig, krankenkasse,
      médecin, docteur, diagnostic, traitement, ordonnance, posologie, hôpital, examen, consultation, antécédents, arrêt travail, sécurité sociale`,
  },
  {
    id: "identity",
    names: `passport, identity card, id card, identity document, driving licence, driver's license, driver license, residence permit, personalausweis, reisepass, führerschein, aufenthaltstitel, birth certificate, geburtsurkunde,
      carte d'identité, carte identité, passeport, permis de conduire, permis conduire, titre de séjour, acte de naissance, marriage certificate`,
    evidence: `passport, passport no, identity card, nationality, date birth, place birth, surname, given names, sex, date issue, date expiry, issuing authority, authority, expiry, licence, holder, height, personalausweis, reisepass, staatsangehörigkeit, geburtsdatum,
      geburtsort, ausstellende behörde, gültig bis, augenfarbe, führerschein, carte identité, passeport, nationalité, date naissance, lieu naissance, nom, prénoms, sexe, taille, autorité, permis conduire`,
  },
];
