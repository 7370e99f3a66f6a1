import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { expectAll, loadUntilGone, makeSample, nothing } from '../helpers/load.ts'
import { filesBelow, HAS_PROC, processesBelow } from '../helpers/machine.ts'
import { isAlive } from '../helpers/pool.ts'
import { seededRandom } from '../helpers/random.ts'
import { signIn, startServer, type TestServer } from '../helpers/server.ts'

const ROUNDS = Number(process.env.MEDIAPROC_TEST_ROUNDS ?? 8)
/** Latest time of a kill after the load started, milliseconds. */
const LATEST_MS = 1500

const temporary = mkdtempSync(join(tmpdir(), 'mediaproc-faults-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

/** Unreferenced names in the data folder, once all jobs are over. */
function leftovers({ data }: TestServer): string[] {
  const named = /\.(part|tmp)$|^lock\.|\.once-|\.mediaproc-/
  const halfMade = filesBelow(data).filter((path) => path.split('/').some((name) => named.test(name)))
  const workspace = join(data, 'workspace')
  const unnamed = readdirSync(workspace).flatMap((id) => {
    const files = readdirSync(join(workspace, id))
    if (!files.includes('job.json')) return [id]
    const { outputs, members = [] } = JSON.parse(readFileSync(join(workspace, id, 'job.json'), 'utf8'))
    const all = [...outputs, ...members.flatMap(({ files = [] }) => files)] as { file: string }[]
    const known = new Set(['job.json', ...all.map(({ file }) => file.split('/')[0])])
    return files.filter((name) => !known.has(name)).map((name) => `${id}/${name}`)
  })
  return [...halfMade, ...unnamed]
}

const settledLeftovers = (server: TestServer) =>
  expect.poll(() => leftovers(server), { timeout: 10_000, interval: 100 }).toEqual([])

test.skipIf(!HAS_PROC)(
  `a server that is killed ${ROUNDS} times under load loses nothing and leaves nothing`,
  { timeout: ROUNDS * 30_000 },
  async () => {
    const random = seededRandom()
    const environment = { TMPDIR: temporary }
    let server = await startServer({ environment })
    const { data } = server
    const sample = await makeSample(server, await signIn(server))
    const all = nothing()
    for (let round = 0; round < ROUNDS; round++) {
      const done = nothing()
      const load = loadUntilGone(server, await signIn(server), sample, done)
      await new Promise((resolve) => setTimeout(resolve, random.between(0, LATEST_MS)))
      const children = processesBelow(server.process.pid!)
      await server.stop('SIGKILL')
      await load
      server = await startServer({ environment, data })
      await expectAll(server, done, random)
      await settledLeftovers(server)
      await expect.poll(() => children.filter(isAlive), { timeout: 5000 }).toEqual([])
      for (const key of ['users', 'keys'] as const) all[key].push(...done[key])
      for (const key of ['pipelines', 'settings'] as const) for (const one of done[key]) all[key].set(...one)
      for (const [id, bytes] of done.files) all.files.set(id, bytes)
      for (const one of done.results) all.results.set(...one)
    }
    await expectAll(server, all, random)
    expect(all.results.size + all.files.size + all.users.length).toBeGreaterThan(ROUNDS)
    expect(await server.stop()).toBe(0)
    expect(readdirSync(temporary)).toEqual([])
  },
)
