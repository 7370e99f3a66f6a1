/** Page lists of settings, as the tools read them: `1-3,7`, `z` is the last page, `r2` the one before. */
import type { SettingRow } from '../api/types.ts'

type Grammar = SettingRow['grammar']

/** The pages of a text in their order; undefined if the tool would refuse it. */
export function pagesOf(text: string, count: number, grammar: Grammar): number[] | undefined {
  const list = text.trim().toLowerCase()
  const isRange = grammar === 'page-range'
  if (!isRange && (list === 'all' || (list === '' && grammar === 'page-list')))
    return Array.from({ length: count }, (_, index) => index + 1)
  if (list === '') return []
  const pages: number[] = []
  const named = (name: string): number =>
    name === 'z' ? count : name.startsWith('r') ? count + 1 - Number(name.slice(1)) : Number(name)
  for (const item of list.split(',')) {
    const form = grammar === 'page-numbers' ? /^(\d+)(?:\s*-\s*(\d+))?$/ : /^(z|r?\d+)(?:\s*-\s*(z|r?\d+))?$/
    const parts = form.exec(isRange ? item : item.trim())
    if (!parts) return undefined
    const first = named(parts[1] ?? '')
    const last = parts[2] === undefined ? first : named(parts[2])
    if (Math.min(first, last) < 1 || Math.max(first, last) > count) return undefined
    if (!isRange && first > last) return undefined
    const step = first <= last ? 1 : -1
    for (let page = first; page !== last + step; page += step) pages.push(page)
  }
  return isRange ? pages : [...new Set(pages)].sort((one, other) => one - other)
}

/** Pages as a short text: runs of three and more are ranges. */
export function textOf(pages: readonly number[], count: number, grammar: Grammar): string {
  const isAll = pages.length === count && pages.every((page, index) => page === index + 1)
  if (isAll && count > 0) return grammar === 'page-range' ? '1-z' : 'all'
  const items: string[] = []
  for (let at = 0; at < pages.length; ) {
    const first = pages[at] as number
    let end = at
    while (pages[end + 1] === (pages[end] as number) + 1) end += 1
    const last = pages[end] as number
    if (end - at >= 2) items.push(`${first}-${last}`)
    else for (let page = first; page <= last; page += 1) items.push(String(page))
    at = end + 1
  }
  return items.join(',')
}

const isAscending = (pages: readonly number[]): boolean =>
  pages.every((page, index) => index === 0 || page > (pages[index - 1] as number))

/** Pages with some of them added or removed. An ascending list stays so; in another one, new pages come last. */
export function toggled(pages: readonly number[], changed: readonly number[], isAdded: boolean): number[] {
  const change = new Set(changed)
  if (!isAdded) return pages.filter((page) => !change.has(page))
  const known = new Set(pages)
  const all = [...pages, ...changed.filter((page) => !known.has(page))]
  return isAscending(pages) ? all.sort((one, other) => one - other) : all
}
