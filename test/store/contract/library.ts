import { randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { LibraryItem } from '../../../src/store/records.ts'
import type { Library, NewLibraryItem, Store } from '../../../src/store/store.ts'
import { outcomes } from '../../helpers/outcomes.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const missing = expect.objectContaining({ code: 'NOT_FOUND' })

/** Requirements for the library and the audit log of every store. @param open creates a new, empty store */
export function libraryContract(open: () => Promise<Pick<Store, 'library' | 'audit'>>): void {
  const parent = temporaryFolder()

  async function add(library: Library, bytes: string, more: Partial<NewLibraryItem> = {}): Promise<LibraryItem> {
    const path = join(mkdtempSync(join(parent, 'x-')), 'source')
    writeFileSync(path, bytes)
    const about = { ownerId: 'o', parentId: null, originalName: 'a.txt', mimeType: 'text/plain', width: null }
    return library.add({ ...about, height: null, toolChain: [], version: 1, ...more }, path)
  }

  const bytesOf = async (library: Library, id: string): Promise<string> => {
    const { blobs, key } = await library.content(id)
    return text(await blobs.open(key))
  }

  test('a library item has bytes, versions and an owner', async () => {
    const { library } = await open()
    const first = await add(library, 'one')
    const second = await add(library, 'second', { parentId: first.id, version: 2, originalName: 'B.txt' })
    const foreign = await add(library, 'x', { ownerId: 'p' })
    expect([await library.get(first.id), await bytesOf(library, second.id)]).toEqual([first, 'second'])
    expect(await library.versions(first.id)).toEqual([first, second])
    const mine = { ownerId: 'o', limit: 9, offset: 0 }
    expect(await library.list(mine)).toEqual({ items: [second], total: 1 })
    expect(await library.list({ ...mine, ownerId: undefined, limit: 1 })).toEqual({ items: [foreign], total: 2 })
    expect(await library.list({ ...mine, search: 'a.TXT' })).toEqual({ items: [], total: 0 })
    expect([await library.usedBytes('o'), await library.totals()]).toEqual([9, { items: 3, bytes: 10 }])
    expect(await library.deleteChains([second.id, foreign.id], ({ ownerId }) => ownerId === 'o')).toHaveLength(2)
    expect([await library.get(first.id), await library.deleteOwner('p')]).toEqual([undefined, 1])
    await expect(library.content(first.id)).rejects.toEqual(missing)
    await expect(add(library, 'x', { parentId: first.id })).rejects.toEqual(missing)
  })

  test('items are listed in several orders, and are renamed', async () => {
    const { library } = await open()
    const large = await add(library, '12345', { originalName: 'b.txt' })
    const small = await add(library, '1', { originalName: 'Ä.txt' })
    const named = await add(library, '123', { originalName: 'A.txt' })
    const listed = async (order?: 'newest' | 'oldest' | 'name' | 'largest') =>
      (await library.list({ ownerId: 'o', limit: 9, offset: 0, ...(order && { order }) })).items
    expect(await listed()).toEqual([named, small, large])
    expect(await listed('oldest')).toEqual([large, small, named])
    expect(await listed('name')).toEqual([named, large, small])
    expect(await listed('largest')).toEqual([large, named, small])
    const texts = { ownerId: 'o', limit: 9, offset: 0, extensions: ['md', 'txt'] }
    expect([(await library.list(texts)).total, (await library.list({ ...texts, extensions: ['xt'] })).total]).toEqual([
      3, 0,
    ])
    const renamed = { ...large, originalName: 'z.txt' }
    expect(await library.rename(large.id, 'z.txt')).toEqual(renamed)
    expect(await listed('name')).toEqual([named, renamed, small])
    expect([await library.get(large.id), await bytesOf(library, large.id)]).toEqual([renamed, '12345'])
    expect((await library.list({ ownerId: 'o', search: 'Z.', limit: 9, offset: 0 })).total).toBe(1)
    await expect(library.rename('none', 'x')).rejects.toEqual(missing)
  })

  test('an item that is added twice with one id is stored once', async () => {
    const { library } = await open()
    const id = randomUUID()
    const first = await add(library, 'one', { id })
    expect(first.id).toBe(id)
    expect(await add(library, 'second', { id })).toEqual(first)
    expect([await library.totals(), await bytesOf(library, id)]).toEqual([{ items: 1, bytes: 3 }, 'one'])
  })

  test('space in the library is reserved once, and stored items replace the reservation', async () => {
    const { library } = await open()
    const tries = await Promise.allSettled(Array.from({ length: 5 }, () => library.reserve('o', 4000, 10_000)))
    expect(outcomes(tries)).toEqual({ done: 2, QUOTA_EXCEEDED: 3 })
    const rooms = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    await add(library, 'x'.repeat(4000))
    await rooms[0]!.stored(4000)
    await expect(library.reserve('o', 4000, 10_000)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
    for (const room of rooms) await room.release()
    const last = await library.reserve('o', 4000, 10_000)
    await last.release()
    await expect(library.reserve('o', 6000, 10_000)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
    await (await library.reserve('p', 6000, 10_000)).release()
  })

  test('space shared by owners is reserved once for all of them', async () => {
    const { library } = await open()
    const shared = { id: 't', owners: ['o', 'p'], limit: 10_000 }
    await add(library, 'x'.repeat(1000))
    const tries = await Promise.allSettled(
      ['o', 'p', 'p', 'o'].map((owner) => library.reserve(owner, 4000, 9000, shared)),
    )
    expect(outcomes(tries)).toEqual({ done: 2, QUOTA_EXCEEDED: 2 })
    // A user without a team has only their own space.
    await library.reserve('q', 9000, 9000)
    await expect(library.reserve('q', 1, 9000, { id: 't', owners: ['q'], limit: 20_000 })).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    })
  })

  test('the audit log is read in pages, the newest first', async () => {
    const { audit } = await open()
    const entry = { actorId: null, actorUsername: null, targetType: null, details: null, ipAddress: '10.0.0.1' }
    for (let count = 0; count < 5; count++)
      await audit.append({ ...entry, action: count === 3 ? 'B' : 'A', targetId: `${count}` })
    const { entries, total } = await audit.query({ page: 2, limit: 2 })
    expect([entries.map(({ targetId }) => targetId), total]).toEqual([['2', '1'], 5])
    expect((await audit.query({ page: 1, limit: 9, action: 'B', ip: '10.0.0.1' })).entries).toMatchObject([
      { targetId: '3' },
    ])
  })
}
