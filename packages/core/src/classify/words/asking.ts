// Words by which people ask, in English, German, French, Spanish, Turkish and Japanese. Folded as in spoken-text.ts. They are
// one table, as chat mixes its languages; a word that only tells in one of them may stand here because it asks in another.

// prettier-ignore
/** Wherever they stand, something is asked for. */
export const askingWords = [
  'please', 'pls', 'plz', 'plss', 'kindly', 'asap', 'thoughts', 'opinions', 'ideas', 'anyone', 'anybody', 'someone', 'somebody', 'help',
  'bitte', 'jemand', 'hilfe', 'stp', 'svp', "s'il", 'quelqu', "quelqu'un", 'aide', 'aidez', 'porfa', 'xfa', 'favor', 'alguien', 'ayuda',
  'lütfen', 'biri', 'birisi', 'yardım', 'misin', 'mısın', 'musun', 'müsün', 'misiniz', 'mısınız', 'musunuz', 'müsünüz', 'miyiz', 'mıyız', 'muyuz', 'müyüz',
  'mi', 'mı', 'mu', 'mü', 'muydu', 'miydi', 'mıydı', 'müydü', 'acaba', 'chance',
] as const;

// prettier-ignore
/** Whom it speaks to. */
export const secondPerson = [
  'you', "you're", "you'd", "you'll", "you've", 'your', 'yours', 'yourself', 'u', 'du', 'dich', 'dir', 'dein', 'deine', 'deinen', 'deinem', 'deiner', 'euch', 'euer', 'eure',
  'tu', 'toi', 'te', "t'as", 'ton', 'tes', 'vous', 'votre', 'vos', 'tú', 'ti', 'tus', 'usted', 'ustedes', 'vosotros', 'os', 'vuestro', 'vuestra', 'sen', 'seni', 'sana', 'senin', 'siz', 'size', 'sizi', 'sizin',
] as const;

// prettier-ignore
/** They open a question. */
export const questionWords = [
  'what', "what's", 'whats', 'wat', 'why', 'how', "how's", 'who', "who's", 'whom', 'whose', 'which', 'where', "where's", 'when', "when's", 'whether',
  'was', 'warum', 'wieso', 'weshalb', 'wie', 'wer', 'wem', 'wen', 'wessen', 'welche', 'welcher', 'welches', 'welchen', 'welchem', 'wo', 'wohin', 'woher', 'wann', 'womit', 'wofür', 'wieviel', 'worin', 'woran',
  'pourquoi', 'comment', 'qui', 'que', 'quoi', 'quel', 'quelle', 'quels', 'quelles', 'où', 'quand', 'combien', 'lequel', 'laquelle', "qu'est-ce", 'est-ce', "qu'en",
  'qué', 'q', 'por qué', 'cómo', 'quién', 'quiénes', 'cuál', 'cuáles', 'dónde', 'cuándo', 'cuánto', 'cuánta', 'cuántos', 'cuántas',
  'ne', 'neden', 'niye', 'niçin', 'nasıl', 'kim', 'kimin', 'hangi', 'hangisi', 'nerede', 'nereye', 'nereden', 'kaç', 'kaçta',
] as const;

// prettier-ignore
/** Verbs that open a question when they come first. */
export const invertedVerbs = [
  'can', 'could', 'would', 'will', 'should', 'shall', 'may', 'might', 'do', 'does', 'did', 'is', 'are', 'am', 'was', 'were', 'has', 'have', 'had', 'any', "isn't", "aren't",
  "wasn't", "won't", "can't", "couldn't", "wouldn't", "shouldn't", "doesn't", "don't", "didn't", "hasn't", "haven't", 'anyone', 'anybody',
  'kann', 'kannst', 'könnt', 'könnte', 'könntest', 'könnten', 'können', 'soll', 'sollen', 'sollten', 'sollte', 'darf', 'dürfen', 'muss', 'müssen', 'magst', 'willst', 'wollen', 'würdest',
  'würde', 'ist', 'sind', 'bist', 'hast', 'habt', 'haben', 'gibt', "gibt's", 'geht', "geht's", 'brauchen', 'weiß', 'weißt', 'lohnt', 'stimmt', 'läuft', 'reicht', 'machst', 'schaffst', 'nennst', 'gilt',
  'peux-tu', 'pouvez-vous', 'pourrais-tu', 'pourriez-vous', 'peut-on', 'faut-il', 'as-tu', 'avez-vous', 'est-il', 'est-elle', 'sais-tu', 'savez-vous', 'veux-tu', 'voulez-vous', 'dois-je', 'puis-je',
  'puedes', 'podrías', 'puede', 'podría', 'pueden', 'podemos', 'hay', 'tienes', 'tiene', 'sabes', 'quieres', 'debería', 'deberíamos', 'es', 'está', 'están', 'has', 'sería',
] as const;

