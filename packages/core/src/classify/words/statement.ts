// How people tell rather than ask, in six languages, folded as in spoken-text.ts.

// prettier-ignore
/** A sentence that begins with one of these has its subject before its verb. */
export const subjects = [
  'i', "i'm", "i've", "i'll", "i'd", 'we', "we've", "we're", "we'll", "we'd", 'he', "he's", 'she', "she's", 'they', "they're", "they've", 'it', "it's", "it'll", "that's", 'there', "there's", 'nobody', 'everyone', 'everybody', 'whoever',
  'ich', 'wir', 'er', 'sie', 'man', 'hab', 'habe', 'bin', 'niemand', 'keiner',
  'je', "j'ai", "j'avais", "j'étais", 'il', 'elle', 'ils', 'elles', 'nous', 'ça', "c'est", "c'était", 'personne',
  'yo', 'he', 'hemos', 'ella', 'él', 'ellos', 'nadie', 'fue', 'era', 'estoy', 'estamos', 'voy', 'acabo', 'prefiero', 'llegué', 'terminé', 'fui', 'estuve', 'encontré', 'compré', 'ojalá', 'menuda', 'menudo', 'keşke',
] as const;

// prettier-ignore
/** They begin a subject; what follows has to have a verb, or it is only named: "the other three files". */
export const determiners = [
  'the', 'a', 'an', 'my', 'our', 'his', 'her', 'their', 'this', 'these', 'those', 'some', 'most', 'both', 'all', 'two', 'three', 'no', 'one', 'der', 'die', 'das', 'ein', 'eine', 'mein', 'meine', 'unser', 'unsere', 'dieser', 'diese', 'dieses', 'beide', 'kein', 'keine',
  'le', 'la', 'les', 'un', 'une', 'mon', 'ma', 'mes', 'notre', 'nos', 'ce', 'cette', 'ces', 'son', 'sa', 'el', 'los', 'las', 'una', 'mi', 'mis', 'nuestro', 'nuestra', 'este', 'esta', 'ese', 'esa', 'eso', 'esto', 'aquello', 'cela', 'dies', 'jeder', 'jede', 'jedes', 'chaque', 'cada', 'every', 'each', 'many', 'several', 'plusieurs', 'varios', 'varias', 'einige', 'viele', 'mehrere', 'leur', 'leurs', 'su', 'sus', 'nuestros', 'nuestras', 'seine', 'ihre', 'unserer',
  'that', 'yesterday', 'today', 'turns', 'apparently', 'luckily', 'meanwhile', 'maybe', 'anyway', 'finally', 'gestern', 'heute', 'vielleicht', 'endlich', 'irgendwann', 'angeblich', 'am', 'zum', 'im', 'dann', 'da', 'hier', 'alle', 'on', 'finalement', "aujourd'hui", 'apparemment', 'enfin', 'nos', 'me', 'ya', 'ayer', 'hoy', 'al', 'todos', 'menos', 'igual', 'lo', 'se', 'luego', 'es', 'people', 'someone',
] as const;

