import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import extractZip from '../../../tools/files/extract-zip.ts'
import { type RawEntry, rawZip } from '../../helpers/raw-zip.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

// In a folder of its own: other programs write beside the folders of tests.
const folder = join(temporaryFolder(), 'archives')
mkdirSync(folder)
let counter = 0

function write(content: Uint8Array | string, name = `archive${counter}.zip`): string {
  counter += 1
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const extract = (entries: readonly RawEntry[], name?: string) => run(extractZip, folder, [write(rawZip(entries), name)])

test('one file is extracted directly, under its base name', async () => {
  const { names, paths, set, report } = await extract([{ name: 'in/some/folder/notes.txt', data: 'hello' }])
  expect(names).toEqual(['notes.txt'])
  expect(readFileSync(paths[0]!, 'utf8')).toBe('hello')
  expect(set).toBeUndefined()
  expect(report).toEqual({ entries: [{ name: 'notes.txt', size: 5 }] })
})

test('several are one flat set; numbers equal names; omits folders and links', async () => {
  const result = await extract(
    [
      { name: 'a/', mode: 0o040755 },
      { name: 'a/x.txt', data: '1' },
      { name: 'b/X.txt', data: '22', method: 0 },
      { name: 'c/x.txt', data: '333' },
      { name: 'x-1.txt', data: '4444' },
      { name: 'link', data: '/etc/passwd', mode: 0o120777 },
      { name: 'Ünï/日本.txt', data: '55555' },
      { name: 'none', data: '' },
    ],
    'bundle.zip',
  )
  expect(result.set).toBe('bundle_extracted')
  expect(result.names).toEqual(['x.txt', 'X-2.txt', 'x-3.txt', 'x-1.txt', '日本.txt', 'none'])
  expect(result.paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['1', '22', '333', '4444', '55555', ''])
  expect(result.report.entries).toContainEqual({ name: 'X-2.txt', size: 2 })
})

test('omits links with a warning that names them, and never creates them', async () => {
  const link = (name: string) => ({ name, data: '../../etc/passwd', mode: 0o120777 })
  const files = [
    { name: 'a.txt', data: '1' },
    { name: 'b.txt', data: '2' },
  ]
  const one = await extract([...files, link('in/ln\n1')], 'one-link.zip')
  expect(one.warnings).toEqual(['one-link.zip contains 1 symbolic link, which is not unpacked: in/ln\\n1'])
  const many = await extract([...files, ...[1, 2, 3, 4, 5, 6, 7].map((n) => link(`l${n}`))], 'links.zip')
  expect(many.warnings).toEqual([
    'links.zip contains 7 symbolic links, which are not unpacked: l1, l2, l3, l4, l5 and 2 more',
  ])
  expect(many.names).toEqual(['a.txt', 'b.txt'])
  expect((await extract(files)).warnings).toEqual([])
})

test.skipIf(process.platform === 'win32')('restores only the executable bit of the mode', async () => {
  const before = process.umask(0o022)
  try {
    const modes = { run: 0o104777, 'x.sh': 0o100755, secret: 0o100600, plain: 0o100644, group: 0o100670 }
    const { paths, names } = await extract(Object.entries(modes).map(([name, mode]) => ({ name, data: name, mode })))
    const found = paths.map((path, index) => [names[index], (statSync(path).mode & 0o7777).toString(8)])
    expect(Object.fromEntries(found)).toEqual({ run: '755', 'x.sh': '755', secret: '644', plain: '644', group: '755' })
  } finally {
    process.umask(before)
  }
})

test('the report lists the first 100', async () => {
  const entries = Array.from({ length: 130 }, (_, index) => ({ name: `${index}.txt`, data: 'x' }))
  const { names, report } = await extract(entries)
  expect(names).toHaveLength(130)
  expect(report.entries).toHaveLength(100)
})

describe('names outside the folder', () => {
  test.each(['../x', 'a/../../x', '/etc/x', '\\x', 'a\\..\\..\\x', 'C:\\x', 'c:x', 'a\0b', 'a/.'])(
    '%j',
    async (name) => {
      const promise = extract([
        { name: 'fine.txt', data: '1' },
        { name, data: '2' },
      ])
      await expect(promise).rejects.toMatchObject({
        code: 'INVALID_FILE',
        message: expect.stringContaining('points outside its folder: '),
      })
      expect(existsSync(join(dirname(folder), 'x'))).toBe(false)
    },
  )

  test('unpacks nothing of such an archive', async () => {
    await extract([
      { name: 'fine.txt', data: '1' },
      { name: '../../evil', data: '2' },
    ]).catch(() => {})
    const left = readdirSync(folder, { recursive: true }).map((name) => basename(String(name)))
    expect(left).not.toContain('evil')
    expect(left.filter((name) => name.startsWith('.mediaproc'))).toEqual([])
  })
})

test('cuts a name that is too long for file systems in its stem', async () => {
  const { names, paths } = await extract([
    { name: `${'é'.repeat(200)}.txt`, data: '1' },
    { name: 'b', data: '2' },
  ])
  expect(names[0]).toBe(`${'é'.repeat(120)}.txt`)
  expect(readFileSync(paths[0]!, 'utf8')).toBe('1')
})

describe('bombs', () => {
  test('the ratio', async () => {
    await expect(extract([{ name: 'zeros', data: Buffer.alloc(2_000_000) }])).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringMatching(/unpacks to \d+ times its size; the limit is 100 times/),
    })
  })

  test('the number of files', async () => {
    const entries = Array.from({ length: 1001 }, (_, index) => ({ name: `${index}`, data: 'x', method: 0 }))
    await expect(extract(entries)).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('holds 1001 files; the limit is 1000'),
    })
    expect((await extract(entries.slice(1))).names).toHaveLength(1000)
  })

  test('the declared sizes', async () => {
    const entry = { name: 'a', data: 'x' }
    await expect(extract([{ ...entry, size: 201 * 1024 * 1024 }])).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('201 MiB; the limit is 200 MiB'),
    })
    const three = ['a', 'b', 'c'].map((name) => ({ name, data: 'x', size: 190 * 1024 * 1024 }))
    await expect(extract(three)).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('570 MiB; the limit is 500 MiB'),
    })
  })

  test('a header with a wrong size, in either direction', async () => {
    const data = randomBytes(100_000)
    for (const size of [10, 110_000])
      await expect(extract([{ name: 'a', data, size }])).rejects.toMatchObject({ code: 'INVALID_FILE' })
  })
})

