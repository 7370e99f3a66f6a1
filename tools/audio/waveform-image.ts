import { streamFfmpeg } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { mainAudio } from '../../src/engines/ffmpeg/ffprobe.ts'
import { loadSharp } from '../../src/engines/sharp.ts'
import { MediaprocError } from '../../src/errors.ts'
import { sourceInput } from '../../src/media/av/input/source-input.ts'
import { soundEndsEarly } from '../../src/media/av/verify/length.ts'
import { printableName } from '../../src/media/file.ts'
import { rasterToPng } from '../../src/media/image/decode/carrier.ts'
import { ImageFrame } from '../../src/media/image/frame.ts'
import { avTool } from '../../src/tool/av-tool.ts'
import { color, integer } from '../../src/tool/settings.ts'
import { Peaks } from './waveform-image/peaks.ts'
import { drawWave } from './waveform-image/picture.ts'

/** Bytes per sample as read. */
const SAMPLE_BYTES = 2

export default avTool({
  section: 'audio',
  id: 'waveform-image',
  summary: "Draw an audio file's waveform as a PNG",
  settings: {
    width: integer('width of the image', { default: 1024, min: 256, max: 3840, unit: 'px' }),
    height: integer('height of the image', { default: 256, min: 64, max: 1080, unit: 'px' }),
    color: color('colour of the wave', { default: '#4f46e5' }),
  },
  output: { kind: 'file', type: { is: 'png' } },
  heavy: false,
  suffix: 'waveform',
  examples: [{ title: 'the waveform of an audio file', inputs: ['tone.mp3'] }],
  async produce([source], { width, height, color: colour }, { signal, progress, warn }) {
    const { index, channels = 1, sampleRate = 44_100 } = mainAudio(source.info)
    const { durationS } = source.info
    const moments = durationS && durationS * sampleRate
    const expected = moments && moments * channels * SAMPLE_BYTES
    const peaks = new Peaks(channels, moments)
    let read = 0
    let rest: Buffer = Buffer.alloc(0)
    const add = (chunk: Buffer): void => {
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
      const whole = bytes.length - (bytes.length % (channels * SAMPLE_BYTES))
      // A typed array of samples cannot start at an odd byte.
      const even = bytes.byteOffset % SAMPLE_BYTES === 0 ? bytes : new Uint8Array(bytes)
      peaks.add(new Int16Array(even.buffer, even.byteOffset, whole / SAMPLE_BYTES))
      rest = bytes.subarray(whole)
      read += chunk.length
      if (expected) progress(Math.min(1, read / expected), 'reading')
    }
    const output = ['-c:a', 'pcm_s16le', '-ac', String(channels), '-f', 's16le', 'pipe:1']
    const reading = streamFfmpeg([...sourceInput(source), '-map', `0:${index}`, ...output], add, { signal, warn })
    // The image writer is loaded while ffmpeg starts.
    loadSharp()
    await reading
    const columns = peaks.columns(width)
    if (columns.length === 0)
      throw new MediaprocError('INVALID_FILE', `${printableName(source.name)} has no audio that can be decoded`)
    const shorter = soundEndsEarly(source, read / (sampleRate * channels * SAMPLE_BYTES))
    if (shorter) warn(shorter)
    const drawn = await rasterToPng({ data: drawWave(columns, height, colour), width, height, channels: 4, depth: 8 })
    return { frame: (await ImageFrame.fromPng(drawn, source.name)).withTarget({ format: 'png' }) }
  },
})
