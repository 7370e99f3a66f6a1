/** The store of several servers: PostgreSQL, Redis and a shared folder. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/engines/postgres/database.ts'
import { openRedis } from '../../src/engines/redis/redis.ts'
import { MediaprocError } from '../../src/errors.ts'
import { Claims } from '../../src/store/cluster/claims.ts'
import { directly } from '../../src/store/postgres/access.ts'
import { JobTable } from '../../src/store/postgres/job-table.ts'
import type { Store } from '../../src/store/store.ts'
import { nodes } from '../helpers/nodes.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { jobsContract } from './contract/jobs.ts'
import { queueContract, submit, taskOf, work } from './contract/queue.ts'
import { repositoriesContract } from './contract/repositories.ts'

const cluster = nodes()
const parent = temporaryFolder()
const temporary = (): string => mkdtempSync(join(parent, 'folder-'))
const open = async () => cluster.open(await cluster.database())
const role = (name: 'api' | 'worker' | 'all', concurrentJobs = 1) => ({
  cluster: { role: { name, version: '1', concurrentJobs } },
})
const WIDE = { places: 1000 }

/** A server that only takes requests, and others that run one job at a time. */
async function apart(workers: number, concurrentJobs = 1) {
  const url = await cluster.database()
  const api = await cluster.open(url, role('api'))
  work(api)
  await api.queue.takeUp()
  const running: (ReturnType<typeof work> & { store: Store })[] = []
  for (let count = 0; count < workers; count++) {
    const store = await cluster.open(url, role('worker', concurrentJobs))
    const job = work(store)
    await store.queue.takeUp()
    running.push({ store, ...job })
  }
  return { url, api, workers: running }
}

const statusOf = async ({ jobs }: Store, id: string): Promise<string | undefined> => (await jobs.get(id))?.status

test('a job whose client no longer waits is flushed to the disk of the database', async () => {
  const { url, api } = await apart(0)
  await cluster.execute(url, "alter system set wal_writer_delay = '10s'")
  await cluster.execute(url, 'select pg_reload_conf()')
  const { id, folder } = await api.workspace.begin('o')
  writeFileSync(join(folder, 'in-0'), 'bytes')
  const task = taskOf([{ file: 'in-0', name: 'a.txt', bytes: 5, mime: 'text/plain' }])
  await submit(api, 'o', WIDE, { id, task }, true)
  const [{ at } = { at: '' }] = (await cluster.rows(url, 'select pg_current_wal_insert_lsn()::text as at')) as [
    { at: string },
  ]
  expect((await api.jobs.update(id, {})).id).toBe(id)
  expect(await cluster.rows(url, `select pg_current_wal_flush_lsn() >= '${at}'::pg_lsn as is_flushed`)).toEqual([
    { is_flushed: true },
  ])
  await cluster.execute(url, 'alter system reset wal_writer_delay')
})

test('a job that waits is flushed before a list shows it', async () => {
  const { url, api } = await apart(0)
  await cluster.execute(url, "alter system set wal_writer_delay = '10s'")
  await cluster.execute(url, 'select pg_reload_conf()')
  const id = await submit(api, 'o', WIDE, {}, true)
  const [{ at } = { at: '' }] = (await cluster.rows(url, 'select pg_current_wal_insert_lsn()::text as at')) as [
    { at: string },
  ]
  const { jobs } = await api.jobs.ofOwner({ ownerId: 'o', limit: 9, offset: 0 })
  expect(jobs.map((job) => job.id)).toEqual([id])
  expect(await cluster.rows(url, `select pg_current_wal_flush_lsn() >= '${at}'::pg_lsn as is_flushed`)).toEqual([
    { is_flushed: true },
  ])
  await cluster.execute(url, 'alter system reset wal_writer_delay')
})

describe('the store of several servers', () => {
  repositoriesContract(open)
  jobsContract(open)
  queueContract(open)
})

