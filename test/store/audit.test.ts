import { appendFileSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { openAuditLog } from '../../src/store/file/audit/log.ts'
import type { AuditEntry } from '../../src/store/records.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const parent = temporaryFolder()
const DAY_MS = 86_400_000

const entry = (action: string, targetId: string | null = null, ipAddress = '10.0.0.1') => ({
  actorId: 'u1',
  actorUsername: 'alice',
  action,
  targetType: null,
  targetId,
  details: { text: 'ä\n"' },
  ipAddress,
})

/** A log with the clock `clock.now`. */
async function openLog(retentionDays = 0, folder = mkdtempSync(join(parent, 'audit-'))) {
  const clock = { now: Date.parse('2025-11-21T12:00:00.000Z') }
  return { log: await openAuditLog(folder, { retentionDays, now: () => clock.now }), clock, folder }
}

const targets = ({ entries }: { entries: AuditEntry[] }): (string | null)[] => entries.map(({ targetId }) => targetId)

describe('append and query', () => {
  test('an entry is returned unchanged, with id and time', async () => {
    const { log } = await openLog()
    const written = await log.append(entry('LOGIN_SUCCESS', 'a'))
    expect(written).toEqual({ ...entry('LOGIN_SUCCESS', 'a'), id: written.id, createdAt: '2025-11-21T12:00:00.000Z' })
    expect(await log.query({ page: 1, limit: 10 })).toEqual({ entries: [written], total: 1 })
  })

  test('newest first, in pages, over months, with the total', async () => {
    const { log, clock, folder } = await openLog()
    for (let day = 0; day < 100; day++) {
      clock.now = Date.parse('2025-10-01T00:00:00.000Z') + day * DAY_MS
      await log.append(entry('LOGIN_SUCCESS', String(day)))
    }
    const months = ['2025-10', '2025-11', '2025-12', '2026-01']
    expect(readdirSync(folder).sort()).toEqual(months.map((month) => `audit-${month}.ndjson`))
    const page = await log.query({ page: 3, limit: 20 })
    expect(page.total).toBe(100)
    expect(targets(page)).toEqual(Array.from({ length: 20 }, (_, index) => String(59 - index)))
    expect(targets(await log.query({ page: 6, limit: 20 }))).toEqual([])
  })

  test('by action, address and time; ignores unreadable dates', async () => {
    const { log, clock } = await openLog()
    await log.append(entry('LOGIN_FAILED', 'a', '10.0.0.1'))
    clock.now += DAY_MS
    await log.append(entry('LOGIN_FAILED', 'b', '10.0.0.2'))
    clock.now += 20 * DAY_MS
    await log.append(entry('LOGOUT', 'c', '10.0.0.2'))
    const all = { page: 1, limit: 10 }
    expect(targets(await log.query({ ...all, action: 'LOGIN_FAILED' }))).toEqual(['b', 'a'])
    expect(targets(await log.query({ ...all, ip: '10.0.0.2' }))).toEqual(['c', 'b'])
    expect(targets(await log.query({ ...all, from: '2025-11-22T12:00:00.000Z' }))).toEqual(['c', 'b'])
    expect(targets(await log.query({ ...all, to: '2025-11-22T13:00:00+01:00' }))).toEqual(['b', 'a'])
    expect(targets(await log.query({ ...all, from: '2025-11-22', to: '2025-11-23' }))).toEqual(['b'])
    expect(targets(await log.query({ ...all, from: 'yesterday', to: '' }))).toEqual(['c', 'b', 'a'])
  })

  test('lines longer and shorter than a read block', async () => {
    const { log } = await openLog()
    const long = 'é'.repeat(70_000)
    await log.append({ ...entry('A', '1'), details: { long } })
    for (let index = 2; index < 1500; index++) await log.append(entry('A', String(index)))
    const { entries, total } = await log.query({ page: 1, limit: 2000 })
    expect(total).toBe(1499)
    expect(targets({ entries })).toEqual(Array.from({ length: 1499 }, (_, index) => String(1499 - index)))
    expect(entries.at(-1)!.details).toEqual({ long })
  })

  test('reads a long log only partly for another page, and answers every query correctly', async () => {
    const { log, clock } = await openLog(20)
    const begin = clock.now
    const all: AuditEntry[] = []
    const write = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index++) {
        // Now and then the clock is set back.
        clock.now += index % 7 === 0 ? -3000 : 1000
        const details = { text: 'x'.repeat(index === 50 ? 600_000 : 200) }
        const [action, ip] = [`A${index % 3}`, index % 1000 === 999 ? '10.9.9.9' : `10.0.0.${index % 5}`]
        all.unshift(await log.append({ ...entry(action, String(all.length), ip), details }))
      }
    }
    const at = (entryIndex: number): string => all.at(entryIndex)!.createdAt
    const expectAll = async (): Promise<void> => {
      for (const page of [1, 7])
        for (const action of [undefined, 'A1', 'B'])
          for (const ip of [undefined, '10.9.9.9'])
            for (const [from, to] of [[], [at(-1700)], [undefined, at(900)], [at(2000), at(400)]]) {
              const given = { ...(action && { action }), ...(ip && { ip }), ...(from && { from }), ...(to && { to }) }
              const wanted = all.filter(
                (one) =>
                  (!action || one.action === action) &&
                  (!ip || one.ipAddress === ip) &&
                  (!from || one.createdAt >= from) &&
                  (!to || one.createdAt <= to),
              )
              const found = await log.query({ page, limit: 20, ...given })
              expect(found.total).toBe(wanted.length)
              expect(targets(found)).toEqual(wanted.slice((page - 1) * 20, page * 20).map(({ targetId }) => targetId))
            }
    }
    await write(3000)
    await expectAll()
    const parse = vi.spyOn(JSON, 'parse')
    await log.query({ page: 2, limit: 20, action: 'A1' })
    expect(parse.mock.calls.length).toBeLessThan(1200)
    parse.mockRestore()
    await write(100)
    await expectAll()
    clock.now = begin + 20 * DAY_MS + 300_000
    await log.sweep()
    const oldest = new Date(begin + 300_000).toISOString()
    // An entry between two kept ones is kept too, because each is linked to the previous one.
    all.splice(all.findLastIndex(({ createdAt }) => createdAt >= oldest) + 1)
    expect(all.length).toBeGreaterThan(2000)
    await expectAll()
  })

  test('skips an incomplete line, and keeps the next one', async () => {
    const { log, folder } = await openLog()
    await log.append(entry('A', 'first'))
    await log.close()
    appendFileSync(join(folder, 'audit-2025-11.ndjson'), '{"id":"x","createdAt":"2025-')
    const again = await openLog(0, folder)
    expect(targets(await again.log.query({ page: 1, limit: 10 }))).toEqual(['first'])
    await again.log.append(entry('A', 'second'))
    const page = await again.log.query({ page: 1, limit: 10 })
    expect([targets(page), page.total]).toEqual([['second', 'first'], 2])
  })

  test('refuses entries after close', async () => {
    const { log } = await openLog()
    await log.close()
    await expect(log.append(entry('A'))).rejects.toMatchObject({ code: 'SHUTTING_DOWN' })
  })
})

