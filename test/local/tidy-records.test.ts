import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
const key = 'ab00'
const place = join(folder, 'records', 'jobs', 'ab')
const old = join(place, 'ab01.json')
const long = new Date(Date.now() - 40 * 24 * 3600 * 1000)

/** An old record, and the effect of a run that writes next to it. */
function leaveOld(): void {
  mkdirSync(place, { recursive: true })
  writeFileSync(old, '{}')
  utimesSync(old, long, long)
}

/** Cleans up the folder like a separate process; returns how often a record was checked. */
async function tidy(isGone = true): Promise<number> {
  vi.resetModules()
  vi.stubEnv('MEDIAPROC_CACHE_DIR', folder)
  const { tidyBeside } = await import('../../src/local/records/record-store.ts')
  let judged = 0
  const judge = () => {
    judged += 1
    return isGone
  }
  for (let time = 0; time < 3; time += 1) await tidyBeside('jobs', key, judge)
  return judged
}

beforeEach(leaveOld)

test('removes old records of missing outputs once a day', async () => {
  expect([await tidy(), existsSync(old)]).toEqual([1, false])
  leaveOld()
  expect([await tidy(), existsSync(old)]).toEqual([0, true])
  const yesterday = new Date(Date.now() - 25 * 3600 * 1000)
  utimesSync(join(place, 'tidied'), yesterday, yesterday)
  expect([await tidy(), existsSync(old)]).toEqual([1, false])
})

test('ignores a mark from the future, written by another clock', async () => {
  await tidy()
  leaveOld()
  const future = new Date(Date.now() + 300 * 24 * 3600 * 1000)
  utimesSync(join(place, 'tidied'), future, future)
  expect([await tidy(false), existsSync(old)]).toEqual([1, true])
})