describe('jobs of several servers', () => {
  test('run once, in one of the workers, and their end is known to the server that took them', async () => {
    const { api, workers } = await apart(2)
    const ids = [await submit(api), await submit(api), await submit(api)]
    const begun = (): string[] => workers.flatMap((one) => one.begun)
    await expect.poll(() => begun().length).toBe(2)
    for (const id of ids) {
      const [worker] = workers.filter((one) => one.begun.includes(id))
      await worker?.end(id)
      if (!worker) await expect.poll(() => begun().length).toBe(3)
    }
    for (const { begun: own, end } of workers) for (const id of own) await end(id)
    await expect.poll(() => Promise.all(ids.map((id) => statusOf(api, id)))).toEqual(Array(3).fill('completed'))
    expect(begun().sort()).toEqual([...ids].sort())
    expect(await api.queue.size()).toBe(0)
  })

  test('end once: an end may be written again if its answer was lost, but by no other attempt', async () => {
    const { url, api } = await apart(0)
    const id = await submit(api)
    const opened = await openDatabase({ url, connections: 2 })
    try {
      const claims = new Claims(opened, new JobTable(directly(opened, 'server')), 'node')
      const first = await claims.one(id)
      if (!first) throw new Error('the job does not wait')
      const ended = {
        ...first.record,
        status: 'completed',
        completedAt: '2026-01-01T00:00:01.000Z',
        attempts: 1,
      } as const
      const other = { ...ended, attempts: 2 }
      expect(await claims.end(ended, 'another claim', 7)).toBe(false)
      expect(await claims.end(ended, first.claim, 7)).toBe(true)
      expect(await claims.end(ended, first.claim, 7)).toBe(true)
      expect(await claims.end(other, 'another claim', 9)).toBe(false)
      expect(await claims.end({ ...ended, completedAt: '2026-01-01T00:00:02.000Z' }, first.claim, 9)).toBe(false)
    } finally {
      await opened.close()
    }
    const facts = "select bytes, claim, turn, node, (record->>'attempts')::int as attempts from jobs"
    expect(await cluster.rows(url, facts)).toEqual([{ bytes: '7', claim: null, turn: null, node: null, attempts: 1 }])
  })

  test('get their inputs from the server that received them, and keep no copy', async () => {
    const { url, api, workers } = await apart(1)
    const { id, folder } = await api.workspace.begin('o')
    writeFileSync(join(folder, 'in-0'), 'bytes')
    const input = { file: 'in-0', name: 'a.txt', bytes: 5, mime: 'text/plain' }
    await submit(api, 'o', WIDE, { id, task: taskOf([input]) })
    const [worker] = workers
    await expect.poll(() => worker?.begun).toEqual([id])
    const received = join(worker?.store.workspace.folderOf(id) ?? '', 'in-0')
    const shared = join(cluster.filesOf(url), '..', 'inputs', id, 'in-0')
    expect([existsSync(received), existsSync(shared), existsSync(folder)]).toEqual([true, true, false])
    await worker?.end(id)
    await expect.poll(() => existsSync(received) || existsSync(shared)).toBe(false)
  })

  test('run in the server that received them without losing their inputs, however slowly it removes its copy', async () => {
    const store = await cluster.open(await cluster.database(), role('all'))
    const { begun, end } = work(store)
    await store.queue.takeUp()
    const discard = store.workspace.discard.bind(store.workspace)
    let isSubmitted = false
    store.workspace.discard = async (id) => {
      // The job can begin meanwhile, if it is in the queue already.
      if (!isSubmitted)
        await expect
          .poll(() => begun, { timeout: 1000 })
          .toEqual([id])
          .catch(() => {})
      await discard(id)
    }
    const { id, folder } = await store.workspace.begin('o')
    writeFileSync(join(folder, 'in-0'), 'bytes')
    const input = { file: 'in-0', name: 'a.txt', bytes: 5, mime: 'text/plain' }
    await submit(store, 'o', WIDE, { id, task: taskOf([input]) })
    isSubmitted = true
    await expect.poll(() => begun).toEqual([id])
    expect(existsSync(join(folder, 'in-0'))).toBe(true)
    await end(id)
  })

  test('of dead workers are run by others, and what the dead one does later is refused', async () => {
    const { url, api, workers } = await apart(1)
    const id = await submit(api)
    const [first] = workers
    await expect.poll(() => first?.begun).toEqual([id])
    // It is taken for dead, as if it had been stopped for a while.
    await cluster.execute(url, "update nodes set seen = seen - interval '1 hour' where role = 'worker'")
    await cluster.execute(url, `update jobs set claim = null, node = null where id = '${id}'`)
    const second = await cluster.open(url, role('worker'))
    const other = work(second)
    await second.queue.takeUp()
    await expect.poll(() => other.begun.length + (first?.begun.length ?? 0)).toBe(2)
    await expect.poll(() => first?.stopped.length).toBe(1)
    await expect.poll(() => first?.failed).toEqual([expect.objectContaining({ code: 'CONFLICT' })])
    expect(await statusOf(api, id)).toBe('queued')
    const [now] = [first, other].filter((one) => one?.begun.at(-1) === id && one.stopped.length === 0)
    await now?.end(id)
    await expect.poll(() => statusOf(api, id)).toBe('completed')
  })

  test('are given up after two starts', async () => {
    const { url, api } = await apart(0)
    const id = await submit(api)
    await cluster.execute(url, `update jobs set claims = 2 where id = '${id}'`)
    const store = await cluster.open(url, role('worker'))
    const { begun } = work(store)
    await store.queue.takeUp()
    await expect.poll(() => statusOf(api, id)).toBe('failed')
    expect(begun).toEqual([])
  })

  test('are stopped wherever they run or wait', async () => {
    const { api, workers } = await apart(1)
    const [running, waiting] = [await submit(api), await submit(api)]
    await expect.poll(() => workers[0]?.begun).toEqual([running])
    const why = new MediaprocError('CANCELED', 'enough')
    expect(await Promise.all([api.queue.cancel(waiting, why), api.queue.cancel(running, why)])).toEqual([true, true])
    expect(workers[0]?.stopped).toEqual([`${running} enough`])
    expect([await statusOf(api, running), await statusOf(api, waiting)]).toEqual(['completed', 'completed'])
  })

  test('return to the queue when their worker ends, without counting the attempt', async () => {
    const { url, api, workers } = await apart(1)
    const id = await submit(api)
    await expect.poll(() => workers[0]?.begun).toEqual([id])
    const [first] = workers
    first?.store.queue.work({
      ...{ tools: [], needsOf: () => ({ tools: [], bundles: [] }), loadedBundles: () => [] },
      run: async () => {},
      giveUp: async () => {},
    })
    await cluster.execute(url, `update jobs set claim = null, node = null, claims = 0 where id = '${id}'`)
    await first?.store.close()
    const second = await cluster.open(url, role('worker'))
    const { begun, end } = work(second)
    await second.queue.takeUp()
    await expect.poll(() => begun).toEqual([id])
    expect(await cluster.rows(url, 'select claims from jobs')).toEqual([{ claims: 1 }])
    await end(id)
  })

  test('wait for a worker that has their tool', async () => {
    const { url, api } = await apart(0)
    const old = await cluster.open(url, role('worker'))
    const { begun } = work(old, ['image/rotate'])
    await old.queue.takeUp()
    const id = await submit(api)
    const next = await submit(api, 'o', WIDE, { task: taskOf([], 'image/rotate') })
    await expect.poll(() => begun).toEqual([next])
    expect(await statusOf(api, id)).toBe('queued')
  })

  test('are found behind many that wait for another worker', async () => {
    const { url, api } = await apart(0)
    for (let count = 0; count < 60; count++) await submit(api, 'o', WIDE)
    const wanted = [
      await submit(api, 'o', WIDE, { task: taskOf([], 'image/rotate') }),
      await submit(api, 'o', WIDE, { task: taskOf([], 'image/rotate') }),
    ]
    const old = await cluster.open(url, role('worker'))
    const { begun, end } = work(old, ['image/rotate'])
    await old.queue.takeUp()
    for (const id of wanted) {
      await expect.poll(() => begun.at(-1), { timeout: 3000 }).toBe(id)
      await end(id)
    }
  })
})

