import { MediaprocError } from '../../../src/errors.ts'
import { videoCodecFor } from '../../../src/media/av/codecs.ts'
import { seconds } from '../../../src/media/av/range.ts'
import { printableName } from '../../../src/media/file.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { choice } from '../../../src/tool/settings.ts'

/** GIF delays are in hundredths of a second. */
const TICK_S = 0.01

/**
 * Filters that show the last frame as long as the GIF does: video stores frame times, but not the length of the last
 * frame. Copies of it follow, the last of them a tick before the end.
 */
function withLastFrame(durationS: number): string {
  const last = seconds(Math.max(0, durationS - TICK_S))
  return `,tpad=stop_mode=clone:stop_duration=${seconds(durationS)},setpts='min(PTS,${last}/TB)',trim=end=${seconds(durationS)}`
}

export default avTool({
  section: 'video',
  id: 'gif-to-video',
  summary: 'Turn an animated GIF into a compact video',
  suffix: 'video',
  converts: true,
  heavy: false,
  input: { files: 'one', min: 1, max: 1, accept: ['gif'] },
  settings: {
    format: choice(['mp4', 'webm', 'mov'], 'output format', { short: 'F', default: 'mp4' }),
  },
  output: { kind: 'file', type: { setting: 'format' } },
  conversion: true,
  examples: [{ title: 'for a web page', inputs: ['animation.gif'], settings: { format: 'webm' } }],
  plan({ name, info: { durationS } }, { format }) {
    if (durationS === undefined)
      throw new MediaprocError('INVALID_FILE', `${printableName(name)} is damaged: it contains no frame`)
    return {
      // The video formats have no transparency here: transparent areas become white, as on most pages.
      complexFilter: (input) =>
        `${input}format=rgba,split[picture][canvas];[canvas]lutrgb=r=255:g=255:b=255:a=255[white];` +
        '[white][picture]overlay=format=auto,crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0,format=yuv420p,' +
        `settb=1/100${withLastFrame(durationS)}[v]`,
      singleVideo: true,
      encode: {
        container: format,
        // Frames keep their own times; the rate is that of the time base.
        video: [...videoCodecFor(format, format === 'webm' ? { quality: 32 } : {}), '-vsync', 'vfr', '-r', '100'],
      },
      endsRun: true,
    }
  },
})
