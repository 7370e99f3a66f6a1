/** Which files a tool takes, by their extensions: the server checks the contents. */

type Groups = Readonly<Record<string, readonly string[]>>

/** `photo.JPG` is `jpg`; '' without one. */
export function extensionOf(name: string): string {
  const at = name.lastIndexOf('.')
  return at > 0 ? name.slice(at + 1).toLowerCase() : ''
}

/** Whether an input that accepts these words (groups, extensions, `*`) takes a file of this name. */
export function isAccepted(name: string, accept: readonly string[], groups: Groups): boolean {
  const extension = extensionOf(name)
  return accept.some((word) => word === '*' || word === extension || groups[word]?.includes(extension))
}

/** The value of `accept` of a file field; empty where every file is taken. */
export function acceptAttribute(accept: readonly string[], groups: Groups): string {
  if (accept.includes('*')) return ''
  const extensions = new Set(accept.flatMap((word) => groups[word] ?? [word]))
  return [...extensions].map((extension) => `.${extension}`).join(',')
}

/** Words of an input for people: `images, PDF`. */
export function acceptWords(accept: readonly string[], names: Readonly<Record<string, string>>): string {
  if (accept.includes('*')) return names['*'] ?? ''
  return [...new Set(accept.map((word) => names[word] ?? word.toUpperCase()))].join(', ')
}
