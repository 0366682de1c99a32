// How an agent is asked to leave, in six languages, folded as in spoken-text.ts. Whole clauses: a verb of leaving with anything
// behind it that is not here ("leave a note", "leave this thread open") means something else.

import { furtherLanguages } from './leave-request-languages.ts';
import { wordsNeeded } from '../../text/literals.ts';
import { isPlain } from '../../text/spoken-text.ts';

/** English. */
const where = '(?:(?:this|the|our) (?:thread|thred|channel|chat|conversation|convo|discussion|room|group|space|talk)|here|in here|this|it)';
const place = '(?:this|the|our|that) (?:thread|thred|channel|chat|conversation|convo|discussion|room|group|space)';
const before =
  "(?:(?:please|pls|plz|kindly|just|now|then|so|ok|okay|and|but|instead|right|seriously|thanks|no|vamos|hey|can you|could you|would you|will you|you can|you may|you could|you should|you must|you need to|you have to|feel free to|time to|time for you to|it's time to|it's time for you to|i want you to|i need you to|i'd like you to|i would like you to|i'd prefer you to|you better|better|go ahead and|be a good bot and|i said|i repeat|once more|do|shut up and|do me a favou?r and|do us a favou?r and|would you be so kind as to|be so kind as to|i'm asking you to|i am asking you to|i must ask you to|i have to ask you to|i'd ask you to|we'd like you to|we need you to|we want you to|you should really|you really should|you might want to|maybe you should|i think you should|it's best if you|it would be best if you|might be best if you|pack up and|say goodbye and) )*";
const after =
  "(?: (?:now|please|pls|plz|from now on|for good|immediately|at once|right now|right away|to us|instead|already|any ?more|again|thanks|thank you|today|for now|then|alone|until (?:called|mentioned|someone calls you|we call you|you are called)|unless (?:called|mentioned|asked)|and (?:come back|return) only (?:when|if) .{1,40}|and stay (?:out|gone|away)|until (?:someone|somebody|anyone|i|we|you are|you're) .{1,40}|unless (?:someone|somebody|i|we|you are|you're) .{1,40}|and don't (?:come back|return|reply here)))*";
/** What goes with leaving: alone it is no request to leave. */
const quiet =
  '(?:be|go|keep|stay|remain) (?:quiet|silent|still)|quiet|silence|shut (?:up|it)|hush|shush|zip it|pipe down|calm down|settle down|wind down|cool it|enough|mute yourself|say no more|be (?:nice|kind|good)|stop(?: (?:it|that|this|talking|posting|replying|writing|answering|commenting|chatting))?';

