// How somebody asks an agent to leave in Italian, Portuguese, Dutch, Polish, Russian and Chinese. Only the plain forms: a request that is
// missed is made again with the button.

import type { PhraseTable } from '../../text/phrases.ts';

export const italian: PhraseTable = {
  before: 'per favore|per piacere|ora|adesso|allora|e|grazie|puoi|potresti|dovresti|devi|ok|subito|ti prego',
  after: 'per favore|per piacere|ora|adesso|subito|grazie',
  mayAsk: true,
  parts: {
    place: "((questo|questa|il|la|lo|nostro|nostra) |l'|quest')?(thread|canale|chat|conversazione|discussione|stanza|gruppo|filo)",
    room: '(thread|canale|chat|conversazione|discussione|stanza|gruppo)',
  },
  phrases: `
    …(lascia|lasciare|abbandona|abbandonare) {place}…
    …(esci|uscire|sparisci|vattene|vai via|andartene) (dal|dalla|dallo|da|da questo|da questa|da quest'|dal nostro|dalla nostra) ?{room}…
    …esci|vattene|vai via|andare via|sparisci|fuori di qui|fuori da qui|esci da qui|esci di qui|lasciaci soli|lasciaci da soli…
    …lasciaci in pace|levati di torno…
    …(stai zitto|fai silenzio|taci) e (vai via|vattene|esci|lasciaci soli|lascia {place})…
    non (scrivere|rispondere|intervenire) più (qui|in {place})…
    non abbiamo più bisogno di te( qui| in {place})?
    qui non (servi|sei) più (gradito|necessario)
    (ora |adesso )?puoi (andare|andartene|uscire)…
  `,
};

export const portuguese: PhraseTable = {
  before: 'por favor|agora|então|e|obrigado|obrigada|pode|podes|podia|poderia|deves|deve|ok|já|você pode',
  after: 'por favor|agora|já|obrigado|obrigada|imediatamente',
  mayAsk: true,
  parts: {
    place: '((este|esta|esse|essa|o|a|nosso|nossa) )?(thread|tópico|canal|chat|conversa|discussão|sala|grupo|fio)',
    room: '(thread|tópico|canal|chat|conversa|discussão|sala|grupo|fio)',
  },
  phrases: `
    …(saia|sai|sair|retire-se|retira-te|vá embora|vai embora) (deste|desta|desse|dessa|do|da|do nosso|da nossa) {room}…
    …(deixe|deixa|deixar|abandone|abandona|abandonar) {place}…
    …sai daqui|saia daqui|vá embora|vai embora|vai-te embora|ir embora|fora daqui|cai fora|caia fora|deixa-nos em paz|deixe-nos em paz…
    …deixa-nos a sós|deixe-nos a sós|retire-se|retira-te|saia|sair…
    …(cala-te|cale-se|fica quieto|fique quieto|fica calado|fique calado) e (sai|saia|sai daqui|saia daqui|vai embora|vá embora)…
    não (escrevas|escreva|respondas|responda|publiques|publique) mais (aqui|neste canal|neste tópico|nesta conversa)…
    já não precisamos de (ti|você)( aqui)?
    não precisamos mais de (ti|você)( aqui)?
  `,
};

export const dutch: PhraseTable = {
  before: 'alsjeblieft|alstublieft|aub|graag|nu|dan|en|dus|ok|bedankt|even|gewoon',
  after: 'alsjeblieft|alstublieft|aub|graag|nu|dan|maar|even|meteen|direct|bedankt|hier',
  mayAsk: true,
  parts: {
    place: '((deze|dit|het|de|ons|onze) )?(thread|draad|draadje|kanaal|chat|gesprek|discussie|groep|ruimte|kamer)',
  },
  phrases: String.raw`
    …verlaat {place}…
    …(ga|stap) (weg )?uit {place}( weg)?…
    …(blijf|ga) weg uit {place}…
    …ga weg|weg hier|ga hier weg|ga nu weg|ga alsjeblieft weg|wegwezen|hoepel op|rot op|donder op|ga eruit|eruit|laat ons alleen…
    …laat ons even alleen|laat ons met rust|vertrek|verdwijn|je kunt gaan|je mag gaan|je mag weg|je mag nu gaan|je kunt nu gaan…
    …(wees stil|hou je mond|houd je mond|zwijg) en (ga weg|ga|vertrek|verdwijn|verlaat {place})…
    (schrijf|reageer|antwoord|post) (hier niet (meer|langer)|niet meer (hier|in {place}))…
    (kun|kan|wil|zou) je (alsjeblieft |aub )?({place} verlaten|weggaan|hier weggaan|vertrekken|ons alleen laten) ?\??
    we hebben je hier niet meer nodig
    je bent hier niet meer (nodig|welkom)
  `,
};

