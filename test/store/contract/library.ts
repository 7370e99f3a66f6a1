import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { LibraryItem } from '../../../src/store/records.ts'
import type { Library, NewLibraryItem, Store } from '../../../src/store/store.ts'
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

  test('space in the library is reserved once, and stored items replace the reservation', async () => {
    const { library } = await open()
    const tries = await Promise.allSettled(Array.from({ length: 5 }, () => library.reserve('o', 4000, 10_000)))
    expect(tries.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'rejected'])
    expect((tries[2] as PromiseRejectedResult).reason.code).toBe('QUOTA_EXCEEDED')
    const rooms = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    await add(library, 'x'.repeat(4000))
    rooms[0]!.stored(4000)
    await expect(library.reserve('o', 4000, 10_000)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
    for (const room of rooms) room.release()
    const last = await library.reserve('o', 4000, 10_000)
    last.release()
    await expect(library.reserve('o', 6000, 10_000)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
    await (await library.reserve('p', 6000, 10_000)).release()
  })

  test('space shared by owners is reserved once for all of them', async () => {
    const { library } = await open()
    const shared = { owners: ['o', 'p'], limit: 10_000 }
    await add(library, 'x'.repeat(1000))
    const tries = await Promise.allSettled(
      ['o', 'p', 'p', 'o'].map((owner) => library.reserve(owner, 4000, 9000, shared)),
    )
    expect(tries.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
    expect((tries[2] as PromiseRejectedResult).reason.code).toBe('QUOTA_EXCEEDED')
    // A user without a team has only their own space.
    await library.reserve('q', 9000, 9000)
    await expect(library.reserve('q', 1, 9000, { owners: ['q'], limit: 20_000 })).rejects.toMatchObject({
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
