import type { Stream } from '../../engines/ffmpeg/ffprobe.ts'
import type { AvSource } from '../../media/av/filters/graph.ts'

const VIDEO: Stream = {
  index: 0,
  type: 'video',
  codec: 'h264',
  width: 1920,
  height: 1080,
  rotation: 0,
  colour: {},
  tags: {},
  isDefault: true,
  isAttachedPicture: false,
}

const audio = (index: number, codec: string): Stream => ({
  index,
  type: 'audio',
  codec,
  sampleRate: 48000,
  channels: 2,
  rotation: 0,
  colour: {},
  tags: {},
  isDefault: true,
  isAttachedPicture: false,
})

/** One hour: longer than typical settings request. */
const LENGTH_S = 3600

const source = (extension: string, format: string, streams: Stream[]): AvSource => ({
  path: `INPUT.${extension}`,
  name: `INPUT.${extension}`,
  extension,
  info: { format, durationS: LENGTH_S, sizeBytes: 0, tags: {}, chapters: 0, streams },
})

/** The source for displayed commands if no input is given: an MP4 with H.264 and AAC, and an MP3. */
export const TYPICAL: Readonly<Record<'video' | 'audio', AvSource>> = {
  video: source('mp4', 'mov,mp4,m4a,3gp,3g2,mj2', [VIDEO, audio(1, 'aac')]),
  audio: source('mp3', 'mp3', [audio(0, 'mp3')]),
}