const english = [
  `${before}(?:leave|leav|quit|exit|abandon|vacate|drop out of|bow out of|get out of|get the (?:hell|fuck) out of|withdraw from|stay out of|keep out of|butt out of|step out of|back out of|check out of|sign out of|log out of|disconnect(?: yourself)? from|unsubscribe(?: yourself)? from|remove yourself from|excuse yourself from|take yourself out of|go away from|out of|say goodbye to|pull out of|keep away from|step away from|step back from|back away from|stay away from|move out of|clear out of|get off|recuse yourself from|absent yourself from|detach(?: yourself)? from|unfollow|stop (?:watching|lurking in|reading|listening to|following)|end your participation in|cease your participation in|kick yourself (?:from|out of)|show yourself out of|see yourself out of|let yourself out of) ${place}${after}`,
  `${before}(?:get out of|stay out of|keep out of|butt out of|get the (?:hell|fuck) out of|out of) ${where}${after}`,
  `${before}(?:leave|go away|get out|get lost|out|scram|gtfo|shoo|begone|buzz off|bugger off|piss off|fuck off|take a hike|step out|bow out|butt out|see yourself out|show yourself out|make yourself scarce|off you go|leave us|leave us be|move along|take your leave|time to go|be gone|go elsewhere|mute yourself|please exit|exit please|please withdraw|go home|be on your way|run along|bots out|no bots(?: here)?|leave already|time you left|get going|away with you|please go|go please|you're out|let us be|let us talk alone|give us some privacy|give us the room|give us (?:a moment|a minute|some space|some room) alone|leave us to it|leave us (?:be|alone)|leave the humans (?:alone|to it)|let yourself out|clear off|clear out|beat it|hit the road|jog on|sod off|naff off|be off|hop off|head out|head off|pack your (?:bags|things)|sit this one out|sit this out|you (?:should|must|need to|have to|better|ought to) (?:go|leave)|time for you to (?:go|leave|head out)|there's the door|the door is (?:over )?there|the door's (?:over )?there|door's that way|the exit is that way|you've overstayed your welcome|your time here is (?:over|up)|you(?:'ve| have) no business here|nobody (?:wants|needs) you here|no one (?:wants|needs) you here|we (?:want|need|would like) to be alone|we'd like to be alone|we(?:'ll| will| can)? manage without you(?: here)?)${after}`,
  `(?:.* )?(?:you're|you are|ur) (?:dismissed|excused|free to go|free to leave|done here|not (?:needed|wanted|welcome) (?:here|in ${place})(?: any ?more)?|no longer (?:needed|wanted|required|welcome)(?: (?:here|in ${place}))?)${after}`,
  `${before}you (?:may|can) (?:leave|go|leave ${where})${after}`,
  `(?:we|i) (?:don't|do not|no longer) need you (?:here|in ${place})${after}`,
  `your (?:presence|participation|input|help) (?:in ${place}|here) is no(?:t| longer) .{1,20}`,
  `no more (?:(?:messages|replies|posts|comments|words) )?from you(?: in (?:here|${place}))?${after}`,
  `${before}(?:stop|quit|cease) (?:talking|posting|replying|participating|taking part|writing|commenting|answering|responding|chiming in|butting in|interfering) (?:here|in here|in ${place}|to ${place})${after}`,
  `${before}stop following ${place}(?: and leave)?${after}`,
  `${before}(?:don't|do not|never) (?:post|reply|write|respond|answer|comment|talk|speak|participate|say anything|take part) (?:here|in here|in ${place})${after}`,
  `(?:your services|your services here) are no longer .{1,20}|you don't belong (?:here|in ${place})|(?:this|it) is no place for (?:you|bots|a bot)`,
  `${before}(?:mute yourself|be quiet|shut up|be silent|stay silent|keep quiet) (?:here|in here|in ${place})${after}`,
  `${before}(?:be quiet|shut up|be silent|stay silent|keep quiet|hush|mute yourself|stop (?:it|that|this|talking|posting|replying|writing))(?: now| here| please)* (?:and|then|and then) (?:please |just |then |now )*(?:leave|go|go away|get out|get lost|step out|leave us(?: alone)?|leave ${place})${after}`,
  `${before}(?:${quiet})(?: now| here| please)*(?: (?:and|then|and then))? (?:please |just |then |now )*(?:leave|go|go away|get out|get lost|exit|withdraw|step out|bow out|leave us(?: alone)?|(?:leave|exit|quit) (?:${place}|here))${after} ?\\??`,
  `${before}(?:be|keep|stay) (?:quiet|silent) or (?:please |just )*(?:leave|go away|get out|leave ${place})${after}`,
  `${before}(?:leave|go away|get out|get lost|exit|step out|leave us(?: alone)?|(?:leave|exit|quit) ${place})(?: now| please)* (?:and|then|and then) (?:please |just |then )*(?:${quiet})${after} ?\\??`,
  `i want you (?:out|gone)(?: of (?:here|${place}))?${after}`,
  `i'd appreciate it if you left(?: ${place})?${after}|i'd (?:rather|prefer) (?:it if )?you (?:weren't in|left) ${place}`,
  `(?:i |we )?(?:don't|do not) want (?:to (?:see|hear from|read|hear) )?you (?:here|in here|in ${place})${after}`,
  `(?:can|could|would|will) you (?:please )?(?:step out|leave|go away|get lost|leave us(?: alone)?|leave ${place}|excuse us)${after} ?\\?`,
  `${before}(?:would|do) you mind (?:leaving|stepping out|going|letting yourself out|leaving us(?: alone)?|leaving ${place})${after} ?\\??|(?:you're|you are) not part of ${place}(?: any ?more)?|(?:don't|do not|never) (?:come back|return)(?: here| to ${place})?(?: until .{1,40}| unless .{1,40})|(?:don't|do not|never) (?:post|reply|write|respond|answer|comment) (?:here|in here|in ${place}) again${after}`,
  `(?:finish|end|complete|wrap up) (?:that|this|your) \\p{L}+ (?:and|then|and then) leave ${place}${after}`,
];

/** German. */
const ort =
  '(?:diesen?|dieses|diesem|dieser|den|dem|das|der|die)? ?(?:thread|tread|kanal|chat|unterhaltung|gespräch|diskussion|faden|raum|gruppe|konversation)';
const vor =
  '(?:(?:bitte|jetzt|nun|dann|und|also|so|sofort|endlich|danke|ja|einfach|lieber|besser|am besten|sei so (?:gut|nett|lieb) und|tu uns den gefallen und|ich bitte dich|du kannst|du darfst|du sollst|kannst du|könntest du|würdest du|geh|toll gemacht|jetzt bitte) )*';
const nach =
  '(?: (?:jetzt|bitte|nun|sofort|endlich|hier|danke|mal|wieder|für immer|bis man dich ruft|ganz|und zwar sofort|in ruhe|schon))*';
