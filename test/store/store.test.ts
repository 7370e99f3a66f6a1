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

/** A process with the folder open. */
async function holder(folder: string): Promise<ReturnType<typeof startScript>> {
  const child = startScript(script, [folder])
  await new Promise((resolve, reject) => {
    child.stdout!.once('data', resolve)
    child.once('exit', reject)
  })
  return child
}

describe('one server per folder', () => {
  test('refuses a second start, and frees the folder after close', async () => {
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

  test('one of two concurrent starts succeeds', async () => {
    const folder = newFolder()
    const results = await Promise.allSettled([openStore(folder, options), openStore(folder, options)])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    for (const result of results) if (result.status === 'fulfilled') await result.value.close()
  })

  test('another process keeps it until it is killed', async () => {
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
  test('is created private, with the team Default', async () => {
    const folder = join(newFolder(), 'a', 'b')
    const store = await openStore(folder, options)
    expect(await store.teams.list()).toMatchObject([{ id: 'default-team-00000000', name: 'Default' }])
    await store.settings.set('x', { value: '', updatedAt: '' })
    const modes = ['', 'files', 'audit'].map((name) => statSync(join(folder, name)).mode & 0o777)
    expect(modes).toEqual([0o700, 0o700, 0o700])
    expect(statSync(join(folder, 'lock')).mode & 0o777).toBe(0o600)
    await store.close()
  })

  test('reports a file at its path', async () => {
    const path = join(newFolder(), 'file')
    writeFileSync(path, '')
    await expect(openStore(path, options)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: `The data folder ${path} cannot be used: it is a file, not a folder`,
    })
  })

  test('a damaged file stops the start and releases the folder', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'settings.json'), '{"settings"')
    await expect(openStore(folder, options)).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    rmSync(join(folder, 'settings.json'))
    await (await openStore(folder, options)).close()
  })

  /** A folder of a server with a user and a setting. */
  async function leftFolder(): Promise<string> {
    const folder = newFolder()
    const store = await openStore(folder, options)
    const user = { id: 'u', username: 'ada', role: 'admin', teamId: 'default-team-00000000', passwordHash: null }
    const about = { mustChangePassword: false, authProvider: 'local', email: null, createdAt: AT } as const
    await store.users.add({ ...user, ...about })
    await store.settings.set('a', { value: 'yes', updatedAt: AT })
    await store.close()
    return folder
  }
  const AT = '2026-01-01T00:00:00.000Z'
  const edit = (path: string, change: (text: string) => string) =>
    writeFileSync(path, change(readFileSync(path, 'utf8')))

  test.each([
    [
      'a bit that flipped in a name',
      'accounts.json',
      (text: string) => text.replace('"ada"', '"ade"'),
      'its checksum is missing or does not fit',
    ],
    ['a list that is gone', 'accounts.json', () => '{}', 'its checksum is missing or does not fit'],
    [
      'a copy of another day',
      'settings.json',
      () => '{"settings":{},"preferences":{}}',
      'its checksum is missing or does not fit',
    ],
  ])('%s stops the start with a message', async (_, name, change, why) => {
    const folder = await leftFolder()
    const path = join(folder, name)
    edit(path, change)
    const text = readFileSync(path, 'utf8')
    await expect(openStore(folder, options)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(`The file ${path} is damaged: ${why}`),
    })
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test('and so does a changed line of the journal', async () => {
    const folder = newFolder()
    const store = await openStore(folder, options)
    await store.settings.set('a', { value: 'yes', updatedAt: AT })
    await store.settings.set('b', { value: 'no', updatedAt: AT })
    const journal = readFileSync(join(folder, 'journal.ndjson'), 'utf8')
    await store.close()
    writeFileSync(join(folder, 'journal.ndjson'), journal.replace('"yes"', '"yet"'))
    await expect(openStore(folder, options)).rejects.toMatchObject({
      message: expect.stringMatching(/line \d cannot be read \(its checksum does not fit\)/),
    })
  })

  test('reports unusable records at the start; accepts manual changes on request', async () => {
    const folder = await leftFolder()
    // As documented: files of format 3 are accepted without their checksums, and get new ones.
    writeFileSync(join(folder, 'format.json'), '{"format":3}')
    const [accounts, settings] = ['accounts.json', 'settings.json'].map((name) => join(folder, name)) as [
      string,
      string,
    ]
    edit(accounts, (text) => text.replace('"role":"admin",', ''))
    await expect(openStore(folder, options)).rejects.toMatchObject({
      message: `The file ${accounts} is damaged: users u has no usable role`,
    })
    edit(accounts, (text) => text.replace('"username":"ada"', '"username":"Ada Lovelace","role":"user"'))
    edit(settings, (text) => text.replace('"yes"', '7'))
    await expect(openStore(folder, options)).rejects.toMatchObject({
      message: `The file ${settings} is damaged: settings a has no usable value`,
    })
    edit(settings, (text) => text.replace('7', '"seven"'))
    const store = await openStore(folder, options)
    expect((await store.users.byId('u'))!.username).toBe('Ada Lovelace')
    await store.close()
    for (const path of [accounts, settings]) expect(readFileSync(path, 'utf8')).toContain('"checksum":"')
    expect(readFileSync(join(folder, 'format.json'), 'utf8')).toBe('{"format":6}')
  })

  test('refuses a later and an unknown version', async () => {
    const folder = newFolder()
    await (await openStore(folder, options)).close()
    const path = join(folder, 'format.json')
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ format: 6 })
    writeFileSync(path, '{"format":7}')
    await expect(openStore(folder, options)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: `The data folder ${folder} was written by a later version of mediaproc (format 7; this one reads up to 6)`,
    })
    writeFileSync(path, 'x')
    await expect(openStore(folder, options)).rejects.toMatchObject({
      message: `The file ${path} is damaged: it names no format`,
    })
    writeFileSync(path, '{"format":1}')
    await (await openStore(folder, options)).close()
    // The previous version would drop unknown data.
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ format: 6 })
  })

  test('ping reports a failing disk', async () => {
    const folder = newFolder()
    const store = await openStore(folder, options)
    expect(await store.ping()).toBe(true)
    rmSync(folder, { recursive: true })
    expect(await store.ping()).toBe(false)
    mkdirSync(folder)
    await store.close()
  })
})
