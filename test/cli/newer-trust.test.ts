/** --newer never trusts names and times alone: outputs that differ from their record are redone, with the reason. */

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ffmpegPath } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { namesIn, type RunProgram, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()
const { at, picture, run, start } = here

/** Replaces a file by another of the same size and times, as `rsync --times` or a clock of 2 s do. */
function replaceUnseen(path: string, change: (bytes: Buffer) => Buffer): void {
  const { atime, mtime } = statSync(path)
  const bytes = change(readFileSync(path))
  writeFileSync(path, bytes)
  utimesSync(path, atime, mtime)
}

/** The last byte but two, which decoders do not need to find. */
const otherByte = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes)
  copy[copy.length - 3]! ^= 1
  return copy
}

const resize = (width: number, ...more: string[]) => ['image', 'resize', 'a.jpg', '--width', String(width), ...more]

/** 'skipped', or why an output was redone; undefined for a new output. */
async function outcome(
  args: readonly string[],
  options: Omit<RunProgram, 'cwd'> = {},
  program = run,
): Promise<string | undefined> {
  const { code, stdout, stderr } = await program([...args, '--newer', '--json'], options)
  expect([code, stderr]).toEqual([0, ''])
  const record = JSON.parse(stdout)
  return record.skipped ? 'skipped' : record.reason
}

test('redoes an output without a record in this cache, HOME or container', async () => {
  expect(await outcome(resize(12), { environment: { MEDIAPROC_CACHE_DIR: at('one') } })).toBe(undefined)
  const other = { environment: { MEDIAPROC_CACHE_DIR: at('two') } }
  expect(await outcome(resize(30), other)).toBe('there is no record of how a_resize.jpg was made')
  expect(await here.widthOf('a_resize.jpg')).toBe(30)
  expect(await outcome(resize(30), other)).toBe('skipped')
})

test('a moved folder', async () => {
  mkdirSync(at('one'))
  await picture('one/a.jpg')
  const small = ['image', 'resize', 'one/a.jpg', '--width', '10', '--newer']
  expect((await run(small)).code).toBe(0)
  renameSync(at('one'), at('two'))
  expect(await run(['image', 'resize', 'two/a.jpg', '--width', '20', '--newer'])).toMatchObject({
    code: 0,
    stdout: 'two/a_resize.jpg\n',
    stderr: 'mediaproc: two/a.jpg: made again: there is no record of how a_resize.jpg was made\n',
  })
  expect(await here.widthOf('two/a_resize.jpg')).toBe(20)
})

test('a text file with the name of the output, and a folder with the name of a set', async () => {
  writeFileSync(at('a_resize.jpg'), 'notes')
  expect(await outcome(resize(10))).toBe('there is no record of how a_resize.jpg was made')
  expect(await here.widthOf('a_resize.jpg')).toBe(10)
  mkdirSync(at('a_split'))
  writeFileSync(at('a_split/notes.txt'), 'mine')
  const split = ['image', 'split', 'a.jpg', '--cols', '2', '--rows', '1']
  expect(await outcome(split)).toBe('there is no record of how a_split was made')
  expect(namesIn(at('a_split'))).toEqual(['a_r1_c1.jpg', 'a_r1_c2.jpg', 'notes.txt'])
  expect(readFileSync(at('a_split/notes.txt'), 'utf8')).toBe('mine')
})

test('an output that was emptied, edited, or replaced by one of the same size and times', async () => {
  await outcome(resize(10))
  writeFileSync(at('a_resize.jpg'), '')
  expect(await outcome(resize(10))).toBe('a_resize.jpg has changed since it was made')
  expect(await here.widthOf('a_resize.jpg')).toBe(10)
  replaceUnseen(at('a_resize.jpg'), otherByte)
  expect(await outcome(resize(10))).toBe('a_resize.jpg has changed since it was made')
  // The same content is the same output, regardless of its times.
  replaceUnseen(at('a_resize.jpg'), (bytes) => bytes)
  expect(await outcome(resize(10))).toBe('skipped')
})

