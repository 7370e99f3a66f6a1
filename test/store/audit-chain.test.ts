import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BEGINNING, hashOf } from '../../src/store/audit-chain.ts'
import { checkChain } from '../../src/store/file/audit/chain.ts'
import { openAuditLog } from '../../src/store/file/audit/log.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const parent = temporaryFolder()
const DAY_MS = 86_400_000
const START = Date.parse('2025-11-21T12:00:00.000Z')
const NOVEMBER = 'audit-2025-11.ndjson'

const entry = (action: string, actorUsername = 'alice') => ({
  ...{ actorId: 'u1', actorUsername, action, targetType: null, targetId: null, details: null, ipAddress: null },
})

/** A log with an entry a day, over the end of a month, and its lines. */
async function written(count: number, { retentionDays = 0, user = 'alice' } = {}) {
  const folder = mkdtempSync(join(parent, 'chain-'))
  const clock = { now: START }
  const log = await openAuditLog(folder, { retentionDays, now: () => clock.now })
  for (let index = 0; index < count; index++, clock.now += DAY_MS) await log.append(entry(`A${index}`, user))
  return { folder, log, clock }
}

const linesIn = (folder: string, file = NOVEMBER): string[] => readFileSync(join(folder, file), 'utf8').split('\n')
const writeLines = (folder: string, lines: readonly string[], file = NOVEMBER): void =>
  writeFileSync(join(folder, file), lines.join('\n'))

describe('an unmodified log', () => {
  test('each line has the hash of the previous one, across the end of a month', async () => {
    const { folder, log } = await written(14)
    const [november, december] = [linesIn(folder), linesIn(folder, 'audit-2025-12.ndjson')]
    const all = [...november.slice(0, -1), ...december.slice(0, -1)]
    const links = all.map((line) => (JSON.parse(line) as { previous: string }).previous)
    expect(links).toEqual([BEGINNING, ...all.slice(0, -1).map(hashOf)])
    expect(await log.check()).toMatchObject({
      ...{ entries: 14, unlinked: 0, cutOff: 0, broken: 0, begins: true, head: hashOf(all.at(-1)!) },
      ...{ first: '2025-11-21T12:00:00.000Z', last: '2025-12-04T12:00:00.000Z' },
    })
    // Readers of the log need not know about it.
    const { entries } = await log.query({ page: 1, limit: 100 })
    expect(entries.some((one) => 'previous' in one)).toBe(false)
  })

  test('continues after the log is reopened, and after an incomplete line', async () => {
    const { folder, log } = await written(3)
    await log.close()
    appendFileSync(join(folder, NOVEMBER), '{"id":"x","createdAt":"2025-')
    const again = await openAuditLog(folder, { retentionDays: 0, now: () => START + 4 * DAY_MS })
    await again.append(entry('AFTER'))
    expect(await again.check()).toMatchObject({ entries: 4, cutOff: 1, broken: 0 })
  })

  test('of an earlier version, without hashes, and then with them', async () => {
    const { folder, log } = await written(3)
    await log.close()
    const lines = linesIn(folder).map((line) => line.replace(/,"previous":"\w+"/, ''))
    writeLines(folder, lines)
    const again = await openAuditLog(folder, { retentionDays: 0, now: () => START + 4 * DAY_MS })
    await again.append(entry('AFTER'))
    expect(await again.check()).toMatchObject({ entries: 4, unlinked: 3, broken: 0, begins: true })
  })

  test('after the retention removed entries, including names with line separators', async () => {
    // A reader that ends lines at U+2028 would lose these entries here.
    const { folder, log, clock } = await written(9, { retentionDays: 5, user: 'a\u2028b' })
    const before = await log.check()
    await log.sweep()
    const after = await log.check(before.head)
    expect(after).toMatchObject({ entries: 5, broken: 0, cutOff: 0, begins: false, isHeadKnown: true })
    await log.append(entry('AFTER'))
    clock.now += 100 * DAY_MS
    await log.sweep()
    expect(await log.check()).toMatchObject({ entries: 0, broken: 0 })
    await log.append(entry('LAST'))
    await log.append(entry('LAST'))
    expect(await checkChain(folder)).toMatchObject({ entries: 2, broken: 0, begins: false })
  })

  test('with the clock set back across the end of a month', async () => {
    const { folder, log, clock } = await written(11)
    expect(linesIn(folder, 'audit-2025-12.ndjson')).toHaveLength(2)
    clock.now = START + 5 * DAY_MS
    await log.append(entry('BACK'))
    await log.close()
    const again = await openAuditLog(folder, { retentionDays: 0, now: () => START + 6 * DAY_MS })
    await again.append(entry('AGAIN'))
    expect(await again.check()).toMatchObject({ entries: 13, broken: 0 })
    const { entries } = await again.query({ page: 1, limit: 10, from: '2025-11-26', to: '2025-11-28' })
    expect(entries.map(({ action }) => action)).toEqual(['AGAIN', 'BACK', 'A6', 'A5'])
  })

  test('durable entries, across the end of a month', async () => {
    const folder = mkdtempSync(join(parent, 'synced-'))
    const clock = { now: START + 9 * DAY_MS }
    const log = await openAuditLog(folder, { retentionDays: 0, now: () => clock.now, mustSync: async () => true })
    const adding = Array.from({ length: 20 }, (_, index) => {
      clock.now += index === 10 ? DAY_MS : 0
      return log.append(entry(`S${index}`))
    })
    await Promise.all(adding)
    await log.close()
    expect(await checkChain(folder)).toMatchObject({ entries: 20, broken: 0 })
  })

  test('concurrent entries', async () => {
    const { log } = await written(1)
    await Promise.all(Array.from({ length: 50 }, (_, index) => log.append(entry(`B${index}`))))
    expect(await log.check()).toMatchObject({ entries: 51, broken: 0 })
  })
})