/** A verb that tells. By ending where a language allows it. */
export const tellingVerb =
  /(?<![\p{L}'])(?:is|are|was|were|has|have|had|will|goes|went|said|says|came|got|took|made|gave|found|knew|told|sent|began|kept|left|ran|did|can|could|might|wants|wanted|looks|works|needs|costs|starts|ends|opens|closes|begins|arrives|leaves|stays|lives|keeps|seems|feels|sounds|comes|gets|makes|takes|means|loves|love|shows|show|likes|like|runs|sits|stands|lies|hangs|sells|buys|pays|uses|helps|plays|reads|writes|grows|falls|rises|brings|gives|tells|asks|turns|moves|eats|drinks|sleeps|wins|loses|becomes|remains|lasts|happens|belongs|depends|fits|smells|tastes|rocks|prefers|thinks|knows|\p{L}{2,}ed|isn't|wasn't|ist|sind|war|waren|hat|hab|habe|haben|stand|hatte|hatten|wurde|wurden|wird|werden|liegt|liegen|steht|stehen|geht|kommt|kam|gibt|gab|bleibt|fand|tritt|sitzt|läuft|kann|will|wollte|sagt|sagte|heißt|fragte|fragt|kostet|passt|gehört|schmeckt|riecht|hängt|hält|fällt|beginnt|endet|öffnet|schließt|fährt|kommen|gehen|machen|macht|nimmt|trägt|braucht|scheint|regnet|schneit|\p{L}{3,}te|est|sont|était|étaient|a|ont|ai|l'ai|avait|avaient|sera|seront|va|vont|fait|peut|vient|reste|arrive|apparaît|n'apparaît|réclame|coûte|commence|finit|ferme|ouvre|tombe|monte|descend|part|tient|prend|met|donne|dort|pleut|marche|passe|sent|dure|suit|ressemble|s'appelle|\p{L}{2,}ait|es|está|están|son|ha|han|fue|eran|era|había|va|van|sale|salen|tiene|\p{L}{3,}(?:an|en)|pone|dice|dijo|dije|vale|abre|cierra|empieza|acaba|termina|llega|queda|sube|baja|parece|huele|sabe|dura|gusta|gustan|encanta|viene|vienen|arreglé|hice|dejé|puse|mandé|envié|cambié|cuesta|\p{L}{2,}(?:ó|amos|aron|ieron|aba|aban|ía|ían))(?![\p{L}'])/u;

/** A remark of a few words that begins like a command or a question. */
export const remarks =
  /^(?:(?:yep|yes|yeah|ok|also|ja|oui|sí|si),? )?(?:(?:seen|tried|done|had|second|doubt|love|hate|like|hope|guess|bet) (?:that|this|it|so|those|these)|(?:could|would|might|may|can|will|should|must) (?:(?:well|also|just|still|even|only|definitely|probably|not|never|easily) )*(?:be|do|have|confirm|see|say|work|help|check|look|try|imagine|live|wait|agree|join|fix|add|ship|send|take)(?![\p{L}'])|did (?:that|this|it|so)|have (?:fun|a )|is what |works |worked |looks |sounds |feels |makes sense|läuft (?:bei|hier|alles|wieder)|geht (?:mir|uns|bei|wieder|jetzt)|stimmt(?:$|[, ])|erst ?mal |ist (?:mir|bei (?:mir|uns)) auch|en mi |en mis |a mí |a mi |mi |primero (?:a|el|la|un)|sigue (?:en|igual|sin|rojo)|es (?:verdad|cierto|que)|está (?:bien|claro)|va bien|marche (?:ici|chez)|pareil (?:ici|chez|pour moi))(?!.*\?)/u;

/** It is to be done anew, another way. */
export const revisions =
  /^(?:no,? |and |y |et |und |ve |ama |pero |mais |aber |but )?(?:(?:a (?:bit|little)|much|etwas|viel|un peu|un poco|bien|biraz) )?(?:shorter|longer|simpler|briefer|kürzer|länger|einfacher|plus (?:court|courte|long|longue|simple)|más (?:corto|corta|largo|larga|breve|simple|sencillo)|daha (?:kısa|uzun|sade|basit)|もっと|もう少し)(?!\p{L})/u;

// prettier-ignore
/** Somebody wants something, or is at a loss: it need not be put as a question. */
export const wants = [
  'i want', 'we want', "i'd like", 'would like', 'would love to know', "don't understand", 'do not understand', "don't get", 'wonder', 'wondering', 'curious', 'looking for', 'trying to', 'struggling', 'confused', 'would help', 'vendría bien', 'estaría bien', 'agradecería', 'wäre', 'serait bien', 'iyi olur', '助かります', '嬉しい', '幸いです', 'i need', 'we need', 'the same for', 'the same with',
  'brauche', 'brauchen', 'bräuchte', 'versteh', 'möchte', 'hätte gern', 'kapier', 'komme nicht', 'finde nicht', 'suche', 'das gleiche für', 'das gleiche nochmal',
  'besoin', 'comprends pas', 'voudrais', 'aimerais', 'il faut', 'il faudrait', "n'arrive pas", 'arrive pas', 'cherche', 'trouve pas', 'on peut', 'on pourrait', 'il y a moyen', 'la même chose pour',
  'necesit', 'me falta', 'quiero', 'quisiera', 'querría', 'me gustaría', 'no entiendo', 'no consigo', 'hace falta', 'no encuentro', 'busco', 'no me sale', 'se puede', 'se podría', 'me haces', 'me puedes', 'me pasas', 'me das', 'lo mismo para', 'lo mismo con', 'fíjate',
  'istiyorum', 'isterim', 'anlamadım', 'anlamıyorum', 'bulamıyorum', 'bulamadım', 'merak', 'ihtiyac', 'ne eksik', 'aynısını',
  'ほしい', '欲しい', 'たいです', 'たいのですが', '分からな', 'わからな', '分かりません', 'わかりません', 'できません', '見つかりません', '見つからな', 'のですが', 'んですが',
] as const;

// prettier-ignore
/** A fault, a duty or a doubt. Said to nobody it may be mere narration; with another sign of asking it is a request. */
export const faults = [
  'need', 'missing', "didn't help", "doesn't", "can't", 'cannot', 'not sure', 'unsure', 'broken', 'wrong', 'stuck', 'lost', 'still', 'the same', 'not working', 'fails', 'failing', 'should', 'have to', 'has to', 'must', 'would be', 'falta',
  'fehlt', 'fehlen', 'weiß nicht', 'nicht sicher', 'kaputt', 'das gleiche', 'dasselbe', 'immer noch', 'unklar', 'geht nicht', 'klappt nicht', 'gerne', 'sollte', 'müsste', 'müssen',
  'manque', 'sais pas', 'pas sûr', 'pareil', 'la même', 'le même', 'marche pas', 'toujours pas', 'devrait', 'doit',
  'no sé', 'no funciona', 'lo mismo', 'la misma', 'el mismo', 'sigue sin', 'no hay', 'debería', 'hay que', 'tiene que',
  'lazım', 'gerek', 'eksik', 'çalışmıyor', 'bozuk', 'aynısı', 'olmuyor', 'olmadı', 'emin değilim', 'malıyız', 'meliyiz', 'malı', 'meli', 'hâlâ', 'hala',
  '足りない', '足りません', '動かな', '動きません', '直ってない', 'まだ',
] as const;

/** A question told of, not asked. */
export const reportedQuestion =
  /(?<!\p{L})(?:asked|asks|asking|wanted to know|wants to know|told|quiso saber|quisieron saber|merak etmiş|sormuş|sorduydu|explained|explains|fragte|gefragt|fragt|wollte wissen|wollten wissen|demandé|demandait|voulait savoir|voulaient savoir|preguntó|preguntaron|preguntado|preguntaba|quería saber|sordu|sordular|soruyor|soruyorum|merak etti)(?!\p{L})|聞かれ|尋ねられ|訊かれ|知りたがって|問う|聞いてい|と聞いた/u;
/** The question comes after the colon. */
export const reportedColon = /(?:asks|asked|says|said|reads|fragt|fragte|sagt|demande|dit|pregunta|dice|soruyor|diyor)(?: \p{L}+){0,2} ?:/u;

/** Said for effect, or to oneself. */
export const rhetorical =
  /who would have (?:thought|guessed)|who(?:'d| would) have thought|who knew|who knows|who cares|what could (?:possibly )?go wrong|what (?:a|an) |how (?:nice|lovely|cool|great|sweet|funny|embarrassing|ironic)(?! (?:is|are|would|does))|why (?:do i|did i|am i) (?:even|ever)|why not(?= ?[?!.]*$)|isn't (?:it|that|this|life) |pope catholic|where was i|what was i (?:saying|thinking)|guess (?:who|what)|(?:would|wouldn't) (?:love|mind|rather)|(?:should|could|would)(?:'ve| have) |wish i |when in doubt|note to self|thinking out loud|talking to myself|i (?:asked|ask|keep asking|wonder) (?:myself )?(?:why|what) (?:i|we) |what else is new|who needs |since when do i|wer hätte|was soll(?:te)? (?:da |denn )?schon|wo war ich|wer weiß|was für ein|wen (?:interessiert|juckt)|warum (?:tu|mach) ich mir|hätte schlimmer|ich frage? mich (?:manchmal|oft|ja)|selbstgespräch|qui l'(?:aurait|eût) cru|qui sait|qu'est-ce qui pourrait mal|où en étais-je|à quoi bon|pape est catholique|le pape est|quelle (?:semaine|journée|histoire|idée|pagaille|galère)|quel (?:bazar|bordel|temps|plaisir|dommage)|je me demande (?:parfois|souvent)|va savoir|quién (?:lo )?(?:iba|hubiera|diría)|quién sabe|qué (?:podría|puede) salir mal|católico el papa|por dónde iba|me pregunto (?:para|a veces|por qué me)|a veces me pregunto|qué (?:pesado|bien|mal|semana|día|pena|risa|locura|desastre|lío|pereza)|vaya |kim bilir|kim (?:derdi|düşünürdü|tahmin)|ne ters gidebilir|ne kötü olabilir|nerede kalmıştım|denizde su|ne \p{L}+(?:ydı|ydi|ydu|ydü|tı|ti|dı|di) (?:ama|be)|bazen kendime|kendi kendime|誰が想像|誰が思った|だろうか|どこまで話し|自分に問|やれやれ|知るか|誰得|どうしろ|なんで(?:いつも|私ばかり|俺ばかり)|(?:たら|れば|ば)(?:よかった)?なあ|ばよかった/u;
/** The same, as people say it in general: of time, luck, sleep and themselves. */
export const commonSayings =
  /who am i kidding|who (?:does|did) that ?\?*$|who asked ?\?*$|who (?:doesn't|wouldn't) (?:love|like|want)|what(?:'s| is) the point ?\?*$|why bother ?\?*$|how (?:hard|bad) can (?:it|that) be|what(?:'s| is) not to (?:like|love)|how (?:should|would) i know|how am i supposed to know|what do i know ?\?*$|what did i expect|what (?:were|was) (?:they|he|she|i) thinking|why me ?\?*$|why is it always me|what are the (?:odds|chances) ?\?*$|where (?:has|did|does) the (?:time|day|week|year|summer) |get any worse|what more (?:could|can) (?:you|one|anyone) (?:want|ask)|says who|^(?:and )?so what ?\?*$|when will (?:i|they|we|people) (?:ever )?learn|will (?:i|we|they) ever learn|what would (?:i|we) do without|^as if |if only (?:i|we|it|they)|do(?:es)? (?:pigs|a bear|bears) |wer (?:braucht|will) schon |was soll'?s|wozu auch |wie (?:schwer|schlimm) kann (?:das|es) (?:schon )?sein|was kann (?:da |denn )?schon|warum immer ich|was weiß ich ?\?*$|woher soll ich das|wen wundert|wie oft (?:denn|muss ich|soll ich) noch|muss das sein ?\?*$|wo ist (?:nur |bloß )?die zeit|was will man mehr|was gibt es schöneres|wer kennt (?:das|es) nicht|wer's glaubt|soll das ein (?:witz|scherz)|hätte(?:n)? (?:ich|wir) (?:mal|nur|bloß|doch) |^als ob |qui aurait (?:cru|pensé|dit)|que demander de plus|pour quoi faire, |qu'est-ce que j'en sais|j'en sais quoi|pourquoi (?:toujours )?moi ?\?*$|où va le monde|que voulez-vous ?\?*$|que veux-tu ?\?*$|si seulement |^comme si |quelle (?:surprise|honte)|quién me mand|quién (?:tuviera|fuera|pudiera)|quién no quiere|qué más (?:da|se puede pedir)|qué le vamos a hacer|qué sé yo|yo qué sé|a quién le importa|a dónde vamos a (?:parar|llegar)|qué culpa tengo|por qué siempre (?:yo|a mí|me toca)|dónde se ha visto|para qué (?:nos vamos|engañar|molest|madrug)|¿para qué, no|^como si |si yo (?:fuera|pudiera)|ne gerek var|(?:ne|nereden|nerden) bileyim|allah bilir|bana ne ?\?*$|kimin umurunda|neden hep ben|daha ne (?:olsun|isterim|isteyeyim)|olur mu (?:hiç|öyle) |olacak iş mi|ne saklayayım/u;
/** Thinking aloud. With a question mark it may be meant. */
export const thinkingAloud =
  /where did i (?:put|leave|park|save)|where have i (?:put|left)|wo hab(?:e)? ich |où ai-je |où est-ce que j'ai |j'ai mis où|dónde (?:dejé|puse|habré|tenía|tendré) |a saber$|vete a saber|nereye koy(?:dum|muştum)|nerede bırak(?:tım|mıştım)|ne yapalım|ne fark eder|どこ(?:だった|にやった|に置いた)|だったっけ|だったかな/u;
/** A question why, and how its author goes on to say why. */
export const why = /(?<!\p{L})(?:why|warum|wieso|weshalb|wozu|pourquoi|por qué|neden|niye|niçin)(?!\p{L})|なぜ|どうして|なんで/u;
export const reasonClause = /^(?:because|weil|parce qu|porque|çünkü)|(?:için|から(?:だ|です|さ)?)$/u;
/** It only gives a reason. */
export const reason = /^(?:because|weil|parce qu'?|porque|çünkü)(?!\p{L})|^parce que /u;
/** Somebody who is mentioned said or asked it: the words before it were theirs. */
export const saidBy =
  /^,? ?(?:said|asked|says|asks|he said|she said|they said|sagte|fragte|meinte|sagt|fragt|dit|demande|demanda|a dit|a demandé|dijo|dice|preguntó|me dijo|dedi|diye sordu|dediler|と(?:言|聞|尋))(?!\p{L})/u;
/** The narration goes on. */
export const continuesClause =
  /^(?:which (?:i|we|is|was|means|makes)|lo cual|ce qui (?:est|me|m'|nous)|so (?:that|this|it)(?:'s| is| was) (?:how|why|what|where)|(?:that|this)(?:'s| is| was) (?:how|why|what|where)|deshalb also|darum also|voilà (?:pourquoi|comment|ce)|c'est (?:donc )?(?:pour ça|comme ça|pour cela)|por eso|así es como)(?!\p{L})/u;
/** Any subject and its verb: `Kapitel zwei ist …`, `tom went …`. Only verbs that nothing else is spelt like. */
export const plainVerb =
  /^(?:is|are|was|were|has|had|went|came|took|gave|found|knew|told|began|kept|isn't|wasn't|says|said|wants|works|looks|ist|sind|war|waren|hat|hatte|hatten|wurde|wurden|wird|kommt|kam|geht|ging|liegt|steht|läuft|est|sont|était|étaient|avait|avaient|sera|seront|vient|arrive|fue|eran|está|están|han|había|tiene|viene|dijo|dice|llegó|salió|quedó)$/u;

/** After a question: its author answers it. */
export const selfAnswer =
  /^(?:of course|obviously|nope|nobody|no one|me(?:$|[ .,])|yes,|natürlich|klar|niemand|ich(?:$|[ .,])|bien sûr|évidemment|personne|moi(?:$|[ .,])|pues claro|claro|por supuesto|nadie|yo(?:$|[ .,])|tabii|elbette|hiç kimse|ben(?:$|[ .,])|もちろん|当然)|^(?:no|none|zero|exactly|never|always|nein|keiner|keine|nie|genau|eben|nichts|non|aucun|aucune|rien|jamais|exactement|ninguno|ninguna|exacto|nada|nunca|hayır|hiç|hiçbiri|evet|aynen|いいえ|ゼロ|誰も)$/u;

/** Said alone it leaves the matter as it is. */
export const shrug =
  /^(?:oh well|ah well|well|anyway|anyways|whatever|so be it|hm+|let me (?:see|think)|na ja|naja|nun ja|tja|egal|sei's drum|mal (?:sehen|schauen|überlegen)|tant pis|bref|enfin|bon|soit|voyons(?: voir)?|en fin|bueno|da igual|qué más da|a ver|neyse|olsun|olur öyle|bakalım|hayırlısı|(?:まあ)?いいか|まあ|さあ(?:ね+え*)?|えーと|ええと|うーん)$/u;

/** The matter is closed: who says so asks no more. */
export const closing =
  /^(?:never ?mind|nvm|forget (?:it|my question|what i)|no idea|no clue|found it|solved|got it working|hat sich erledigt|schon erledigt|erledigt|vergiss(?:t)? (?:es|meine frage)|keine ahnung|schon gefunden|gelöst|laisse tomber|laissez tomber|oublie(?:z)? ma question|aucune idée|c'est réglé|c'est résolu|trouvé|ni idea|olvida(?:d)? (?:mi pregunta|lo)|olvídalo|resuelto|ya está|no tengo ni idea|hiçbir fikrim|fikrim yok|boş ver|boşver|sorumu unut|buldum|çözüldü|hallettim)(?!\p{L})|解決しました|自己解決|忘れてください|見当もつか/u;

/** A question as part of a narration: "why it was slow is clear now", "wie es geht, steht in …". */
export const embeddedQuestion =
  /^(?:why|how|what|where|who|when) (?:the|a|an|it|we|i|this|that|my|our|they|he|she)(?: \S+)* (?:is|was|are|were|has|stays|became)(?= )|^(?:wie|warum|wieso|was|wo|wer|wann) .{1,120}, (?:steht|ist|war|weiß|liegt|hab|habe|haben|zeigt|erklärt|wissen|klärt|sieht|stand)(?= |$)|^(?:comment|pourquoi|où|quand|qui|ce que|ce qui) .{1,120} (?:est|sont|était) (?:décrit|expliqué|clair|connu|écrit|documenté|dans|indiqué|maintenant|désormais|évident)|^(?:cómo|por qué|dónde|cuándo|quién|qué) .{1,120} (?:está|viene|ya se|se explica|se sabe|queda|lo sabemos|lo pone|lo dice|pone en|es otra)|か(?:どうか)?[はをがも].{1,60}(?:ます|ました|です|でした|ある)$|, on (?:le )?sait(?!\p{L})|\p{L}(?:dığı|diği|duğu|düğü|tığı|tiği|tuğu|tüğü|acağı|eceği)\p{L}*(?= )/u;

/** Turkish puts its verb last and marks it: past, present, future, first person; or says where something is. */
export const turkishEnd =
  /(?:[dt][ıiuü](?:m|k|lar|ler)?|[ıiuü]yor(?:um|uz|lar)?|(?:acak|ecek)(?:lar|ler)?|(?:acağ|eceğ)(?:ım|im|ız|iz)|[ıiuüae]r(?:ım|im|um|üm|ız|iz|uz|üz)|m[ıiuü]ş(?:lar|ler|tı|ti)?|[dt][ıiuü]r|\p{L}{2,}[dt][ae]|[dt][ae]y[ıi][mz]|m[ıiuü]ş[ıiuü][mz]|yok|var|yokum|değil|tamam)$/u;
/** Turkish beyond doubt without its own letters, and at any place: what I or we do or did. */
export const turkishFirst = /(?:[ıiuü]yor(?:um|uz|du|dum|duk|muş)?|[dt][ıiuü](?:m|k)|[lnr]d[iu]|tti)$/u;
/** Japanese ends what it tells in these. */
export const japaneseEnd =
  /(?:ました|ます|です|でした|だった|した|った|いた|んだ|かもしれない|かもしれません|ません|てる|ている|いい|ない|だ|る|い|中|済み|し|なあ|ねえ)[。!ねよなわwー笑\s]*$/u;
