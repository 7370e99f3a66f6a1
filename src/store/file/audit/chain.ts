import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuditBreak, AuditCheck } from '../../store.ts'
import { linesOf, parseLine } from './lines.ts'

const FILE_NAME = /^audit-(\d{4}-\d{2})\.ndjson$/
/** What the first line of all has in place of a hash. */
export const BEGINNING = '0'.repeat(64)
/** How many places a check names at most. */
const MOST_BREAKS = 20

/** SHA-256 of a line without its end, as the next line has it. */
export const hashOf = (line: string | Buffer): string => createHash('sha256').update(line).digest('hex')

export const fileOfMonth = (month: string): string => `audit-${month}.ndjson`

/** The months of the files of a log, newest first. */
export const monthsIn = (names: readonly string[]): string[] =>
  names
    .flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
    .sort()
    .reverse()

/** The months that a folder has files of, newest first. */
export const monthsOf = async (folder: string): Promise<string[]> => monthsIn(await readdir(folder))

/**
 * Follows the links from line to line. A line that was changed, removed or put in later breaks the link of the line after it; who
 * rewrites all later lines, or the end of the log, is found by a hash that was kept elsewhere.
 * @param knownHead the hash of some line, noted at an earlier check
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
