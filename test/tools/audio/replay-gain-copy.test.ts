/** Everything in a WAV or M4A file that is no gain is copied as it is. */

import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { captureFfmpeg, inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { tagsOf } from '../../../src/media/av/labels/tags.ts'
import { box, boxesIn, fullBox } from '../../../src/media/boxes.ts'
import { tagM4a } from '../../../tools/audio/replay-gain/m4a.ts'
import { splice } from '../../../tools/audio/replay-gain/splice.ts'
import replayGain from '../../../tools/audio/replay-gain.ts'
import { infoOf, sharedMedia, temporaryPath } from '../../helpers/av.ts'
import { mountSmallDisk } from '../../helpers/small-disk.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const signal = new AbortController().signal

const sine = (extension: string, options: readonly string[] = []): Promise<string> =>
  sharedMedia(['gain copy', extension, ...options], `sine.${extension}`, async (path) => {
    await runFfmpeg(['-f', 'lavfi', '-i', 'sine=d=1:r=8000', '-fflags', '+bitexact', ...options, path])
  })

function fileOf(name: string, ...bytes: readonly Buffer[]): string {
  const path = temporaryPath(name)
  writeFileSync(path, Buffer.concat(bytes))
  return path
}

const packets = async (path: string): Promise<string> =>
  Buffer.from(
    await captureFfmpeg([...inputArguments(path), '-map', '0:a', '-c', 'copy', '-f', 'md5', 'pipe:1'], {
      maxOutput: 99,
    }),
  ).toString()

async function tagged(source: string): Promise<{ bytes: Buffer; path: string; warnings: string[] }> {
  const { paths, warnings } = await run(replayGain, folder, [source])
  const path = paths[0] ?? ''
  return { path, bytes: readFileSync(path), warnings }
}

function chunk(id: string, content: Buffer): Buffer {
  const header = Buffer.from(`${id}\0\0\0\0`, 'latin1')
  header.writeUInt32LE(content.length, 4)
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)])
}

/** Chunks by id; each has its padding, and nothing follows the last one. */
function chunksOf(bytes: Buffer): [string, string][] {
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8)
  const found: [string, string][] = []
  for (let at = 12; at < bytes.length; ) {
    const size = bytes.readUInt32LE(at + 4)
    found.push([bytes.toString('latin1', at, at + 4), bytes.toString('latin1', at + 8, at + 8 + size)])
    at += 8 + size + (size % 2)
    expect(at).toBeLessThanOrEqual(bytes.length)
  }
  return found
}

function riff(chunks: readonly Buffer[]): Buffer {
  const content = Buffer.concat([Buffer.from('WAVE'), ...chunks])
  const header = Buffer.from('RIFF\0\0\0\0')
  header.writeUInt32LE(content.length, 4)
  return Buffer.concat([header, content])
}

/** A frame of ID3v2.3. */
function frame(id: string, content: string): Buffer {
  const header = Buffer.from(`${id}\0\0\0\0\0\0`, 'latin1')
  header.writeUInt32BE(content.length, 4)
  return Buffer.concat([header, Buffer.from(content, 'latin1')])
}

const wide = (text: string): string =>
  `\x01\xff\xfe${Buffer.from(text.replace('\0', '\0\ufeff'), 'utf16le').toString('latin1')}`

const FRAMES = [
  frame('TIT2', '\0Kept'),
  frame('TXXX', wide('REPLAYGAIN_TRACK_GAIN\0-1.00 dB')),
  frame('TXXX', wide('MOOD\0calm')),
  frame('PRIV', 'owner\0\x01\xff\0'),
]

function id3(frames: readonly Buffer[], padding: number): Buffer {
  const body = Buffer.concat([...frames, Buffer.alloc(padding)])
  const size = Buffer.from([21, 14, 7, 0].map((shift) => (body.length >> shift) & 127))
  return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 3, 0, 0]), size, body])
}

const format = Buffer.from('fmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0', 'latin1')
/** The fixed fields of bext have 602 bytes; some readers expect them. */
const extra = ['smpl', 'bext', 'iXML', 'cue '].map((id, index) =>
  chunk(id, Buffer.alloc((id === 'bext' ? 602 : 40) + index, id === 'bext' ? 0 : 7 + index)),
)
const samples = chunk('data', Buffer.alloc(8001, 'loud and quiet '))

/** The tags of these names, where there are some. */
const pick = (tags: Record<string, string>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(tags).filter(([name]) => names.includes(name)))