test('a member of a set', async () => {
  const split = ['image', 'split', 'a.jpg', '--cols', '2', '--rows', '1']
  await outcome(split)
  replaceUnseen(at('a_split/a_r1_c2.jpg'), otherByte)
  expect(await outcome(split)).toBe('a_r1_c2.jpg has changed since it was made')
  expect(await outcome(split)).toBe('skipped')
})

test('inputs and secondary files that keep size and times', async () => {
  await picture('w.png', '#000000')
  const watermark = ['image', 'watermark-image', 'a.jpg', '--watermark', 'w.png']
  await outcome(watermark)
  replaceUnseen(at('w.png'), otherByte)
  expect(await outcome(watermark)).toBe('w.png has changed')
  replaceUnseen(at('a.jpg'), otherByte)
  expect(await outcome(watermark)).toBe('a.jpg has changed')
  expect(await outcome(watermark)).toBe('skipped')
})

test('after a run without checksums, redoes what may have been replaced', async () => {
  expect((await run(resize(10))).code).toBe(0)
  chmodSync(at('a_resize.jpg'), 0o600)
  expect(await outcome(resize(10))).toBe('a_resize.jpg may have changed: the previous run kept no checksum of it')
})

test('a program that was replaced at its path, with the same size and times', async () => {
  const name = at('my-ffmpeg')
  const path = await ffmpegPath()
  writeFileSync(name, `#!/bin/sh\n# build 1\nexec ${path} "$@"\n`, { mode: 0o755 })
  execFileSync(path, ['-v', 'error', '-f', 'lavfi', '-i', 'sine=duration=0.2', at('a.wav')])
  const convert = ['audio', 'convert-audio', 'a.wav', '--format', 'flac']
  const options = { environment: { MEDIAPROC_FFMPEG: name } }
  expect(await outcome(convert, options)).toBe(undefined)
  expect(await outcome(convert, options)).toBe('skipped')
  replaceUnseen(name, (bytes) => Buffer.from(bytes.toString().replace('build 1', 'build 2')))
  expect(await outcome(convert, options)).toBe('the program ffmpeg has changed')
  expect(await outcome(convert, options)).toBe('skipped')
})

test('the file named by FONTCONFIG_FILE', async () => {
  writeFileSync(at('fonts.conf'), '<fontconfig><!-- 1 --></fontconfig>')
  const options = { environment: { FONTCONFIG_FILE: at('fonts.conf') } }
  expect(await outcome(resize(10), options, start)).toBe(undefined)
  expect(await outcome(resize(10), options, start)).toBe('skipped')
  replaceUnseen(at('fonts.conf'), (bytes) => Buffer.from(bytes.toString().replace('1', '2')))
  expect(await outcome(resize(10), options, start)).toBe('the file of FONTCONFIG_FILE has changed')
})

/** Turns the records in a folder into those of another machine. */
function fromElsewhere(folder: string): void {
  for (const name of namesIn(folder).filter((one) => one.endsWith('.json'))) {
    // The second line of a finished record replaces fields of the first.
    const [first = '', ...later] = readFileSync(join(folder, name), 'utf8').split('\n')
    const record = JSON.parse(first)
    if (typeof record !== 'object') continue
    writeFileSync(join(folder, name), [JSON.stringify({ ...record, machine: 'another' }), ...later].join('\n'))
  }
}

test('a record of another machine: the content decides, in both directions', async () => {
  const options = { environment: { MEDIAPROC_CACHE_DIR: at('cache') } }
  await outcome(resize(10), options)
  fromElsewhere(at('cache/records/jobs'))
  // A checkout makes inputs newer than the outputs restored from a cache.
  utimesSync(at('a.jpg'), 4_000_000_000, 4_000_000_000)
  expect(await outcome(resize(10), options)).toBe('skipped')
  const { atime, mtime } = statSync(at('a.jpg'))
  writeFileSync(at('a.jpg'), otherByte(readFileSync(at('a.jpg'))))
  utimesSync(at('a.jpg'), atime, mtime)
  expect(await outcome(resize(10), options)).toBe('a.jpg has changed')
})

