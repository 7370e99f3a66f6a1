import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import createZip from '../../../tools/files/create-zip.ts'
import extractZip from '../../../tools/files/extract-zip.ts'
import { readZip } from '../../helpers/raw-zip.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

function write(name: string, content: string): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

test('flat, in the order given, deflated, whole', async () => {
  const text = 'the same words again and again '.repeat(200)
  const inputs = [write('b.txt', text), write('a.bin', '\0\u0001\u0002'), write('sub/ü 日本.csv', 'a,b')]
  const { paths, names } = await run(createZip, folder, inputs)
  expect(names).toEqual(['archive.zip'])
  const entries = await readZip(paths[0]!)
  expect(entries.map(({ name }) => name)).toEqual(['b.txt', 'a.bin', 'ü 日本.csv'])
  expect(entries.map(({ method }) => method)).toEqual([8, 8, 8])
  expect(entries.map(({ data }) => data.toString())).toEqual([text, '\0\u0001\u0002', 'a,b'])
})

test('equal names get an unused number', async () => {
  const inputs = ['1/a.txt', '2/A.TXT', '3/a.txt', '4/a-1.txt', '5/.env', '6/.env'].map((name) => write(name, name))
  const { paths } = await run(createZip, folder, inputs)
  const entries = await readZip(paths[0]!)
  expect(entries.map(({ name }) => name)).toEqual(['a.txt', 'A-2.TXT', 'a-3.txt', 'a-1.txt', '.env', '.env-1'])
  expect(entries.map(({ data }) => data.toString())).toEqual([
    '1/a.txt',
    '2/A.TXT',
    '3/a.txt',
    '4/a-1.txt',
    '5/.env',
    '6/.env',
  ])
})

test('makes names safe that some system cannot unpack', async () => {
  const inputs = ['new\nline', 'back\\slash', 'q?*:"<>|', '-dash', 'dots...', '100%'].map((name) => write(name, 'x'))
  const { paths } = await run(createZip, folder, inputs)
  expect((await readZip(paths[0]!)).map(({ name }) => name)).toEqual([
    'new_line',
    'back_slash',
    'q_______',
    '-dash',
    'dots',
    '100%',
  ])
})

test('the same files give the same bytes', async () => {
  const inputs = [write('one', '1'), write('two', '2')]
  const [first, second] = [await run(createZip, folder, inputs), await run(createZip, folder, inputs)]
  const { readFileSync } = await import('node:fs')
  expect(readFileSync(first.paths[0]!)).toEqual(readFileSync(second.paths[0]!))
})

test('2 to 50 files', async () => {
  const inputs = Array.from({ length: 51 }, (_, index) => write(`many/${index}.txt`, String(index)))
  expect(await readZip((await run(createZip, folder, inputs.slice(1))).paths[0]!)).toHaveLength(50)
  await expect(run(createZip, folder, inputs)).rejects.toMatchObject({ code: 'TOO_MANY_FILES' })
  await expect(run(createZip, folder, inputs.slice(0, 1))).rejects.toMatchObject({ code: 'TOO_FEW_FILES' })
  await expect(run(createZip, folder, [])).rejects.toMatchObject({ code: 'NO_FILE' })
})

test('packs empty files, too', async () => {
  const { paths } = await run(createZip, folder, [write('none/.keep', ''), write('none/a.txt', 'a')])
  const entries = await readZip(paths[0]!)
  expect(entries.map(({ name, data }) => [name, data.toString()])).toEqual([
    ['.keep', ''],
    ['a.txt', 'a'],
  ])
})

test.skipIf(process.platform === 'win32')('keeps the executable bit through an archive and back', async () => {
  const inputs = [write('modes/run.sh', '#!/bin/sh'), write('modes/odd', 'x'), write('modes/plain', 'y')]
  for (const [index, mode] of [0o755, 0o4711, 0o600].entries()) chmodSync(inputs[index]!, mode)
  const { paths } = await run(createZip, folder, inputs)
  const modes = (await readZip(paths[0]!)).map(({ mode }) => mode.toString(8))
  expect(modes).toEqual(['100755', '100755', '100644'])
  const back = await run(extractZip, folder, [paths[0]!])
  expect(back.paths.map((path) => statSync(path).mode & 0o111)).toEqual([0o111, 0o111, 0])
})