test('WAV: chunks of samplers, cue lists and broadcast stay, and frames of a tag are merged', async () => {
  const all = [...extra.slice(0, 2), samples, ...extra.slice(2)]
  // Of a file with bext or private frames, a newer ffprobe shows only what is in there.
  const plain = [FRAMES.slice(0, 3), 1, all.filter((one) => one !== extra[1])] as const
  for (const [frames, at, chunks] of [...[1, 4, 6].map((index) => [FRAMES, index, all] as const), plain]) {
    const tag = chunk('id3 ', id3(frames, 21))
    const source = riff([format, ...chunks.toSpliced(at, 0, tag)])
    const { path, bytes, warnings } = await tagged(fileOf('rich.wav', source))
    expect(warnings).toEqual([])
    const [before, after] = [chunksOf(source), chunksOf(bytes)]
    const others = (found: [string, string][]) => found.filter(([id]) => id !== 'id3 ')
    expect(others(after)).toEqual(others(before))
    const [text = '', second] = after.flatMap(([id, content]) => (id === 'id3 ' ? [content] : []))
    expect(second).toBeUndefined()
    for (const kept of frames.toSpliced(1, 1)) expect(text).toContain(kept.toString('latin1'))
    // ffprobe reads the same tag, and each gain once.
    const tags = tagsOf(await infoOf(path))
    const isRead = {
      ...{ title: 'Kept', mood: 'calm' },
      replaygain_track_gain: expect.stringMatching(/^-\d+\.\d\d dB$/),
    }
    if (chunks === all) expect([{}, isRead]).toContainEqual(pick(tags, Object.keys(isRead)))
    else expect(tags).toMatchObject(isRead)
    expect(text.toLowerCase().replaceAll('\0', '').split('replaygain_track_gain')).toHaveLength(2)
    expect(text).not.toContain('-\x001\0.\x000\0')
  }
})

test('WAV: a last chunk without its padding and a tail beyond the sizes', async () => {
  const source = Buffer.concat([riff([format, samples.subarray(0, -1)]), Buffer.from('\0tail')])
  const { bytes, warnings } = await tagged(fileOf('odd.wav', source))
  expect(warnings).toEqual([])
  expect(bytes.toString('latin1', bytes.length - 5)).toBe('\0tail')
  const chunks = chunksOf(bytes.subarray(0, -5))
  expect(chunks.map(([id]) => id)).toEqual(['fmt ', 'data', 'id3 '])
  expect(chunks[1]?.[1]).toBe(samples.toString('latin1', 8, 8 + 8001))
})

test('WAV without a place for tags is copied byte for byte, and the reason is given', async () => {
  const whole = riff([format, samples])
  const streamed = Buffer.from(whole)
  for (const at of [4, 8 + 4 + format.length + 4]) streamed.writeUInt32LE(0xffffffff, at)
  const cases: [RegExp, Buffer][] = [
    [/only RIFF files of up to 4 GB/, readFileSync(await sine('wav', ['-rf64', 'always']))],
    [/does not state its size/, streamed],
    [/do not end where/, riff([format, samples, Buffer.from('LIST\xff\0\0\0', 'latin1')])],
    [/ID3 tag of another form/, riff([format, chunk('id3 ', Buffer.from('ID3\x02\0\0\0\0\0\0', 'latin1')), samples])],
  ]
  for (const [reason, source] of cases) {
    const { bytes, warnings } = await tagged(fileOf('plain.wav', source))
    expect(warnings).toEqual([expect.stringMatching(reason)])
    expect(bytes.equals(source)).toBe(true)
  }
})

test('a copy without tags can be written again although its source cannot', async () => {
  const silent = fileOf('silent.wav', readFileSync(await sine('wav', ['-af', 'volume=0'])))
  chmodSync(silent, 0o444)
  const { bytes, path, warnings } = await tagged(silent)
  expect(warnings).toEqual([expect.stringContaining('is silent')])
  expect(bytes.equals(readFileSync(silent))).toBe(true)
  expect(statSync(path).mode & 0o200).toBe(0o200)
})

type Edit = (bytes: Buffer) => Buffer
const same: Edit = (bytes) => bytes

/** A box with another one at a path within it. */
function edited(bytes: Buffer, path: readonly string[], edit: Edit): Buffer {
  const [type, ...rest] = path
  if (type === undefined) return edit(bytes)
  const name = bytes.toString('latin1', 4, 8)
  const start = name === 'meta' ? 12 : 8
  const parts = (boxesIn(bytes, { start, end: bytes.length }) ?? []).map((one) => {
    const part = bytes.subarray(one.start, one.end)
    return one.type === type ? edited(part, rest, edit) : part
  })
  return box(name, bytes.subarray(8, start), ...parts)
}

/** The boxes at a path from the top of a file on, as text. */
function boxAt(bytes: Buffer, ...path: readonly string[]): string {
  let found = ''
  edited(box('file', bytes), path, (one) => {
    found += one.toString('latin1')
    return one
  })
  return found
}

/** A table of offsets with 64 bits each, of a file that it makes larger. @param by what else makes it larger, bytes */
const wide64 =
  (by: number): Edit =>
  (table) => {
    const count = table.readUInt32BE(12)
    const values = Buffer.alloc(8 * count)
    for (let n = 0; n < count; n += 1)
      values.writeBigUInt64BE(BigInt(table.readUInt32BE(16 + 4 * n) + by + 4 * count), 8 * n)
    return fullBox('co64', 0, table.subarray(12, 16), values)
  }

/** A box whose header has a size of 64 bits. */
function longBox(bytes: Buffer): Buffer {
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(bytes.length + 8))
  return Buffer.concat([Buffer.from([0, 0, 0, 1]), bytes.subarray(4, 8), size, bytes.subarray(8)])
}

