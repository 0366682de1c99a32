// How an agent is asked to leave in Italian, Portuguese, Dutch, Polish and Russian, as whole clauses, and in Chinese, as a whole
// sentence: see leave-request.ts. Only the plain forms: a request that is missed is made again with the button.

const place = {
  it: "(?:(?:questo|questa|il|la|lo|nostro|nostra) |l'|quest')?(?:thread|canale|chat|conversazione|discussione|stanza|gruppo|filo)",
  pt: '(?:(?:este|esta|esse|essa|o|a|nosso|nossa) )?(?:thread|tópico|canal|chat|conversa|discussão|sala|grupo|fio)',
  nl: '(?:(?:deze|dit|het|de|ons|onze) )?(?:thread|draad|draadje|kanaal|chat|gesprek|discussie|groep|ruimte|kamer)',
  pl: '(?:(?:ten|tę|ta|tego|tej|nasz|naszą|naszego|naszej) )?(?:wątek|wątku|kanał|kanału|czat|czatu|rozmowę|rozmowy|dyskusję|dyskusji|grupę|grupy|pokój|pokoju)',
  ru: '(?:(?:этот|эту|этого|этой|это|наш|нашу|нашего|нашей) )?(?:тред|треда|канал|канала|чат|чата|беседу|беседы|разговор|разговора|обсуждение|обсуждения|группу|группы|комнату|комнаты|ветку|ветки)',
};

const itBefore = '(?:(?:per favore|per piacere|ora|adesso|allora|e|grazie|puoi|potresti|dovresti|devi|ok|subito|ti prego) )*';
const itAfter = '(?: (?:per favore|per piacere|ora|adesso|subito|grazie))*(?: ?\\?)?';
const italian = [
  `${itBefore}(?:lascia|lasciare|abbandona|abbandonare) ${place.it}${itAfter}`,
  `${itBefore}(?:esci|uscire|sparisci|vattene|vai via|andartene) (?:dal|dalla|dallo|da|da questo|da questa|da quest'|dal nostro|dalla nostra) ?(?:thread|canale|chat|conversazione|discussione|stanza|gruppo)${itAfter}`,
  `${itBefore}(?:esci|vattene|vai via|andare via|sparisci|fuori di qui|fuori da qui|esci da qui|esci di qui|lasciaci soli|lasciaci da soli|lasciaci in pace|levati di torno)${itAfter}`,
  `${itBefore}(?:stai zitto|fai silenzio|taci) e (?:vai via|vattene|esci|lasciaci soli|lascia ${place.it})${itAfter}`,
  `non (?:scrivere|rispondere|intervenire) più (?:qui|in ${place.it})${itAfter}`,
  `non abbiamo più bisogno di te(?: qui| in ${place.it})?|qui non (?:servi|sei) più (?:gradito|necessario)|(?:ora |adesso )?puoi (?:andare|andartene|uscire)${itAfter}`,
];

const ptBefore = '(?:(?:por favor|agora|então|e|obrigado|obrigada|pode|podes|podia|poderia|deves|deve|ok|já|você pode) )*';
const ptAfter = '(?: (?:por favor|agora|já|obrigado|obrigada|imediatamente))*(?: ?\\?)?';
const portuguese = [
  `${ptBefore}(?:saia|sai|sair|retire-se|retira-te|vá embora|vai embora) (?:deste|desta|desse|dessa|do|da|do nosso|da nossa) (?:thread|tópico|canal|chat|conversa|discussão|sala|grupo|fio)${ptAfter}`,
  `${ptBefore}(?:deixe|deixa|deixar|abandone|abandona|abandonar) ${place.pt}${ptAfter}`,
  `${ptBefore}(?:sai daqui|saia daqui|vá embora|vai embora|vai-te embora|ir embora|fora daqui|cai fora|caia fora|deixa-nos em paz|deixe-nos em paz|deixa-nos a sós|deixe-nos a sós|retire-se|retira-te|saia|sair)${ptAfter}`,
  `${ptBefore}(?:cala-te|cale-se|fica quieto|fique quieto|fica calado|fique calado) e (?:sai|saia|sai daqui|saia daqui|vai embora|vá embora)${ptAfter}`,
  `não (?:escrevas|escreva|respondas|responda|publiques|publique) mais (?:aqui|neste canal|neste tópico|nesta conversa)${ptAfter}`,
  `já não precisamos de (?:ti|você)(?: aqui)?|não precisamos mais de (?:ti|você)(?: aqui)?`,
];

const nlBefore = '(?:(?:alsjeblieft|alstublieft|aub|graag|nu|dan|en|dus|ok|bedankt|even|gewoon) )*';
const nlAfter = '(?: (?:alsjeblieft|alstublieft|aub|graag|nu|dan|maar|even|meteen|direct|bedankt|hier))*(?: ?\\?)?';
const dutch = [
  `${nlBefore}verlaat ${place.nl}${nlAfter}`,
  `${nlBefore}(?:ga|stap) (?:weg )?uit ${place.nl}(?: weg)?${nlAfter}`,
  `${nlBefore}(?:blijf|ga) weg uit ${place.nl}${nlAfter}`,
  `${nlBefore}(?:ga weg|weg hier|ga hier weg|ga nu weg|ga alsjeblieft weg|wegwezen|hoepel op|rot op|donder op|ga eruit|eruit|laat ons alleen|laat ons even alleen|laat ons met rust|vertrek|verdwijn|je kunt gaan|je mag gaan|je mag weg|je mag nu gaan|je kunt nu gaan)${nlAfter}`,
  `${nlBefore}(?:wees stil|hou je mond|houd je mond|zwijg) en (?:ga weg|ga|vertrek|verdwijn|verlaat ${place.nl})${nlAfter}`,
  `(?:schrijf|reageer|antwoord|post) (?:hier niet (?:meer|langer)|niet meer (?:hier|in ${place.nl}))${nlAfter}`,
  `(?:kun|kan|wil|zou) je (?:alsjeblieft |aub )?(?:${place.nl} verlaten|weggaan|hier weggaan|vertrekken|ons alleen laten) ?\\??`,
  `we hebben je hier niet meer nodig|je bent hier niet meer (?:nodig|welkom)`,
];

