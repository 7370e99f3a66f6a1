import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fromBuffer } from 'yauzl'
import { zipFiles } from '../../src/media/zip.ts'

let folder = ''
const path = (name: string): string => join(folder, name)
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'zip-'))
  writeFileSync(path('one.txt'), 'one '.repeat(1000))
  writeFileSync(path('two.jpg'), 'two '.repeat(1000))
  writeFileSync(path('empty'), '')
})
afterAll(() => rmSync(folder, { recursive: true }))

interface Entry {
  name: string
  content: string
  stored: number
}

async function read(archive: string): Promise<Entry[]> {
  const entries: Entry[] = []
  await new Promise<void>((resolve, reject) => {
    fromBuffer(readFileSync(archive), { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error)
      zip.on('entry', (entry) => {
        zip.openReadStream(entry, async (failure, stream) => {
          if (failure) return reject(failure)
          entries.push({ name: entry.fileName, content: await text(stream), stored: entry.compressedSize })
          zip.readEntry()
        })
      })
      zip.on('end', resolve)
      zip.readEntry()
    })
  })
  return entries
}

test('entries keep their order, names and bytes; compressed formats are stored', async () => {
  await zipFiles(
    [
      { name: 'b/zwei 😀.jpg', path: path('two.jpg') },
      { name: 'a.txt', path: path('one.txt') },
      { name: 'nothing', path: path('empty') },
    ],
    path('x.zip'),
  )
  const [first, second, third] = await read(path('x.zip'))
  expect(first).toEqual({ name: 'b/zwei 😀.jpg', content: 'two '.repeat(1000), stored: 4000 })
  expect(second).toMatchObject({ name: 'a.txt', content: 'one '.repeat(1000) })
  expect(second!.stored).toBeLessThan(200)
  expect(third).toMatchObject({ name: 'nothing', content: '' })
})

test('the same files give the same bytes, and level 0 stores', async () => {
  const entries = [{ name: 'a.txt', path: path('one.txt') }]
  await zipFiles(entries, path('1.zip'))
  await zipFiles(entries, path('2.zip'))
  expect(readFileSync(path('1.zip')).equals(readFileSync(path('2.zip')))).toBe(true)
  await zipFiles(entries, path('0.zip'), { level: 0 })
  expect(statSync(path('0.zip')).size).toBeGreaterThan(4000)
})

test('refuses a missing file and an existing archive', async () => {
  await expect(zipFiles([{ name: 'a', path: path('absent') }], path('n.zip'))).rejects.toThrow('ENOENT')
  await expect(zipFiles([{ name: 'a', path: path('one.txt') }], path('x.zip'))).rejects.toThrow('EEXIST')
  expect((await read(path('x.zip'))).length).toBe(3)
})
