import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { openDocument } from '../../src/store/document.ts'
import { storageFailure } from '../../src/store/durable.ts'
import { builtModule } from '../helpers/node-script.ts'
import { temporaryFolder } from '../helpers/tool.ts'

interface Numbers {
  numbers: number[]
}

const folder = temporaryFolder()
let count = 0
const newPath = (): string => join(folder, `numbers-${count++}.json`)
const stored = (path: string): Numbers => JSON.parse(readFileSync(path, 'utf8'))
const empty = (): Numbers => ({ numbers: [] })

describe('change', () => {
  test('is on the disk when the promise resolves, readable by the owner only', async () => {
    const path = newPath()
    const document = await openDocument(path, empty())
    expect(existsSync(path)).toBe(false)
    expect(await document.change(({ numbers }) => numbers.push(7))).toBe(1)
    expect(stored(path)).toEqual({ numbers: [7] })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect((await openDocument(path, empty())).data).toEqual({ numbers: [7] })
  })

  test('changes at the same time share a write, and none is lost', async () => {
    const path = newPath()
    const document = await openDocument(path, empty())
    const seen: number[] = []
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        await document.change(({ numbers }) => numbers.push(index))
        expect(stored(path).numbers).toContain(index)
        seen.push(stored(path).numbers.length)
      }),
    )
    // The first began at once and alone; the other 199 went together.
    expect(new Set(seen)).toEqual(new Set([1, 200]))
  })

  test('an edit that throws changes nothing, and leaves what others did', async () => {
    const path = newPath()
    const document = await openDocument(path, empty())
    const good = document.change(({ numbers }) => numbers.push(1))
    const bad = document.change(({ numbers }) => {
      numbers.length = 0
      numbers.push(2)
      throw new RangeError('no')
    })
    await expect(bad).rejects.toThrow(RangeError)
    await good
    expect(document.data).toEqual({ numbers: [1] })
    expect(stored(path)).toEqual({ numbers: [1] })
  })

  test('a write that fails is taken back, with what was built on it; later ones work again', async () => {
    const path = newPath()
    const document = await openDocument(path, empty())
    await document.change(({ numbers }) => numbers.push(1))
    mkdirSync(`${path}.tmp`)
    const first = document.change(({ numbers }) => numbers.push(2))
    const second = document.change(({ numbers }) => numbers.push(3))
    await expect(first).rejects.toMatchObject({ code: 'INTERNAL', message: 'The server could not store this' })
    await expect(second).rejects.toMatchObject({ code: 'INTERNAL' })
    expect(document.data).toEqual({ numbers: [1] })
    rmSync(`${path}.tmp`, { recursive: true })
    await document.change(({ numbers }) => numbers.push(4))
    expect(stored(path)).toEqual({ numbers: [1, 4] })
  })

  test.skipIf(process.platform === 'win32')('a disk that takes no more bytes is DISK_FULL, and loses nothing', () => {
    const path = newPath()
    const script = `
      import { openDocument } from ${builtModule('src/store/document.js')}
      const document = await openDocument(${JSON.stringify(path)}, { numbers: [] })
      await document.change(({ numbers }) => numbers.push(1))
      const code = await document.change(({ numbers }) => numbers.push('x'.repeat(100_000))).catch(({ code }) => code)
      await document.change(({ numbers }) => numbers.push(2))
      console.log(code, JSON.stringify(document.data))`
    // A limit on the size of a file stands for the full disk: the system refuses the write in the same place.
    const command = `ulimit -f 16; exec "$0" --input-type=module -e "$1"`
    const { stdout, stderr } = spawnSync('bash', ['-c', command, process.execPath, script], { encoding: 'utf8' })
    expect([stdout.trim(), stderr]).toEqual(['DISK_FULL {"numbers":[1,2]}', ''])
    expect(stored(path)).toEqual({ numbers: [1, 2] })
    expect(existsSync(`${path}.tmp`)).toBe(false)
  })

  test.each(['ENOSPC', 'EDQUOT'])('%s is DISK_FULL', (code) => {
    const failure = storageFailure(Object.assign(new Error('/secret/path'), { code }))
    expect([failure.code, failure.message]).toEqual(['DISK_FULL', "The server's disk is full; nothing was stored"])
  })

  test('is refused after close', async () => {
    const document = await openDocument(newPath(), empty())
    await document.close()
    await expect(document.change(() => 0)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' })
  })
})

describe('touch', () => {
  test('goes with the next write', async () => {
    const path = newPath()
    const document = await openDocument(path, empty())
    document.touch(({ numbers }) => numbers.push(1))
    expect(document.data).toEqual({ numbers: [1] })
    expect(existsSync(path)).toBe(false)
    await document.change(({ numbers }) => numbers.push(2))
    expect(stored(path)).toEqual({ numbers: [1, 2] })
  })

  test('is written by close', async () => {
    const path = newPath()
    const document = await openDocument(path, empty())
    document.touch(({ numbers }) => numbers.push(1))
    await document.close()
    expect(stored(path)).toEqual({ numbers: [1] })
  })

  test('is written after 30 seconds', async () => {
    const path = newPath()
    const document = await openDocument(path, empty())
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      document.touch(({ numbers }) => numbers.push(1))
      vi.advanceTimersByTime(29_999)
      expect(existsSync(path)).toBe(false)
      vi.advanceTimersByTime(1)
    } finally {
      vi.useRealTimers()
    }
    await vi.waitFor(() => expect(stored(path)).toEqual({ numbers: [1] }))
  })
})

describe('opening', () => {
  test.each([
    ['', 'it is empty'],
    ['{"numbers":[1', 'it is not JSON'],
    ['[1]', 'it holds a list, not an object'],
    ['{"numbers":{}}', 'numbers is an object, not a list'],
    ['{"numbers":null}', 'numbers is null, not a list'],
  ])('a file that holds %j stops the start and stays as it is', async (text, why) => {
    const path = newPath()
    writeFileSync(path, text)
    await expect(openDocument(path, empty())).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: `The file ${path} is damaged: ${why}`,
    })
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test('a write that was cut off is forgotten', async () => {
    const path = newPath()
    writeFileSync(path, '{"numbers":[1]}')
    writeFileSync(`${path}.tmp`, '{"numbers":[1,2')
    expect((await openDocument(path, empty())).data).toEqual({ numbers: [1] })
    expect(existsSync(`${path}.tmp`)).toBe(false)
  })

  test('a list that an older file does not have begins empty', async () => {
    const path = newPath()
    writeFileSync(path, '{"numbers":[1]}')
    expect((await openDocument(path, { numbers: [], words: [] })).data).toEqual({ numbers: [1], words: [] })
  })
})
