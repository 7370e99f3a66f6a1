/** Several stores on one database, as the servers of a cluster have it open. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/engines/postgres/database.ts'
import { SharedSpace } from '../../src/store/postgres/shared-space.ts'
import { DEFAULT_TEAM_ID } from '../../src/store/records.ts'
import type { Library, NewLibraryItem } from '../../src/store/store.ts'
import { nodes } from '../helpers/nodes.ts'
import { outcomes } from '../helpers/outcomes.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { libraryContract } from './contract/library.ts'

const parent = temporaryFolder()
const cluster = nodes()

describe('each store of a cluster', () => {
  libraryContract(async () => cluster.open(await cluster.database()))
})

describe('the start', () => {
  test('of several servers on an empty database at once makes the tables and the team once', async () => {
    const url = await cluster.database()
    const stores = await Promise.all([cluster.open(url), cluster.open(url), cluster.open(url)])
    for (const store of stores) expect((await store.teams.list()).map(({ id }) => id)).toEqual([DEFAULT_TEAM_ID])
  })

  test('a single server and a cluster exclude each other', async () => {
    const url = await cluster.database()
    const refused = expect.objectContaining({
      ...{ code: 'CONFLICT', message: 'The database of DATABASE_URL is in use by another server' },
    })
    const single = await cluster.open(url, { isShared: false })
    await expect(cluster.open(url)).rejects.toEqual(refused)
    await single.close()
    const node = await cluster.open(url)
    await expect(cluster.open(url, { isShared: false })).rejects.toEqual(refused)
    const other = await cluster.open(url)
    await node.close()
    await expect(cluster.open(url, { isShared: false })).rejects.toEqual(refused)
    await other.close()
    await cluster.open(url, { isShared: false })
  })
})

const NEW: NewLibraryItem = {
  ...{ ownerId: 'o', parentId: null, originalName: 'a.txt', mimeType: 'text/plain', width: null, height: null },
  ...{ toolChain: [], version: 1 },
}

async function add(library: Library, bytes: string, more: Partial<NewLibraryItem> = {}) {
  const path = join(mkdtempSync(join(parent, 'x-')), 'source')
  writeFileSync(path, bytes)
  return library.add({ ...NEW, ...more }, path)
}

test('an item that two servers add with one id is stored once', async () => {
  const { url, stores } = await cluster.several(2)
  const id = randomUUID()
  const added = await Promise.all(stores.map(({ library }) => add(library, 'bytes', { id })))
  expect(added.map((item) => item.id)).toEqual([id, id])
  expect(await stores[0]?.library.totals()).toEqual({ items: 1, bytes: 5 })
  expect(readdirSync(join(cluster.filesOf(url), id))).toHaveLength(1)
})

describe('space in the library', () => {
  test('is promised once, whatever server is asked', async () => {
    const url = await cluster.database()
    const [one, other, third] = await Promise.all([cluster.open(url), cluster.open(url), cluster.open(url)])
    const stores = [one, other, third]
    await add(one.library, 'x'.repeat(1000))
    const tries = Array.from({ length: 18 }, (_, index) => stores[index % 3]!.library.reserve('o', 1000, 5800))
    const results = await Promise.allSettled(tries)
    // An item counts with its record.
    expect(outcomes(results)).toEqual({ done: 4, QUOTA_EXCEEDED: 14 })
    const [first, ...rooms] = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    await first!.stored(400)
    await expect(other.library.reserve('o', 601, 5800 - 400)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
    await first!.release()
    for (const room of rooms) await room.release()
    await (await third.library.reserve('o', 4000, 5800)).release()
  })

  test('of a team is promised once for all of its members', async () => {
    const url = await cluster.database()
    const [one, other] = await Promise.all([cluster.open(url), cluster.open(url)])
    const shared = { id: 't', owners: ['a', 'b', 'c'], limit: 5000 }
    const tries = Array.from({ length: 18 }, (_, index) =>
      [one, other][index % 2]!.library.reserve('abc'[index % 3]!, 1000, 100_000, shared),
    )
    expect(outcomes(await Promise.allSettled(tries))).toEqual({ done: 5, QUOTA_EXCEEDED: 13 })
  })

  test('that was promised by a server that died is free after a minute', async () => {
    const url = await cluster.database()
    const [one, other] = await Promise.all([cluster.open(url), cluster.open(url)])
    await one.library.reserve('o', 4000, 5000)
    await cluster.execute(url, `update promised set at = at - interval '59 seconds'`)
    await expect(other.library.reserve('o', 4000, 5000)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
    await cluster.execute(url, `update promised set at = at - interval '2 seconds'`)
    await (await other.library.reserve('o', 4000, 5000)).release()
  })
})

test('promises of a living server are renewed, and those of a dead one removed', async () => {
  const url = await cluster.database()
  const { library } = await cluster.open(url)
  const database = await openDatabase<unknown>({ url, connections: 2 })
  const living = new SharedSpace(database, 50)
  const rooms = await Promise.all([1, 2].map(() => living.reserve({ ownerId: 'o', bytes: 2000, limit: 5000 })))
  await library.reserve('dead', 1000, 5000)
  await cluster.execute(url, `update promised set at = at - interval '59 seconds' where owner_id = 'o'`)
  await cluster.execute(url, `update promised set at = at - interval '61 seconds' where owner_id = 'dead'`)
  const owners = () => cluster.rows(url, `select owner_id from promised where at > now() - interval '30 seconds'`)
  await expect.poll(owners).toEqual([{ owner_id: 'o' }, { owner_id: 'o' }])
  await expect.poll(() => cluster.rows(url, `select from promised where owner_id = 'dead'`)).toEqual([])
  await expect(library.reserve('o', 2000, 5000)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
  for (const room of rooms) await room.release()
  await (await library.reserve('o', 5000, 5000)).release()
  living.close()
  await database.close()
})

describe('the library', () => {
  test('has one chain, in the order of its versions, with clocks that differ', async () => {
    const url = await cluster.database()
    const [one, other] = await Promise.all([cluster.open(url), cluster.open(url)])
    const first = await add(one.library, '1')
    // The clock of the server that made it is an hour ahead.
    await cluster.execute(url, `update library set created = created + 3600000`)
    const second = await add(other.library, '2', { parentId: first.id, version: 2 })
    const third = await add(one.library, '3', { parentId: second.id, version: 3 })
    const versions = await one.library.versions(first.id)
    expect(versions.map(({ id }) => id)).toEqual([first.id, second.id, third.id])
    expect(await other.library.list({ ownerId: 'o', limit: 9, offset: 0 })).toEqual({ items: [third], total: 1 })
  })

  test('keeps what another server adds while a chain is deleted, or refuses it: nothing is left without a record', async () => {
    const url = await cluster.database()
    const [one, other] = await Promise.all([cluster.open(url), cluster.open(url)])
    const folder = cluster.filesOf(url)
    const files = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
    for (let round = 0; round < 8; round++) {
      const first = await add(one.library, 'first')
      const [deleted, added, replaced] = await Promise.allSettled([
        one.library.deleteChains([first.id], () => true),
        add(other.library, 'second', { parentId: first.id, version: 2 }),
        add(other.library, 'third', { ownerId: 'p' }).then(async ({ id }) => {
          const paths = ['3', '4'].map((bytes) => {
            const path = join(mkdtempSync(join(parent, 'x-')), 'source')
            writeFileSync(path, bytes)
            return path
          })
          await Promise.all(
            [one, other].map(({ library }, index) => library.replace(id, paths[index]!, 'resize', {}, 'copy')),
          )
          return id
        }),
      ])
      expect([deleted.status, replaced.status]).toEqual(['fulfilled', 'fulfilled'])
      if (added.status === 'rejected') expect(added.reason).toMatchObject({ code: 'NOT_FOUND' })
      const left = await one.library.versions(added.status === 'fulfilled' ? added.value.id : first.id)
      // A child that was added first is deleted with its chain.
      expect(left).toEqual([])
    }
    const { items, total } = await other.library.list({ ownerId: undefined, limit: 99, offset: 0 })
    expect(total).toBe(8)
    expect(items.every(({ toolChain }) => toolChain.length === 2)).toBe(true)
    expect(files()).toHaveLength(8)
  })

  test('a server removes old leftovers, and nothing that another one is storing', async () => {
    const url = await cluster.database()
    const one = await cluster.open(url)
    const folder = cluster.filesOf(url)
    const item = await add(one.library, 'kept')
    const { key } = await one.library.content(item.id)
    const names = ['old', 'new', 'new.1.part']
    for (const name of names) writeFileSync(join(folder, name), name)
    utimesSync(join(folder, 'old'), 0, 0)
    utimesSync(join(folder, key), 0, 0)
    const other = await cluster.open(url)
    await other.removeLeftovers?.()
    expect(names.filter((name) => readdirSync(folder).includes(name))).toEqual(['new', 'new.1.part'])
    expect(readFileSync(join(folder, key), 'utf8')).toBe('kept')
    // A file that is moved into the library counts as new, however old it is.
    const source = join(parent, randomUUID())
    writeFileSync(source, 'moved')
    utimesSync(source, 0, 0)
    const moved = await one.library.add(NEW, source)
    const about = await (await one.library.content(moved.id)).blobs.stat((await one.library.content(moved.id)).key)
    expect(Date.now() - (about?.modifiedMs ?? 0)).toBeLessThan(60_000)
  })
})

describe('the audit log', () => {
  const entry = { actorId: null, actorUsername: null, targetType: null, targetId: null, details: null, ipAddress: null }

  test('of two servers is one chain without a gap', async () => {
    const url = await cluster.database()
    const stores = await Promise.all([cluster.open(url), cluster.open(url)])
    const actions = Array.from({ length: 60 }, (_, index) => `A${index}`)
    await Promise.all(actions.map((action, index) => stores[index % 2]!.audit.append({ ...entry, action })))
    expect(await stores[0]!.audit.check()).toMatchObject({ entries: 60, broken: 0, unlinked: 0, begins: true })
    const { entries, total } = await stores[1]!.audit.query({ page: 1, limit: 100 })
    expect([total, new Set(entries.map(({ action }) => action)).size]).toEqual([60, 60])
  })

  test('is one chain also in a database whose transactions see one moment by default', async () => {
    const url = await cluster.database()
    const name = new URL(url).pathname.slice(1)
    await cluster.execute(url, `alter database ${name} set default_transaction_isolation to 'repeatable read'`)
    const stores = await Promise.all([cluster.open(url), cluster.open(url)])
    const { db, sql, close } = await openDatabase<unknown>({ url, connections: 1 })
    expect((await sql`show transaction_isolation`.execute(db)).rows).toEqual([
      { transaction_isolation: 'read committed' },
    ])
    await close()
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => stores[index % 2]!.audit.append({ ...entry, action: `A${index}` })),
    )
    expect(await stores[0]!.audit.check()).toMatchObject({ entries: 40, broken: 0 })
  })

  test('loses only its first entries by its age limit, also with clocks that differ', async () => {
    const url = await cluster.database()
    const one = await cluster.open(url)
    for (const action of ['A', 'B', 'C', 'D']) await one.audit.append({ ...entry, action })
    const old = new Date(Date.now() - 40 * 86_400_000).toISOString()
    // The clock of the server that wrote C was 40 days behind.
    await cluster.execute(url, `update audit set created_at = '${old}' where action in ('A', 'C')`)
    const other = await cluster.open(url, { auditRetentionDays: 30 })
    expect(await one.audit.check()).toMatchObject({ entries: 3, broken: 0 })
    await cluster.execute(url, `update audit set created_at = '${old}'`)
    await other.audit.sweep()
    expect(await one.audit.check()).toMatchObject({ entries: 0, broken: 0 })
  })
})
