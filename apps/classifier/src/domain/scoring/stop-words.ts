const english = `a about above after again against all also am an and any are as at be because been before being below
between both but by can cannot could did do does doing down during each either else ever every for from further get got had
has have having he her here hereby herein hereof hereto hers him his how i if in into is it its itself just let me more most
must my neither no nor not of off on once one only or other our ours out over own per please same shall she should since so
some such than that the their theirs them then there thereof these they this those through thus to too under until up upon us
very via was we were what when where whether which while who whom whose why will with within without would you your yours
don doesn didn isn ll ve re`;

const german = `aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein
dem den der deren des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er
es etwas euch euer fur gegen gem gemass hab habe haben hat hatte hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in
ins ist ja jede jedem jeden jeder jedes jene kann kein keine konnen mehr mein mich mir mit muss nach nicht nichts noch nur ob
oder ohne sehr sein seine seit sich sie sind so sollen sowie uber um und uns unser unsere unter vom von vor wann war waren was
weil welche wenn wer werden wie wir wird wo wurde wurden zu zum zur zwischen`;

const french = `ai au aux avec c ce ceci cela celle ces cet cette ceux chez comme d dans de des donc dont du elle elles en est
et etaient etait ete etre eu il ils j je l la le les leur leurs lui m ma mais meme mes moi mon n ne ni nos notre nous on ont
ou par pas plus pour qu quand que quel quelle quelles quels qui s sa sans se sera ses si soit son sont sous sur t ta te tes
toi ton tous tout toute toutes tu un une vos votre vous y`;

/** Function words of English, German and French, folded (no accents, lower case), which do not indicate the type of a document. */
export const STOP_WORDS: ReadonlySet<string> = new Set(`${english} ${german} ${french}`.split(/\s+/));