const german = [
  `${vor}(?:verlass|verlasse|verlas|verlassen sie|quitt|quittier|leave) ${ort}${nach}`,
  `${vor}(?:raus|hinaus|weg|husch husch|husch|abmarsch|abflug|verschwinde|verzieh dich|hau ab|zieh leine|mach die biege|mach dich vom acker|zisch ab|verpiss dich|geh bitte|bitte geh|geh weg|geh raus|geh jetzt|geh nach hause|du bist entlassen|aussteigen|schleich dich|geh woanders hin|tritt ab|zieh ab|klink dich aus|klinke dich aus|halt dich raus|leave|abtreten|mach die fliege|lass uns allein|lass uns in ruhe|lass uns unter uns|lasst uns allein|lass uns (?:bitte |mal |kurz |jetzt )*(?:allein|alleine|in ruhe|unter uns)|ab mit dir(?: aus ${ort})?|da ist die tür|dort ist die tür|die tür ist (?:da|dort)|pack deine sachen|mach dich (?:dünn|davon)|zieh weiter|nimm deinen hut|nimm dich (?:hier )?(?:raus|heraus)|einfach gehen|bitte gehen|bitte rausgehen|rausgehen|geh einfach|du bist raus|du musst (?:gehen|raus)|du solltest (?:gehen|besser gehen)|zeit zu gehen|verabschiede dich(?: aus ${ort})?|verlass uns|entferne dich(?: aus ${ort})?)${nach}`,
  `${vor}(?:sei|bleib) (?:bitte |jetzt |endlich )*(?:still|ruhig|leise) und (?:bitte |dann |jetzt )*(?:geh|geh weg|geh raus|verschwinde|verlass ${ort})${nach}`,
  `${vor}(?:halt (?:bitte |jetzt )*(?:den mund|die klappe|den rand)|schweig|ruhe|hör auf|psst) und (?:bitte |dann |jetzt )*(?:geh|geh weg|geh raus|raus|verschwinde|hau ab|verlass ${ort})${nach}`,
  `(?:dass )?du (?:jetzt |bitte |sofort |nun )*(?:gehst|verschwindest|${ort} verlässt|hier verschwindest|uns allein lässt)`,
  `(?:würdest|könntest|kannst|magst) du (?:uns )?(?:bitte |jetzt |mal |kurz )*(?:gehen|rausgehen|verschwinden|allein lassen|alleine lassen|in ruhe lassen|${ort} verlassen|hier rausgehen)(?: ?\\?)?`,
  `${vor}(?:bleib|bleibe) (?:bitte |hier |ab jetzt )*(?:aus ${ort} |von ${ort} )?(?:weg|draußen|raus|fern)${nach}`,
  `wir (?:möchten|wollen|würden gern) (?:hier |jetzt |gern )*unter uns (?:sein|bleiben|reden)`,
  `du (?:bist|wirst) hier (?:raus|überflüssig|fehl am platz|unerwünscht|nicht (?:mehr |länger )?(?:erwünscht|willkommen|gebraucht|benötigt))|du hast (?:hier|in ${ort}) nichts (?:mehr )?(?:zu suchen|verloren)|niemand braucht dich hier`,
  `${vor}beteilige dich nicht (?:mehr|weiter|länger) (?:hier|an ${ort})|kein wort mehr(?: von dir)?(?: hier| in ${ort})?|${vor}trag(?:e)? dich (?:bitte )?aus ${ort} aus|${vor}(?:antworte|schreib|schreibe|poste) (?:hier |in ${ort} )(?:bitte )?nicht mehr`,
  `${vor}(?:raus|weg|verschwinde|hau ab|geh) (?:hier|aus ${ort}|von hier|hier raus)${nach}`,
  `${vor}(?:halt|halte) dich (?:bitte )?(?:aus ${ort}|hier|da|aus der sache) (?:raus|heraus)${nach}`,
  `${vor}(?:zieh|ziehe) dich (?:bitte )?(?:aus ${ort} )?zurück${nach}`,
  `${vor}(?:meld|melde) dich (?:bitte )?(?:aus ${ort} )?ab${nach}`,
  `${vor}(?:schreib|schreibe|poste|antworte|sag|kommentiere) (?:bitte )?(?:hier|in ${ort}) (?:bitte )?(?:nichts|nicht|nie) (?:mehr|wieder)${nach}`,
  `${vor}(?:misch|mische) dich (?:bitte )?(?:hier|da|in ${ort}) nicht (?:mehr )?ein${nach}`,
  `(?:meld|melde) dich (?:hier )?erst wieder`,
  `(?:.* )?du (?:kannst|darfst|sollst|sollst bitte|kannst jetzt|darfst jetzt)(?: jetzt| nun| gerne?)? (?:gehen|hier raus|raus|${ort} verlassen|verschwinden|abhauen|aussteigen)${nach}`,
  `(?:wir brauchen|ich brauche) dich hier nicht mehr|du wirst hier nicht mehr gebraucht|hier wirst du nicht mehr gebraucht`,
  `(?:deine|ihre) (?:hilfe|dienste|mitarbeit|beiträge) (?:wird|werden) (?:hier|in ${ort}) nicht (?:mehr|länger) .{1,20}`,
  `(?:ihre|deine) anwesenheit .{0,30}nicht (?:mehr|länger) .{1,20}`,
  `(?:das )?war'?s für dich(?: hier| in ${ort})?|das war es für dich`,
  `${vor}${ort} (?:bitte )?(?:jetzt |sofort )?verlassen${nach}`,
  `(?:hör (?:bitte )?auf |lass es )?hier (?:mitzureden|zu schreiben|zu posten|zu antworten|mitzumachen)|${vor}beteilige dich (?:hier|an ${ort}) nicht (?:mehr|länger)`,
  `keine (?:nachrichten|antworten|kommentare|beiträge) mehr von dir(?: hier| in ${ort})?|wir kommen (?:hier )?(?:auch )?ohne dich (?:klar|aus)`,
  `ich (?:will|möchte) (?:dich|von dir) (?:hier|in ${ort}) (?:nicht|nichts|nie) (?:mehr|wieder) (?:sehen|lesen|hören|haben)`,
  `${vor}(?:steig|klink dich|klinke dich) (?:bitte )?aus ${ort} aus${nach}|${vor}tritt (?:bitte )?aus ${ort} aus`,
];

