import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { Database } from '../../src/store/file/database.ts'
import { storageFailure } from '../../src/store/local/atomic-write.ts'
import { afterEveryTest } from '../helpers/clean-up.ts'
import { builtModule } from '../helpers/node-script.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const parent = temporaryFolder()
const opened: Database[] = []

afterEveryTest(async () => {
  for (const database of opened.splice(0)) await database.close()
})

async function open(folder: string): Promise<Database> {
  const database = await Database.open(folder)
  opened.push(database)
  return database
}

const newFolder = (): string => mkdtempSync(join(parent, 'data-'))
const journalOf = (folder: string): string => join(folder, 'journal.ndjson')
const setting = (value: string) => ({ value, updatedAt: '' })

/** Changes per line of the journal: one per write. */
const lines = (folder: string): [string, string, { value: string } | null][][] =>
  readFileSync(journalOf(folder), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).changes)

const put = (database: Database, name: string, value = name): Promise<void> =>
  database.transaction((draft) => draft.put('settings', name, setting(value)))

const names = (database: Database): string[] =>
  database
    .read('settings')
    .all()
    .map(([name]) => name)

/** What a start after a kill would find: the current files. */
async function reread(folder: string): Promise<string[]> {
  const database = await open(folder)
  const found = names(database)
  await database.close()
  return found
}

describe('a transaction', () => {
  test('is on disk when the promise resolves, readable by the owner only', async () => {
    const folder = newFolder()
    const database = await open(folder)
    const work = database.transaction((draft) => {
      draft.put('settings', 'a', setting('1'))
      return 7
    })
    expect(await work).toBe(7)
    expect(lines(folder)).toEqual([[['settings', 'a', setting('1')]]])
    for (const name of ['journal.ndjson', 'settings.json'])
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    expect(await reread(folder)).toEqual(['a'])
  })

  test('writes one line, regardless of the database size', async () => {
    const folder = newFolder()
    const database = await open(folder)
    await put(database, 'large', 'x'.repeat(100_000))
    const before = statSync(journalOf(folder)).size
    await put(database, 'small')
    expect(statSync(journalOf(folder)).size - before).toBe(4096)
  })

  test('concurrent ones share a write, and none is lost', async () => {
    const folder = newFolder()
    const database = await open(folder)
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        await put(database, String(index))
        expect(
          lines(folder)
            .flat()
            .map(([, name]) => name),
        ).toContain(String(index))
      }),
    )
    // The first started immediately and alone; the other 199 shared a write.
    expect(lines(folder).map(({ length }) => length)).toEqual([1, 199])
    expect(await reread(folder)).toHaveLength(200)
  })

  test('one that throws changes nothing, and keeps the changes of others', async () => {
    const folder = newFolder()
    const database = await open(folder)
    const good = put(database, 'good')
    const bad = database.transaction((draft) => {
      draft.put('settings', 'good', undefined)
      draft.put('settings', 'bad', setting(''))
      throw new RangeError('no')
    })
    await expect(bad).rejects.toThrow(RangeError)
    await good
    expect(names(database)).toEqual(['good'])
    expect(await reread(folder)).toEqual(['good'])
  })

  test('sees earlier changes and its own, and others see nothing before the commit', async () => {
    const database = await open(newFolder())
    const first = put(database, 'first')
    const second = database.transaction(async (draft) => {
      draft.put('settings', 'second', setting(''))
      await Promise.resolve()
      expect(names(database)).toEqual([])
      return draft
        .rows('settings')
        .all()
        .map(([name]) => name)
    })
    expect(await second).toEqual(['first', 'second'])
    await first
    expect(names(database)).toEqual(['first', 'second'])
  })

  test.skipIf(process.platform === 'win32')(
    'one without disk space is DISK_FULL and discarded, with dependent ones; later ones work again',
    () => {
      const folder = newFolder()
      const script = `
      import { Database } from ${builtModule('src/store/file/database.js')}
      const database = await Database.open(${JSON.stringify(folder)})
      const put = (name, value) =>
        database.transaction((draft) => draft.put('settings', name, { value, updatedAt: '' })).then(
          () => 'kept',
          ({ code, message }) => code + ' ' + message,
        )
      const seen = [await put('1', '')]
      seen.push(...(await Promise.all([put('2', 'x'.repeat(100_000)), put('3', '')])))
      seen.push(await put('4', ''))
      seen.push(database.read('settings').all().map(([name]) => name))
      console.log(JSON.stringify(seen))`
      // A file size limit replaces the full disk: the system refuses the write in the same place.
      const command = `ulimit -f 16; exec "$0" --input-type=module -e "$1"`
      const { stdout, stderr } = spawnSync('bash', ['-c', command, process.execPath, script], { encoding: 'utf8' })
      const full = "DISK_FULL The server's disk is full; nothing was stored"
      expect([JSON.parse(stdout || '0'), stderr]).toEqual([['kept', full, full, 'kept', ['1', '4']], ''])
      expect(lines(folder).map(([change]) => change![1])).toEqual(['1', '4'])
    },
  )

  test.each(['ENOSPC', 'EDQUOT'])('%s is DISK_FULL', (code) => {
    const failure = storageFailure(Object.assign(new Error('/secret/path'), { code }))
    expect([failure.code, failure.message]).toEqual(['DISK_FULL', "The server's disk is full; nothing was stored"])
  })

  test('is refused after close', async () => {
    const database = await open(newFolder())
    await database.close()
    await expect(put(database, 'a')).rejects.toMatchObject({ code: 'SHUTTING_DOWN' })
  })
})