// prettier-ignore
/** Told to do, as the first word of a clause. */
export const commands = [
  'accept', 'add', 'adjust', 'align', 'alert', 'analyse', 'analyze', 'announce', 'answer', 'append', 'apply', 'approve', 'archive', 'arrange', 'ask', 'assign', 'attach', 'avoid', 'ban', 'benchmark', 'block', 'book', 'bring', 'build', 'bump', 'calculate', 'call',
  'cancel', 'change', 'check', 'choose', 'clean', 'clear', 'clone', 'close', 'collect', 'combine', 'come', 'commit', 'compare', 'compile', 'compress', 'compute', 'confirm', 'connect', 'consider', 'contact', 'continue', 'convert', 'copy', 'correct', 'count', 'create', 'cut',
  'debug', 'decide', 'define', 'delete', 'deploy', 'describe', 'design', 'diff', 'disable', 'do', 'document', "don't", 'double-check', 'download', 'draft', 'draw', 'drop', 'dump', 'edit', 'email', 'enable', 'ensure', 'escalate', 'estimate', 'execute', 'explain', 'export', 'extend',
  'extract', 'fetch', 'fill', 'filter', 'find', 'finish', 'fix', 'follow', 'format', 'forward', 'freeze', 'generate', 'get', 'give', 'go', 'grab', 'grep', 'group', 'hand', 'handle', 'hold', 'ignore', 'implement', 'import', 'improve', 'include', 'increase', 'inform', 'insert', 'inspect',
  'install', 'investigate', 'invite', 'join', 'keep', 'kick', 'kill', 'leave', 'let', "let's", 'lets', 'link', 'list', 'load', 'lock', 'log', 'look', 'lower', 'mail', 'make', 'mark', 'measure', 'mention', 'merge', 'migrate', 'monitor', 'move', 'mute', 'name', 'notify', 'open', 'order',
  'paste', 'patch', 'pause', 'pick', 'pin', 'ping', 'plan', 'plot', 'post', 'prepare', 'print', 'promote', 'propose', 'provide', 'prune', 'publish', 'pull', 'purge', 'push', 'put', 'raise', 'rank', 'read', 'rebase', 'rebuild', 'recheck', 'recommend', 'record', 'redo', 'reduce', 'refactor',
  'refresh', 'reindex', 'reject', 'release', 'reload', 'remember', 'remind', 'remove', 'rename', 'reopen', 'repeat', 'rephrase', 'replace', 'reply', 'report', 'request', 'rerun', 'reset', 'resolve', 'restart', 'restore', 'resume', 'retry', 'return', 'revert', 'review', 'rewrite', 'roll', 'rollback', 'rotate',
  'round', 'run', 'save', 'scale', 'scan', 'schedule', 'search', 'see', 'send', 'separate', 'set', 'share', 'shorten', 'show', 'shut', 'sign', 'simplify', 'skip', 'sort', 'speed', 'split', 'start', 'stay', 'stop', 'suggest', 'sum', 'summarise', 'summarize', 'swap', 'switch', 'sync',
  'tag', 'take', 'tell', 'test', 'think', 'throw', 'tidy', 'trace', 'track', 'translate', 'trigger', 'trim', 'try', 'turn', 'type', 'undo', 'unblock', 'unlock', 'update', 'upgrade', 'upload', 'use', 'validate', 'verify', 'wait', 'walk', 'warn', 'watch', 'wipe', 'work', 'wrap', 'write', 
  'achte', 'aktualisiere', 'antworte', 'bau', 'beantworte', 'behebe', 'benenne', 'berechne', 'beschreib', 'beschreibe', 'bestätige', 'bleib', 'brich', 'buche', 'check', 'denk', 'dreh', 'ergänze', 'erinnere', 'erklär', 'erkläre', 'erstell', 'erstelle', 'erzähl', 'fahr', 'fahre', 'fass', 'fasse', 'find', 'finde', 'formatiere',
  'formulier', 'formuliere', 'frag', 'füg', 'füge', 'führ', 'führe', 'geh', 'gib', 'guck', 'halt', 'halte', 'häng', 'hilf', 'hol', 'hör', 'kopier', 'kopiere', 'korrigier', 'korrigiere', 'kürz', 'kürze', 'lad', 'lade', 'lass', 'lasst', 'leg', 'lege', 'leg', 'lies', 'liste', 'lösch', 'lösche', 'mach', 'mache', 'meld', 'melde',
  'nenn', 'nenne', 'nimm', 'öffne', 'ordne', 'plane', 'probier', 'prüf', 'prüfe', 'räum', 'räume', 'rechne', 'reparier', 'repariere', 'ruf', 'sag', 'schau', 'schick', 'schicke', 'schieb', 'schließ', 'schreib', 'schreibe', 'setz', 'setze', 'sieh', 'sortier', 'sortiere', 'speicher', 'speichere', 'spiel', 'starte', 'stell', 'stelle', 'stopp',
  'stoppe', 'streich', 'such', 'suche', 'tausch', 'teil', 'teile', 'test', 'teste', 'trag', 'tu', 'übernimm', 'übersetz', 'übersetze', 'übertrag', 'überprüf', 'überprüfe', 'vergleich', 'vergleiche', 'verlänger', 'versuch', 'versuche', 'versuchs', 'verschieb', 'warte', 'wiederhol', 'wiederhole', 'zeig', 'zeige', 'zieh', 'trenne',
  'affiche', 'ajoute', 'ajoutez', 'annule', 'appelle', 'applique', 'arrête', 'attends', 'bloque', 'calcule', 'change', 'charge', 'cherche', 'choisis', 'classe', 'commence', 'compare', 'compte', 'continue', 'continuez', 'convertis', 'copie', 'corrige', 'crée', 'décris', 'demande', 'déplace', 'désactive', 'dis', 'donne', 'donnez', 'écris', 'efface', 'enlève',
  'enregistre', 'envoie', 'envoyez', 'essaie', 'essaye', 'explique', 'expliquez', 'exporte', 'fais', 'faites', 'ferme', 'filtre', 'fixe', 'garde', 'génère', 'importe', 'indique', 'installe', 'laisse', 'lance', 'lis', 'liste', 'mets', 'mettez', 'modifie', 'montre', 'montrez', 'nettoie', 'ouvre', 'passe', 'prends', 'prépare', 'préviens', 'propose', 'publie', 'raccourcis', 'range',
  'rappelle', 'recommence', 'redémarre', 'réduis', 'refais', 'regarde', 'regroupe', 'relance', 'relis', 'remets', 'remplace', 'renomme', 'renvoie', 'répare', 'répète', 'réponds', 'reporte', 'reprends', 'résume', 'restaure', 'retire', 'réessaie', 'rouvre', 'rédige', 'sauvegarde', 'supprime', 'supprimez', 'teste', 'traduis', 'transforme', 'trie', 'trouve', 'utilise', 'va', 'vérifie', 'vérifiez', 'vide',
  'abre', 'actualiza', 'añade', 'anula', 'aplica', 'apunta', 'arregla', 'avisa', 'ayuda', 'baja', 'borra', 'busca', 'calcula', 'cambia', 'cancela', 'cierra', 'comparte', 'compara', 'comprueba', 'confirma', 'continúa', 'convierte', 'copia', 'corrige', 'crea', 'da', 'dame', 'deja', 'desactiva', 'detén', 'di', 'dime', 'divide', 'elige', 'elimina', 'encuentra', 'enseña', 'envía', 'envíame', 'escribe', 'espera',
  'explica', 'exporta', 'filtra', 'genera', 'guarda', 'haz', 'importa', 'instala', 'intenta', 'lanza', 'lee', 'limpia', 'lista', 'llama', 'manda', 'mira', 'mueve', 'muestra', 'ordena', 'para', 'pasa', 'pide', 'pon', 'prepara', 'prueba', 'publica', 'quita', 'recuerda', 'redacta', 'reduce', 'reinicia', 'reintenta', 'renombra', 'repasa', 'repite', 'responde', 'restaura', 'resume', 'revierte', 'revisa', 'sigue', 'sube',
  'suma', 'termina', 'toma', 'traduce', 'trae', 'usa', 'verifica', 'vuelve',
] as const;

