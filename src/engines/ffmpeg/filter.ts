/**
 * A text as the value of a filter's option within a graph: taken literally whatever is in it, such as a path with colons
 * and quotes. Two levels read it, the graph and the filter; each takes off its own escapes.
 */
export function filterValue(text: string): string {
  const forFilter = text.replace(/[\\':]/g, '\\$&')
  return forFilter.replace(/[\\'[\],;]/g, '\\$&')
}
