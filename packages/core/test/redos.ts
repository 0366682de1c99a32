// Patterns that make an engine that goes back and tries again take exponential or polynomial time, of the kinds that are
// known from advisories; and texts that bring it out.

/** Nested and overlapping repetitions, as they were written in earnest or to show the trouble. */
export const redos: readonly string[] = [
  '(a+)+$', '^(a+)+$', '(a|aa)+$', '(a|a)*$', '(a|a?)+$', '(a*)*b', '((a+)+)+b', '(((a*)*)*)*b', '(.*a){20}', '(.*a){60}',
  '(a+){10}b', '(a{1,20}){1,20}b', '(.*){1,32}[bc]', '(x+x+)+y', '(.*)*$', '(?:.*,)*x', '([a-z]+)*\\d', '([a-zA-Z]+)*$',
  '^(([a-z])+.)+[A-Z]([a-z])+$', '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
  '^([\\w.-]+)+@example\\.com$', '(\\w+\\s?)*\\.$', '\\b(\\w+\\s*)+$', '^(\\s*\\w+\\s*)*$', '\\s+$', '[\\s\\S]*\\s+$', '^\\s+|\\s+$', '(\\s*,\\s*)+;',
  '.*.*.*=.*', '.*?.*?.*?!', '(.|\\s)*X', '(?s)(.|\\n)*X', '<!--(.|\\s)*-->', '/\\*(.|[\\r\\n])*?\\*/', '"(\\\\.|[^"\\\\]*)*"x', "'(\\\\'|[^'])*'!",
  '^(\\d+)*[^\\d]$', '^-?(\\d+,?)*\\.\\d+$', '^(\\d|\\d\\d)+$x?y', '(0|[1-9]\\d*)+\\.x', '^#?([a-f0-9]{6}|[a-f0-9]{3})+g$',
  '^(https?://)?([\\da-z.-]+)\\.([a-z.]{2,6})([/\\w .-]*)*/?$', '^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)+[a-z]+!$', '(?:[\\w-]+\\.)*[\\w-]+\\.$x?!',
  '^(?:(?:\\d+|[a-z]+)[-_ ]?)*$!?', '(=+[^=]*)*!', '^\\{?([^}]*\\}?)*$', '(<[^>]*>)*$', '<(\\w+)(\\s+\\w+="[^"]*")*\\s*>!', '^(([^:]+:)*[^:]+)*;$',
  '(a|b|ab)*c$', '(a|ab)(c|bcd)(d*)!', '((ab)*)*c', '(aa|aab?)*$', '(ab?|ba?)*c', '(?:a?){25}a{25}', '(?:a?){400}a{400}', '[a-q][^u-z]{40}x', '[a-q][^u-z]{13}x$',
  '.*[ab].{30}$', '(a|b)*a(a|b){12}!', '(a|b)*a(a|b){200}!', '(.{0,20}a){3}!', '(.{0,200}a){3}!', '(\\pL{1,20})+$', '(\\pL{1,500})+$',
  '(?i)(k|K|\\x{212A})+$', '(?i)((foo|bar|baz) ?)*!', '(?:(?:a*)*)*$!', '^(?:a*?)*?$x?', '(x*)*(y*)*(z*)*!', '(\\W|\\w)*!$', '([^\\s]+\\s*)+:$',
  '^(.+)+:(.+)+$', '^(.*?,){11}P', '(?:,|[^,]+)*;', '(\\.|[^.]+)*\\?$', '^((\\+|-)?\\d+)*e$', '(\\r\\n|\\n|\\r)*X', '(^|,)("[^"]*"|[^,]*)*!$',
]; // prettier-ignore

function random(length: number, seed: number, signs: string): string {
  let [state, text] = [seed, ''];
  for (let i = 0; i < length; i++) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    text += signs[(state >> 8) % signs.length];
  }
  return text;
}

export const texts = (length: number): Record<string, string> => ({
  'one letter': 'a'.repeat(length),
  'one letter and another end': `${'a'.repeat(length - 1)}!`,
  'two letters': random(length, 3, 'ab'),
  'two letters, one of them unknown': random(length, 5, 'ax'),
  words: 'foo bar '.repeat(length / 8),
  letters: random(length, 7, 'abcdefghijklmnopqrstuvwxyz .,:-@'),
  blanks: ' \t'.repeat(length / 2),
  digits: random(length, 11, '0123456789,.'),
  quotes: '"\\'.repeat(length / 2),
  'other scripts': 'é漢😀a'.repeat(length / 5),
});