describe('touch', () => {
  /** A database with the setting `a`, touched once. */
  async function touched() {
    const folder = newFolder()
    const database = await open(folder)
    await put(database, 'a', 'begun')
    return { folder, database, touch: () => database.touch('settings', 'a', () => setting('touched')) }
  }

  test('is part of the next write', async () => {
    const { folder, database, touch } = await touched()
    touch()
    expect(database.read('settings').get('a')).toEqual(setting('touched'))
    expect(lines(folder)).toHaveLength(1)
    await put(database, 'b')
    expect(lines(folder)[1]!.map(([, name, record]) => [name, record!.value])).toEqual([
      ['a', 'touched'],
      ['b', 'b'],
    ])
  })

  test('does not restore removed records', async () => {
    const { folder, database, touch } = await touched()
    touch()
    await database.transaction((draft) => draft.put('settings', 'a', undefined))
    touch()
    await put(database, 'b')
    expect(await reread(folder)).toEqual(['b'])
  })

  test('is written by close', async () => {
    const { folder, database, touch } = await touched()
    touch()
    await database.close()
    expect((await open(folder)).read('settings').get('a')).toEqual(setting('touched'))
  })

  test('is written after 30 seconds', async () => {
    const { folder, touch } = await touched()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      touch()
      vi.advanceTimersByTime(29_999)
      expect(lines(folder)).toHaveLength(1)
      vi.advanceTimersByTime(1)
    } finally {
      vi.useRealTimers()
    }
    await vi.waitFor(() => expect(lines(folder)[1]).toEqual([['settings', 'a', setting('touched')]]))
  })
})

