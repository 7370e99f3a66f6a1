import { describe, expect, test } from 'vitest'
import type { MediaInfo, Stream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import {
  type AvPart,
  type AvSource,
  avDuration,
  joinsRun,
  outputExtension,
  planAv,
} from '../../../src/media/av/filters/graph.ts'

const base = { rotation: 0, colour: {}, tags: {}, isDefault: false, isAttachedPicture: false } as const
const video = { ...base, type: 'video', codec: 'h264', width: 128, height: 96, durationS: 10 } as const
const audio = { ...base, type: 'audio', codec: 'aac', channels: 2 } as const
const subtitle = { ...base, type: 'subtitle', codec: 'mov_text' } as const

function sourceWith(streams: Omit<Stream, 'index'>[], extension = 'mp4', changes: Partial<MediaInfo> = {}): AvSource {
  const format = extension === 'mkv' ? 'matroska,webm' : extension === 'ts' ? 'mpegts' : 'mov,mp4,m4a,3gp,3g2,mj2'
  const numbered = streams.map((stream, index) => ({ ...stream, index }))
  const info = { format, durationS: 10, sizeBytes: 1, tags: {}, chapters: 0, streams: numbered, ...changes }
  return { path: '/in/clip', name: `clip.${extension}`, extension, info }
}

const clip = sourceWith([video, audio])
const command = (source: AvSource, ...parts: AvPart[]) => planAv(source, parts, '/out/clip').arguments.join(' ')

describe('what is copied', () => {
  test('everything if no part changes anything', () => {
    const plan = planAv(sourceWith([video, audio, audio, subtitle]), [], '/out/clip.mp4')
    expect(plan.copies).toEqual({ video: true, audio: true })
    const line = plan.arguments.join(' ')
    expect(line).toContain('-map 0:0 -c:v:0 copy -map 0:1 -map 0:2 -c:a:0 copy -c:a:1 copy -map 0:3 -c:s:0 copy')
    expect(line).toContain('-movflags +faststart')
    expect(line).toMatch(/-f mp4 file:\/out\/clip\.mp4$/)
  })

  test('a filter re-encodes only its own stream type', () => {
    expect(planAv(clip, [{ videoFilters: ['hflip'] }], 'x')).toMatchObject({
      copies: { video: false, audio: true },
    })
    expect(planAv(clip, [{ audioFilters: ['volume=2'] }], 'x')).toMatchObject({
      copies: { video: true, audio: false },
    })
  })

  test('filters of several parts form one chain, in order', () => {
    const line = command(
      clip,
      { videoFilters: ['hflip'], audioFilters: ['volume=2'] },
      { videoFilters: ['vflip'], audioFilters: ['areverse'] },
    )
    expect(line).toContain('-filter:v:0 hflip,vflip,crop=')
    expect(line).toContain('-filter:a:0 volume=2,areverse')
  })

  test('streams that the new container does not support are encoded, others copied', () => {
    const mixed = sourceWith([{ ...video, codec: 'vp9' }, { ...audio, codec: 'opus' }, audio], 'mkv')
    const plan = planAv(mixed, [{ encode: { container: 'webm' } }], 'x')
    expect(plan.copies).toEqual({ video: true, audio: false })
    expect(plan.arguments.join(' ')).toContain('-map 0:1 -map 0:2 -c:a libopus -c:a:0 copy')
  })

  test('a rotation that the container does not support is applied', () => {
    const turned = sourceWith([{ ...video, rotation: 90 }])
    expect(planAv(turned, [{ encode: { container: 'mkv' } }], 'x').copies.video).toBe(false)
    expect(planAv(turned, [{ encode: { container: 'mov' } }], 'x').copies.video).toBe(true)
  })

  test('options without an encoder apply to the default one', () => {
    expect(command(clip, { encode: { video: ['-crf', '30'] } })).toContain(
      '-c:v libx264 -crf 20 -preset medium -pix_fmt yuv420p -crf 30',
    )
    expect(command(clip, { encode: { video: ['-c:v', 'libx265'] } })).toContain(' -c:v libx265 ')
    expect(command(clip, { encode: { video: ['-c:v', 'libx265'] } })).not.toContain('libx264')
  })

  test('crops only odd sizes without filters', () => {
    const encode = { encode: { video: [] } }
    expect(command(clip, encode)).not.toContain('crop=')
    expect(command(sourceWith([{ ...video, width: 127 }]), encode)).toContain('crop=trunc(iw/2)*2:trunc(ih/2)*2')
    expect(command(sourceWith([{ ...video, width: 127 }]), { encode: { container: 'webm' } })).not.toContain('crop=')
  })
})

describe('kept streams', () => {
  test('drops', () => {
    expect(command(clip, { audio: 'drop' })).not.toContain('0:1')
    expect(command(clip, { video: 'drop', encode: { container: 'm4a' } })).toContain(
      '-i file:/in/clip -map 0:1 -c:a:0 copy',
    )
    expect(command(sourceWith([video, subtitle]), { subtitles: 'drop' })).not.toContain('-c:s')
  })

  test('subtitles are converted to the format of the container or dropped', () => {
    const words = sourceWith([video, subtitle])
    const to = (container: string) => command(words, { encode: { container } })
    expect(to('mkv')).toContain('-c:s:0 srt')
    expect(to('webm')).toContain('-c:s:0 webvtt')
    expect(to('avi')).not.toContain('-c:s')
    expect(
      command(sourceWith([video, { ...subtitle, codec: 'hdmv_pgs_subtitle' }], 'mkv'), {
        encode: { container: 'mp4' },
      }),
    ).not.toContain('-c:s')
  })

  test('drops data streams, keeps attachments in Matroska', () => {
    const rich = [
      video,
      { ...base, type: 'data', codec: 'bin_data' },
      { ...base, type: 'attachment', codec: 'ttf' },
    ] as const
    expect(command(sourceWith([...rich], 'mkv'))).toContain('-map 0:2 -c:t copy')
    expect(command(sourceWith([...rich], 'mkv'))).not.toContain('0:1')
    expect(command(sourceWith([...rich], 'mkv'), { encode: { container: 'mp4' } })).not.toContain('0:2')
  })

  test('single streams; plain audio files take one stream', () => {
    const many = sourceWith([video, video, audio, audio])
    expect(command(many, { singleVideo: true, singleAudio: true })).toContain(
      '-map 0:0 -c:v:0 copy -map 0:2 -c:a:0 copy',
    )
    expect(command(many, { encode: { container: 'mp3' } })).not.toContain('0:3')
  })

  test('no remaining stream is an error', () => {
    expect(() => planAv(sourceWith([video]), [{ video: 'drop' }], 'x')).toThrow('The file has no audio stream to write')
    expect(() => planAv(sourceWith([video]), [{ encode: { container: 'mp3' } }], 'x')).toThrow(
      'The file has no audio stream to write',
    )
  })
})

describe('ranges', () => {
  const range = { startS: 1, endS: 3, exact: false }

  test('not exact: seeks and copies', () => {
    const line = command(clip, { range })
    expect(line).toMatch(/^-ss 1 -to 3 -protocol_whitelist file,pipe .* -i file:\/in\/clip /)
    expect(line).toContain('-avoid_negative_ts make_zero')
    expect(line).not.toContain('-copypriorss')
  })

  test('exact: both are encoded; files without an index are decoded from the start', () => {
    const exact = { range: { ...range, exact: true } }
    expect(planAv(clip, [exact], 'x').copies).toEqual({ video: false, audio: false })
    expect(command(clip, exact)).toMatch(/^-ss 1 -to 3 /)
    const stream = command(sourceWith([video, audio, { ...subtitle, codec: 'dvb_subtitle' }], 'ts'), exact)
    expect(stream).not.toContain('-ss')
    expect(stream).toContain('-filter:v:0 trim=start=1:end=3,setpts=PTS-if(lt(STARTT-1\\,0.04)\\,STARTPTS\\,1/TB)')
    expect(stream).toContain('-filter:a:0 atrim=start=1:end=3,asetpts=PTS-1/TB')
  })

  test('audio copied with encoded video loses the packets before the cut', () => {
    expect(command(clip, { range }, { videoFilters: ['hflip'] })).toContain('-c:a:0 copy -copypriorss:a:0 0')
  })

  test('a cut after filters is a filter', () => {
    const line = command(
      clip,
      { videoFilters: ['fade'] },
      { range: { ...range, exact: true } },
      { videoFilters: ['hflip'] },
    )
    expect(line).toContain(
      '-filter:v:0 fade,trim=start=1:end=3,setpts=PTS-if(lt(STARTT-1\\,0.04)\\,STARTPTS\\,1/TB),hflip,',
    )
    expect(line).toContain('-filter:a:0 atrim=start=1:end=3,asetpts=PTS-1/TB')
    expect(line).toContain('-map_chapters -1')
  })

  test('two cuts are merged', () => {
    expect(command(clip, { range: { startS: 2, endS: 8, exact: false } }, { range })).toMatch(/^-ss 3 -to 5 /)
  })

  test('chapters bound the output', () => {
    expect(command(sourceWith([video], 'mp4', { chapters: 2 }), { range })).toContain('-t 2 ')
    expect(command(clip, { range })).not.toContain('-t 2 ')
  })

  test('lengths', () => {
    const twice = { changesDuration: (durationS: number) => durationS * 2 }
    expect(avDuration(clip, [])).toBe(10)
    expect(avDuration(clip, [{ range }])).toBe(2)
    expect(avDuration(clip, [{ range: { startS: 4, endS: 50, exact: true } }])).toBe(6)
    expect(avDuration(clip, [{ range }, twice])).toBe(4)
    expect(avDuration(clip, [twice, { range: { startS: 15, exact: true } }])).toBe(5)
    expect(avDuration(sourceWith([video], 'mp4', { durationS: undefined }), [{ range }])).toBeUndefined()
  })
})

describe('runs', () => {
  const trim = { range: { startS: 1, endS: 3, exact: false } }
  const exactTrim = { range: { ...trim.range, exact: true } }

  test('can be merged into one command', () => {
    expect(joinsRun(clip, [trim], { videoFilters: ['hflip'] })).toBe(true)
    expect(joinsRun(clip, [{ videoFilters: ['hflip'] }], exactTrim)).toBe(true)
    expect(joinsRun(clip, [trim], trim)).toBe(true)
    expect(joinsRun(clip, [trim], { audio: 'drop' })).toBe(true)
  })

  test('cannot be merged', () => {
    expect(joinsRun(clip, [{ endsRun: true }], {})).toBe(false)
    expect(joinsRun(clip, [{ videoFilters: ['hflip'] }], trim)).toBe(false)
    expect(joinsRun(clip, [trim], { audioFilters: ['volume=2'] })).toBe(false)
    expect(joinsRun(sourceWith([video, subtitle]), [{ videoFilters: ['hflip'] }], exactTrim)).toBe(false)
    const complexFilter = (videoIn: string) => `${videoIn}null[v]`
    expect(joinsRun(clip, [{ complexFilter }], { complexFilter })).toBe(false)
  })
})

test('the extension of the output', () => {
  expect(outputExtension(clip, [])).toBe('mp4')
  expect(outputExtension(clip, [{ encode: { container: 'MKV' } }, {}])).toBe('mkv')
  expect(outputExtension({ ...clip, extension: 'constructor' }, [])).toBe('mp4')
  expect(outputExtension({ ...sourceWith([audio]), extension: '' }, [])).toBe('mp3')
})
