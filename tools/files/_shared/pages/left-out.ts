import { listed } from '../../../../src/wording.ts'

/**
 * External resources that a document references and that are not loaded.
 * @param named the known addresses, at most `count`
 */
export function leftOutSentence(name: string, count: number, named: readonly string[] = []): string {
  const [what, is] = count === 1 ? ['a file', 'is'] : [`${count} files`, 'are']
  const which = named.some((address) => address !== '') ? `: ${listed(named.filter((address) => address !== ''))}` : ''
  return `${name} references ${what} outside itself (images, styles), which ${is} omitted: nothing is loaded${which}`
}

/** Scripts of a page, which never run. */
export function scriptsSentence(name: string, count: number): string {
  const [what, they] = count === 1 ? ['a script', 'it adds or changes'] : [`${count} scripts`, 'they add or change']
  return `${name} has ${what} that did not run: what ${they} on the page is missing`
}
