import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { sampleTables } from '../../../src/media/av/input/gapless-tracks.ts'
import { sharedMedia } from '../../helpers/av.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** 6 s of video, an audio track without a gap, and one with a gap. */
const video = (name: string, ...options: string[]): Promise<string> =>
  sharedMedia([name, 'gapless'], name, async (path) => {
    const inputs = ['testsrc2=s=64x48:r=25:d=6', 'sine=d=6', "sine=d=6,aselect='lt(t,1)+gte(t,5)'"]
    const maps = ['-map', '0', '-map', '1', '-map', '2', '-c:v', 'mpeg4', '-c:a', 'aac']
    await runFfmpeg([...inputs.flatMap((one) => ['-f', 'lavfi', '-i', one]), ...maps, ...options, path])
  })

const WITH_INDEX_FIRST = ['-movflags', '+faststart']

/** A copy in which the bytes at an offset from the type of its first such box are others. */
function changed(path: string, type: string, offset: number, bytes: readonly number[]): string {
  const content = readFileSync(path)
  Buffer.from(bytes).copy(content, content.indexOf(type, 0, 'latin1') + offset)
  const copy = join(folder, `${type}.mp4`)
  writeFileSync(copy, content)
  return copy
}

const positions = (path: string): number[] | undefined => {
  const tables = sampleTables(path)
  return tables && [...tables.gapless.keys()]
}

test.each([
  ['at the end', []],
  ['first', WITH_INDEX_FIRST],
])('only the audio without a gap, index %s', async (place, options) => {
  const tables = sampleTables(await video(`tracks ${place}.mp4`, ...options))
  expect(tables?.tracks).toBe(3)
  expect([...(tables?.gapless.keys() ?? [])]).toEqual([1])
  expect(tables?.gapless.get(1)).toBeCloseTo(6, 0)
})

test('a track that starts later has a pause first, and no gap', async () => {
  expect(positions(await video('late.mp4', '-map', '-0:v', '-filter:a:0', 'asetpts=PTS+2/TB'))).toEqual([0])
})

test('fragmented files have no tables', async () => {
  expect(sampleTables(await video('parts.mp4', '-movflags', '+frag_keyframe+empty_moov'))).toBeUndefined()
})

test('incomplete and damaged files', async () => {
  const path = await video('tracks first.mp4', ...WITH_INDEX_FIRST)
  const cut = join(folder, 'cut.mp4')
  writeFileSync(cut, readFileSync(path).subarray(0, -1000))
  expect(sampleTables(cut)).toBeUndefined()
  expect(sampleTables(changed(path, 'moov', -4, [0, 0, 0, 20]))).toBeUndefined()
})

test('damaged tables of a single track', async () => {
  const path = await video('alone.mp4', '-map', '-0:v', '-map', '-2:a', ...WITH_INDEX_FIRST)
  expect(positions(path)).toEqual([0])
  // The number of entries in the table of times, and the number of packets.
  expect(sampleTables(changed(path, 'stts', 8, [0xff, 0xff, 0xff, 0xff]))).toBeUndefined()
  expect(positions(changed(path, 'stsz', 12, [0, 0, 0, 9]))).toEqual([])
  // The ticks between packets, and the ticks per second.
  expect(positions(changed(path, 'stts', 16, [0, 1, 0, 0]))).toEqual([])
  expect(positions(changed(path, 'mdhd', 16, [0, 0, 0, 0]))).toEqual([])
})

test('edit lists that play several parts, only a pause, or at another speed', async () => {
  const path = await video('alone.mp4', '-map', '-0:v', '-map', '-2:a', ...WITH_INDEX_FIRST)
  expect(positions(changed(path, 'elst', 8, [0, 0, 0, 3]))).toEqual([])
  expect(positions(changed(path, 'elst', 8, [0, 0, 0, 2]))).toEqual([])
  expect(positions(changed(path, 'elst', 16, [0xff, 0xff, 0xff, 0xff]))).toEqual([])
  expect(positions(changed(path, 'elst', 20, [0, 0, 0, 0]))).toEqual([])
})
