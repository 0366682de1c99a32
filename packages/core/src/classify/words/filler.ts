// What asks for nothing, phrase by phrase (C2A-14, C2A-18). What can be the answer to a question (yes, sure, agreed) is
// not among them, nor what can be asked for (copy that, again, welcome @bob). Folded: lower case, plain apostrophes.

// prettier-ignore
export const phrases = [
  // English
  'thanks', 'thank you', 'thank you so much', 'thank you very much', 'thanks a lot', 'thanks a bunch', 'thanks a million', 'thanks so much',
  'many thanks', 'thanks again', 'thank you again', 'thx again', 'ty again', 'thx', 'thnx', 'tnx', 'thnaks', 'ty', 'tysm', 'tyvm', 'thank u',
  'cheers', 'much appreciated', 'appreciated', 'appreciate it', 'i appreciate it', 'kind regards', 'best regards', 'bless you',
  'ok', 'okay', 'okey', 'okie', 'k', 'kk', 'alright', 'all right', 'fair enough',
  'got it', 'gotcha', 'understood', 'noted', 'roger', 'roger that', '10-4', 'ack', 'acknowledged', 'i see', 'makes sense', 'makes sense now',
  'nice', 'nice one', 'nice work', 'good job', 'good work', 'good stuff', 'well done', 'great', 'great job', 'great work', 'great stuff',
  'cool', 'awesome', 'excellent', 'perfect', 'brilliant', 'lovely', 'sweet', 'wonderful', 'amazing', 'super', 'fantastic', 'neat', 'love it',
  'how cool is that', "that's hilarious", 'you guys are the best', 'aye aye captain',
  'sounds good', 'sounds great', 'no worries', 'no problem', 'no problem at all', 'np', 'you are welcome',
  "you're welcome", 'youre welcome', 'my pleasure', 'anytime', '+1',
  'lol', 'lmao', 'rofl', 'haha', 'hahaha', 'hehe', 'ha', 'wow', 'omg', 'yay', 'hooray', 'woohoo', 'congrats', 'congratulations',
  'well played', 'gg', 'bravo', 'good morning', 'good night', 'good evening', 'see you', 'see you tomorrow', 'see you later', 'bye',
  'have a great weekend', 'have a nice weekend', 'have a great day', 'have a nice day',
  'all the best', 'much obliged', 'good luck', 'happy birthday', 'happy friday', 'happy new year', 'merry christmas', 'take care', 'welcome aboard', 'good evening all', 'good night all',
  'have a good one', 'have a good day', 'have a good weekend', 'enjoy your weekend', 'safe travels', 'get well soon', 'sleep well', 'thanks all', 'thank you all', 'thank you both', 'thanks both', 'thanks a ton', 'thanks heaps', 'thanks anyway',
  'thank you kindly', 'that made my day', "can't thank you enough", 'what a legend', 'you are the best', "you're the best", "you're a star", "you're a lifesaver", "you're a legend", 'you rock', 'good bot', 'well deserved', 'love this', 'so good', 'impressive',
  'outstanding', 'superb', 'marvellous', 'marvelous', 'splendid', 'stellar', 'magnificent', 'beautiful', 'way to go', 'hats off', 'kudos', 'nicely done', 'great news', 'lovely stuff', 'glad to hear it', 'good to hear', 'hip hip hooray', 'heh', 'ahaha', 'hihihi',
  'thumbs up', 'ta', 'thanx', 'tks', 'ttyl', 'cya', 'oof', 'phew', 'whoa', 'woot', 'yippee', 'hurray', 'hurrah',
  // German
  'danke', 'danke schön', 'dankeschön', 'danke dir', 'danke euch', 'danke sehr', 'vielen dank', 'vielen lieben dank', 'besten dank',
  'herzlichen dank', 'dnake', 'merci dir', 'alles klar', 'verstanden', "hab's verstanden", 'habs verstanden', 'ach so', 'achso', 'gern geschehen',
  'kein problem', 'keine ursache', 'nichts zu danken', 'guten morgen', 'guten morgen zusammen', 'guten abend', 'gute nacht',
  'schönes wochenende', 'schönen feierabend', 'schönen abend', 'bis morgen', 'bis später', 'tschüss', 'tschüs', 'ciao', 'glückwunsch',
  'herzlichen glückwunsch', 'super gemacht', 'gut gemacht', 'toll', 'klasse', 'prima', 'top', 'spitze', 'sehr gut', 'sehr schön', 'geil',
  'läuft bei euch', 'läuft bei dir', 'hut ab', 'liebe grüße', 'viele grüße', 'hihi', 'perfekt', 'wunderbar',
  'viel glück', 'viel erfolg', 'gute besserung', 'alles gute', 'alles gute zum geburtstag', 'frohe weihnachten', 'frohes neues', 'gutes neues jahr', 'guten appetit', 'mahlzeit', 'schönen tag', 'schönen tag noch',
  'schönen urlaub', 'gute reise', 'schlaf gut', 'bis dann', 'bis bald', 'bis gleich', 'bis nachher', 'tausend dank', 'danke vielmals', 'danke nochmal', 'lieben dank', 'ganz lieben dank', 'ich danke dir', 'ich danke euch', 'danke für alles', 'danke für die hilfe',
  'freut mich', 'wie schön', 'wie toll', 'mega', 'hammer', 'großartig', 'fantastisch', 'genial gemacht', 'gute arbeit', 'starke leistung', 'respekt', 'chapeau', 'ihr seid die besten', 'du bist der beste', 'du bist die beste', 'schön zu hören', 'beste grüße', 'schöne grüße', 'mit freundlichen grüßen',
  // French
  'merci', 'merci beaucoup', 'merci bien', 'merci à tous', 'mille mercis', 'grand merci', 'je vous remercie', 'je te remercie', "d'accord",
  'bien reçu', 'bien noté', 'compris', "c'est noté", 'je comprends mieux', 'parfait', 'super boulot', 'bien joué', 'bravo à tous', 'de rien',
  'je vous en prie', 'je t\'en prie', 'pas de souci', 'pas de soucis', 'pas de problème', 'y a pas de quoi', 'il n\'y a pas de quoi', 'bonjour',
  'bonjour à tous', 'bonsoir', 'bonne soirée', 'bonne soirée à tous', 'bonne nuit', 'bonne journée', 'bon week-end', 'bon weekend', 'à demain',
  'à bientôt', 'au revoir', 'salut', 'mdr', 'ptdr', 'trop fort', 'trop bien', 'génial', 'excellent travail', 'félicitations',
  'bon courage', 'bonne chance', 'bon anniversaire', 'joyeux anniversaire', 'bonne année', 'joyeux noël', 'bon appétit', 'bonne route', 'bonnes vacances', 'bonne continuation', 'bon après-midi', 'bonne fin de journée', 'bon rétablissement', 'à plus', 'à plus tard', 'à tout à l\'heure', 'bises',
  'bisous', 'cordialement', 'merci encore', 'merci infiniment', 'merci mille fois', 'un grand merci', 'merci à toi', 'merci à vous', 'merci pour tout', 'merci pour ton aide', 'merci pour votre aide', 'chouette', 'formidable', 'magnifique', 'nickel', 'impeccable', 'impec', 'au top', 'c\'est top', 'trop cool',
  'beau travail', 'bon travail', 'bon boulot', 'joli', 'tu es le meilleur', 't\'es le meilleur', 'vous êtes les meilleurs', 'ravi de l\'entendre', 'super nouvelle', 'bonne nouvelle',
  // Spanish
  'gracias', 'garcias', 'muchas gracias', 'mil gracias', 'muchísimas gracias', 'gracias por todo', 'gracias a todos', 'se agradece',
  'se agradece un montón', 'vale', 'entendido', 'recibido', 'comprendido', 'de acuerdo', 'perfecto', 'genial', 'guay', 'estupendo', 'fenomenal',
  'qué bien', 'que bien', 'muy bien', 'buen trabajo', 'enhorabuena', 'felicidades', 'de nada', 'no hay de qué', 'no hay de que', 'un placer',
  'buenos días', 'buenos días a todos', 'buenas tardes', 'buenas noches', 'buen fin de semana', 'feliz viernes', 'hasta mañana', 'hasta luego',
  'adiós', 'chao', 'un abrazo', 'un saludo', 'jaja', 'jajaja', 'jajajaja', 'ole', 'olé', 'sois los mejores', 'eres un crack', 'qué crack',
  'menudo equipazo',
  'mucha suerte', 'buena suerte', 'feliz cumpleaños', 'feliz navidad', 'feliz año', 'feliz año nuevo', 'feliz día', 'buen día', 'buen viaje', 'buen provecho', 'que te mejores', 'que descanses', 'cuídate', 'hasta pronto', 'nos vemos', 'saludos', 'un saludo cordial', 'un beso', 'besos', 'abrazos',
  'muchas gracias por todo', 'gracias de nuevo', 'gracias otra vez', 'gracias por la ayuda', 'gracias por tu ayuda', 'te lo agradezco', 'os lo agradezco', 'muy agradecido', 'muy agradecida', 'gracias infinitas', 'qué chulo', 'qué guay', 'qué maravilla',
  'maravilloso', 'fantástico', 'excelente', 'magnífico', 'buenísimo', 'de lujo', 'bien hecho', 'gran trabajo', 'eres el mejor', 'eres la mejor', 'eres un sol', 'eres genial', 'qué buena noticia', 'me alegro', 'me alegro mucho', 'ya lo entiendo', 'jeje', 'jejeje', 'buen finde',
  // Portuguese, Italian, Swedish, Russian
  'obrigado', 'obrigada', 'muito obrigado', 'muito obrigada', 'valeu', 'beleza', 'grazie', 'grazie mille', 'tack', 'tack så mycket', 'спасибо',
  'спасибо большое', 'понятно',
  // Japanese; written without blanks, so that what stands between signs is one phrase
  'ありがとう', 'ありがとうございます', 'ありがとうございました', 'どうもありがとう', 'どうもありがとうございます', 'あざっす', 'ありがd', 'arigato',
  'お疲れ様です', 'お疲れさまです', 'お疲れ様でした', 'お疲れさまでした', 'おはようございます', 'おはよう', 'おやすみなさい', 'おやすみ', 'こんにちは',
  'なるほど', '最高です', '最高', 'すごい', 'すごいです', 'さすがです', 'さすが', 'わかりました', '分かりました', '了解', '了解です', '了解しました', '承知しました',
  'かしこまりました', '助かりました', '助かります', 'いえいえ', 'こちらこそ', 'どういたしまして', 'お先に失礼します', '笑', 'w', 'ww', 'www', '草', '感謝', '感謝です',
  '良い週末を', 'よい週末を', '良い一日を', '良いお年を', 'お大事に', 'お大事にしてください', 'お誕生日おめでとう', 'お誕生日おめでとうございます', 'あけましておめでとうございます', 'お疲れ様', 'お疲れさま', 'おつかれさまです', 'おつ', 'りょ', 'りょうかいです', 'なるほどです', 'そうなんですね', '嬉しいです', '素晴らしい', '素晴らしいです', '素敵です', 'ナイス', '感謝します', '感謝しています',
  'とても助かりました', '大変助かりました', '本当にありがとうございます', '本当にありがとう', 'どうも', 'どうもどうも', '乾杯', 'ではまた', 'また明日', 'またね', '失礼します', '恐れ入ります', 'とんでもないです', 'とんでもございません', '神', '最高でした', 'よかったです', '良かったです', 'うれしい', 'わーい', 'ははは', 'あはは', 'サンキュー', 'あざす',
  'おめでとう', 'おめでとうございます', 'やったー', '谢谢', '고마워', '고맙습니다', '감사합니다',
  // Turkish
  'teşekkürler', 'teşkkürler', 'teşekkür ederim', 'çok teşekkürler', 'çok teşekkür ederim', 'sağ ol', 'sağol', 'sağ olun', 'sağolun', 'tşk', 'tşkler',
  'eyvallah', 'anladım', 'şimdi anladım', 'tamam', 'tamamdır', 'tmm', 'rica ederim', 'ne demek', 'lafı mı olur', 'günaydın', 'iyi geceler',
  'iyi akşamlar', 'iyi günler', 'görüşürüz', 'süper', 'harika', 'çok iyi', 'mükemmel', 'muhteşem', 'eline sağlık', 'ellerine sağlık',
  'bol şans', 'iyi şanslar', 'doğum günün kutlu olsun', 'mutlu yıllar', 'iyi bayramlar', 'geçmiş olsun', 'kolay gelsin', 'iyi çalışmalar', 'iyi hafta sonları', 'iyi tatiller', 'iyi yolculuklar', 'afiyet olsun', 'hoşça kal', 'güle güle', 'görüşmek üzere', 'kendine iyi bak', 'sevgiler', 'saygılar',
  'çok sağ ol', 'çok sağ olun', 'çok sağol', 'sonsuz teşekkürler', 'tekrar teşekkürler', 'teşekkür ederiz', 'minnettarım', 'estağfurullah', 'çok sevindim', 'sevindim', 'şahane', 'aferin', 'çok güzel', 'güzel olmuş', 'harikasın', 'süpersin', 'kralsın', 'adamsın', 'ne güzel', 'vay be',
  'ellerinize sağlık', 'helal olsun', 'tebrikler', 'çok güldüm',
] as const;

/** Words that soften filler without adding anything: "oh thanks so very much everyone". */
// prettier-ignore
export const softeners: readonly string[] = [
  'everyone', 'everybody', 'all', 'team', 'folks', 'guys', 'man', 'mate', 'buddy', 'captain', 'so', 'very', 'much', 'oh', 'ah', 'ahh', 'well', 'seriously',
  'zusammen', 'alle', 'allen', 'leute', 'sehr', 'nochmal', 'nochmals', 'les', 'amis', 'à', 'tous', 'tout', 'le', 'monde', 'bien', 'ouais', 'a', 'todos',
  'chicos', 'amigos', 'equipo', 'pues', 'herkese', 'arkadaşlar', 'canım', 'ekip', 'ya', 'çok', 'さん', 'です', 'ね', 'よ',
];
/** They join two pieces of filler; at an end they promise something that has not been said. */
export const joints: readonly string[] = ['and', 'und', 'et', 'y', 'e', 've', 'i'];
