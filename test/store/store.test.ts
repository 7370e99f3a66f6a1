import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../src/store/file/open.ts'
import { builtModule, startScript } from '../helpers/node-script.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const parent = temporaryFolder()
const options = { auditRetentionDays: 0 }
const newFolder = (): string => mkdtempSync(join(parent, 'data-'))

const script = `
  import { openStore } from ${builtModule('src/store/file/open.js')}
  await openStore(process.argv[1], { auditRetentionDays: 0 })
  console.log('open')
  setInterval(() => {}, 1000)`

/** A process that has the folder open. */
async function holder(folder: string): Promise<ReturnType<typeof startScript>> {
  const child = startScript(script, [folder])
  await new Promise((resolve, reject) => {
    child.stdout!.once('data', resolve)
    child.once('exit', reject)
  })
  return child
}

describe('one server per folder', () => {
  test('a second start is refused, and the folder is free after close', async () => {
    const folder = newFolder()
    const store = await openStore(folder, options)
    await expect(openStore(folder, options)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: `The data folder ${folder} is in use by another server (process ${process.pid})`,
    })
    await store.close()
    await (await openStore(folder, options)).close()
    expect(readdirSync(folder).filter((name) => name.includes('lock'))).toEqual([])
  })

  test('two starts at the same time: one of them has it', async () => {
    const folder = newFolder()
    const results = await Promise.allSettled([openStore(folder, options), openStore(folder, options)])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    for (const result of results) if (result.status === 'fulfilled') await result.value.close()
  })

  test('another process keeps it, until it is killed', async () => {
    const folder = newFolder()
    const child = await holder(folder)
    await expect(openStore(folder, options)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: `The data folder ${folder} is in use by another server (process ${child.pid})`,
    })
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    const store = await openStore(folder, options)
    expect(await store.ping()).toBe(true)
    await store.close()
  })

  test.each([
    ['nobody', '{"pid":2147483646,"mark":""}'],
    ['an earlier process with our number', JSON.stringify({ pid: process.pid, mark: 'earlier boot:1' })],
    ['a write that was cut off', '{"pid":'],
  ])('a lock of %s is stale', async (_, text) => {
    const folder = newFolder()
    writeFileSync(join(folder, 'lock'), text)
    const store = await openStore(folder, options)
    await store.close()
    expect(existsSync(join(folder, 'lock'))).toBe(false)
  })
})

describe('the folder', () => {
  test('is made closed to others, with the team Default', async () => {
    const folder = join(newFolder(), 'a', 'b')
    const store = await openStore(folder, options)
    expect(await store.teams.list()).toMatchObject([{ id: 'default-team-00000000', name: 'Default' }])
    await store.settings.set('x', { value: '', updatedAt: '' })
    const modes = ['', 'files', 'audit'].map((name) => statSync(join(folder, name)).mode & 0o777)
    expect(modes).toEqual([0o700, 0o700, 0o700])
    expect(statSync(join(folder, 'lock')).mode & 0o777).toBe(0o600)
    await store.close()
  })

  test('a file in its place is named', async () => {
    const path = join(newFolder(), 'file')
    writeFileSync(path, '')
    await expect(openStore(path, options)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: `The data folder ${path} cannot be used: it is a file, not a folder`,
    })
  })

  test('a damaged file stops the start and gives the folder back', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'settings.json'), '{"settings"')
    await expect(openStore(folder, options)).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    rmSync(join(folder, 'settings.json'))
    await (await openStore(folder, options)).close()
  })

  test('of a later version is refused, and of an unknown one', async () => {
    const folder = newFolder()
    await (await openStore(folder, options)).close()
    const path = join(folder, 'format.json')
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ format: 3 })
    writeFileSync(path, '{"format":4}')
    await expect(openStore(folder, options)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: `The data folder ${folder} was written by a later version of mediaproc (format 4; this one reads up to 3)`,
    })
    writeFileSync(path, 'x')
    await expect(openStore(folder, options)).rejects.toMatchObject({
      message: `The file ${path} is damaged: it names no format`,
    })
    writeFileSync(path, '{"format":1}')
    await (await openStore(folder, options)).close()
    // The version before would drop what it does not know.
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ format: 3 })
  })

  test('ping tells that nothing can be written', async () => {
    const folder = newFolder()
    const store = await openStore(folder, options)
    expect(await store.ping()).toBe(true)
    rmSync(folder, { recursive: true })
    expect(await store.ping()).toBe(false)
    mkdirSync(folder)
    await store.close()
  })
})