const plBefore = '(?:(?:proszę|teraz|już|więc|i|a|dobra|ok|no|dziękuję|dzięki) )*';
const plAfter = '(?: (?:proszę|teraz|już|natychmiast|stąd|dziękuję|dzięki))*(?: ?\\?)?';
const polish = [
  `${plBefore}opuść ${place.pl}${plAfter}`,
  `${plBefore}(?:wyjdź|odejdź|wynoś się|wypisz się|wycofaj się|zniknij|idź sobie) (?:z|ze) ${place.pl}${plAfter}`,
  `${plBefore}(?:wyjdź|odejdź|idź sobie|idź stąd|wyjdź stąd|wynoś się|wynocha|zniknij|zostaw nas|zostaw nas samych|zostaw nas w spokoju|możesz iść|możesz już iść|możesz odejść|możesz już odejść|możesz wyjść)${plAfter}`,
  `${plBefore}(?:bądź cicho|ucisz się|zamilcz) i (?:wyjdź|odejdź|idź sobie|opuść ${place.pl})${plAfter}`,
  `nie (?:pisz|odpowiadaj|odzywaj się) (?:(?:tu|tutaj) (?:już|więcej)|(?:już|więcej) (?:tu|tutaj|w tym kanale|w tym wątku|w tej rozmowie))${plAfter}`,
  `(?:czy )?(?:możesz|mógłbyś|mogłabyś) (?:proszę )?(?:opuścić ${place.pl}|stąd wyjść|odejść) ?\\??`,
  `nie (?:potrzebujemy|potrzebuję) cię (?:tu|tutaj)(?: już| więcej)?|nie jesteś (?:tu |tutaj )?już (?:potrzebny|potrzebna)`,
];

const ruBefore = '(?:(?:пожалуйста|теперь|сейчас|тогда|и|а|ну|ок|всё|все|спасибо) )*';
const ruAfter = '(?: (?:пожалуйста|теперь|сейчас|немедленно|отсюда|спасибо))*(?: ?\\?)?';
const russian = [
  `${ruBefore}(?:покинь|покиньте) ${place.ru}${ruAfter}`,
  `${ruBefore}(?:выйди|выйдите|уйди|уйдите|выходи|уходи|уходите) из ${place.ru}${ruAfter}`,
  `${ruBefore}(?:уйди|уйдите|уходи|уходите|выйди отсюда|выйдите отсюда|исчезни|отстань|проваливай|убирайся|оставь нас|оставь нас одних|оставь нас в покое|оставьте нас|оставьте нас одних|оставьте нас в покое|можешь идти|можешь уйти|можешь уходить)${ruAfter}`,
  `${ruBefore}(?:замолчи|помолчи|молчи) и (?:уйди|уходи|выйди|исчезни|покинь ${place.ru})${ruAfter}`,
  `(?:больше )?не (?:пиши|пишите|отвечай|отвечайте) (?:больше )?(?:здесь|сюда|тут|в этом чате|в этом канале|в этой ветке)(?: больше)?${ruAfter}`,
  `(?:можешь|мог бы ты|не мог бы ты) (?:пожалуйста )?покинуть ${place.ru} ?\\??`,
  `ты (?:здесь |тут )?больше не (?:нужен|нужна)(?: здесь| тут)?|мы больше не нуждаемся в тебе(?: здесь)?`,
];

export const furtherLanguages: readonly (readonly string[])[] = [italian, portuguese, dutch, polish, russian];

/** Chinese, for a whole sentence: it is written without blanks. */
export const leavingChinese =
  /^(?:请你?|請你?|麻烦你?|麻煩你?|拜托|现在|現在|马上|馬上|立刻|那就?|好了|谢谢|謝謝|你可以|可以|能不能|能否|能|[,，、\s])*(?:(?:离开|離開|退出)(?:我们的?|我們的?)?(?:这个|這個|本|此|该|該)?(?:频道|頻道|群聊|群组|群|聊天室?|对话|對話|讨论|討論|会话|會話|帖子|话题|話題|这里|這裡|房间|房間)|走开|走開|滚开|滾開|滚出去|出去吧|离开吧|離開吧|离开|離開|别再(?:在)?(?:这里|这儿|這裡)?(?:发言|说话|回复|發言|說話|回覆)|不要再(?:在)?(?:这里|这儿|這裡)(?:发言|说话|回复|發言|說話|回覆)|让我们(?:单独|自己)(?:聊聊?|谈谈?|待一会儿?)|(?:这里|這裡)(?:已经)?不(?:再)?需要你)(?:吧|了|吗|嗎|好吗|可以吗|谢谢|謝謝|[,，、。!！?？\s])*$/u;
