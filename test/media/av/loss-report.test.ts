/** A warning reports every property that ffprobe finds in a source and not in the output; supported properties are kept. */
import { execFile } from 'node:child_process'
import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { findFfmpeg, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { findFfprobe } from '../../../src/engines/ffmpeg/ffprobe.ts'
import convertAudio from '../../../tools/audio/convert-audio.ts'
import normalizeAudio from '../../../tools/audio/normalize-audio.ts'
import trimAudio from '../../../tools/audio/trim-audio.ts'
import convertVideo from '../../../tools/video/convert/convert-video.ts'
import resizeVideo from '../../../tools/video/geometry/resize-video.ts'
import mergeVideos from '../../../tools/video/time/merge-videos.ts'
import trimVideo from '../../../tools/video/time/trim-video.ts'
import { makeAudio, makeVideo, sharedMedia } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const SMALL = { width: 64, height: 48, seconds: 1 }

interface Probed {
  format: { tags?: Record<string, string> }
  streams: {
    codec_type: string
    pix_fmt?: string
    field_order?: string
    bits_per_raw_sample?: string
    bits_per_sample?: number
    sample_fmt?: string
    disposition: Record<string, number>
    tags?: Record<string, string>
  }[]
  chapters: { tags?: { title?: string } }[]
}

/** The answer of ffprobe itself. */
async function probed(path: string): Promise<Probed> {
  const { path: program } = (await findFfprobe())!
  const questions = ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', '-show_chapters', path]
  return JSON.parse((await promisify(execFile)(program, questions)).stdout) as Probed
}

type Facts = Record<string, readonly string[]>

/** Properties that a user would miss, as lists of values by their name in a warning. */
function factsOf({ format, streams, chapters }: Probed): Facts {
  const lower = (tags: Record<string, string> = {}) =>
    Object.fromEntries(Object.entries(tags).map(([name, value]) => [name.toLowerCase(), value]))
  const isCover = ({ disposition }: Probed['streams'][number]) => disposition.attached_pic === 1
  const played = streams.filter((stream) => !isCover(stream) && /video|audio|subtitle/.test(stream.codec_type))
  const kind = (type: string) => played.flatMap(({ codec_type }) => (codec_type === type ? [type] : []))
  const tags = lower(format.tags)
  return {
    video: kind('video'),
    'audio|sound': kind('audio'),
    subtitle: kind('subtitle'),
    cover: streams.filter(isCover).map(() => 'cover'),
    attached: streams.flatMap(({ codec_type }) => (codec_type === 'attachment' ? ['attachment'] : [])),
    chapter: chapters.map(() => 'chapter'),
    'chapter(?!s? track)': chapters.flatMap(({ tags: own }) => own?.title ?? []),
    'language|track': played.flatMap(({ tags: own }) => {
      const { language = 'und' } = lower(own)
      return language === 'und' ? [] : [language.replace('ger', 'deu')]
    }),
    'titles? of|track': played.flatMap(({ tags: own }) => {
      const { title, handler_name: handler = 'Handler' } = lower(own)
      return title ?? (/Handler$/.test(handler) ? [] : handler)
    }),
    'role|track': played.flatMap(({ disposition }) =>
      ['comment', 'forced', 'hearing_impaired'].filter((name) => disposition[name] === 1),
    ),
    tag: ['title', 'artist', 'comment', 'replaygain_track_gain'].flatMap((name) => tags[name] ?? []),
  }
}

/** Missing properties of the output that no warning names. */
async function silentlyLost(source: string, output: string, warnings: readonly string[]): Promise<string[]> {
  const [before, after] = [factsOf(await probed(source)), factsOf(await probed(output))]
  return Object.entries(before).flatMap(([words, values]) => {
    const rest = [...after[words]!]
    const gone = values.filter((value) => {
      const at = rest.indexOf(value)
      if (at >= 0) rest.splice(at, 1)
      return at < 0
    })
    return warnings.some((warning) => new RegExp(words).test(warning)) ? [] : gone
  })
}

function writeText(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const aboutTheFile = (): string =>
  writeText(
    'about.txt',
    ';FFMETADATA1\ntitle=Der Film\nartist=Jemand\ncomment=Ein Wort\n' +
      '[CHAPTER]\nTIMEBASE=1/2\nSTART=0\nEND=1\ntitle=Anfang\n[CHAPTER]\nTIMEBASE=1/2\nSTART=1\nEND=2\ntitle=Ende\n',
  )

/** Two audio tracks with languages, titles and roles, subtitles, chapters, tags and an attached font. */
function richFilm(): Promise<string> {
  return sharedMedia(['rich video'], 'rich.mkv', async (path) => {
    const words = writeText('words.srt', '1\n00:00:00,200 --> 00:00:00,700\nHallo\n')
    await runFfmpeg([
      ...['-i', await makeVideo({ ...SMALL, audioTracks: 2 }), '-i', words, '-i', aboutTheFile()],
      ...['-map', '0', '-map', '1', '-map_metadata', '2', '-map_chapters', '2', '-c', 'copy', '-c:s', 'srt'],
      ...['-metadata:s:a:0', 'language=deu', '-metadata:s:a:0', 'title=Ton', '-disposition:a:0', 'default'],
      ...['-metadata:s:a:1', 'language=fra', '-metadata:s:a:1', 'title=Kommentar', '-disposition:a:1', 'comment'],
      ...['-metadata:s:s:0', 'language=deu', '-metadata:s:s:0', 'title=Text', '-disposition:s:0', 'forced'],
      ...['-attach', words, '-metadata:s:t', 'mimetype=font/ttf', '-metadata:s:t', 'filename=words.ttf', path],
    ])
  })
}

/** Samples of 24 bits with chapters, a cover, tags and ReplayGain. */
function richSound(): Promise<string> {
  return sharedMedia(['rich sound'], 'rich.m4a', async (path) => {
    const picture = ['-f', 'lavfi', '-i', 'color=red:s=64x64:r=1:d=1']
    await runFfmpeg([
      ...['-f', 'lavfi', '-i', 'sine=d=1:sample_rate=44100', ...picture, '-i', aboutTheFile()],
      ...['-map', '0', '-map', '1', '-map_metadata', '2', '-map_chapters', '2', '-c:a', 'alac', '-sample_fmt', 's32p'],
      ...['-c:v', 'png', '-frames:v', '1', '-disposition:v', 'attached_pic', '-movflags', 'use_metadata_tags'],
      ...['-metadata', 'replaygain_track_gain=-3.00 dB', path],
    ])
  })
}

describe('a complex video', () => {
  test.each(['mp4', 'mov', 'webm', 'avi'])('to %s: reports what it lacks', async (format) => {
    const source = await richFilm()
    const { paths, warnings } = await run(convertVideo, folder, [source], { format })
    expect(await silentlyLost(source, paths[0]!, warnings)).toEqual([])
    expect(warnings.join('\n')).toContain('attached file')
  })

  test.each(['mp4', 'mov'])('%s has languages, titles, chapters and tags', async (format) => {
    const { paths } = await run(convertVideo, folder, [await richFilm()], { format })
    const facts = factsOf(await probed(paths[0]!))
    // The video track of a MOV has language code 0, which older versions of ffprobe read as English.
    const languages = facts['language|track']!.filter((language) => language !== 'eng')
    expect(languages.slice(0, 3)).toEqual(['deu', 'fra', 'deu'])
    expect(facts['titles? of|track']).toEqual(['Ton', 'Kommentar', 'Text'])
    expect(facts['chapter(?!s? track)']).toEqual(['Anfang', 'Ende'])
    expect(facts.tag).toEqual(['Der Film', 'Jemand', 'Ein Wort'])
  })

  test('to MKV: loses and reports nothing', async () => {
    const source = await richFilm()
    const { paths, warnings } = await run(convertVideo, folder, [source], { format: 'mkv' })
    expect(warnings).toEqual([])
    expect(await silentlyLost(source, paths[0]!, [])).toEqual([])
  })
})

test('keeps the creation time', async () => {
  const created = '2020-01-02T03:04:05.000000Z'
  const source = await sharedMedia(['dated'], 'dated.mp4', async (path) => {
    await runFfmpeg(['-i', await makeVideo(SMALL), '-c', 'copy', '-metadata', `creation_time=${created}`, path])
  })
  for (const [tool, settings] of [
    [convertVideo, { format: 'mkv' }],
    [trimVideo, { startS: 0, endS: 0.5 }],
    [resizeVideo, { width: 32 }],
  ] as const) {
    const { paths, warnings } = await run(tool, folder, [source], settings)
    expect(warnings).toEqual([])
    expect(JSON.stringify(await probed(paths[0]!))).toContain(created)
  }
})

describe('a complex audio file', () => {
  test.each(['flac', 'mp3', 'wav'])('to %s: reports what it lacks', async (format) => {
    const source = await richSound()
    const { paths, warnings } = await run(convertAudio, folder, [source], { format })
    expect(await silentlyLost(source, paths[0]!, warnings)).toEqual([])
    const { streams } = await probed(paths[0]!)
    const { bits_per_raw_sample: raw, bits_per_sample: stored } = streams.find(
      ({ codec_type }) => codec_type === 'audio',
    )!
    const bits = Number(raw) || stored || 0
    // MP3 has no sample depth.
    if (bits > 0 && bits < 24) expect(warnings.join('\n')).toContain('samples of 24 bits')
  })

  test("copies Ogg's stream tags into other formats", async () => {
    const source = await sharedMedia(['tagged ogg'], 'tagged.ogg', async (path) => {
      const tags = ['-metadata', 'title=Lied', '-metadata', 'artist=Ich']
      await runFfmpeg(['-i', await makeAudio({ seconds: 1 }), ...tags, '-c:a', 'libvorbis', path])
    })
    for (const format of ['mp3', 'flac', 'm4a']) {
      const { paths, warnings } = await run(convertAudio, folder, [source], { format })
      expect(warnings).toEqual([])
      const { tags = {} } = (await probed(paths[0]!)).format
      const values = Object.values(tags)
      expect(values).toEqual(expect.arrayContaining(['Lied', 'Ich']))
    }
  })

  test('keeps the language of an audio track', async () => {
    for (const format of ['mp3', 'flac', 'wav', 'ogg', 'm4a']) {
      const { paths, warnings } = await run(convertAudio, folder, [await richFilm()], { format })
      expect(JSON.stringify(await probed(paths[0]!)), format).toMatch(/"language": ?"(deu|ger)"/i)
      expect(warnings.join('\n')).not.toContain('language')
    }
  })

  test('normalize-audio: removes loudness tags of the source', async () => {
    for (const extension of ['flac', 'ogg', 'mp3']) {
      const source = await sharedMedia(['gain'], `gain.${extension}`, async (path) => {
        const tags = ['-metadata', 'REPLAYGAIN_TRACK_GAIN=-3.00 dB', '-metadata', 'title=Lied']
        await runFfmpeg(['-i', await makeAudio({ seconds: 1, extension }), '-c', 'copy', ...tags, path])
      })
      expect(JSON.stringify(await probed(source))).toMatch(/replaygain/i)
      const { paths, warnings } = await run(normalizeAudio, folder, [source])
      const text = JSON.stringify(await probed(paths[0]!))
      expect(text).not.toMatch(/replaygain/i)
      expect(text).toContain('Lied')
      expect(warnings).toEqual([])
    }
  })
})

describe('plain sources cause no warning', () => {
  test.each(['mp4', 'mkv', 'webm', 'mov'])('a video as %s', async (extension) => {
    const source = await makeVideo({ ...SMALL, audio: true, extension })
    const format = extension === 'mp4' ? 'mkv' : 'mp4'
    expect((await run(convertVideo, folder, [source], { format })).warnings).toEqual([])
    expect((await run(resizeVideo, folder, [source], { width: 32 })).warnings).toEqual([])
    expect((await run(trimVideo, folder, [source], { startS: 0, endS: 0.5 })).warnings).toEqual([])
  })

  test.each(['wav', 'mp3', 'flac', 'm4a', 'ogg'])('an audio file as %s', async (extension) => {
    const source = await makeAudio({ seconds: 1, extension })
    const formats = ['mp3', 'wav', 'flac', 'ogg', 'm4a'].filter((format) => format !== extension)
    for (const format of formats)
      expect((await run(convertAudio, folder, [source], { format })).warnings, format).toEqual([])
    expect((await run(trimAudio, folder, [source], { startS: 0.2, endS: 0.8 })).warnings).toEqual([])
  })
})

describe('pictures', () => {
  test('joined clips of 25 and 30 frames per second: reports the changed one', async () => {
    const [slow, fast] = [await makeVideo({ ...SMALL, fps: 25 }), await makeVideo({ ...SMALL, fps: 30 })]
    const { warnings } = await run(mergeVideos, folder, [slow, fast])
    expect(warnings).toEqual([
      `${slow.split('/').at(-1)}: the frame rate is 30 and not 25 per second: all joined files get the same format`,
    ])
  })

  test('interlaced: still marked as such, or reported', async () => {
    const source = await sharedMedia(['interlaced'], 'interlaced.mp4', async (path) => {
      const fields = ['-vf', 'tinterlace=interleave_top,fieldorder=tff', '-flags', '+ilme+ildct', '-top', '1']
      await runFfmpeg(['-i', await makeVideo({ ...SMALL, fps: 50 }), ...fields, '-c:v', 'libx264', path])
    })
    const fields = async (path: string) => (await probed(path)).streams[0]!.field_order
    expect(await fields(source)).toMatch(/^(tt|tb|bt|bb)$/)
    for (const extension of ['mp4', 'webm']) {
      const { paths, warnings } = await run(convertVideo, folder, [source], { format: extension })
      const { paths: resized, warnings: reported } = await run(resizeVideo, folder, [source], { width: 32 })
      for (const [path, said] of [
        [paths[0]!, warnings],
        [resized[0]!, reported],
      ] as const)
        if (!/^(tt|tb|bt|bb)$/.test((await fields(path)) ?? '')) expect(said.join('\n')).toContain('interlaced')
    }
  })

  test('full chroma resolution that is written with less', async () => {
    const source = await sharedMedia(['444'], 'full.mkv', async (path) => {
      await runFfmpeg(['-i', await makeVideo(SMALL), '-pix_fmt', 'yuv444p', '-c:v', 'ffv1', path])
    })
    const { paths, warnings } = await run(convertVideo, folder, [source], { format: 'mp4' })
    expect((await probed(paths[0]!)).streams[0]!.pix_fmt).toBe('yuv420p')
    expect(warnings).toEqual([expect.stringContaining('the colours of the picture (yuv444p)')])
  })
})

describe('an output that differs from the plan', () => {
  const before = process.env.MEDIAPROC_FFMPEG
  afterEach(() => {
    if (before === undefined) delete process.env.MEDIAPROC_FFMPEG
    else process.env.MEDIAPROC_FFMPEG = before
  })

  test('a missing stream is a failure and leaves no file', async () => {
    const source = await makeVideo({ ...SMALL, audio: true })
    const { path } = (await findFfmpeg())!
    const forgetful = writeText(
      'forgetful',
      `#!/bin/bash\nargs=("$@")\nexec ${path} "\${args[@]:0:$#-1}" -an "\${args[-1]}"\n`,
    )
    chmodSync(forgetful, 0o755)
    const outputs = () => readdirSync(folder, { recursive: true }).filter((name) => `${name}`.endsWith('.mkv'))
    const earlier = outputs()
    process.env.MEDIAPROC_FFMPEG = forgetful
    await expect(run(convertVideo, folder, [source], { format: 'mkv' })).rejects.toMatchObject({
      code: 'PROCESSING_FAILED',
      message: 'The result does not match the plan: it has 0 of 1 audio track',
    })
    expect(outputs()).toEqual(earlier)
  })
})