test('an owner with many waiting jobs delays the first one of another by one job at most', async () => {
  const { url, api } = await apart(0)
  const many: string[] = []
  for (let count = 0; count < 30; count++) many.push(await submit(api, 'o', WIDE))
  const worker = await cluster.open(url, role('worker'))
  const { begun, end } = work(worker)
  await worker.queue.takeUp()
  for (const id of many.slice(0, 10)) {
    await expect.poll(() => begun.at(-1)).toBe(id)
    if (id === many[9]) break
    await end(id)
  }
  const [first, second] = [await submit(api, 'p', WIDE), await submit(api, 'p', WIDE)]
  for (let count = 0; count < 5; count++) {
    const id = begun.at(-1)
    if (id) await end(id)
    await expect.poll(() => begun.at(-1)).not.toBe(id)
  }
  const order = begun.slice(9)
  expect([
    order.indexOf(first) <= 2,
    order.indexOf(second) <= 4,
    order.filter((id) => many.includes(id)).length > 2,
  ]).toEqual([true, true, true])
})

describe('without Redis', () => {
  test('jobs are taken, run, stopped and followed, a second later', async () => {
    const { api, workers } = await apart(1, 2)
    await cluster.redis.kill()
    try {
      const [id, other] = [await submit(api), await submit(api)]
      const seen: string[] = []
      api.queue.listen(id, ({ status }) => seen.push(status))
      await expect.poll(() => workers[0]?.begun.length, { timeout: 5000 }).toBe(2)
      await api.queue.cancel(other, new MediaprocError('CANCELED', 'enough'))
      await workers[0]?.end(id)
      await expect.poll(() => seen.at(-1), { timeout: 5000 }).toBe('completed')
      expect(await api.health?.()).toEqual({ postgres: true, redis: false, s3: true })
    } finally {
      await cluster.redis.start()
    }
    await expect.poll(() => api.health?.(), { timeout: 10_000 }).toEqual({ postgres: true, redis: true, s3: true })
  })
})

