import { describe, expect, test } from 'vitest'
import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { tagsOf } from '../../../src/media/av/labels/tags.ts'
import audioMetadata from '../../../tools/audio/audio-metadata.ts'
import { infoOf, makeAudio, samplesOf } from '../../helpers/av.ts'
import { withCover } from '../../helpers/cover.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const TAGS = { title: 'Mörgon = "dawn"', artist: 'グリーグ', album: 'Peer; Gynt' }

describe('set', () => {
  test.each(['mp3', 'm4a', 'ogg', 'opus', 'flac', 'wav', 'aiff', 'aac', 'wma'])('%s', async (extension) => {
    const source = await makeAudio({ seconds: 1, extension, sampleRate: 48000 })
    const { paths, names, report, warnings } = await run(audioMetadata, folder, [source], TAGS)
    expect(names[0]).toMatch(new RegExp(`_metadata\\.${extension}$`))
    const info = await infoOf(paths[0]!)
    expect(tagsOf(info)).toMatchObject(TAGS)
    expect(report.metadata).toMatchObject({ tags: TAGS, container: info.format })
    expect(warnings).toEqual([])
    expect(audioStreams(info)[0]!.codec).toBe(audioStreams(await infoOf(source))[0]!.codec)
    expect(await samplesOf(paths[0]!)).toEqual(await samplesOf(source))
    expect(JSON.stringify(tagsOf(info))).not.toContain('Lavf')
  })

  test('an unsupported tag causes a warning', async () => {
    const source = await makeAudio({ seconds: 1, extension: 'ac3', sampleRate: 48000 })
    const { warnings } = await run(audioMetadata, folder, [source], { title: 'Morning' })
    expect(warnings).toEqual([expect.stringContaining('cannot store title')])
  })
})

test('changes only given tags; an empty text clears; keeps the cover', async () => {
  const source = await withCover('mp3')
  const first = await run(audioMetadata, folder, [source], { artist: 'Somebody' })
  expect(tagsOf(await infoOf(first.paths[0]!))).toMatchObject({ title: 'Red', artist: 'Somebody' })
  const second = await run(audioMetadata, folder, [first.paths[0]!], { title: '' })
  const info = await infoOf(second.paths[0]!)
  expect(tagsOf(info).title).toBeUndefined()
  expect(tagsOf(info).artist).toBe('Somebody')
  expect(info.streams.some(({ isAttachedPicture }) => isAttachedPicture)).toBe(true)
})

test.each(['mp3', 'ogg', 'flac', 'm4a'])(
  'strip removes every tag from %s, with any other settings',
  async (extension) => {
    const source = await makeAudio({ seconds: 1, extension, sampleRate: 48000 })
    const tagged = await run(audioMetadata, folder, [source], TAGS)
    const { paths, report } = await run(audioMetadata, folder, [tagged.paths[0]!], { strip: true, title: 'Still' })
    expect(tagsOf(await infoOf(paths[0]!))).toEqual({})
    expect(report.metadata).toMatchObject({ tags: {} })
  },
)

test('without a setting it reports the tags, and that nothing changed', async () => {
  const { report, warnings } = await run(audioMetadata, folder, [await withCover('mp3')])
  expect(report.metadata).toMatchObject({ container: 'mp3', tags: { title: 'Red' }, bitrateKbps: expect.any(Number) })
  expect(warnings).toEqual([expect.stringMatching(/^Nothing was changed: .*\.mp3 has these tags already/)])
})

test('names a copy without changes', async () => {
  for (const extension of ['mp3', 'ogg', 'wav']) {
    const source = await makeAudio({ seconds: 1, extension })
    const named = [expect.stringContaining('Nothing was changed')]
    expect((await run(audioMetadata, folder, [source])).warnings).toEqual(named)
    const titled = await run(audioMetadata, folder, [source], { title: 'Morning' })
    expect(titled.warnings).toEqual([])
    expect((await run(audioMetadata, folder, titled.paths, { title: 'Morning' })).warnings).toEqual(named)
    expect((await run(audioMetadata, folder, titled.paths, { strip: true })).warnings).toEqual([])
  }
})
