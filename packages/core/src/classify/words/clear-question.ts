// How a clause begins that asks beyond doubt, in six languages, folded as in spoken-text.ts. Each pattern reads the clause from
// its first word that is no opener. A language that puts what it asks at the end is read there.

const pronoun = 'i|you|u|ya|we|they|he|she|it|there|this|that|these|those|anyone|anybody|someone|somebody|everyone|everybody|people|folks';
const whose = 'the|my|our|your|his|her|their|any|all|some|both';
const verb =
  "is|are|was|were|am|do|does|did|has|have|had|can|could|would|will|should|shall|may|might|isn't|aren't|wasn't|don't|doesn't|didn't|hasn't|haven't|can't|couldn't|won't|wouldn't|shouldn't";

/** Agreement and "is that so", which only nods: "so do we", "so is the other one". */
export const likewise = new RegExp(
  `^how do you do$|^(?:${verb}) (?:${pronoun})(?: really| right| so| now)?$|^(?:and )?(?:so|neither|nor|as) (?:${verb}) (?:(?:${pronoun})|(?:${whose}|mine) ?\\S*(?: \\S+)?)$`,
  'u',
);

/** A question word with its verb behind it; between them at most a noun: "what size shirt do you …". */
export const english: readonly RegExp[] = [
  new RegExp(
    `^(?:about|at|by|for|from|in|on|to|with|under|until|since) (?:what|which|whom|whose|where) (?:(?!(?:case|point|${pronoun}|${whose}) )\\S+ ){0,2}(?:${verb})(?= )`,
    'u',
  ),
  /^what if (?:\p{L}+ ){1,}\p{L}/u,
  new RegExp(
    `^(?:what|why|how|when|where|who|whom|whose)(?: else| exactly| on earth| the (?:hell|heck|fuck))? (?:${verb})(?= (?:${pronoun}|${whose}|\\p{L}))`,
    'u',
  ),
  /^(?:what|how|where|when|who|why)(?:'s|s|'re|'d|'ll)(?= )/u,
  new RegExp(
    `^(?:what|which|whose|how) (?!(?:a|an|i|we|you|they|he|she|it|nice|lovely|\\p{L}+s (?:me|us|him|her|them|you|people))(?: |$))(?:[\\p{L}\\p{N}-]+ ){1,3}(?:${verb})(?= )`,
    'u',
  ),
  /^how (?:many|much|long|often|far|come|about|soon|big|old) \p{L}/u,
  /^(?:who|what) (?:\p{L}{3,}ed|told|took|made|left|broke|wrote|sent|wants|got|gets|goes|came|comes|knows how|set|put|ran|runs|owns|won|said|happens|changed|fixed|pays|paid|else) /u,
  /^(?:since when|by when|until when|for how|what time|what for|which one|what about|how so)(?: |$)/u,
  new RegExp(
    `^(?:is|was) (?:${pronoun}|my|our|your|his|her|their|any|everything|the)(?= )(?! (?:worst|best|same|only|\\p{L}+est|first|last)(?: |$))`,
    'u',
  ),
  new RegExp(
    `^(?:are|am|were|aren't|isn't|wasn't|weren't) (?:i|you|u|we|they|he|she|there|these|those|this|that|anyone|anybody|${whose})(?= )`,
    'u',
  ),
  /^(?:does|doesn't|do|don't|did|didn't|has|hasn't|have|haven't|had) (?:i|you|u|ya|we|they|he|she|anyone|anybody|someone|somebody|everyone|people)(?= )/u,
  /^(?:does|doesn't|didn't|hasn't) (?:it|this|that|the|my|our|your)(?= )/u,
  /^does (?!(?:not|also|just|still|always|never|only|even|now|then|already|indeed) )\p{L}*[\p{N}\p{L}:]+ (?:work|help|fit|suit|make|mean|look|sound|need|have|know|count|exist)(?: |$)/u,
  /^did (?:the|my|our|your|it|that|this) (?:\p{L}+ ){0,2}(?:ever|(?:\p{L}+ )?(?:come|go|work|arrive|reply|answer|help|say|get|make|change|happen|land|pass))(?: |$)/u,
  /^has (?:it|the|that|this|our|my|your) (?:\p{L}+ ){0,2}(?:\p{L}+ed|been|left|gone|come|got|begun|arrived|become|changed)(?: |$)/u,
  new RegExp(
    `^(?:can|could|would|will|should|shall|may|might|can't|couldn't|won't|wouldn't|shouldn't) (?:${pronoun}|${whose}|a|an|one of)(?= )`,
    'u',
  ),
  // Not its adverb alone: "would also do", "will probably be late" leave out who.
  /^(?:can|could|would|will|should) (?!(?:also|just|still|always|never|not|even|then|soon|now|only|rather|maybe|perhaps|well|go|come|all|both|\p{L}+ly) )[\p{L}\p{N}:]+ (?:be|work|do|have|help|fit|suit|go|come|get|take) /u,
  /^(?:wanna|want me to|mind if|care to|shall we|got (?:a|any) (?:minute|second|sec|moment|time)|hows|whats|wheres|whos)(?: |$)/u,
  /^(?:any(?:body|one)) (?!can|could|who|would|will|with|is|has|should|but|else (?:would|will|can)|that|in their|from)\p{L}/u,
  /^any (?:news|idea|ideas|chance|update|updates|luck|thoughts|word|volunteers|takers|objections|questions|progress|suggestions|preferences?)(?: |$)/u,
  /^(?:you|u) (?:guys |all )?(?:coming|going|joining|free|around|awake|busy|there)(?: \S+){0,3}$/u,
  /^thoughts$/u,
];

/** English that begins so and asks nothing. */
export const notEnglish =
  /^(?:are you (?:kidding|serious|joking)|(?:do|don't) you dare|don't (?:i|we) know it|does (?:the (?:trick|job)|it for me)|(?:may|can|could|might) i (?:just )?(?:say|add)|will you look|would you (?:look|believe)|what (?:can|could) you do|what do i know|who (?:knows?|cares|needs|am i|would have|could have|even)|what(?:'s| is) (?:done|next to|more|worse|left is)|how (?:dare|about (?:that|no$)|nice|lovely|cool)|what(?:'s|s)? else is new|what (?:matters|remains|counts|happened (?:next|then) was)|had (?:i|you|we|they|he|she)|were (?:i|he|she|it)|should (?:you (?:need|want|have|find|see|feel|run|get)|anyone|anything|something|anybody)|can we (?:all|just) agree|should (?:all|both) (?:be|work)|do you have any idea how|is there (?:already|now|too|again|as)|was there (?:all|already|yesterday|when|too|until|for|with|once)|(?:is|was) there$|what \p{L}+ed (?:\S+ ){1,8}(?:was|is)|which (?:is|was|means|makes|are|were|has|had|will|would)|have (?:people|you) over|there|may (?:the|all|your|his|her|their|it)|any(?:one|body) (?:interested|caught|left|else|late|\p{L}+(?:ed|ing)) (?:can|could|should|may|must|will|pays|gets|has to|needs to|is)|any \p{L}+ (?:and|then)|what(?:'s| is| was| happened| would \p{L}+| matters| helped)(?: \p{L}+){0,2} (?:is|was) (?:that|the|a|an|how)|should (?:it|they|he|she|there) (?:\S+ ){1,4}(?:we'll|i'll|you'll|they'll|we|i|just))(?! (?:me or))(?: |$)|^(?:what|how|when|where|who|why|which|whose)(?: \p{L}+){0,6} (?:is|was) (?:beyond|clear|a mystery|anyone's|anybody's|nobody's|up to|none of|irrelevant|another|one thing|still (?:open|unclear)|unclear|not (?:my|our|clear))(?: |$)/u;

/** What somebody reported is itself asked for: "who told you that". */
export const asksOfReport =
  /^(?:who|has|have|had|did|does|do|was|were|is|are|why|when|how come|where|what) .*(?:asked|asks|asking|told|explained|explains) \S/u;

/** A clause that others follow only sets a condition: "should they ask, …", "any questions, …". */
export const condition = /^(?:should|any) /u;

const germanVerb =
  "(?:ist|sind|war|waren|hat|habt|haben|hast|hatte|hattet|bist|seid|wird|werden|wirst|werdet|kann|kannst|können|könnt|könnte|könnten|könntest|soll|sollen|sollst|sollte|sollten|darf|dürfen|muss|müssen|musst|müsst|will|willst|wollt|wollen|möchte|möchtest|möchtet|gibt|gibt's|gibts|geht|geht's|gehts|steht|liegt|läuft|kommt|kommst|heißt|kostet|dauert|macht|machst|machen|fährt|fahren|fahrt|findet|finde|passt|weiß|weißt|wisst|braucht|brauchst|brauchen|sitzt|treffen|trefft|fängt|beginnt|endet|(?!(?:zuerst|selbst|sonst|längst|meist|fast|etwas) )(?:\\p{L}{2,}st|\\p{L}{2,}et|(?!ge|(?:nicht|jetzt|dort|echt|recht|schlecht|leicht|vielleicht|seit|nacht|welt|zeit) )\\p{L}{3,}t(?! (?:hat|habt?e?n?|hatten?|ist|sind|wars?|waren|wird|werden|wurden?)(?: |$)))|\\p{L}{3,}en(?= (?:wir|sie)(?: |$))|\\p{L}{2,}e(?= ich(?: |$)))";
/** English without its subject: "was about to say so", "was great". None of these is a German verb. */
const englishWas =
  'was (?:\\p{L}*(?:ght|eat|ept|uilt)|sent|spent|went|meant|about|almost|against|just|most|last|least|best|worst|first|past|fast|lost|left|hurt|part|short|smart|honest|modest|quiet|quit|upset|sweet|different|excellent|silent|present|absent|recent|urgent|patient|convenient|important|relevant|brilliant|pleasant|constant|correct|incorrect|exact|perfect|strict|direct|difficult)(?: |$)';
/** A question word, and its verb right behind it or behind its noun. */
export const germanWord = new RegExp(
  `^(?!${englishWas})(?:(?:seit|bis|ab|um|für|mit|von|zu|an|auf|in|aus|bei) )?(?:was|wer|wen|wem|wessen|wie|wo|wohin|woher|wann|warum|wieso|weshalb|womit|wofür|woran|worin|wozu|worum|wieviele?|welche[rsnm]?)(?: (?:viele?|lange|oft|weit|teuer|spät|genau|denn|für (?:ein|eine|einen)|\\p{L}+(?= (?:ist|sind|hat|war|soll|kann|nehmen|haben|läuft|laufen|gilt|gelten|kommt|kommen|passt|fehlt|fehlen|brauchen|braucht) )))? ${germanVerb} \\p{L}`,
  'u',
);
/** Behind a verb first, these say what follows from it: "hast du Zeit, komm vorbei". */
export const germanConclusion =
  /^(?:dann |so )?(?:komm|geh|ruf|sag|nimm|mach|meld|schreib|frag|zahl|fahr|lass|bleib|bring|schick|wart)(?:e|st|t|en)?(?= |$)|^(?:ruf|meld|zahl|geh|fahr|mach|sag|nehm|komm|bleib|wart)\p{L}* (?:ich|wir)(?= |$)/u;
/** The verb first, and whom it speaks to or of behind it. */
export const german: readonly RegExp[] = [
  /^(?:\p{L}{2,}(?:st|[^f]t)|hast|bist|seid) (?:du|ihr)(?= )(?! (?:recht|gut|ja|doch|super|toll|schön|dir nicht|vergessen|euch|dich (?:geirrt|getäuscht)))/u,
  /^(?:hat|kann|weiß|könnte|mag|will|hätte|kennt|möchte|braucht|würde|ist) (?:hier |da |noch |irgend|zufällig )?(?:wer|jemand|irgendwer|einer|eine)(?= )/u,
  /^(?:ist|sind|war|waren|wird|werden|hat|haben|geht|kommt|kommen|passt|reicht|klappt|funktioniert|stimmt|gilt|läuft) (?:der|die|das|den|dem|es|er|sie|wir|ihr|unser|unsere|mein|meine|euer|eure|da|hier|dieser|diese|dieses)(?= .)(?! (?:hammer|hölle|wahnsinn|letzte|beste|schlimmste|gleiche|selbe|mir|uns|mal|ein|eine|auch|schon|ja|doch|halt|wohl|nicht|schön|toll|süß)(?: |$))/u,
  /^(?:darf|muss|soll|sollen|kann|können|müssen|dürfen|sollten|könnten|wollen|wollten) (?:man|wir|ich|die|der|das|sie|er|es) (?:das|es|die|den|der|dem|hier|im|in|am|auf|mit|ein\p{L}*|euch|dir|dich|uns|jemand\p{L}*|morgen|heute|nicht|da|bis|am) \S+(?: \S+)*$/u,
  /^(?:soll ich|sollen wir|wollen wir)(?= )/u,
  /^(?:kann|könnte|hat|weiß|mag) (?:mir|uns|das|da) (?:jemand|wer|einer|eine)(?= |$)/u,
  /^(?:gibt es|gibt's|gibts)(?= )(?! (?:nicht|ja|doch|immer|halt|leider|keine?n? ))/u,
  /^weiß jemand$/u,
  /^(?:passt|reicht|hilft|gefällt) (?:dir|euch|ihnen)(?= )/u,
  /^möchten sie(?= )/u,
  /^(?:weiß|wisst|weißt) (?:jemand|ihr|du)(?= )(?! (?:ja|doch|eh|schon|bescheid))/u,
];

export const french: readonly RegExp[] = [
  /^(?:[\p{L}']+ ){0,3}est-ce (?:que |qu'|qui )/u,
  /^(?:qu'est-ce qu[ei']|qui est-ce)/u,
  /^(?:[\p{L}']+ ){0,4}(?:\p{L}+ons-nous|\p{L}+-(?:t-)?(?:tu|vous|il|elle|on|je|ils|elles))(?= |$)/u,
  /^(?:où|comment|pourquoi|combien|quand(?! (?:on|ça|il y a|c'est|personne)(?: |$))) (?:est|sont|était|va|vont|a|ont|se|s'est|ça|on|fait|faire|peut|part|arrive|commence|marche|y|coûte|personne|il y a|c'est)(?= |$)/u,
  /^(?:comment|pourquoi|combien) (?:tu|vous|on|je) /u,
  /^(?:qui|lequel|laquelle|lesquels) (?:est|sont|a|ont|va|vient|veut|peut|prend|fait|s'occupe|d'autre|connaît|s'en)(?= )/u,
  /^(?:à quelle heure|à qui|de qui|depuis quand|depuis combien|jusqu'à quand|pour quand|dans quel|avec qui|pour qui) /u,
  /^(?:combien d[e']|quels? (?:est|sont)|quelles? (?:est|sont)|quel jour|quelle heure|c'est (?:quoi|qui|où|quand|lequel|combien))(?: ?|$)/u,
  /^(?:quelqu'un|qqn) (?:a (?:une?|des|du|de|les?|la|vu|entendu|essayé|testé|déjà|encore|reçu|pensé)|sait|peut|veut|pourrait|connaît|aurait|pour|s'en)(?= )/u,
];
export const notFrench =
  /(?:peut-être|dit-(?:il|elle|on)|dirait-on|paraît-il|dis-je|ou pas$|comment dire|qui sait|vois-tu|semble-t-il|voulez-vous$|rendez-vous|(?:dépêch|serv|assey|tais|méfi|calm|repos|amus|imagin|rappel|souven|prépar|inscriv|ten|lev|install|détend|remett)ez-vous|^combien de fois (?:je|on|nous)(?= )|toujours est-il)/u;

export const spanish: readonly RegExp[] = [
  /^(?:(?:a|de|en|con|para|por|desde|hasta|sobre) )?(?:quién(?:es)?|dónde|cuándo|cuánt[oa]s?|cuál(?:es)?|cómo|qué)(?= )/u,
  /^por qué (?!no$)\p{L}/u,
  /^(?:que (?:tal|hora|pasa|pasó|hacemos|opin|pens|significa)|donde (?:est|queda|qued|pongo)|quien (?:est|tiene|va|viene)|cuando (?:es (?:el|la|tu|su|vuestr\p{L}|nuestr\p{L})|empieza|sale|llega|vien)|como (?:va|vas|est[aá]s?(?! \p{L}+ndo)|te fue|se llama|hago))/u,
  /^(?:alguien|alguno de) (?:sabe|tiene|puede|podría|quiere|ha visto|ha probado|vio|viene|va|me (?:puede|podría|ayuda|explica|dice|echa|pasa)|se (?:apunta|anima)|conoce|está|más)(?= )/u,
  /^(?:puedes|podéis|podrías|podríais|puede|podría|pueden|sabes|sabéis|saben|quieres|queréis|tienes(?! razón)|tenéis(?! razón)|habéis|vais|te apetece|os apetece|te parece|os parece) (?!ser|que|hacerlo así|decir|creer|imaginar|dejarl|pasar cuando|venir cuando)\p{L}/u,
];
/** Said with feeling, left to somebody, or told of. */
export const notSpanish =
  /^(?:qué (?:bien|mal|frío|calor|ganas|hambre|sueño|sed|miedo|día|noche|semana|desastre|ilusión|fuerte|car[oa]|barat[oa]|bonit[oa]|fe[oa]|ric[oa]|list[oa]|bueno|buena|va|pena|risa|suerte|asco|raro|guay|más|lástima|horror|alegría|\p{L}+ más|se le va|le vamos|remedio|sé yo)|quién (?:sabe|lo diría|pudiera|iba|diría|fuera)|cómo (?:no|se las|me alegro|mola)|cuánt[oa]s? (?:me alegro|veces (?:lo|te|os|se)|tiempo sin)|por qué será|para qué (?:complic|molest|preocup|engañ|discut))|(?: da igual| no (?:lo )?s[eé]| un misterio)$/u;

const conditional = '(?<!kim)s[ae](?:m|n|k|ler|lar|niz|nız)?|ol(?:sun|ursa|ursan)|bilir|bilirsin';
/** Turkish: the particle of a question as the last word but a few, or a question word that the clause ends in or begins with. */
export const turkish: readonly RegExp[] = [
  /(?<!(?:^| )(?:para|a|de|en|por|con|sin|y|sobre|entre|según)) m[ıiuü](?:yd[ıiuü]|ym[ıiuü]ş)?(?: (?:acaba|sence|sizce|bu|peki|artık|hâlâ|hala|bugün|yarın|şimdi|millet|arkadaşlar|yoksa .*))?$/u,
  /(?:^| )m[ıiuü](?:s[ıiuü]n(?:[ıiuü]z)?|y[ıiuü](?:z|m))(?: \S+){0,2}$/u,
  /(?:^| )(?:kim|nerede|nereye|nereden|kaçta|kaç|nasıl|hangisi|ne zaman|ne kadar|ne|neden|niye|niçin|neresi)(?:yd[ıi]|dir|s[ıi]n(?:[ıi]z)?)?$/u,
  new RegExp(
    `^(?:kim|kime|kimin|nerede|nereye|nereden|kaç|kaçta|nasıl|hangi|hangisi|ne zaman|ne kadar|neden|niye|niçin) (?!o |bu kadar (?:güzel|kötü))(?:\\S+ ){0,5}\\S*(?:yor(?:uz|um|sun|sunuz|lar|du|dunuz)?|[dt][ıiuü](?:n|k|niz|nız|nuz|nüz|lar|ler)?|(?:ecek|acak)\\S{0,4}|var|yok|[aeiıou]r(?:ız|iz|uz|üz|ım|im|sın|sin|sınız|siniz)?)$`,
    'u',
  ),
  /^\S+(?: \S+){0,3} (?:kim|nasıl|neden|niye|nerede|nereye|kaçta|kaç|ne zaman|ne kadar|hangi(?:si|sini)?) (?:\S+ ){0,2}\S*(?:yor(?:uz|sun|sunuz|lar)?|[dt][ıiuü](?:n|k|niz|nız|nuz|nüz)?|(?:ecek|acak)\S{0,4})$/u,
];
export const notTurkish = new RegExp(
  `(?:^|\\s)(?:\\S*(?:${conditional})|diye|bilmiyor\\S*|bilmem|emin değil\\S*|hayret|bakalım|ki|kaç (?:kere|kez|defa)|nasıl olsa|neden olmasın|ne (?:güzel|kötü|yazık|hoş|yapalım|olmuş|mutlu|iyi|fark eder|olursa|var ne yok)|kim bilir|mi (?:diye|ne))(?= |$)|(\\S{1,30}) m[ıiuü] \\1`,
  'u',
);

/** Said alone they ask; before other words they may only wonder. */
export const alone =
  /^(?:why|how|when|where|who|what|warum|wieso|wann|wo|wer|wie|pourquoi|comment|quand|où|qui|quoi|por qué|cómo|cuándo|dónde|quién|neden|niye|nasıl|ne zaman|nerede|kim)$/u;
/** German turns subject and verb round behind them, and asks nothing. */
export const turningWords = /(?:^|\s)(?:jetzt|dann|auch|so|da|also|nun|na)(?:\s|$)/u;

/** Japanese: a polite か, or の behind a question word. */
export const japanese: readonly RegExp[] = [
  /(?:です|ます|でした|ました|ません|ないでしょう|でしょう|だったんです|でしたっけ|ましたっけ|だっけ|たっけ)か?ね?$/u,
  /(?:どう|何|なに|なぜ|なんで|誰|どこ|いつから|いつまで|どれ|どちら|どっち|どの|どんな|いくら|いくつ).*の$/u,
];
export const japaneseEnd = /(?:か|かね|っけ|の)$/u;
/** What somebody else asked, or what is only found out. */
export const notJapanese =
  /(?:なるほど|そう(?:か|なのか|だったのか|いうことか)|[とか](?:聞|尋|訊)か?れ|かもしれ|^そうですか$|誰かの|何かの|いつもの)/u;