export const polish: PhraseTable = {
  before: 'proszę|teraz|już|więc|i|a|dobra|ok|no|dziękuję|dzięki',
  after: 'proszę|teraz|już|natychmiast|stąd|dziękuję|dzięki',
  mayAsk: true,
  parts: {
    place: `
      ((ten|tę|ta|tego|tej|nasz|naszą|naszego|naszej) )?(wątek|wątku|kanał|kanału|czat|czatu|rozmowę|rozmowy|dyskusję|dyskusji|grupę)
      ((ten|tę|ta|tego|tej|nasz|naszą|naszego|naszej) )?(grupy|pokój|pokoju)
    `,
  },
  phrases: String.raw`
    …opuść {place}…
    …(wyjdź|odejdź|wynoś się|wypisz się|wycofaj się|zniknij|idź sobie) (z|ze) {place}…
    …wyjdź|odejdź|idź sobie|idź stąd|wyjdź stąd|wynoś się|wynocha|zniknij|zostaw nas|zostaw nas samych|zostaw nas w spokoju|możesz iść…
    …możesz już iść|możesz odejść|możesz już odejść|możesz wyjść…
    …(bądź cicho|ucisz się|zamilcz) i (wyjdź|odejdź|idź sobie|opuść {place})…
    nie (pisz|odpowiadaj|odzywaj się) ((tu|tutaj) (już|więcej)|(już|więcej) (tu|tutaj|w tym kanale|w tym wątku|w tej rozmowie))…
    (czy )?(możesz|mógłbyś|mogłabyś) (proszę )?(opuścić {place}|stąd wyjść|odejść) ?\??
    nie (potrzebujemy|potrzebuję) cię (tu|tutaj)( już| więcej)?
    nie jesteś (tu |tutaj )?już (potrzebny|potrzebna)
  `,
};

export const russian: PhraseTable = {
  before: 'пожалуйста|теперь|сейчас|тогда|и|а|ну|ок|всё|все|спасибо',
  after: 'пожалуйста|теперь|сейчас|немедленно|отсюда|спасибо',
  mayAsk: true,
  parts: {
    place: `
      ((этот|эту|этого|этой|это|наш|нашу|нашего|нашей) )?(тред|треда|канал|канала|чат|чата|беседу|беседы|разговор|разговора|обсуждение)
      ((этот|эту|этого|этой|это|наш|нашу|нашего|нашей) )?(обсуждения|группу|группы|комнату|комнаты|ветку|ветки)
    `,
  },
  phrases: String.raw`
    …(покинь|покиньте) {place}…
    …(выйди|выйдите|уйди|уйдите|выходи|уходи|уходите) из {place}…
    …уйди|уйдите|уходи|уходите|выйди отсюда|выйдите отсюда|исчезни|отстань|проваливай|убирайся|оставь нас|оставь нас одних…
    …оставь нас в покое|оставьте нас|оставьте нас одних|оставьте нас в покое|можешь идти|можешь уйти|можешь уходить…
    …(замолчи|помолчи|молчи) и (уйди|уходи|выйди|исчезни|покинь {place})…
    (больше )?не (пиши|пишите|отвечай|отвечайте) (больше )?(здесь|сюда|тут|в этом чате|в этом канале|в этой ветке)( больше)?…
    (можешь|мог бы ты|не мог бы ты) (пожалуйста )?покинуть {place} ?\??
    ты (здесь |тут )?больше не (нужен|нужна)( здесь| тут)?
    мы больше не нуждаемся в тебе( здесь)?
  `,
};

/** For a whole sentence: Chinese is written without blanks. */
export const chinese = {
  before: String.raw`
    请你?|請你?|麻烦你?|麻煩你?|拜托|现在|現在|马上|馬上|立刻|那就?|好了|谢谢|謝謝|你可以|可以|能不能|能否|能|[,，、\s]
  `,
  after: String.raw`吧|了|吗|嗎|好吗|可以吗|谢谢|謝謝|[,，、。!！?？\s]`,
  our: '(我们的?|我們的?)?(这个|這個|本|此|该|該)?',
  speak: '(发言|说话|回复|發言|說話|回覆)',
  phrases: `
    (离开|離開|退出){our}(频道|頻道|群聊|群组|群|聊天室?|对话|對話|讨论|討論|会话|會話|帖子|话题|話題|这里|這裡|房间|房間)
    走开|走開|滚开|滾開|滚出去|出去吧|离开吧|離開吧|离开|離開
    别再(在)?(这里|这儿|這裡)?{speak}|不要再(在)?(这里|这儿|這裡){speak}
    让我们(单独|自己)(聊聊?|谈谈?|待一会儿?)|(这里|這裡)(已经)?不(再)?需要你
  `,
};
