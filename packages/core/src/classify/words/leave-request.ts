// Words that change the meaning of a request to leave, in all languages. The requests are in the file of their language.

/** The text is about others, asks a question, or refuses: the agent is not asked to leave. */
export const aboutOthers = {
  words: String.raw`
    don't (leave|go|you dare)|never leave|not yet|stay(?! out)(?! away)(?! gone)|remain|how do i|how can i|what happens|should (i|we)
    ask (?!you )\p{L}+ to|tell \p{L}+ to|kidding|jk
    geh noch nicht|nicht, dass du|bleib(?!.{0,40} (weg|draußen|raus|fern))|wie verlasse|sag \p{L}+|scherz|spaß
    ne pars pas|reste (ici|avec)|comment (je|on|puis)|dis à|blague
    no te vayas|quédate(?! fuera)|cómo (salgo|puedo)|dile|broma
    gitme|(?<!hoşça )kal(ın)?|nasıl|söyle|şaka
  `,
  japanese: 'まだ.{0,6}ないで|いてください|どうすれば|よう(に)?(伝えて|言って)|べき',
};

/** A clause before the request that changes its meaning: a condition, somebody else's words, or a text to write. */
export const notNow = {
  conditions: `
    if|when|once|as soon as|after|whenever|wenn|falls|sobald|nachdem|si|quand|dès que|lorsque|cuando|en cuanto|eğer
    als|indien|zodra|wanneer|na (de|het|dit|deze|die)|quando|não|assim que|se|caso|depois|após|appena|una volta|dopo
    jeśli|jeżeli|kiedy|gdy|jak|po|если|когда|как|после
  `,
  speech: `
    said|says|wrote|writes|told|sagte|sagt|schrieb|meinte|a dit|a écrit|dijo|dice|escribió|dedi|diyor|yazdı
    ha detto|ha scritto|disse|zei|zegt|powiedział|powiedziała|сказал|сказала|пишет
  `,
};