// prettier-ignore
/** Told to do in Turkish, where the verb comes last. */
export const lastCommands = [
  'aç', 'açıkla', 'aktar', 'al', 'anlat', 'ara', 'araştır', 'at', 'ayarla', 'ayır', 'bak', 'başla', 'başlat', 'bekle', 'belirt', 'bırak', 'bildir', 'birleştir', 'bitir', 'böl', 'bul', 'çalıştır', 'çevir', 'çek', 'çıkar', 'çiz', 'çöz', 'dene', 'değiştir', 'doğrula', 'dön', 'durdur', 'dur', 'düşün', 'düzelt', 'düzenle', 'ekle', 'et', 'geç', 'getir', 'gir', 'göster', 'gönder',
  'güncelle', 'hatırlat', 'hazırla', 'hesapla', 'ilet', 'incele', 'indir', 'iste', 'işaretle', 'kaldır', 'kapat', 'karşılaştır', 'kaydet', 'kes', 'kıyasla', 'kısalt', 'koy', 'kopyala', 'kur', 'kullan', 'listele', 'oku', 'oluştur', 'onar', 'onayla', 'öner', 'ölç', 'özetle', 'paylaş', 'planla', 'sakla', 'say', 'seç', 'sil', 'sırala', 'sor', 'söyle', 'sustur', 'sürdür', 'taşı', 'tamamla', 'tara', 'temizle',
  'topla', 'tut', 'uygula', 'uzat', 'ver', 'yap', 'yayınla', 'yayımla', 'yaz', 'yenile', 'yerleştir', 'yolla', 'yükle', 'yükselt', 'yorumla', 'lazım', 'gerek', 'gerekiyor', 'aynısı',
] as const;

