import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openStored, readStored, writeStored } from '../../src/local/records/record-store.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
vi.stubEnv('MEDIAPROC_CACHE_DIR', folder)
const files = (): string[] => readdirSync(join(folder, 'records', 'jobs', 'ab'))
const begun = { inputs: ['a'], outputs: [1], unfinished: true }
const finished = { outputs: [2], unfinished: false }

test('later fields replace those of a stored value, in the same file', async () => {
  const record = await openStored('jobs', 'ab00', begun)
  expect(readStored('jobs', 'ab00')).toEqual(begun)
  record?.replace(finished)
  record?.close()
  expect(readStored('jobs', 'ab00')).toEqual({ ...begun, ...finished })
  expect(files()).toEqual(['ab00.json'])
})

test('an incomplete second line, as after a crash, is ignored', async () => {
  await writeStored('jobs', 'ab01', begun)
  const path = join(folder, 'records', 'jobs', 'ab', 'ab01.json')
  const line = `\n${JSON.stringify(finished)}`
  for (const part of [line.slice(0, 1), line.slice(0, -1)]) {
    await writeStored('jobs', 'ab01', begun)
    appendFileSync(path, part)
    expect(readStored('jobs', 'ab01')).toEqual(begun)
  }
  expect(readFileSync(path, 'utf8')).toContain('\n')
})

test('a value that another process has stored in the meantime remains', async () => {
  const record = await openStored('jobs', 'ab02', begun)
  await writeStored('jobs', 'ab02', { inputs: ['b'] })
  record?.replace(finished)
  record?.close()
  expect(readStored('jobs', 'ab02')).toEqual({ inputs: ['b'] })
})

test('without a folder for records, nothing is stored and nothing fails', async () => {
  vi.stubEnv('MEDIAPROC_CACHE_DIR', '/dev/null/none')
  expect(await openStored('jobs', 'ab03', begun)).toBe(undefined)
  await writeStored('jobs', 'ab03', begun)
  expect(readStored('jobs', 'ab03')).toBe(undefined)
  vi.stubEnv('MEDIAPROC_CACHE_DIR', folder)
})