test('sizes of all servers count for shares: inputs of jobs that wait, results of the others', async () => {
  const { stores } = await cluster.several(2)
  const [one, other] = stores as [Store, Store]
  work(one)
  const id = await submit(one, 'o', WIDE, { inputBytes: 70 })
  await other.workspace.refresh('o')
  expect([other.workspace.bytesOf('o'), other.workspace.bytesOf('p'), other.workspace.totalBytes]).toEqual([70, 0, 70])
  await one.jobs.remove(id)
  await expect
    .poll(async () => {
      await other.workspace.refresh('o')
      return other.workspace.bytesOf('o')
    })
    .toBe(0)
})

describe('found by an attack', () => {
  test('a claim of which the process has never heard is released', async () => {
    const { url, api, workers } = await apart(1)
    const first = await submit(api)
    await expect.poll(() => workers[0]?.begun).toEqual([first])
    const id = await submit(api)
    // As if the answer to the claim had been lost.
    const node = "(select id from nodes where role = 'worker')"
    await cluster.execute(url, `update jobs set claim = 'unheard', node = ${node} where id = '${id}'`)
    await workers[0]?.end(first)
    await expect.poll(() => workers[0]?.begun.at(-1), { timeout: 10_000 }).toBe(id)
    await workers[0]?.end(id)
  })

  test('a stop outlives the worker: the next attempt ends at once', async () => {
    const { url, api, workers } = await apart(1)
    const id = await submit(api)
    await expect.poll(() => workers[0]?.begun).toEqual([id])
    await cluster.execute(
      url,
      `update jobs set claim = null, node = null, stop = '{"code":"CANCELED","message":"enough"}' where id = '${id}'`,
    )
    const second = await cluster.open(url, role('worker'))
    const { stopped } = work(second)
    await second.queue.takeUp()
    await expect.poll(() => [...stopped, ...(workers[0]?.stopped ?? [])]).toContain(`${id} enough`)
    await expect.poll(() => statusOf(api, id)).toBe('completed')
  })

  test('a job that was interrupted twice is canceled, and not given up, when it is canceled', async () => {
    const { url, api } = await apart(0)
    const id = await submit(api)
    await cluster.execute(url, `update jobs set claims = 2 where id = '${id}'`)
    await api.queue.cancel(id, new MediaprocError('CANCELED', 'enough'))
    // The work of the test completes what is stopped, and fails what is given up.
    expect(await statusOf(api, id)).toBe('completed')
  })

  test('an owner does not come behind the jobs that others submit later, when nothing waits', async () => {
    const { api, workers } = await apart(1)
    const [first] = workers
    for (let count = 0; count < 5; count++) {
      const id = await submit(api, 'o', WIDE)
      await expect.poll(() => first?.begun.at(-1)).toBe(id)
      if (count < 4) await first?.end(id)
    }
    const long = first?.begun.at(-1) ?? ''
    for (let count = 0; count < 5; count++) await submit(api, 'p', WIDE)
    const own = await submit(api, 'o', WIDE)
    await first?.end(long)
    await expect.poll(() => first?.begun.length).toBe(6)
    await first?.end(first.begun.at(-1) ?? '')
    await expect.poll(() => first?.begun.length).toBe(7)
    await first?.end(first.begun.at(-1) ?? '')
    await expect.poll(() => first?.begun.length).toBe(8)
    expect(first?.begun.slice(5)).toContain(own)
    await first?.end(first.begun.at(-1) ?? '')
  })

  test('messages of others cannot end the process, nor a job', async () => {
    const { url, api, workers } = await apart(1)
    const id = await submit(api)
    await expect.poll(() => workers[0]?.begun).toEqual([id])
    const seen: string[] = []
    const stop = api.queue.listen(id, ({ status, percent }) => seen.push(`${status} ${percent}`))
    await expect.poll(() => seen.length).toBe(1)
    const [{ id: space }] = (await cluster.rows(url, 'select id from store')) as [{ id: string }]
    const ended = { attempts: 0, status: 'completed', percent: 100, stage: null }
    for (const message of [
      ...['null', '5', '{', '{"from":"x","progress":null}', '{"from":"x","progress":{"status":"processing"}}'],
      JSON.stringify({ from: 'x', progress: { ...ended, attempts: 'many' } }),
      JSON.stringify({ from: 'x', progress: ended }),
      JSON.stringify({ from: 'x', record: { id, members: null, status: 'completed' } }),
      JSON.stringify({ from: 'x', progress: { ...ended, status: 'processing', percent: 7 } }),
    ])
      cluster.redis.command('publish', `mediaproc:${space}:job:${id}`, message)
    await expect.poll(() => seen).toEqual(['queued 0', 'processing 7'])
    stop()
    await workers[0]?.end(id)
  })

  test('who begins to follow a job later gets its state, also the last one', async () => {
    const { api, workers } = await apart(1)
    const id = await submit(api)
    await expect.poll(() => workers[0]?.begun).toEqual([id])
    const [first, second]: [string[], string[]] = [[], []]
    api.queue.listen(id, ({ status }) => first.push(status))
    await workers[0]?.end(id)
    await expect.poll(() => first.at(-1)).toBe('completed')
    api.queue.listen(id, ({ status }) => second.push(status))
    await expect.poll(() => second).toEqual(['completed'])
    // Not who has stopped listening already.
    const third: string[] = []
    api.queue.listen(id, ({ status }) => third.push(status))()
    await new Promise((resolve) => setImmediate(resolve))
    expect(third).toEqual([])
  })

  test('settings are not sent over Redis', async () => {
    const { url, api } = await apart(0)
    const [{ id: space }] = (await cluster.rows(url, 'select id from store')) as [{ id: string }]
    const messages: string[] = []
    const redis = await openRedis({ url: cluster.redis.url }, space)
    try {
      await redis.subscribe('client:mine', (text) => messages.push(text))
      const task = { ...taskOf([]), settings: { password: 'Geheim-77' } }
      await submit(api, 'o', WIDE, { clientJobId: 'mine', task })
      await expect.poll(() => messages.length).toBe(1)
      expect(messages[0]).not.toContain('Geheim')
    } finally {
      await redis.close()
    }
  })

  test('a job that is removed at another server ends for those who follow it, without Redis too', async () => {
    const { api, workers } = await apart(1)
    const id = await submit(api)
    await expect.poll(() => workers[0]?.begun).toEqual([id])
    const seen: string[] = []
    api.queue.listen(id, ({ status }) => seen.push(status))
    await expect.poll(() => seen.length).toBe(1)
    await cluster.redis.kill()
    try {
      await workers[0]?.store.jobs.remove(id)
      await expect.poll(() => seen.at(-1), { timeout: 5000 }).toBe('canceled')
    } finally {
      await cluster.redis.start()
    }
    await workers[0]?.end(id)
  })

  test('who waits for a job by its client id learns of one that has ended already', async () => {
    const { api, workers } = await apart(1)
    const received: string[] = []
    await cluster.redis.kill()
    try {
      workers[0]?.store.queue.expect('mine', ({ id }) => received.push(id))
      const id = await submit(api, 'o', WIDE, { clientJobId: 'mine' })
      await expect.poll(() => workers[0]?.begun.length, { timeout: 5000 }).toBe(1)
      await workers[0]?.end(id)
      await expect.poll(() => received, { timeout: 5000 }).toEqual([id])
    } finally {
      await cluster.redis.start()
    }
  })

  test('ended jobs of dead processes are counted, and unfinished ones of a single server are ended', async () => {
    const { url, api } = await apart(0)
    const [ended, old] = [await submit(api), await submit(api)]
    const record = (status: string): string => `(record::jsonb || '{"status":"${status}"}')::json`
    await cluster.execute(
      url,
      `update jobs set turn = null, status = 'completed', record = ${record('completed')} where id = '${ended}'`,
    )
    await cluster.execute(url, `update jobs set turn = null where id = '${old}'`)
    await expect
      .poll(() => cluster.rows(url, `select id from jobs where bytes is not null`), { timeout: 40_000 })
      .toHaveLength(2)
    expect([await statusOf(api, ended), await statusOf(api, old)]).toEqual(['completed', 'failed'])
  }, 60_000)

  test('a folder without the mark of the database is refused once the database has contents: it may not be mounted', async () => {
    const url = await cluster.database()
    await (await cluster.open(url)).close()
    const folder = temporary()
    await expect(cluster.open(url, { cluster: { contents: { kind: 'folder', folder } } })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('lacks the files'),
    })
    const other = await cluster.database()
    await expect(
      cluster.open(other, {
        cluster: { contents: { kind: 'folder', folder: join(cluster.filesOf(url), '..', '..') } },
      }),
    ).rejects.toMatchObject({ code: 'INVALID_CONFIG', message: expect.stringContaining('another database') })
  })

  test('a folder that is not mounted for a while fails no job', async () => {
    const { url, api, workers } = await apart(1)
    const [worker] = workers
    const first = await submit(api)
    await expect.poll(() => worker?.begun).toEqual([first])
    const { id, folder } = await api.workspace.begin('o')
    writeFileSync(join(folder, 'in-0'), 'bytes')
    await submit(api, 'o', WIDE, { id, task: taskOf([{ file: 'in-0', name: 'a', bytes: 5, mime: 'text/plain' }]) })
    const shared = join(cluster.filesOf(url), '..', '..')
    renameSync(shared, `${shared}-away`)
    mkdirSync(shared)
    await worker?.end(first)
    await expect
      .poll(async () => (await cluster.rows(url, `select claims from jobs where id = '${id}'`))[0])
      .toEqual({
        claims: 1,
      })
    expect([worker?.begun, await worker?.store.health?.()]).toMatchObject([[first], { s3: false }])
    rmSync(shared, { recursive: true })
    renameSync(`${shared}-away`, shared)
    await expect.poll(() => worker?.begun, { timeout: 10_000 }).toEqual([first, id])
    await worker?.end(id)
    await expect.poll(() => statusOf(api, id)).toBe('completed')
  })

  test('what an ended job no longer has does not count', async () => {
    const { api } = await apart(0)
    const file = (name: string, bytes: number) => ({ file: name, name, bytes, mime: 'text/plain' })
    const members = [{ index: 0, filename: 'a', state: 'done' as const, files: [file('out-0/a', 30)] }]
    const kept = { id: 'x', outputs: [file('batch.zip', 40)], members }
    expect(await api.workspace.held(kept)).toBe(70)
    expect(await api.workspace.held({ ...kept, outputs: [] })).toBe(0)
  })

  test('folders of inputs are removed with their last file', async () => {
    const { url, api, workers } = await apart(1)
    const { id, folder } = await api.workspace.begin('o')
    writeFileSync(join(folder, 'in-0'), 'bytes')
    await submit(api, 'o', WIDE, { id, task: taskOf([{ file: 'in-0', name: 'a', bytes: 5, mime: 'text/plain' }]) })
    await workers[0]?.end(id)
    await expect.poll(() => readdirSync(join(cluster.filesOf(url), '..', 'inputs'))).toEqual([])
  })
})

test('of the jobs whose turn it is, the one whose models are loaded is first', async () => {
  const { url, api } = await apart(0)
  const needing = async (bundle: string, owner: string): Promise<string> => {
    api.queue.work({
      ...{ tools: [], loadedBundles: () => [], run: async () => {}, giveUp: async () => {} },
      needsOf: ({ target }) => ({ tools: [target], bundles: [bundle] }),
    })
    return submit(api, owner, WIDE)
  }
  const other = await needing('faces', 'o')
  const loaded = await needing('upscale', 'p')
  const later = await needing('upscale', 'p')
  const worker = await cluster.open(url, role('worker'))
  const { begun, end } = work(worker, ['image/resize'], ['upscale'])
  await worker.queue.takeUp()
  for (const id of [loaded, other, later]) {
    await expect.poll(() => begun.at(-1)).toBe(id)
    await end(id)
  }
})
