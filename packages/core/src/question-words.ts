// How people tell rather than ask, in six languages, folded as in spoken.ts. What is not here is taken for a request.

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
  'le', 'la', 'les', 'un', 'une', 'mon', 'ma', 'mes', 'notre', 'nos', 'ce', 'cette', 'ces', 'son', 'sa', 'el', 'los', 'las', 'una', 'mi', 'mis', 'nuestro', 'nuestra', 'este', 'esta', 'ese', 'esa',
  'that', 'yesterday', 'today', 'turns', 'apparently', 'luckily', 'meanwhile', 'maybe', 'anyway', 'finally', 'gestern', 'heute', 'vielleicht', 'endlich', 'irgendwann', 'angeblich', 'am', 'zum', 'im', 'dann', 'da', 'hier', 'alle', 'on', 'finalement', "aujourd'hui", 'apparemment', 'enfin', 'nos', 'me', 'ya', 'ayer', 'hoy', 'al', 'todos', 'menos', 'igual', 'lo', 'se', 'luego', 'es', 'people', 'someone',
] as const;

/** A verb that tells. By ending where a language allows it. */
export const tellingVerb =
  /(?<![\p{L}'])(?:is|are|was|were|has|have|had|will|goes|went|said|says|came|got|took|made|gave|found|knew|told|sent|began|kept|left|ran|did|can|could|might|wants|wanted|looks|works|needs|costs|starts|ends|opens|closes|begins|arrives|leaves|stays|lives|keeps|seems|feels|sounds|comes|gets|makes|takes|means|loves|likes|prefers|thinks|knows|\p{L}{2,}ed|isn't|wasn't|ist|sind|war|waren|hat|hab|habe|haben|stand|hatte|hatten|wurde|wurden|wird|werden|liegt|liegen|steht|stehen|geht|kommt|kam|gibt|gab|bleibt|fand|tritt|sitzt|läuft|kann|will|wollte|sagt|sagte|heißt|fragte|fragt|kostet|\p{L}{3,}te|est|sont|était|étaient|a|ont|ai|l'ai|avait|avaient|sera|seront|va|vont|fait|peut|vient|reste|arrive|apparaît|n'apparaît|s'appelle|\p{L}{2,}ait|es|está|están|son|ha|han|fue|eran|era|había|va|van|sale|salen|tiene|\p{L}{3,}(?:an|en)|arreglé|hice|dejé|puse|mandé|envié|cambié|cuesta|\p{L}{2,}(?:ó|amos|aron|ieron|aba|aban|ía|ían))(?![\p{L}'])/u;

// prettier-ignore
/** Somebody lacks something, or is at a loss: it need not be put as a question. */
export const wants = [
  'need', 'i want', 'we want', "i'd like", 'would like', 'would love to know', 'missing', "don't understand", 'do not understand', "didn't help", "doesn't", "don't get", "can't", 'cannot', 'not sure', 'unsure', 'wonder', 'wondering', 'curious', 'broken', 'wrong', 'stuck', 'lost', 'looking for', 'trying to', 'still', 'the same', 'struggling', 'not working', 'fails', 'failing', 'confused', 'should', 'have to', 'has to', 'must', 'would be', 'would help', 'falta', 'vendría bien', 'estaría bien', 'agradecería', 'wäre', 'serait bien', 'iyi olur', '助かります', '嬉しい', '幸いです',
  'brauche', 'brauchen', 'bräuchte', 'fehlt', 'fehlen', 'versteh', 'möchte', 'hätte gern', 'kapier', 'weiß nicht', 'nicht sicher', 'kaputt', 'das gleiche', 'dasselbe', 'immer noch', 'unklar', 'komme nicht', 'finde nicht', 'suche', 'geht nicht', 'klappt nicht', 'gerne', 'sollte', 'müsste', 'müssen',
  'besoin', 'manque', 'comprends pas', 'voudrais', 'aimerais', 'il faut', 'il faudrait', 'sais pas', 'pas sûr', 'pareil', 'la même', 'le même', "n'arrive pas", 'arrive pas', 'marche pas', 'cherche', 'trouve pas', 'toujours pas', 'on peut', 'on pourrait', 'devrait', 'il y a moyen', 'doit',
  'necesit', 'me falta', 'quiero', 'quisiera', 'querría', 'me gustaría', 'no entiendo', 'no sé', 'no funciona', 'no consigo', 'lo mismo', 'la misma', 'el mismo', 'hace falta', 'no encuentro', 'busco', 'sigue sin', 'no me sale', 'no hay', 'se puede', 'se podría', 'me haces', 'me puedes', 'me pasas', 'me das', 'debería', 'hay que', 'tiene que',
  'lazım', 'gerek', 'eksik', 'istiyorum', 'isterim', 'anlamadım', 'anlamıyorum', 'çalışmıyor', 'bozuk', 'aynısı', 'bulamıyorum', 'bulamadım', 'olmuyor', 'olmadı', 'emin değilim', 'merak', 'ihtiyac', 'malıyız', 'meliyiz', 'malı', 'meli', 'hâlâ', 'hala',
  '足りない', '足りません', 'ほしい', '欲しい', 'たいです', 'たいのですが', '分からな', 'わからな', '分かりません', 'わかりません', 'できません', '動かな', '動きません', '直ってない', '見つかりません', '見つからな', 'のですが', 'んですが', 'まだ',
] as const;

/** A question told of, not asked. */
export const reported =
  /(?<!\p{L})(?:asked|asks|asking|wanted to know|wants to know|told|explained|explains|fragte|gefragt|fragt|wollte wissen|wollten wissen|demandé|demandait|voulait savoir|voulaient savoir|preguntó|preguntaron|preguntado|preguntaba|quería saber|sordu|sordular|soruyor|soruyorum|merak etti)(?!\p{L})|聞かれ|尋ねられ|訊かれ|知りたがって|問う|聞いてい|と聞いた/u;
/** What stands behind it is what was asked. */
export const reportedColon = /(?:asks|asked|says|said|reads|fragt|fragte|sagt|demande|dit|pregunta|dice|soruyor|diyor)(?: \p{L}+){0,2} ?:/u;

/** Said for effect, or to oneself. */
export const rhetorical =
  /who would have (?:thought|guessed)|who(?:'d| would) have thought|who knew|who knows|who cares|what could (?:possibly )?go wrong|what (?:a|an) |how (?:nice|lovely|cool|great|sweet|funny|embarrassing|ironic)(?! (?:is|are|would|does))|why (?:do i|did i|am i) (?:even|ever)|why not|isn't (?:it|that|this|life) |pope catholic|where was i|what was i (?:saying|thinking)|guess (?:who|what)|(?:would|wouldn't) (?:love|mind|rather)|(?:should|could|would)(?:'ve| have) |wish i |when in doubt|note to self|thinking out loud|talking to myself|i (?:asked|ask|keep asking|wonder) (?:myself )?(?:why|what) (?:i|we) |what else is new|who needs |since when do i|wer hätte|was soll(?:te)? (?:da |denn )?schon|wo war ich|wer weiß|was für ein|wen (?:interessiert|juckt)|warum (?:tu|mach) ich mir|hätte schlimmer|ich frage? mich (?:manchmal|oft|ja)|selbstgespräch|qui l'(?:aurait|eût) cru|qui sait|qu'est-ce qui pourrait mal|où en étais-je|à quoi bon|pape est catholique|le pape est|quelle (?:semaine|journée|histoire|idée|pagaille|galère)|quel (?:bazar|bordel|temps|plaisir|dommage)|je me demande (?:parfois|souvent)|va savoir|quién (?:lo )?(?:iba|hubiera|diría)|quién sabe|qué (?:podría|puede) salir mal|católico el papa|por dónde iba|me pregunto (?:para|a veces|por qué me)|a veces me pregunto|qué (?:pesado|bien|mal|semana|día|pena|risa|locura|desastre|lío|pereza)|vaya |kim bilir|kim (?:derdi|düşünürdü|tahmin)|ne ters gidebilir|ne kötü olabilir|nerede kalmıştım|denizde su|ne \p{L}+(?:ydı|ydi|ydu|ydü|tı|ti|dı|di) (?:ama|be)|bazen kendime|kendi kendime|誰が想像|誰が思った|だろうか|どこまで話し|自分に問|やれやれ/u;
/** After a question: its author answers it. */
export const answered =
  /^(?:of course|obviously|nope|nobody|no one|me(?:$|[ .,])|yes,|natürlich|klar|niemand|ich(?:$|[ .,])|bien sûr|évidemment|personne|moi(?:$|[ .,])|pues claro|claro|por supuesto|nadie|yo(?:$|[ .,])|tabii|elbette|hiç kimse|ben(?:$|[ .,])|もちろん|当然)/u;

/** The matter is closed: who says so asks no more. */
export const closing =
  /^(?:never ?mind|nvm|forget (?:it|my question|what i)|no idea|no clue|found it|solved|got it working|hat sich erledigt|schon erledigt|erledigt|vergiss(?:t)? (?:es|meine frage)|keine ahnung|schon gefunden|gelöst|laisse tomber|laissez tomber|oublie(?:z)? ma question|aucune idée|c'est réglé|c'est résolu|trouvé|ni idea|olvida(?:d)? (?:mi pregunta|lo)|olvídalo|resuelto|ya está|no tengo ni idea|hiçbir fikrim|fikrim yok|boş ver|boşver|sorumu unut|buldum|çözüldü|hallettim)(?!\p{L})|解決しました|自己解決|忘れてください|見当もつか/u;

/** A question as part of what is told: "why it was slow is clear now", "wie es geht, steht in …". */
export const embedded =
  /^(?:why|how|what|where|who|when) (?:the|a|an|it|we|i|this|that|my|our|they|he|she)(?: \S+)* (?:is|was|are|were|has|stays|became)(?= )|^(?:wie|warum|wieso|was|wo|wer|wann) .{1,120}, (?:steht|ist|war|weiß|liegt|hab|habe|haben|zeigt|erklärt|wissen|klärt|sieht|stand)(?= |$)|^(?:comment|pourquoi|où|quand|qui|ce que|ce qui) .{1,120} (?:est|sont|était) (?:décrit|expliqué|clair|connu|écrit|documenté|dans|indiqué|maintenant|désormais|évident)|^(?:cómo|por qué|dónde|cuándo|quién|qué) .{1,120} (?:está|viene|ya se|se explica|se sabe|queda|lo sabemos|es otra)|\p{L}(?:dığı|diği|duğu|düğü|tığı|tiği|tuğu|tüğü|acağı|eceği)\p{L}*(?= )/u;

/** Turkish puts its verb last and marks it: past, present, future, first person; or says where something is. */
export const turkishEnd =
  /(?:[dt][ıiuü](?:m|k|lar|ler)?|[ıiuü]yor(?:um|uz|lar)?|(?:acak|ecek)(?:lar|ler)?|(?:acağ|eceğ)(?:ım|im|ız|iz)|[ıiuüae]r(?:ım|im|um|üm|ız|iz|uz|üz)|m[ıiuü]ş(?:lar|ler|tı|ti)?|[dt][ıiuü]r|\p{L}{2,}[dt][ae]|yok|var|yokum|değil|tamam)$/u;
/** Japanese ends what it tells in these. */
export const japaneseEnd =
  /(?:ました|ます|です|でした|だった|した|った|いた|んだ|かもしれない|かもしれません|ません|てる|ている|いい|ない|だ|る|い|中|済み)[。!ねよなわwー笑\s]*$/u;
