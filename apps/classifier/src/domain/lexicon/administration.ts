import type { ConceptSource } from "./concept-source.ts";

/** Reports, forms, science, media and public administration. */
export const administrationConcepts: readonly ConceptSource[] = [
  {
    id: "advertising-order",
    names: `ad buy, ad order, advertising order, advertising contract, advertising invoice, political advertising, tv ad, radio ad, broadcast order, broadcast contract, broadcast invoice, media buy, media order, insertion order, airtime, tv station, tv spot,
      werbeauftrag, anzeigenauftrag, mediaplan, schaltauftrag, ordre de publicité, ordre publicité, achat espace, publicité`,
    evidence: `advertiser, agency, station, spot, spots, flight, flight dates, broadcast, broadcast month, billing calendar, billing cycle, billing type, air, airtime, air time, aired, demographic, demo, estimate, sales office, account executive, agency commission, commission, time period,
      day time, spots week, weekday, primary demo, total spots, rating, ratings, grp, cpp, nielsen, channel, program, property, political, candidate, alt order, contract revision, revision, agency ref, advertiser ref, product code, buyer, salesperson, order type, special handling, daypart, market,
      rate, length, insertion, insertion order, campaign, network, cable, sponsor, news, isci, makegood, tv, television, radio, election, gross amount, print date,
      werbung, sendezeit, sender, werbespot, ausstrahlung, schaltung, kampagne, anzeige, annonceur, régie, diffusion, chaîne, campagne, publicité, spot publicitaire`,
  },
  {
    id: "scientific-paper",
    names: `scientific paper, research paper, research article, journal article, scientific article, paper, academic, publication, thesis, preprint, wissenschaftlicher artikel, fachartikel, forschungsbericht, dissertation, article scientifique, article de recherche, mémoire, thèse`,
    evidence: `abstract, introduction, related work, conclusion, references, we propose, paper, this paper, propose, approach, experiment, experimental results, results show, method, methods, evaluation, dataset, corpus, model, algorithm, baseline, accuracy, significant, et al, figure, table, section, hypothesis,
      proceedings, journal, doi, university, department, keywords, acknowledgements, previous work, state art, training data, task, performance, training, research,
      zusammenfassung, einleitung, stand forschung, ergebnisse, methode, literaturverzeichnis, diskussion, untersuchung, hypothese, stichprobe,
      résumé, mots-clés, introduction, méthode, résultats, discussion, bibliographie, expérience, recherche, nous proposons, hypothèse`,
  },
  {
    id: "report",
    nature: "generic",
    names: `report, annual report, status report, progress report, audit report, inspection report, bericht, *bericht, geschäftsbericht, jahresbericht, rapport, compte rendu, rapport annuel`,
    evidence: `report, annual report, executive summary, summary, findings, recommendations, overview, fiscal year, quarter, status, progress, analysis, period, audit, inspection, key figures, appendix, bericht, zusammenfassung, ergebnisse, empfehlungen, geschäftsjahr, berichtszeitraum, prüfung, übersicht,
      rapport, synthèse, recommandations, exercice, analyse, période, bilan, annexe`,
  },
  {
    id: "financial-statement",
    names: `financial statement, balance sheet, income statement, profit and loss, profit loss, cash flow statement, earnings report, jahresabschluss, bilanz, gewinn- und verlustrechnung, gewinn verlustrechnung, bwa, betriebswirtschaftliche auswertung, bilan, compte de résultat, compte résultat, états financiers`,
    evidence: `balance sheet, income statement, cash flow, total assets, assets, liabilities, equity, current assets, retained earnings, net income, operating income, revenue, depreciation, fiscal year, accounts receivable, gaap, ifrs, consolidated, auditor,
      bilanz, aktiva, passiva, eigenkapital, verbindlichkeiten, forderungen, umsatzerlöse, jahresüberschuss, abschreibungen, anlagevermögen, umlaufvermögen, rückstellungen, bilan, actif, passif, capitaux propres, dettes, résultat net, chiffre affaires, amortissements, immobilisations`,
  },
  {
    id: "registration-form",
    nature: "generic",
    names: `registration statement, registration form, registration, application form, form, questionnaire, enrollment form, enrolment, sign-up form, formular, *formular, antrag, *antrag, anmeldung, anmeldeformular, fragebogen, formulaire, inscription, bulletin inscription`,
    evidence: `registration, registration statement, registration number, registrant, register, applicant, form, instructions, please print, check box, checkbox, signature, hereby apply, filed, filing, pursuant, undersigned, fill, yes no, date signature, name title, application number, omb no, supplemental,
      antrag, antragsteller, formular, anmeldung, anmeldedatum, ankreuzen, zutreffendes, unterschrift, angaben, ort datum, vorname nachname, vorname, nachname, fragebogen,
      formulaire, demandeur, demande, inscription, cocher, soussigné, signature, nom prénom, remplir, dossier`,
  },
  {
    id: "foreign-agent",
    names: `fara, foreign agent, foreign agents registration, foreign principal, lobbying, lobbying disclosure, lobbyist registration, lobbyregister`,
    evidence: `foreign agent, foreign agents, foreign principal, registrant, registration unit, nsd fara, fara, department justice, agents registration, registration act, registration statement, national security, political activities, attorney general, lobbying, lobbyist, rendering services`,
  },
  {
    id: "amendment",
    nature: "generic",
    names: `amendment, addendum, supplement, contract amendment, amended, nachtrag, änderungsvereinbarung, ergänzungsvereinbarung, zusatzvereinbarung, avenant`,
    evidence: `amendment, amend, amended, amends, addendum, supplement, first amendment, amendment no, hereby amended, changes, change, amended restated, purpose amendment, following amendment, remain full, nachtrag, ergänzung, änderung, geändert, zusatzvereinbarung, avenant, modifié, modification, complément`,
  },
  {
    id: "dissemination",
    names: `dissemination report, dissemination, informational materials, political propaganda, transmittal`,
    evidence: `dissemination, disseminated, disseminate, material transmitted, transmitted, propaganda, political propaganda, informational materials, material, copies, film, radio television, television script, script, theater, estimated attendance, attendance, labeled, labeled required, copies material,
      filed department, furnish following, date report, report name`,
  },
  {
    id: "manual",
    names: `manual, user manual, user guide, handbook, technical documentation, documentation, readme, data sheet, datasheet, specification, bedienungsanleitung, *anleitung, handbuch, benutzerhandbuch, datenblatt, mode emploi, guide utilisateur, fiche technique`,
    evidence: `manual, user guide, installation, install, safety, safety instructions, warning, caution, troubleshooting, press button, button, device, connect, battery, screen, settings, click, configuration, usage, requirements, software, command, npm, api, github, documentation, license, run, build,
      bedienungsanleitung, sicherheitshinweise, gerät, taste, anschluss, montage, wartung, drücken, technische daten, inbetriebnahme,
      mode emploi, appareil, consignes sécurité, bouton, branchement, entretien, utilisation, appuyez`,
  },
  {
    id: "promotional-mail",
    nature: "unwanted",
    names: `spam, junk mail, advertising mail, promotional mail, marketing mail, werbung, reklame, pourriel, publipostage, junk`,
    evidence: `free, click here, click, act now, limited time, special offer, offer, money back, guarantee, guaranteed, risk free, no obligation, opt-in, opt, opted, removed, remove, unsubscribe, mailing, bulk, million, income, earn, earn money, make money, home business, cash, credit card, mortgage, viagra, weight loss, lose weight, save, cheap,
      lowest, toll free, order today, call now, congratulations, winner, prize, bonus, adult, xxx, sex, investment, opportunity, business opportunity, dollar, beneficiary, fund transfer, next kin, urgent assistance, dear friend, wealth, debt, refinance, loan, website,
      gratis, kostenlos, jetzt klicken, gewinn, gewonnen, sonderangebot, gratuit, cliquez ici, gagnez, gagner, offre spéciale, désinscrire`,
  },
];
