/**
 * Access to elements that must exist: a missing one is a bug, which fails here instead of passing `undefined` on.
 */

/** The first element of a list that is never empty. @throws Error for an empty list */
export function firstOf<T>(list: readonly T[]): T {
  if (list.length === 0) throw new Error('Expected a list with an element')
  return list[0] as T
}

/** The last element of a list that is never empty. @throws Error for an empty list */
export function lastOf<T>(list: readonly T[]): T {
  if (list.length === 0) throw new Error('Expected a list with an element')
  return list[list.length - 1] as T
}

/** The value of a key that the map must contain. @throws Error without a value */
export function required<K, V>(map: ReadonlyMap<K, V>, key: K): V {
  const value = map.get(key)
  if (value === undefined) throw new Error(`Expected a value for ${String(key)}`)
  return value
}

/** The pairs of two lists of the same length. @throws Error for lists of different lengths */
export function zip<A, B>(one: readonly A[], other: readonly B[]): [A, B][] {
  if (one.length !== other.length) throw new Error('Expected lists of the same length')
  return one.map((value, index) => [value, other[index] as B])
}
