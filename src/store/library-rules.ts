/** Maximum length of a stored tool chain, latest tools kept: each version stores the whole chain. */
const MAX_TOOL_CHAIN = 100

/** Appends a tool to a chain. */
export function lengthened(chain: readonly string[], toolId: string): string[] {
  return [...chain, toolId].slice(-MAX_TOOL_CHAIN)
}

/** Compares names in any case, by code points: the same order in every store. */
export function compareNames(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one.toLowerCase()), Buffer.from(other.toLowerCase()))
}

/** Whether a name ends with one of these extensions, in any case; true without a list. */
export function hasExtension(name: string, extensions: readonly string[] | undefined): boolean {
  const key = name.toLowerCase()
  return extensions === undefined || extensions.some((extension) => key.endsWith(`.${extension}`))
}
