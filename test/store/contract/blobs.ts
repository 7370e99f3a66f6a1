import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Blobs } from '../../../src/store/blobs.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const missing = expect.objectContaining({ code: 'NOT_FOUND' })

/** Requirements for every blob store. @param open creates a new, empty one */
export function blobsContract(open: () => Promise<Blobs>): void {
  const parent = temporaryFolder()
  let count = 0

  function fileOf(content: string, folder = parent): string {
    const path = join(folder, `source-${count++}`)
    writeFileSync(path, content)
    return path
  }

  const keysOf = async (blobs: Blobs): Promise<string[]> => {
    const keys: string[] = []
    for await (const key of blobs.keys()) keys.push(key)
    return keys.sort()
  }

  test('stores a file, moved or copied, or a stream, and returns the bytes and their number', async () => {
    const blobs = await open()
    const [moved, copied] = [fileOf('moved'), fileOf('copied')]
    await blobs.put('a/moved', { path: moved, how: 'move' })
    await blobs.put('a/b/copied', { path: copied, how: 'copy' })
    await blobs.put('streamed', Readable.from(['stre', 'amed']))
    expect([existsSync(moved), readFileSync(copied, 'utf8')]).toEqual([false, 'copied'])
    for (const key of ['a/moved', 'a/b/copied', 'streamed']) {
      const content = key.split('/').at(-1)!
      expect([await text(await blobs.open(key)), await blobs.stat(key)]).toEqual([
        content,
        { size: content.length, modifiedMs: expect.any(Number) },
      ])
      expect(await blobs.borrow(key, async (path) => readFileSync(path, 'utf8'))).toBe(content)
    }
    expect(await keysOf(blobs)).toEqual(['a/b/copied', 'a/moved', 'streamed'])
  })

  test('returns a part, both ends included', async () => {
    const blobs = await open()
    await blobs.put('digits', Readable.from(['0123456789']))
    const parts = [
      { start: 2, end: 4 },
      { start: 0, end: 0 },
      { start: 9, end: 9 },
      { start: 0, end: 9 },
    ]
    const found = await Promise.all(parts.map(async (range) => text(await blobs.open('digits', range))))
    expect(found).toEqual(['234', '0', '9', '0123456789'])
  })

  test('returns all bytes at once if they are few', async () => {
    const blobs = await open()
    await blobs.put('a/digits', Readable.from(['0123456789']))
    await blobs.put('empty', Readable.from([]))
    expect((await blobs.whole('a/digits', 10)).content.toString()).toBe('0123456789')
    expect(await blobs.whole('empty', 10)).toMatchObject({ size: 0, content: Buffer.alloc(0) })
    const { size, modifiedMs, content } = await blobs.whole('a/digits', 9)
    expect({ size, modifiedMs }).toEqual(await blobs.stat('a/digits'))
    expect(content instanceof Readable && (await text(content))).toBe('0123456789')
    for (const key of ['a', 'none']) await expect(blobs.whole(key, 10)).rejects.toEqual(missing)
  })

  test('replaces one by another atomically', async () => {
    const blobs = await open()
    await blobs.put('a', { path: fileOf('old'), how: 'move' })
    const broken = new Readable({
      read() {
        this.push('half')
        this.destroy(new Error('cut off'))
      },
    })
    await expect(blobs.put('a', broken)).rejects.toMatchObject({ code: 'INTERNAL' })
    await expect(blobs.put('a', { path: join(parent, 'nothing'), how: 'copy' })).rejects.toMatchObject({
      code: 'INTERNAL',
    })
    expect([await text(await blobs.open('a')), await keysOf(blobs)]).toEqual(['old', ['a']])
    const first = await blobs.open('a')
    await blobs.put('a', { path: fileOf('new'), how: 'move' })
    expect([await text(await blobs.open('a')), await text(first)]).toEqual(['new', 'old'])
  })

  test('a stream that cannot be stored is ended', async () => {
    const blobs = await open()
    const endless = new Readable({ read() {} })
    await expect(blobs.put('../x', endless)).rejects.toEqual(missing)
    expect(endless.destroyed).toBe(true)
  })

  test('concurrent writes of one key store one of them', async () => {
    const blobs = await open()
    const contents = Array.from({ length: 10 }, (_, index) => `${index}`.repeat(1000))
    await Promise.all(contents.map((content) => blobs.put('a', { path: fileOf(content), how: 'move' })))
    expect([contents.includes(await text(await blobs.open('a'))), await keysOf(blobs)]).toEqual([true, ['a']])
  })

  test('removed and missing ones are not found', async () => {
    const blobs = await open()
    await blobs.put('a/b', Readable.from(['x']))
    await blobs.remove('a/b')
    await blobs.remove('a/b')
    for (const key of ['a/b', 'a', 'c']) {
      expect(await blobs.stat(key)).toBeUndefined()
      await expect(blobs.borrow(key, async () => 1)).rejects.toEqual(missing)
    }
    await expect(blobs.open('a/b')).rejects.toEqual(missing)
    expect(await keysOf(blobs)).toEqual([])
  })

  test('no key leads outside', async () => {
    const blobs = await open()
    for (const key of ['../x', 'a/../../x', '..', '.', '', '/etc/passwd', 'a\0b']) {
      await expect(blobs.stat(key)).rejects.toEqual(missing)
      await expect(blobs.put(key, { path: fileOf('x'), how: 'copy' })).rejects.toEqual(missing)
      await expect(blobs.open(key)).rejects.toEqual(missing)
      await expect(blobs.remove(key)).rejects.toEqual(missing)
    }
  })

  test('stores a file from another disk', async () => {
    const blobs = await open()
    const elsewhere = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/mediaproc-test-') : mkdtempSync(join(parent, 'x-'))
    const path = fileOf('from afar', elsewhere)
    await blobs.put('a', { path, how: 'move' })
    expect([await text(await blobs.open('a')), existsSync(path)]).toEqual(['from afar', false])
    rmSync(elsewhere, { recursive: true })
  })
}