describe('the journal', () => {
  test('is merged into the snapshots when it has grown, and when the database closes', async () => {
    const folder = newFolder()
    const database = await open(folder)
    for (let index = 0; index < 3; index++) await put(database, `large-${index}`, 'x'.repeat(1_400_000))
    await vi.waitFor(() => expect(statSync(journalOf(folder)).size).toBe(0))
    await put(database, 'last')
    expect(lines(folder)).toHaveLength(1)
    await database.close()
    expect(statSync(journalOf(folder)).size).toBe(0)
    const { settings } = JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8'))
    expect(Object.keys(settings)).toEqual(['large-0', 'large-1', 'large-2', 'last'])
    expect(await reread(folder)).toEqual(Object.keys(settings))
  })

  test('can be replayed repeatedly: a crash between the snapshots and its truncation', async () => {
    const folder = newFolder()
    const database = await open(folder)
    await put(database, 'kept')
    await put(database, 'gone')
    await database.transaction((draft) => draft.put('settings', 'gone', undefined))
    const journal = readFileSync(journalOf(folder))
    await database.close()
    writeFileSync(journalOf(folder), journal)
    expect(await reread(folder)).toEqual(['kept'])
  })

  test.each([0, 1, 20])('ignores an incomplete end after a crash, and keeps the next line', async (left) => {
    const folder = newFolder()
    const database = await open(folder)
    await put(database, 'first')
    const { size } = statSync(journalOf(folder))
    await put(database, 'second')
    truncateSync(journalOf(folder), size + left)
    const again = await open(folder)
    expect(names(again)).toEqual(['first'])
    await put(again, 'third')
    expect(await reread(folder)).toEqual(['first', 'third'])
  })

  test.each([
    ['{"x', 'line 1 cannot be read'],
    ['[["settings","a"]]', 'line 1 cannot be read'],
    ['[["nothing","a",null]]', 'line 1 cannot be read'],
    ['null', 'line 1 cannot be read'],
  ])('a line %j before the last stops the start and is kept', async (line, why) => {
    const folder = newFolder()
    const text = `${line}\n[["settings","a",null]]\n`
    writeFileSync(journalOf(folder), text)
    await expect(open(folder)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(`The file ${journalOf(folder)} is damaged: ${why}`),
      hint: expect.stringContaining('backup'),
    })
    expect(readFileSync(journalOf(folder), 'utf8')).toBe(text)
  })
})

describe('opening', () => {
  const pathOf = (folder: string): string => join(folder, 'pipelines.json')

  test.each([
    ['', 'it is empty'],
    ['{"pipelines":[1', 'it is not JSON'],
    ['[1]', 'it holds a list, not an object'],
    ['{"pipelines":{}}', 'pipelines is an object, not a list'],
    ['{"pipelines":null}', 'pipelines is null, not a list'],
    ['{"pipelines":[{"id":"a"},{"name":"b"}]}', 'pipelines holds no record at 1'],
    ['{"pipelines":[null]}', 'pipelines holds no record at 0'],
  ])('a file with %j stops the start and is kept', async (text, why) => {
    const folder = newFolder()
    writeFileSync(pathOf(folder), text)
    await expect(open(folder)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: `The file ${pathOf(folder)} is damaged: ${why}`,
    })
    expect(readFileSync(pathOf(folder), 'utf8')).toBe(text)
  })

  test('ignores an incomplete write', async () => {
    const folder = newFolder()
    const pipeline = { id: 'a', userId: 'u', name: 'a', steps: [] }
    const text = JSON.stringify({ pipelines: [pipeline] })
    writeFileSync(pathOf(folder), text)
    writeFileSync(`${pathOf(folder)}.tmp`, text.slice(0, -2))
    const database = await open(folder)
    expect(database.read('pipelines').all()).toEqual([['a', pipeline]])
    expect(existsSync(`${pathOf(folder)}.tmp`)).toBe(false)
  })

  test('migrates files of the previous version; a missing list is empty', async () => {
    const folder = newFolder()
    const user = { id: 'u', username: 'Ada', role: 'admin', passwordHash: null }
    writeFileSync(join(folder, 'accounts.json'), JSON.stringify({ users: [user], sessions: [], apiKeys: [] }))
    writeFileSync(
      join(folder, 'settings.json'),
      JSON.stringify({ settings: { a: setting('1') }, preferences: { u: {} } }),
    )
    for (let round = 0; round < 2; round++) {
      const database = await open(folder)
      expect(database.read('users').where('name', 'ada')).toEqual([['u', user]])
      expect([names(database), database.read('preferences').get('u'), database.read('roles').size]).toEqual([
        ['a'],
        {},
        0,
      ])
      await database.close()
    }
  })

  test('unwritable snapshots keep the journal, and lose nothing', async () => {
    const folder = newFolder()
    const database = await open(folder)
    mkdirSync(join(folder, 'settings.json.tmp'))
    for (let index = 0; index < 4; index++) await put(database, `large-${index}`, 'x'.repeat(1_400_000))
    await database.close()
    expect(statSync(journalOf(folder)).size).toBeGreaterThan(5_600_000)
    expect(await reread(folder)).toHaveLength(4)
  })
})