/** French. */
const lieu = "(?:(?:ce|cette|le|la|notre) |l')?(?:fil|fils|canal|salon|conversation|discussion|chat|échange|groupe|tchat)";
const avant =
  "(?:(?:merci de|et|bon|alors|donc|maintenant|allez|stp|s'il te plaît|s'il vous plaît|tu peux|vous pouvez|peux-tu|tu dois|il faut|veuillez|on te demande de|je t'ai dit de|je veux que tu|tu veux bien|pourrais-tu|pouvez-vous|prière de|je te prie de|je vous prie de|je te demande de|je vous demande de|nous te demandons de|nous vous demandons de|tu devrais|vous devriez|vous devez|tu ferais mieux de|aurais-tu la gentillesse de|auriez-vous l'amabilité de|fais-nous le plaisir de|ayez l'obligeance de|aie la gentillesse de|il est temps de|sois gentil et) )*";
const apres =
  "(?: (?:maintenant|stp|svp|s'il te plaît|s'il vous plaît|tout de suite|merci|immédiatement|d'ici|désormais|alors|bot|de là))*(?: ?\\?)?";
const french = [
  `${avant}(?:quitte|quite|quittez|quitter|quittes|abandonne|sors de|sortez de|sortir de|sors du|sortir du|sortez du|va-t'en de|retire-toi de|retire-toi du|retirez-vous de|retirez-vous du|te retirer de|te retirer du|vous retirer de|vous retirer du|pars de|partir de|dégage de|dégage du|reste en dehors de|restez en dehors de|reste hors de|déconnecte-toi de|désabonne-toi de|hors de|hors du|dehors de|tiens-toi à l'écart de|tiens-toi en dehors de|tenez-vous à l'écart de|reste à l'écart de|reste loin de|reste en dehors du|sauve-toi de|déguerpis de|éloigne-toi de|éloigne-toi du)(?: plutôt| donc| vite| enfin)? ?(?:${lieu}|fil|canal|salon|ici)${apres}`,
  `${avant}tu quittes (?:${lieu})${apres}`,
  `${avant}(?:dehors|va-t'en|allez-vous-en|pars|partez|sors|sortez|dégage|dégagez|casse-toi|fiche le camp|fous le camp|barre-toi|tire-toi|prends la porte|du balai|ouste|oust|laisse-nous|laisse-nous seuls|laissez-nous|laisse-nous entre nous|leave|sortir|t'en aller|partir|du vent|disparais|disposer|sors d'ici|éclipse-toi|laisse-nous tranquilles|laissez-nous seuls|nous laisser|nous laisser seuls|débarrasse le plancher|va voir ailleurs|du large|hors d'ici|retire-toi|retirez-vous|éclipsez-vous|déguerpis|bon vent|la porte est (?:là|par là|ouverte)|voilà la porte|la sortie est (?:là|par là)|laisse-nous (?:entre (?:nous|humains)|discuter|parler|un moment|tous les deux)|laissez-nous entre nous|nous laisser entre nous|te retirer|vous retirer|t'en aller d'ici|reste en dehors|restez en dehors|tiens-toi à l'écart|sauve-toi|allez-vous en)${apres}`,
  `(?:on n'a|nous n'avons|je n'ai|on a) plus besoin de (?:toi|vous)(?: ici| (?:dans|sur) ${lieu})?`,
  `${avant}ne (?:réponds|répondez|écris|écrivez|poste|postez|parle|participe|interviens|dis) plus(?: rien)? (?:ici|(?:dans|sur) ${lieu})${apres}`,
  `${avant}ne (?:te mêle|vous mêlez|t'en mêle|participe|t'immisce) pas (?:de|à|dans) ${lieu}${apres}`,
  `${avant}n'(?:écris|interviens|écrivez|intervenez) plus(?: rien)?(?: ici| (?:dans|sur) ${lieu})?${apres}|(?:on|nous) se passera de toi|pas de (?:bots?|robots?) (?:ici|(?:dans|sur) ${lieu})|tais-toi (?:ici|(?:dans|sur) ${lieu})`,
  `tu n'as (?:plus rien|rien|plus) à (?:faire|voir|dire) (?:ici|(?:dans|sur) ${lieu})|(?:tu n'es|vous n'êtes) (?:plus|pas) (?:bienvenue?|désirée?|attendue?|requise?|nécessaire) (?:ici|(?:dans|sur) ${lieu})|ta place n'est (?:pas|plus) (?:ici|(?:dans|sur) ${lieu})|on n'a pas besoin de toi (?:ici|(?:dans|sur) ${lieu})|on se débrouille(?:ra)? sans toi|(?:on|nous) (?:aimerait|voudrait|aimerions|voudrions) (?:rester|être|parler) entre (?:nous|humains)`,
  `${avant}ne (?:viens|reviens|reste|participe|commente|poste|réagis|te manifeste) (?:pas|plus) (?:ici|(?:dans|sur|à) ${lieu})${apres}|plus de (?:messages?|réponses?|commentaires?) de (?:ta|votre) part(?: ici| (?:dans|sur) ${lieu})?|(?:arrête|cesse) d'(?:intervenir|écrire) (?:ici|(?:dans|sur) ${lieu})`,
  `${avant}(?:tais-toi|taisez-vous|silence|chut|arrête|sois (?:silencieux|silencieuse|sage)|calme-toi|ferme-la) (?:et|puis) (?:puis |maintenant )?(?:pars|partez|va-t'en|sors|sortez|dégage|casse-toi|laisse-nous|quitte (?:${lieu}))${apres}`,
  `ne reviens (?:ici )?que (?:si|quand) .{1,40}`,
  `(?:ce sera|c'est) tout pour toi(?: ici| (?:dans|sur) ${lieu})?`,
  `plus un mot(?: de toi)?(?: ici| (?:dans|sur) ${lieu})?`,
  `(?:votre|ta) présence .{0,30}n'est plus .{1,20}`,
  `(?:je ne veux|on ne veut) plus (?:te |vous )(?:lire|voir|entendre) (?:ici|(?:dans|sur) ${lieu})`,
  `${avant}(?:arrête|cesse) de (?:participer|répondre|écrire|poster|parler|intervenir) (?:ici|(?:dans|sur) ${lieu}|à ${lieu})${apres}`,
];

