import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { openLibrary } from '../../src/store/file/library/library.ts'
import type { LibraryItem } from '../../src/store/records.ts'
import type { Library, NewLibraryItem } from '../../src/store/store.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const parent = temporaryFolder()
let folder: string
let library: Library

beforeEach(async () => {
  folder = mkdtempSync(join(parent, 'files-'))
  library = await openLibrary(folder)
})

function source(text: string): string {
  const path = join(parent, randomUUID())
  writeFileSync(path, text)
  return path
}

const about = (changes: Partial<NewLibraryItem> = {}): NewLibraryItem => ({
  ownerId: 'alice',
  parentId: null,
  originalName: 'Holiday.png',
  mimeType: 'image/png',
  width: 40,
  height: 30,
  toolChain: [],
  version: 1,
  ...changes,
})

const add = (text: string, changes: Partial<NewLibraryItem> = {}): Promise<LibraryItem> =>
  library.add(about(changes), source(text))

/** The bytes of an item, as text. */
async function read(id: string): Promise<string> {
  const { blobs, key } = await library.content(id)
  return text(await blobs.open(key))
}

const ids = (items: readonly LibraryItem[]): string[] => items.map(({ id }) => id)
const everything = { ownerId: undefined, limit: 100, offset: 0 }

describe('add', () => {
  test('stores the file, and both survive a restart', async () => {
    const path = source('bytes')
    const item = await library.add(about(), path)
    expect(existsSync(path)).toBe(false)
    expect(item).toEqual({ ...about(), id: item.id, size: 5, createdAt: item.createdAt })
    library = await openLibrary(folder)
    expect(await library.get(item.id)).toEqual(item)
    expect(await read(item.id)).toBe('bytes')
    expect(readdirSync(join(folder, item.id)).sort()).toEqual(['content', 'item.json'])
  })

  test('a copy keeps the source', async () => {
    const path = source('bytes')
    const item = await library.add(about(), path, 'copy')
    expect([readFileSync(path, 'utf8'), await read(item.id)]).toEqual(['bytes', 'bytes'])
  })

  test('from another file system', async () => {
    const elsewhere = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/mediaproc-test-') : mkdtempSync(join(parent, 'x-'))
    const path = join(elsewhere, 'file')
    writeFileSync(path, 'from afar')
    const item = await library.add(about(), path)
    expect(await read(item.id)).toBe('from afar')
    expect(existsSync(path)).toBe(false)
    rmSync(elsewhere, { recursive: true })
  })

  test('without a source or a parent nothing is stored', async () => {
    await expect(library.add(about(), join(parent, 'nothing'))).rejects.toMatchObject({ code: 'INTERNAL' })
    await expect(add('x', { parentId: 'no-such-id' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(readdirSync(folder)).toEqual([])
    expect(await library.totals()).toEqual({ items: 0, bytes: 0 })
  })

  test('times differ, so that uploads keep their order', async () => {
    const items: LibraryItem[] = []
    for (let index = 0; index < 20; index++) items.push(await add('x'))
    const inOrder = ids(items).reverse()
    expect(ids((await library.list(everything)).items)).toEqual(inOrder)
    library = await openLibrary(folder)
    expect(ids((await library.list(everything)).items)).toEqual(inOrder)
  })
})

describe('versions', () => {
  test('the list shows the last of each chain; the chain is ordered from first to last', async () => {
    const first = await add('1')
    const other = await add('other', { originalName: 'b.txt' })
    const second = await add('12', { parentId: first.id, version: 2 })
    const third = await add('123', { parentId: second.id, version: 3 })
    for (let round = 0; round < 2; round++) {
      expect(await library.list(everything)).toEqual({ items: [third, other], total: 2 })
      for (const { id } of [first, second, third])
        expect(ids(await library.versions(id))).toEqual(ids([first, second, third]))
      library = await openLibrary(folder)
    }
    expect(await library.versions('no-such-id')).toEqual([])
  })

  test('owner, part of the name, pages', async () => {
    const mine = await add('a')
    const theirs = await add('b', { ownerId: 'bob', originalName: 'holiday plan.pdf' })
    const note = await add('c', { originalName: 'note.txt' })
    expect(ids((await library.list({ ...everything, ownerId: 'alice' })).items)).toEqual([note.id, mine.id])
    expect(ids((await library.list({ ...everything, search: 'HOLIDAY' })).items)).toEqual([theirs.id, mine.id])
    expect(await library.list({ ...everything, limit: 1, offset: 1 })).toEqual({ items: [theirs], total: 3 })
  })

  test('bytes of an owner include every version', async () => {
    const { id } = await add('1')
    await add('12', { parentId: id, version: 2 })
    await add('123', { ownerId: 'bob' })
    expect([await library.usedBytes('alice'), await library.usedBytes('bob'), await library.usedBytes('x')]).toEqual([
      3, 3, 0,
    ])
    expect(await library.totals()).toEqual({ items: 3, bytes: 6 })
  })
})

describe('replace', () => {
  test('other bytes, the same item', async () => {
    const item = await add('old', { toolChain: ['resize'] })
    const replaced = await library.replace(item.id, source('newer'), 'rotate', { mimeType: 'image/webp', width: 9 })
    const expected = { ...item, size: 5, mimeType: 'image/webp', width: 9, toolChain: ['resize', 'rotate'] }
    expect(replaced).toEqual(expected)
    for (let round = 0; round < 2; round++) {
      expect(await library.get(item.id)).toEqual(expected)
      expect(await read(item.id)).toBe('newer')
      expect(readdirSync(join(folder, item.id))).toHaveLength(2)
      library = await openLibrary(folder)
    }
  })

  test('concurrent ones: one file remains, all tools are named', async () => {
    const { id } = await add('0')
    const tools = Array.from({ length: 10 }, (_, index) => `tool-${index}`)
    await Promise.all(tools.map((tool) => library.replace(id, source(tool), tool)))
    const { toolChain } = (await library.get(id))!
    expect([...toolChain].sort()).toEqual(tools)
    expect(await read(id)).toBe(toolChain.at(-1))
    expect(readdirSync(join(folder, id))).toHaveLength(2)
  })

  test('a failure keeps the old bytes', async () => {
    const { id } = await add('old')
    await expect(library.replace(id, join(parent, 'nothing'), 'x')).rejects.toMatchObject({ code: 'INTERNAL' })
    await expect(library.replace('no-such-id', source('x'), 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect([await read(id), (await library.get(id))!.toolChain]).toEqual(['old', []])
  })
})

describe('delete', () => {
  test('whole chains, by any of their items; skips protected ones', async () => {
    const first = await add('1')
    const second = await add('2', { parentId: first.id, version: 2 })
    const foreign = await add('3', { ownerId: 'bob' })
    const mine = ({ ownerId }: LibraryItem): boolean => ownerId === 'alice'
    expect(await library.deleteChains([second.id, first.id, foreign.id, 'no-such-id'], mine)).toHaveLength(2)
    expect(readdirSync(folder)).toEqual([foreign.id])
    await expect(library.content(first.id)).rejects.toThrow('There is no such file in the library')
    expect(await library.list(everything)).toEqual({ items: [foreign], total: 1 })
  })

  test('all items of an owner; versions by others remain', async () => {
    const first = await add('1')
    const theirs = await add('22', { parentId: first.id, version: 2, ownerId: 'bob' })
    expect(await library.deleteOwner('alice')).toBe(1)
    for (let round = 0; round < 2; round++) {
      expect(await library.versions(theirs.id)).toEqual([theirs])
      expect(await library.list(everything)).toEqual({ items: [theirs], total: 1 })
      library = await openLibrary(folder)
    }
    const next = await add('333', { parentId: theirs.id, version: 3, ownerId: 'bob' })
    expect(await library.list(everything)).toEqual({ items: [next], total: 1 })
  })
})

describe('opening', () => {
  test('removes incomplete items and leftover contents, keeps other folders', async () => {
    const kept = await add('kept')
    const half = randomUUID()
    mkdirSync(join(folder, half))
    writeFileSync(join(folder, half, 'content'), 'x')
    writeFileSync(join(folder, half, 'item.json.tmp'), '{}')
    writeFileSync(join(folder, kept.id, `content-${randomUUID()}`), 'replacement that was not acknowledged')
    mkdirSync(join(folder, 'photos'))
    writeFileSync(join(folder, 'notes.txt'), 'mine')
    library = await openLibrary(folder)
    expect(readdirSync(folder).sort()).toEqual([kept.id, 'notes.txt', 'photos'].sort())
    expect(readdirSync(join(folder, kept.id)).sort()).toEqual(['content', 'item.json'])
    expect(await read(kept.id)).toBe('kept')
  })

  test.each([
    ['no JSON', () => '{'],
    ['another id', (item: object) => JSON.stringify({ ...item, id: randomUUID() })],
    ['a path for the content', (item: object) => JSON.stringify({ ...item, content: '../../secret' })],
    ['a changed letter', (item: object) => JSON.stringify(item).replace('"version":1', '"version":2')],
    ['no size', (item: object) => JSON.stringify({ ...item, size: undefined })],
  ])('keeps and reports an item with %s', async (_, damage) => {
    const { id } = await add('x')
    const path = join(folder, id, 'item.json')
    writeFileSync(path, damage(JSON.parse(readFileSync(path, 'utf8'))))
    library = await openLibrary(folder)
    expect(library.damaged).toEqual([id])
    expect(await library.get(id)).toBeUndefined()
    expect(readdirSync(join(folder, id)).sort()).toEqual(['content', 'item.json'])
  })

  test('reports an item without its content', async () => {
    const { id } = await add('x')
    rmSync(join(folder, id, 'content'))
    expect((await openLibrary(folder)).damaged).toEqual([id])
  })
})

describe('of many items', () => {
  test('a list reads only the records of its page', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await add(name, { originalName: name })
    const parse = vi.spyOn(JSON, 'parse')
    const { items, total } = await library.list({ ...everything, limit: 1, offset: 1 })
    expect([items.map(({ originalName }) => originalName), total]).toEqual([['c'], 4])
    expect(parse).toHaveBeenCalledTimes(1)
    parse.mockRestore()
  })

  test('one that was removed from disk leaves the list and the sums when it is requested', async () => {
    const [kept, gone] = [await add('kept'), await add('gone', { ownerId: 'bob' })]
    rmSync(join(folder, gone.id), { recursive: true })
    expect(ids((await library.list(everything)).items)).toEqual([kept.id])
    expect(await library.totals()).toEqual({ items: 1, bytes: 4 })
    expect([await library.usedBytes('bob'), await library.versions(gone.id)]).toEqual([0, []])
    await expect(library.content(gone.id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await library.deleteChains([gone.id], () => true)).toEqual([])
  })
})
