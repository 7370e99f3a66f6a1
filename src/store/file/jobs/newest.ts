import type { Page } from '../../repositories.ts'

export const newestFirst = (one: { createdAt: string }, other: { createdAt: string }): number =>
  one.createdAt < other.createdAt ? 1 : one.createdAt > other.createdAt ? -1 : 0

/** A page of the newest, without sorting all: only the times are sorted, and select the jobs of the page. */
export function newestPage<T extends { created: number }>(all: readonly T[], { limit, offset }: Page): T[] {
  if (limit === 0 || offset >= all.length) return []
  const times = new Float64Array(all.length)
  for (let index = 0; index < all.length; index++) times[index] = all[index]!.created
  times.sort()
  const [latest, earliest] = [times.at(-1 - offset)!, times[Math.max(0, times.length - offset - limit)]!]
  const newer = times.length - 1 - times.lastIndexOf(latest)
  const near = all.filter(({ created }) => created <= latest && created >= earliest)
  near.sort((one, other) => other.created - one.created)
  return near.slice(offset - newer, offset - newer + limit)
}