/** Spanish. */
const sitio = '(?:(?:este|esta|el|la|nuestro) )?(?:hilo|ilo|canal|chat|conversación|conversacion|charla|grupo|sala|debate|discusión)';
const antes =
  '(?:(?:por favor|porfa|y|ya|ahora|venga|anda|bueno|pues|así que|puedes|podrías|debes|tienes que|haz el favor de|te pido que|te he dicho que|quiero que|necesito que|te importa|¿te importa|¿puedes|¿podrías|ahora sí|mejor|será mejor que|es hora de|deberías|debería|puede|podría|debe|haga el favor de|le ruego que|le rogamos que|te ruego que|te pedimos que|te agradecería que|¿te importaría|te importaría|¿le importaría|hazme el favor de|haznos el favor de) )*';
const luego = '(?: (?:ya|por favor|porfa|xfa|ahora|gracias|de una vez|inmediatamente|mismo|de aquí|para siempre|más|nunca más))*(?: ?\\?)?';
const spanish = [
  `${antes}(?:sal|salga|salgas|salir|salte|vete|irte|marcharte|márchate|lárgate|fuera|retírate|retirarte|desconéctate|quítate|date de baja|bájate|apártate|aléjate|mantente fuera|mantente lejos|mantente al margen|quédate fuera|salirte|salgan|salieras|te vayas|váyase|márchese|retírese|retirarse|marcharse|irse|salirse) (?:de|del|de la) ?(?:${sitio}|aquí)${luego}`,
  `${antes}(?:abandona|abandonar|abandones|abandone|abandonaras|deja|dejar|leave) ${sitio}${luego}`,
  `${antes}(?:vete|lárgate|largo|fuera|márchate|esfúmate|piérdete|largo de aquí|leave|marcharte|irte|salir|retirarte|déjanos|déjanos solos|déjanos a solas|que te vayas|pírate|desaparece|a la calle|déjanos en paz|dejarnos solos|dejarnos a solas|marchando|vete a otro (?:canal|sitio|lado)|vete sin discutir|márchate sin discutir|sal ya|sal anda|sal (?:por favor|porfa|fuera|de aquí)|salga (?:por favor|de aquí)|que te vayas|te vayas|te fueras|se retire|se vaya|váyase|retírese|retírate|márchese|irse|marcharse|retirarse|dejarnos|ahí está la puerta|la puerta está ahí|ahí tienes la puerta|vete a paseo|hazte a un lado|déjanos (?:hablar |un rato )?(?:solos|a solas|tranquilos|en privado)|sobras aquí|aquí sobras|estás de más(?: aquí| en ${sitio})?|mantente al margen|quítate de en medio)${luego}`,
  `${antes}(?:ya )?te puedes (?:ir|marchar|retirar)${luego}|${antes}(?:ya )?puedes (?:irte|marcharte|retirarte|salir|dejarnos)${luego}`,
  `(?:ya )?no te (?:necesitamos|necesito)(?: más)?(?: aquí| en ${sitio})?${luego}`,
  `${antes}no te metas en ${sitio}${luego}`,
  `${antes}no (?:contestes|respondas|escribas|publiques|comentes|hables|participes|digas nada)(?: nada)?(?: más| nunca más)? (?:aquí|en ${sitio})${luego}|no (?:escribas|contestes|respondas) (?:aquí|en ${sitio}) (?:más|nunca más)`,
  `${antes}deja de (?:participar|contestar|responder|escribir|publicar|hablar|intervenir) (?:aquí|en ${sitio})${luego}`,
  `(?:su|tu) presencia .{0,30}ya no (?:es|hace) .{1,20}`,
  `${antes}(?:cállate|calla|silencio|guarda silencio|basta|para|tranquilízate|quédate callad[oa]) y (?:luego |ya )?(?:vete|márchate|lárgate|sal|fuera|déjanos|sal de ${sitio}|abandona ${sitio})${luego}`,
  `ni una palabra más(?: tuya)?(?: aquí| en ${sitio})?`,
  `(?:¿?sería tan amable de )dejarnos(?: a solas)?(?: en ${sitio})?\\??`,
  `(?:aquí )?ya no (?:haces falta|pintas nada)(?: aquí| en ${sitio})?|no pintas nada (?:aquí|en ${sitio})|quedas despedido|cállate (?:aquí|en ${sitio})|no intervengas(?: más)?(?: aquí| en ${sitio})?`,
  `no (?:quiero|queremos) (?:leerte|verte|oírte|saber de ti)(?: más)? (?:aquí|en ${sitio})(?: más)?`,
  `no vuelvas a (?:escribir|contestar|responder|hablar|participar|intervenir|aparecer|comentar) (?:por )?(?:aquí|en ${sitio})(?: hasta que .{1,40}| si no .{1,40}| nunca)?${luego}|no eres bienvenido (?:aquí|en ${sitio})|no hace falta que (?:sigas|estés|te quedes) (?:aquí|en ${sitio})|queremos (?:estar|hablar|quedarnos) a solas|nadie te necesita (?:aquí|en ${sitio})|nos apañamos sin ti`,
  `no (?:vuelvas|regreses)(?: aquí| a ${sitio})? (?:hasta que|si no) .{1,40}`,
];

