import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuditBreak, AuditCheck } from '../../store.ts'
import { linesOf, parseLine } from './lines.ts'

const FILE_NAME = /^audit-(\d{4}-\d{2})\.ndjson$/
/** The first line's value instead of a previous hash. */
export const BEGINNING = '0'.repeat(64)
/** Maximum number of breaks that a check lists. */
const MOST_BREAKS = 20

/** SHA-256 of a line without its newline, as the next line contains it. */
export const hashOf = (line: string | Buffer): string => createHash('sha256').update(line).digest('hex')

export const fileOfMonth = (month: string): string => `audit-${month}.ndjson`

/** The months of the files of a log, newest first. */
export const monthsIn = (names: readonly string[]): string[] =>
  names
    .flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
    .sort()
    .reverse()

/** The months of the files in a folder, newest first. */
export const monthsOf = async (folder: string): Promise<string[]> => monthsIn(await readdir(folder))

/**
 * Verifies the hash chain. A line that was changed, removed or inserted breaks the link of the following line.
 * Rewriting all later lines, or cutting the end, is detected with a hash that was stored elsewhere.
 * @param knownHead the hash of any line, from an earlier check
 */
export async function checkChain(folder: string, knownHead?: string): Promise<AuditCheck> {
  const breaks: AuditBreak[] = []
  const check = { entries: 0, unlinked: 0, cutOff: 0, broken: 0, breaks, head: BEGINNING, begins: true }
  const found: { first?: string; last?: string } = {}
  let isLinked = false
  let isKnown = knownHead === BEGINNING
  const broken = (one: AuditBreak): void => {
    check.broken++
    if (breaks.length < MOST_BREAKS) breaks.push(one)
  }
  for (const month of (await monthsOf(folder)).reverse()) {
    const file = fileOfMonth(month)
    let line = 0
    for await (const bytes of linesOf(join(folder, file))) {
      line++
      if (bytes.length === 0) continue
      const entry = parseLine(bytes.toString())
      if (!entry) {
        check.cutOff++
        continue
      }
      const { previous, createdAt } = entry
      const place = { file, line, createdAt }
      if (check.entries === 0) check.begins = previous === undefined || previous === BEGINNING
      else if (previous === undefined && isLinked) broken({ ...place, reason: 'unlinked' })
      else if (previous !== undefined && previous !== check.head) broken({ ...place, reason: 'changed' })
      if (previous === undefined) check.unlinked++
      isLinked ||= previous !== undefined
      check.entries++
      check.head = hashOf(bytes)
      isKnown ||= check.head === knownHead || previous === knownHead
      found.first ??= createdAt
      found.last = createdAt
    }
  }
  return { ...check, ...found, ...(knownHead !== undefined && { isHeadKnown: isKnown }) }
}