test('--newer=hash compares contents regardless of times', async () => {
  await outcome(resize(10))
  utimesSync(at('a.jpg'), 4_000_000_000, 4_000_000_000)
  const byHash = await run([...resize(10), '--newer=hash', '--json'])
  expect(JSON.parse(byHash.stdout).skipped).toBe(true)
  expect(await outcome(resize(10), { environment: { MEDIAPROC_NEWER: 'hash' } })).toBe('skipped')
  writeFileSync(at('.mediaprocrc.json'), '{"newer": "hash"}')
  expect(await outcome(resize(10))).toBe('skipped')
  expect((await run([...resize(10), '--newer=time'])).stderr).toContain('a.jpg is newer than the output'.slice(6))
  expect(await run([...resize(10), '--newer=size'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Expected time or hash after --newer=, got size'),
  })
})

test('--newer=hash redoes the outputs of a run without checksums', async () => {
  expect((await run(resize(10))).code).toBe(0)
  const { stdout } = await run([...resize(10), '--newer=hash', '--json'])
  expect(JSON.parse(stdout).reason).toBe('a_resize.jpg may have changed: the previous run kept no checksum of it')
})

test('records next to outputs move with the folder, also to another machine', async () => {
  mkdirSync(at('site/src'), { recursive: true })
  await picture('site/src/b.jpg')
  await picture('site/w.png', '#000000')
  const build = (folder: string, cache: string, ...more: string[]): Promise<string | undefined> =>
    outcome(
      [
        'image',
        'watermark-image',
        `${folder}/src/b.jpg`,
        '--watermark',
        `${folder}/w.png`,
        '-d',
        `${folder}/dist`,
        ...more,
      ],
      { environment: { MEDIAPROC_RECORDS: 'beside', MEDIAPROC_CACHE_DIR: at(cache) } },
    )
  expect(await build('site', 'one')).toBe(undefined)
  const kept = namesIn(at('site/dist')).filter((name) => name.endsWith('.json'))
  expect(kept).toHaveLength(1)
  const record = readFileSync(at('site/dist', kept[0]!), 'utf8')
  expect(record).not.toContain(here.path)
  fromElsewhere(at('site/dist/.mediaproc-records'))
  cpSync(at('site'), at('copy'), { recursive: true })
  expect(await build('copy', 'two')).toBe('skipped')
  expect(await build('copy', 'two', '--opacity', '20')).toMatch(/^the setting opacity was/)
  expect(await build('copy', 'three', '--opacity', '20')).toBe('skipped')
  writeFileSync(at('copy/w.png'), otherByte(readFileSync(at('copy/w.png'))))
  expect(await build('copy', 'three', '--opacity', '20')).toBe('w.png has changed')
  // They are not inputs of a listing.
  const listed = await run(['image', 'resize', '-r', 'copy/dist', '--width', '10', '-d', 'x'])
  expect([listed.stdout, readdirSync(at('x'))]).toEqual(['x/b_watermarked_resize.jpg\n', ['b_watermarked_resize.jpg']])
})

test('records next to a set: removes leftovers of another machine', async () => {
  const split = (cols: number, cache: string): Promise<string | undefined> =>
    outcome(['image', 'split', 'a.jpg', '--cols', String(cols), '--rows', '1', '-o', 'tiles/'], {
      environment: { MEDIAPROC_RECORDS: 'beside', MEDIAPROC_CACHE_DIR: at(cache) },
    })
  await split(3, 'one')
  fromElsewhere(at('.mediaproc-records'))
  expect(await split(2, 'two')).toBe('the setting cols was 3 and is 2')
  expect(namesIn(at('tiles'))).toHaveLength(2)
})