/** Turkish. */
const yer = '(?:bu |şu )?(?:konu|kanal|sohbet|konuşma|oda|grup|tartışma|yazışma|ileti dizisi|başlık)';
const once = '(?:(?:lütfen|artık|şimdi|hadi|haydi|hemen|sen|o yüzden|ve|bi|bir|iyi iş|tamam) )*';
const sonra = '(?: (?:lütfen|artık|hemen|şimdi|teşekkürler|hadi|buradan))*(?: ?\\?)?';
const turkish = [
  `${once}(?:${yer}(?:dan|den|tan|ten|ndan|nden)|buradan|burdan) (?:lütfen |artık |hemen )?(?:çık|cık|ayrıl|çekil|git|uzaklaş|çıkın|ayrılın|gidin|çıkar mısınız|ayrılır mısınız|çıkman(?:ı|ızı) (?:rica ediyor(?:um|uz)|istiyoruz|istiyorum)|ayrılman(?:ı|ızı) (?:rica ediyor(?:um|uz)|istiyoruz|istiyorum)|çıkman gerekiyor|ayrılman gerekiyor|(?:çık|ayrıl|gid)(?:abil|ebil|ılabil)irsin(?:iz)?|ayrılabilirsiniz|çıkar mısın|ayrılır mısın|defol|uzak dur|çıkmanı istiyorum)${sonra}`,
  `${once}${yer}(?:yu|yı|yi|ı|i|u|ü|nı|ni) (?:lütfen )?terk (?:et|edin|eder misin|edebilirsin)${sonra}`,
  `${once}(?:çık|git|defol|yürü git|git başımızdan|git buradan|kaybol|toz ol|ikile|kış kış|kışt|kapı orada|çık dışarı|dışarı|çıkar mısın|gider misin|ayrılır mısın|gidebilirsin|çıkabilirsin|ayrılabilirsin|bizi yalnız bırak|bizi rahat bırak|leave|bas git|uza|çekil|yaylan|gidin|çıkın|ayrılın|ayrıl|bizi baş başa bırak|bizi yalnız bırakır mısın(?:ız)?|başka kanala git|dışarı çık|işin bitti|çıkabilirsiniz|gidebilirsiniz|ayrılabilirsiniz|gider misiniz|çıkar mısınız|ayrılır mısınız|bizi (?:biraz |artık )?(?:yalnız|baş başa|rahat) (?:bırak|bırakın|bırakır mısın(?:ız)?)|git artık|çekil git|ortadan kaybol|başka yere git|burayı terk et|kapı (?:şurada|açık)|burnunu sokma|burada istenmiyorsun|seni burada istemiyoruz|gitme vaktin geldi|gitsen iyi olur|çıksan iyi olur)${sonra}`,
  `${once}${yer}(?:ya|ye|a|e|na|ne) (?:karışma|burnunu sokma|bulaşma|bir daha (?:yazma|gelme|girme)|gelme|dahil olma|katılma|yazma|girme)${sonra}`,
  `${once}(?:${yer}(?:da|de|ta|te|nda|nde)|burada|buraya) (?:artık |bir daha |daha |hiç )*(?:yanıt verme|cevap verme|yazma|konuşma|mesaj atma|yorum yapma|tek kelime (?:daha )?etme)${sonra}`,
  `${once}(?:çağrılmadıkça|çağrılana kadar|çağırmadıkça) .{0,20}(?:konuşma|yazma|gelme|dönme)${sonra}`,
  `${once}(?:sus|sessiz ol|kes sesini|sakin ol) (?:ve |sonra )?(?:lütfen )?(?:git|çık|ayrıl|defol|buradan git|buradan çık)${sonra}`,
  `(?:sana )?(?:burada )?artık (?:sana )?(?:burada )?ihtiyacımız (?:yok|kalmadı)|sana (?:burada )?artık ihtiyacımız yok`,
  `(?:sana )?${once}${yer}(?:dan|den|tan|ten|ndan|nden) (?:çık|ayrıl|git) dedim`,
  `(?:burada|${yer}(?:da|de|nda|nde)) (?:artık )?(?:işin (?:yok|bitti)|yerin yok)|sana (?:artık )?(?:burada )?(?:gerek|ihtiyaç) (?:yok|kalmadı)|bizi .{0,20}baş başa bırakır mısın(?:ız)?\\??`,
  `(?:${yer}(?:daki|deki|taki|teki)|buradaki) varlığın(?:ız)?a .{0,12}(?:gerek|ihtiyaç) (?:yok|yoktur|kalmadı)|bizi .{0,20}(?:yalnız|baş başa) bırak(?:ın|ır mısın(?:ız)?)? ?\\??`,
  `seni (?:${yer}(?:da|de|ta|te|nda|nde)|burada) (?:bir daha |artık )?(?:görmek|okumak|duymak) istemiyor(?:um|uz)`,
  `${once}${yer}(?:ya|ye|a|e|na|ne) (?:katılmayı|yazmayı) (?:bırak|kes)`,
  `.{1,40} (?:önce|sonra) ${yer}(?:yu|yı|yi|ı|i|u|ü) terk et`,
];