// prettier-ignore
/** Among the commands, those that are as often the name of a thing: commands only with an object behind them, or alone. */
export const ambiguousCommands = [
  'alert', 'answer', 'archive', 'benchmark', 'book', 'build', 'call', 'change', 'check', 'clone', 'commit', 'copy', 'count', 'cut', 'debug', 'deploy', 'design', 'diff', 'document', 'download', 'draft', 'drop', 'dump', 'email', 'estimate', 'export', 'filter', 'fix', 'format', 'freeze', 'get', 'group', 'import', 'invite', 'link', 'list',
  'load', 'lock', 'log', 'mail', 'merge', 'monitor', 'name', 'order', 'patch', 'ping', 'plan', 'plot', 'post', 'pull', 'push', 'rebase', 'rebuild', 'record', 'refactor', 'refresh', 'reindex', 'release', 'reload', 'reply', 'report', 'request', 'rerun', 'reset', 'restart', 'restore', 'retry', 'return', 'revert', 'review', 'rewrite', 'rollback', 'run', 'scale', 'scan', 'schedule',
  'search', 'sort', 'split', 'start', 'stop', 'sum', 'swap', 'switch', 'sync', 'tag', 'test', 'trace', 'track', 'trigger', 'type', 'undo', 'update', 'upgrade', 'upload', 'use', 'warn', 'work', 'work', 'bau', 'suche', 'liste', 'stelle', 'teil', 'teile', 'speicher', 'spiel', 'stopp', 'versuch', 'vergleich', 'lade',
  'charge', 'classe', 'commence', 'compte', 'copie', 'demande', 'garde', 'reporte', 'sauvegarde', 'passe', 'va', 'vide', 'copia', 'baja', 'prueba', 'pasa', 'sube', 'para', 'lista', 'resume', 'espera', 'termina', 'sigue', 'guarda', 'toma', 'da', 'importa', 'publica', 'deja', 'importe', 'exporte', 'propose', 'publie', 'continue', 'continúa', 'plane', 'test', 'see',
] as const;

// prettier-ignore
/** After a first word that is no subject, they make it a command: "neutralise the …", "lösch mir …", "borra el …". */
export const objects = [
  'the', 'it', 'this', 'that', 'them', 'these', 'those', 'my', 'our', 'me', 'us', 'all', 'every', 'each', 'a', 'an', 'up', 'out', 'mir', 'uns', 'den', 'die', 'das', 'dem', 'es', 'ihn', 'mal', 'alle', 'eine', 'einen',
  'le', 'la', 'les', 'moi', 'nous', 'un', 'une', 'ce', 'cette', 'ces', 'el', 'los', 'las', 'una', 'esto', 'eso', 'este', 'esta', 'ese', 'esa', 'todo', 'todos', 'tout', 'tous',
] as const;
/** Words between which and the beginning nothing is lost: "and then please now …". */
// prettier-ignore
export const openers = [
  'and', 'then', 'also', 'so', 'but', 'or', 'just', 'ok', 'okay', 'well', 'oh', 'yes', 'no', 'sorry', 'hi', 'hey', 'hello', 'now', 'und', 'dann', 'also', 'auch', 'aber', 'oder', 'ja', 'nein', 'jetzt', 'na', 'et', 'puis', 'donc', 'alors', 'mais', 'ou', 'oui', 'non', 'bon',
  'y', 'e', 'entonces', 'pero', 'o', 'sí', 'pues', 'ahora', 'así', 've', 'ama', 'şimdi', 'evet', 'hayır', 'really', 'right', 'ah', 'ach', 'ha', '▯',
] as const;

// prettier-ignore
/** Japanese is written without blanks: what asks stands at the end of a sentence … */
export const japaneseEnds = /(?:て|で|ください|下さい|お願い(?:します|いたします)?|願います|か|かな|かね|かい|ましょう|しろ|せよ|くれ|くれる|ほしい|欲しい|ってば|って|の|意味|もう一回|もう一度|ない|べき|頼む|たのむ|よね|だろう|でしょう)[\s。!?w笑ねよー]*$/u;
/** … or is a word of asking. */
export const japaneseWords =
  /どう|何[がをはでのかに本件人日時]|なに|なぜ|誰|どこ|いつ|どれ|どちら|どの|どんな|いくら|教えて|ください|お願い|もらえ|いただけ|必要です|困って|助けて/u;
