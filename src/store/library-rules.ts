/** Maximum length of a stored tool chain, latest tools kept: each version stores the whole chain. */
const MAX_TOOL_CHAIN = 100

/** Appends a tool to a chain. */
export function lengthened(chain: readonly string[], toolId: string): string[] {
  return [...chain, toolId].slice(-MAX_TOOL_CHAIN)
}
