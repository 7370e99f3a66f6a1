import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { namesIn, startProgram, statusOf, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()

/** A picture whose AVIF takes seconds: noise. */
async function slowPicture(name: string): Promise<void> {
  const size = { width: 2400, height: 1600, channels: 3 } as const
  const image = sharp(randomBytes(size.width * size.height * size.channels), { raw: size })
  writeFileSync(here.at(name), await image.png({ compressionLevel: 0 }).toBuffer())
}

const staging = (): boolean => readdirSync(here.path).some((name) => name.startsWith('.mediaproc-'))

async function until(test: () => boolean): Promise<void> {
  while (!test()) await new Promise((resolve) => setTimeout(resolve, 10))
}

describe('Ctrl-C', { timeout: 60_000 }, () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
    '%s exits with 130 and leaves nothing',
    async (signal) => {
      await slowPicture('big.png')
      // An own folder for scratch space: other tests use the system's at the same time.
      const scratch = mkdtempSync(join(tmpdir(), 'signals-'))
      const child = startProgram(['image', 'convert', 'big.png', 'a.jpg', '--format', 'avif', '-j', '1'], {
        cwd: here.path,
        environment: { TMPDIR: scratch },
      })
      let said = ''
      child.stderr!.on('data', (chunk) => {
        said += chunk
      })
      const ended = statusOf(child)
      await until(staging)
      child.kill(signal)
      expect(await ended).toBe(130)
      expect(said).toContain('mediaproc: stopping …')
      expect(said).not.toContain('CANCELED')
      expect(said).toContain('0 done, 1 failed, 1 not started')
      expect(namesIn(here.path)).toEqual(['a.jpg', 'big.png'])
      expect(readdirSync(scratch)).toEqual([])
      rmSync(scratch, { recursive: true })
    },
  )

  test('a second one exits immediately', async () => {
    await slowPicture('big.png')
    const child = startProgram(['image', 'convert', 'big.png', '--format', 'avif'], { cwd: here.path })
    const ended = statusOf(child)
    await until(staging)
    child.kill('SIGINT')
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(namesIn(here.path)).toEqual(['a.jpg', 'big.png'])
    expect(existsSync(here.at('big.avif'))).toBe(false)
  })
})

test('the next run removes leftovers of a killed run', { timeout: 60_000 }, async () => {
  await slowPicture('big.png')
  const scratch = mkdtempSync(join(tmpdir(), 'signals-'))
  const environment = { TMPDIR: scratch }
  const child = startProgram(['image', 'convert', 'big.png', '--format', 'avif'], { cwd: here.path, environment })
  const ended = statusOf(child)
  await until(staging)
  child.kill('SIGKILL')
  expect(await ended).toBe(137)
  expect(staging()).toBe(true)
  expect((await here.run(['image', 'resize', 'a.jpg', '--width', '10'], { environment })).code).toBe(0)
  expect(namesIn(here.path)).toEqual(['a.jpg', 'a_resize.jpg', 'big.png'])
  rmSync(scratch, { recursive: true })
})

test('a run with another output folder removes leftovers of a killed run, and keeps those of a running one', {
  timeout: 60_000,
}, async () => {
  for (const name of ['killed', 'living', 'other']) mkdirSync(here.at(name))
  await slowPicture('big.png')
  const environment = { MEDIAPROC_CACHE_DIR: here.at('cache') }
  const begin = (folder: string) =>
    startProgram(['image', 'convert', 'big.png', '--format', 'avif', '-d', folder], { cwd: here.path, environment })
  const stagingIn = (folder: string): boolean =>
    readdirSync(here.at(folder)).some((name) => name.startsWith('.mediaproc-'))
  const [killed, living] = [begin('killed'), begin('living')]
  const ended = [killed, living].map(statusOf)
  await until(() => stagingIn('killed') && stagingIn('living'))
  killed.kill('SIGKILL')
  expect(await ended[0]).toBe(137)
  expect(stagingIn('killed')).toBe(true)
  // Without an owner: no process id in its name.
  mkdirSync(here.at('killed/.mediaproc-mine'))
  expect((await here.start(['image', 'resize', 'a.jpg', '--width', '5', '-d', 'other'], { environment })).code).toBe(0)
  expect(namesIn(here.at('killed'))).toEqual(['.mediaproc-mine'])
  expect(stagingIn('living')).toBe(true)
  living.kill('SIGTERM')
  expect(await ended[1]).toBe(130)
  expect(readdirSync(here.at('cache/places'))).toEqual([])
})
