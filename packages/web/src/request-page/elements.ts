// Elements of the page for people without an agent. Words from outside are text nodes, never markup.

type Child = Node | string;

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export function show(...children: Child[]): void {
  document.querySelector('#request')!.replaceChildren(...children);
}

export const paragraph = (text: string, className = ''): HTMLElement => element('p', { className }, text);