describe('an altered log', () => {
  const changed = { reason: 'changed' }
  test.each([
    ['a word of an entry', (lines: string[]) => lines.with(3, lines[3]!.replace('A3', 'A4')), 5, changed],
    ['an entry is removed', (lines: string[]) => lines.toSpliced(3, 1), 4, changed],
    ['two entries change places', (lines: string[]) => lines.with(3, lines[4]!).with(4, lines[3]!), 4, changed],
    [
      'an entry is put in',
      (lines: string[]) => lines.toSpliced(3, 0, lines[3]!.replace(/,"previous":"\w+"/, '')),
      4,
      { reason: 'unlinked' },
    ],
  ])('%s', async (_, alter, line, expected) => {
    const { folder, log } = await written(8)
    writeLines(folder, alter(linesIn(folder)))
    const { breaks, broken } = await log.check()
    expect(breaks[0]).toMatchObject({ file: NOVEMBER, line, ...expected })
    expect(broken).toBeGreaterThan(0)
  })

  test('a missing or rewritten end with valid hashes: lacks the recorded hash', async () => {
    const { folder, log } = await written(8)
    const { head } = await log.check()
    await log.close()
    writeLines(folder, [...linesIn(folder).slice(0, 6), ''])
    const forged = await openAuditLog(folder, { retentionDays: 0, now: () => START + 6 * DAY_MS })
    for (const action of ['X', 'Y']) await forged.append(entry(action))
    expect(await forged.check()).toMatchObject({ entries: 8, broken: 0 })
    expect(await forged.check(head)).toMatchObject({ isHeadKnown: false })
  })

  test('reports at most 20 places, and counts all', async () => {
    const { folder, log } = await written(1)
    for (let index = 0; index < 60; index++) await log.append(entry(`C${index}`))
    writeLines(
      folder,
      linesIn(folder).map((line) => line.replace('"alice"', '"mallory"')),
    )
    const { broken, breaks } = await log.check()
    expect([broken, breaks.length]).toEqual([60, 20])
  })
})
