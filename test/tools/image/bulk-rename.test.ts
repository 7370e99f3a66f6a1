import { mkdtempSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import bulkRename from '../../../tools/image/metadata/bulk-rename.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
afterEach(() => void vi.useRealTimers())

/** Files of these names, each with its own content. */
function given(...names: string[]): string[] {
  return names.map((name) => {
    const path = join(mkdtempSync(join(folder, 'in-')), name)
    writeFileSync(path, `content of ${name}`)
    return path
  })
}

const named = async (inputs: string[], settings: Record<string, unknown> = {}) =>
  (await run(bulkRename, folder, inputs, settings)).names

const three = () => given('a.JPG', 'b.tar.gz', 'notes')

test('by default image- and the number; keeps extensions, order and contents', async () => {
  const { names, paths, set } = await run(bulkRename, folder, three())
  expect([names, set]).toEqual([['image-1.JPG', 'image-2.gz', 'image-3'], 'renamed'])
  const contents = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
  expect(contents).toEqual(['content of a.JPG', 'content of b.tar.gz', 'content of notes'])
})

test.each([
  [{ pattern: '{n}' }, ['1.JPG', '2.gz', '3']],
  [{ pattern: '{n}', padding: 3, startIndex: 0 }, ['000.JPG', '001.gz', '002']],
  [{ pattern: '{n}', padding: 10 }, ['0000000001.JPG', '0000000002.gz', '0000000003']],
  [{ pattern: 'x{{index}}', startIndex: 99, padding: 5 }, ['x99.JPG', 'x100.gz', 'x101']],
  // 3 files + 97 has three digits.
  [{ pattern: '{{padded}}', startIndex: 97 }, ['097.JPG', '098.gz', '099']],
  [{ pattern: '{{padded}}', startIndex: 7 }, ['07.JPG', '08.gz', '09']],
  [{ pattern: '{original}_{n}' }, ['a_1.JPG', 'b.tar_2.gz', 'notes_3']],
  [{ pattern: '{{original}}-{{index}}' }, ['a-1.JPG', 'b.tar-2.gz', 'notes-3']],
  [{ pattern: '{what} {{huh}} {n}' }, ['{what} {{huh}} 1.JPG', '{what} {{huh}} 2.gz', '{what} {{huh}} 3']],
  [{ pattern: '{{n}}' }, ['{1}.JPG', '{2}.gz', '{3}']],
])('%j', async (settings, names) => {
  expect(await named(three(), settings)).toEqual(names)
})

test('the day is that of UTC', async () => {
  vi.useFakeTimers({ now: new Date('2026-03-04T23:59:00-08:00'), toFake: ['Date'] })
  expect(await named(given('a.txt'), { pattern: '{date}' })).toEqual(['2026-03-05.txt'])
})

test('distinguishes equal names by -2, -3, ignoring case', async () => {
  expect(await named(given('a.txt', 'B.txt', 'c.txt', 'd.csv'), { pattern: 'same' })).toEqual([
    'same.txt',
    'same-2.txt',
    'same-3.txt',
    'same.csv',
  ])
  expect(await named(given('a.txt', 'A.TXT', 'a-2.txt'), { pattern: '{original}' })).toEqual([
    'a.txt',
    'A-3.TXT',
    'a-2.txt',
  ])
})

test('names are safe: no folders, hidden files or devices, never empty or too long', async () => {
  expect(await named(given('a.txt'), { pattern: '../../etc/{original}' })).toEqual(['_.._etc_a.txt'])
  expect(await named(given('a.txt'), { pattern: '.hidden' })).toEqual(['hidden.txt'])
  expect(await named(given('a.txt'), { pattern: 'a:b*c?d"e<f>g|h\\i\nj' })).toEqual(['a_b_c_d_e_f_g_h_ij.txt'])
  expect(await named(given('a.txt'), { pattern: 'CON' })).toEqual(['_CON.txt'])
  expect(await named(given('a.txt'), { pattern: ' . ' })).toEqual(['file.txt'])
  const [long] = await named(given('a.txt'), { pattern: 'ä'.repeat(1000) })
  expect(Buffer.byteLength(long!)).toBeLessThanOrEqual(255)
  expect(long).toMatch(/^ä+\.txt$/)
})

test('an original name that contains a placeholder is unchanged', async () => {
  expect(await named(given('{n}{{index}}.txt'), { pattern: '{original}-{n}' })).toEqual(['{n}{{index}}-1.txt'])
})

test.each([{ pattern: '' }, { pattern: 'x'.repeat(1001) }, { startIndex: -1 }, { padding: 11 }])(
  'refuses %j',
  async (settings) => {
    await expect(named(three(), settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  },
)

test('refuses no files', async () => {
  await expect(named([])).rejects.toMatchObject({ code: 'NO_FILE' })
})
