/**
 * Escapes a text as the value of a filter option in a graph, so that any content is taken literally, such as a path
 * with colons and quotes. Two parsers read it, the graph's and the filter's; each removes one level of escapes.
 */
export function filterValue(text: string): string {
  const forFilter = text.replace(/[\\':]/g, '\\$&')
  return forFilter.replace(/[\\'[\],;]/g, '\\$&')
}