describe('unreadable', () => {
  test.each<[string, RawEntry[], string]>([
    ['encrypted', [{ name: 'a', data: 'x', encrypted: true }], 'PROCESSING_FAILED'],
    ['an unknown method', [{ name: 'a', data: 'x', method: 14 }], 'PROCESSING_FAILED'],
    ['only folders and links', [{ name: 'a/' }, { name: 'l', data: 'a', mode: 0o120777 }], 'PROCESSING_FAILED'],
    ['a wrong checksum', [{ name: 'a', data: 'hello', checksum: 1 }], 'INVALID_FILE'],
    ['a wrong checksum of a stored file', [{ name: 'a', data: 'hello', method: 0, checksum: 1 }], 'INVALID_FILE'],
  ])('%s', async (_what, entries, code) => {
    await expect(extract(entries)).rejects.toMatchObject({ code })
  })

  test('no entry, cut off, text, empty', async () => {
    await expect(extract([])).rejects.toMatchObject({ code: 'PROCESSING_FAILED' })
    const whole = rawZip([{ name: 'a.txt', data: 'hello' }])
    await expect(run(extractZip, folder, [write(whole.subarray(0, -10))])).rejects.toMatchObject({
      code: 'INVALID_FILE',
    })
    await expect(run(extractZip, folder, [write('text text')])).rejects.toMatchObject({ code: 'INVALID_FILE' })
    await expect(run(extractZip, folder, [write('')])).rejects.toMatchObject({ code: 'EMPTY_FILE' })
  })
})

test('an archive in an archive stays packed', async () => {
  const inner = rawZip([{ name: 'a.txt', data: 'hello' }])
  const { names, paths } = await extract([{ name: 'inner.zip', data: inner }])
  expect(names).toEqual(['inner.zip'])
  expect(readFileSync(paths[0]!)).toEqual(inner)
})