const languages: readonly (readonly string[])[] = [english, german, french, spanish, turkish, ...furtherLanguages];

/** A pattern for a whole clause: made into an expression when a clause first has one of its words, as most are never needed. */
interface Leaving {
  pattern: string;
  words: readonly string[];
  whole?: RegExp;
}

interface Lexicon {
  /** Which patterns need a word that begins so: one that stands for less is tried as well. */
  needing: ReadonlyMap<string, readonly Leaving[]>;
  anywhere: RegExp;
  /** In a text of plain letters no others can be. */
  plainly: RegExp;
}

/** Put together when something is first said: a hub that starts, or a page that loads, does not wait for it. */
let lexicon: Lexicon | undefined;
function lexiconOf(): Lexicon {
  if (lexicon) return lexicon;
  const needs = languages.flat().map((pattern): Leaving => ({ pattern, words: wordsNeeded(pattern) }));
  const needing = new Map<string, Leaving[]>();
  for (const word of new Set(needs.flatMap(({ words }) => words)))
    needing.set(
      word,
      needs.filter(({ words }) => words.some((one) => word.startsWith(one))),
    );
  // The longest first: what it begins with is known from it.
  const longestFirst = [...needing.keys()].toSorted((a, b) => b.length - a.length);
  lexicon = {
    needing,
    anywhere: new RegExp(`(?<!\\p{L})(?:${longestFirst.join('|')})`, 'gu'),
    plainly: new RegExp(`(?<![a-z])(?:${longestFirst.filter(isPlain).join('|')})`, 'g'),
  };
  return lexicon;
}

const wholeOf = (leaving: Leaving): RegExp => (leaving.whole ??= new RegExp(`^(?:${leaving.pattern})$`, 'u'));

/** A text of plain letters without any of these words has no such clause in any language: it need not be taken apart. */
export const mayLeave = (plain: string): boolean => plain.search(lexiconOf().plainly) !== -1;

/** Its patterns could fit: of those whose words the clause has, one matches. */
export function leavesBy(clause: string, fits: (whole: RegExp) => boolean): boolean {
  const { needing, anywhere, plainly } = lexiconOf();
  const words = isPlain(clause) ? plainly : anywhere;
  words.lastIndex = 0;
  for (let found = words.exec(clause); found; found = words.exec(clause))
    if (needing.get(found[0])!.some((leaving) => fits(wholeOf(leaving)))) return true;
  return false;
}

/** Japanese, for a whole sentence. */
const basho = '(?:この|その)?(?:スレッド|チャンネル|会話|チャット|議論|部屋|グループ|ここ|やり取り)';
const onegai =
  '(?:ください|下さい|ね|よ|くれ|くれる|もらえますか|いただけますか|いただけますでしょうか|構いません|かまいません|いいです|いいですよ|いいよ|ほしい|欲しいです)?';