describe('retention', () => {
  test('removes old months and old lines, and continues writing', async () => {
    const { log, clock, folder } = await openLog(10)
    clock.now = Date.parse('2025-10-31T12:00:00.000Z')
    for (let day = 0; day < 30; day++, clock.now += DAY_MS) await log.append(entry('A', String(day)))
    clock.now -= DAY_MS
    expect(new Date(clock.now).toISOString()).toBe('2025-11-29T12:00:00.000Z')
    let swept = false
    const sweeping = log.sweep().then(() => {
      swept = true
    })
    let last = 29
    while (!swept) {
      await log.append(entry('A', String(++last)))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await sweeping
    await log.append(entry('A', String(++last)))
    expect(readdirSync(folder)).toEqual(['audit-2025-11.ndjson'])
    const kept = Array.from({ length: last - 18 }, (_, index) => String(last - index))
    expect(targets(await log.query({ page: 1, limit: 10_000 }))).toEqual(kept)
    expect(readFileSync(join(folder, 'audit-2025-11.ndjson'), 'utf8').match(/\n/g)).toHaveLength(kept.length)
  })

  test('happens at the start; 0 days keep everything', async () => {
    const { log, clock, folder } = await openLog()
    clock.now = Date.parse('2020-01-01T00:00:00.000Z')
    await log.append(entry('A', 'old'))
    await log.close()
    const kept = await openLog(0, folder)
    expect(targets(await kept.log.query({ page: 1, limit: 10 }))).toEqual(['old'])
    await kept.log.close()
    await openLog(30, folder)
    expect(readdirSync(folder)).toEqual([])
  })
})
