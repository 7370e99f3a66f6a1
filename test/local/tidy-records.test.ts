import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
const key = 'ab00'
const place = join(folder, 'records', 'jobs', 'ab')
const old = join(place, 'ab01.json')
const long = new Date(Date.now() - 40 * 24 * 3600 * 1000)

/** A record of long ago, and what a run that writes beside it does. */
function leaveOld(): void {
  mkdirSync(place, { recursive: true })
  writeFileSync(old, '{}')
  utimesSync(old, long, long)
}

/** Looks through the folder as a process of its own would; gives how often a record was judged. */
async function tidy(isGone = true): Promise<number> {
  vi.resetModules()
  vi.stubEnv('MEDIAPROC_CACHE_DIR', folder)
  const { tidyBeside } = await import('../../src/local/records/record-store.ts')
  let judged = 0
  const judge = async () => {
    judged += 1
    return isGone
  }
  for (let time = 0; time < 3; time += 1) await tidyBeside('jobs', key, judge)
  return judged
}

beforeEach(leaveOld)

test('old records whose outputs are gone go, once a day', async () => {
  expect([await tidy(), existsSync(old)]).toEqual([1, false])
  leaveOld()
  expect([await tidy(), existsSync(old)]).toEqual([0, true])
  const yesterday = new Date(Date.now() - 25 * 3600 * 1000)
  utimesSync(join(place, 'tidied'), yesterday, yesterday)
  expect([await tidy(), existsSync(old)]).toEqual([1, false])
})

test('a mark of the future, made by another clock, is not believed', async () => {
  await tidy()
  leaveOld()
  const future = new Date(Date.now() + 300 * 24 * 3600 * 1000)
  utimesSync(join(place, 'tidied'), future, future)
  expect([await tidy(false), existsSync(old)]).toEqual([1, true])
})