export const leavingJapanese = new RegExp(
  `(?:(?:^|[、。!?,\\s])(?:じゃあ|では|さあ|そろそろ|一旦|いったん|今すぐ|早く|悪いけど|しばらく|呼ばれるまで|呼ぶまで|二度と|今後は|これ以上)*|黙って|ので|[るただいす]から)(?:${basho}(?:から|を)(?:ご|お)?(?:退出|退室|離脱|退席)(?:して|しろ|をお願いします|願います|いただけますか|いただけますでしょうか|ください)${onegai}` +
    `|${basho}から(?:出て(?:いって|行って|いけ|って)?|抜けて|外れて|離れて|消えて|去って|出ていけ)${onegai}` +
    `|(?:もう)?(?:出て(?:いって|行って|いけ|って|け)|出ていき(?:なさい)?|あっちへ行(?:け|って)|消えて|消えろ|帰れ|しっしっ|退出して|退室して|席を外して|抜けて|leaveして|あっち行って|どっか行って)${onegai}` +
    `|もう(?:行って|帰って|抜けて|退出して|下がって)(?:も)?いい(?:よ|です|ですよ)?|${basho}?(?:に|には)?(?:もう)?いなくていい(?:です|よ)?|(?:この|その)(?:話|会話|件)に(?:首を突っ込まないで|口を出さないで|入ってこないで)${onegai}|もう(?:ここに(?:は)?)?来ないで${onegai}|(?:ご)?(?:退出|退室)(?:ください|願います|をお願いいたします)` +
    `|退出をお願いします|(?:二人|私たち|人間|身内)だけにして${onegai}|(?:退席|離席)して${onegai}|お引き取り(?:ください|願います)|お帰りください|立ち去(?:って${onegai}|れ)|出口は(?:あちら|そちら)(?:です)?|(?:この|その)(?:話|会話|件|議論)に(?:は)?(?:関わらないで|割り込まないで|口を挟まないで|首を突っ込むな|口を出すな)${onegai}|(?:君|あなた|お前)の(?:発言|返信|書き込み)は(?:もう)?(?:見たくない|いりません|いらない|不要です)` +
    `|${basho}(?:に|には|へ)(?:もう)?(?:入らないで|書き込まないで|参加しないで|口を出さないで|投稿しないで|来ないで)${onegai}` +
    `|${basho}(?:で|では|には)(?:もう)?(?:一言も)?(?:返信しないで|発言しないで|しゃべらないで|話さないで|書かないで|答えないで|投稿しないで)${onegai}` +
    `|${basho}(?:で|では|には|に)(?:もう)?(?:発言するな|書き込むな|書くな|来るな|入るな|話すな|返信するな)|${basho}(?:への|の)参加は(?:もう)?(?:結構です|不要です|ご遠慮ください|ご遠慮願います)|${basho}への参加を(?:やめて|控えて)${onegai}` +
    `|${basho}に(?:あなた|君|きみ|お前)は?もう(?:不要|必要ありません|いりません)(?:です)?` +
    `)[\\s!。]*(?:、.{0,40})?$`,
  'u',
);

/** Told of others, asked about, or not yet: nothing in it is for the agent to leave. */
export const aboutOthers =
  /(?<!\p{L})(?:don't (?:leave|go|you dare)|never leave|not yet|stay(?! out)(?! away)(?! gone)|remain|how do i|how can i|what happens|should (?:i|we)|ask (?!you )\p{L}+ to|tell \p{L}+ to|geh noch nicht|nicht, dass du|bleib(?!.{0,40} (?:weg|draußen|raus|fern))|wie verlasse|ne pars pas|reste (?:ici|avec)|comment (?:je|on|puis)|no te vayas|quédate(?! fuera)|cómo (?:salgo|puedo)|dile|dis à|sag \p{L}+|gitme|(?<!hoşça )kal(?:ın)?|nasıl|söyle|kidding|jk|scherz|spaß|blague|broma|şaka)(?!\p{L})|まだ.{0,6}ないで|いてください|どうすれば|よう(?:に)?(?:伝えて|言って)|べき/u;

/** A clause before it that makes it something else: a condition, somebody else's words, or a text to be written. */
export const notNow =
  /^(?:if|when|once|as soon as|after|whenever|wenn|falls|sobald|nachdem|si|quand|dès que|lorsque|cuando|en cuanto|eğer|als|indien|zodra|wanneer|na (?:de|het|dit|deze|die)|quando|não|assim que|se|caso|depois|após|appena|una volta|dopo|jeśli|jeżeli|kiedy|gdy|jak|po|если|когда|как|после)(?!\p{L})|(?<!\p{L})(?:said|says|wrote|writes|told|sagte|sagt|schrieb|meinte|a dit|a écrit|dijo|dice|escribió|dedi|diyor|yazdı|ha detto|ha scritto|disse|zei|zegt|powiedział|powiedziała|сказал|сказала|пишет)(?!\p{L})/u;
