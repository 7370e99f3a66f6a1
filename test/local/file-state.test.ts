import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { noteConsulted } from '../../src/engines/consulted.ts'
import { FileStates, isAmbiguous } from '../../src/local/records/file-state.ts'
import { sideDifference, sideFiles } from '../../src/local/records/side-files.ts'
import { allModels } from '../../src/models/manifest.ts'
import { replaceModel } from '../../src/models/store/installed.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
const local = { isLocal: true, alwaysHash: false }

test('times prove nothing for a file that changed within a step of its clock', () => {
  const fine = { mtimeMs: 5_000_123.4, ctimeMs: 5_000_123.4 }
  expect([isAmbiguous(fine, 5_000_130), isAmbiguous(fine, 5_000_200)]).toEqual([true, false])
  const coarse = { mtimeMs: 5_000_000, ctimeMs: 5_000_000 }
  expect([isAmbiguous(coarse, 5_001_900), isAmbiguous(coarse, 5_002_100)]).toEqual([true, false])
})

test('the content decides for a young file, although size, times and inode are unchanged', async () => {
  const path = join(folder, 'young.bin')
  writeFileSync(path, 'one')
  const states = new FileStates(false, () => statSync(path).ctimeMs + 5)
  const { hashed } = await states.look(path)
  const before = await hashed
  expect(before).toMatchObject({ isYoung: true, hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
  writeFileSync(path, 'two')
  const { mtimeMs, ctimeMs, ino: inode } = statSync(path)
  const unseen = { ...before, mtimeMs, ctimeMs, inode }
  expect(await states.difference(unseen, local)).toBe('has changed')
})

test('a file that changes while it is hashed gets no hash', async () => {
  const path = join(folder, 'growing.bin')
  writeFileSync(path, Buffer.alloc(8_000_000))
  const { hashed } = await new FileStates(true).look(path)
  writeFileSync(path, 'another')
  expect(await hashed).not.toHaveProperty('hash')
})

test('detects weights that were replaced with the same size and time', async () => {
  const { id, files } = allModels().find((model) => model.files.length === 1)!
  const place = join(folder, 'model')
  mkdirSync(place)
  const path = join(place, files[0]!.name)
  const past = new Date(Date.now() - 60_000)
  writeFileSync(path, 'weights 1')
  utimesSync(path, past, past)
  replaceModel(id, new Map([[files[0]!.name, path]]))
  try {
    noteConsulted(`model ${id}`)
    const states = new FileStates(true)
    const { consulted, sides } = await sideFiles(states)
    expect(await sideDifference(sides, consulted, states, local)).toBe(undefined)
    writeFileSync(path, 'weights 2')
    utimesSync(path, past, past)
    expect(await sideDifference(sides, consulted, states, local)).toBe(
      `the model ${id} (${files[0]!.name}) has changed`,
    )
    replaceModel(id, 'absent')
    expect(await sideDifference(sides, consulted, states, local)).toBe(`the model ${id} (${files[0]!.name}) is missing`)
  } finally {
    replaceModel(id, undefined)
  }
})

test.runIf(process.platform === 'linux')('hashes hundreds of files a few at a time', async () => {
  const states = new FileStates(true)
  const paths = Array.from({ length: 300 }, (_, index) => join(folder, `${index}.bin`))
  for (const path of paths) writeFileSync(path, path)
  const open = (): number => readdirSync('/proc/self/fd').length
  const before = open()
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, open() - before)
  }, 1)
  const looks = await Promise.all(paths.map((path) => states.look(path)))
  const found = await Promise.all(looks.map(({ hashed }) => hashed))
  clearInterval(watch)
  expect(new Set(found.map(({ hash }) => hash)).size).toBe(300)
  expect(most).toBeLessThan(50)
})