const custom = box(
  '----',
  box('mean', Buffer.alloc(4), Buffer.from('org.example')),
  box('name', Buffer.alloc(4), Buffer.from('Track Id')),
  box('data', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]), Buffer.from('of another program')),
)

const append =
  (...more: readonly Buffer[]): Edit =>
  (bytes) =>
    box(bytes.toString('latin1', 4, 8), bytes.subarray(8), ...more)

/** An M4A file with the index in front of the audio, in which offsets have 64 bits. */
async function m4a(edits: readonly [string[], Edit][], last: Edit = same): Promise<Buffer> {
  const bytes = readFileSync(await sine('m4a', ['-metadata', 'title=Kept', '-movflags', '+faststart']))
  const place = boxesIn(bytes, { start: 0, end: bytes.length })?.find(({ type }) => type === 'moov')
  if (!place) throw new Error('no index')
  const old = bytes.subarray(place.start, place.end)
  const moov = edits.reduce<Buffer>((whole, [path, edit]) => edited(whole, path, edit), old)
  const growth = last(moov).length - old.length
  const table = ['trak', 'mdia', 'minf', 'stbl', 'stco']
  const index = last(edited(moov, table, wide64(growth)))
  return Buffer.concat([bytes.subarray(0, place.start), index, bytes.subarray(place.end)])
}

const TERMINATOR = Buffer.alloc(4)

test('M4A: tags of other programs and user data stay, and offsets of 64 bits follow the larger index', async () => {
  const user = box('©xyz', Buffer.from('\0\x05\x15\xc7+1-2/', 'latin1'))
  const edits: [string[], Edit][] = [
    [['udta', 'meta', 'ilst'], append(custom)],
    [['udta'], append(user, TERMINATOR)],
  ]
  const plain = await packets(await sine('m4a', ['-metadata', 'title=Kept', '-movflags', '+faststart']))
  for (const last of [same, longBox]) {
    const source = fileOf('rich.m4a', await m4a(edits, last))
    expect(await packets(source)).toBe(plain)
    const { path, bytes, warnings } = await tagged(source)
    expect(warnings).toEqual([])
    expect(await packets(path)).toBe(plain)
    const data = boxAt(bytes, 'moov', 'udta')
    for (const kept of [custom, user]) expect(data).toContain(kept.toString('latin1'))
    expect(data.endsWith('\0\0\0\0')).toBe(true)
    const own = tagsOf(await infoOf(path))
    expect(own).toMatchObject({ title: 'Kept', 'track id': 'of another program' })
    expect(own.replaygain_track_gain).toMatch(/^-?\d+\.\d\d dB$/)
    // A second time, the gains are replaced.
    const again = temporaryPath('again.m4a')
    expect(await tagM4a(path, again, { replaygain_track_gain: '-1.00 dB', replaygain_album_gain: '' }, signal)).toBe(
      undefined,
    )
    expect(boxAt(readFileSync(again), 'moov', 'udta').split('replaygain_track_gain')).toHaveLength(2)
    expect(tagsOf(await infoOf(again))).toMatchObject({ replaygain_track_gain: '-1.00 dB', title: 'Kept' })
    expect(tagsOf(await infoOf(again)).replaygain_album_gain).toBeUndefined()
    expect(await packets(again)).toBe(plain)
  }
})

test('M4A without a place for tags is copied byte for byte, and the reason is given', async () => {
  const quicktime = box('meta', TERMINATOR, fullBox('hdlr', 0, Buffer.from('\0\0\0\0mdta\0\0\0\0\0\0\0\0\0\0\0\0\0')))
  const cases: [RegExp, Buffer][] = [
    [/fragmented/, readFileSync(await sine('m4a', ['-movflags', 'frag_keyframe+empty_moov']))],
    [/not those of iTunes/, await m4a([[['udta', 'meta'], () => quicktime]])],
    [/do not fit/, Buffer.concat([await m4a([]), Buffer.from([0, 0, 1, 0, 0x66, 0x72, 0x65, 0x65])])],
  ]
  for (const [reason, source] of cases) {
    const { bytes, warnings } = await tagged(fileOf('plain.m4a', source))
    expect(warnings).toEqual([expect.stringMatching(reason)])
    expect(bytes.equals(source)).toBe(true)
  }
})

const disk = mountSmallDisk('96k')

// Needs permission to mount a disk: root on Linux.
test.skipIf(!disk)(
  'a copy that does not fit on the disk fails, although the disk takes part of its last bytes',
  async () => {
    const source = fileOf('long.wav', Buffer.alloc(100_000))
    const target = join(disk ?? '', 'copy.wav')
    const whole = splice(source, target, [{ start: 0, end: 100_000 }], signal)
    await expect(whole).rejects.toMatchObject({ code: 'ENOSPC' })
    await expect(splice(source, target, [Buffer.alloc(100_000)], signal)).rejects.toMatchObject({ code: 'ENOSPC' })
  },
)
