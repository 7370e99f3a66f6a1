import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { chooseTracks } from '../../../src/media/av/labels/track-choice.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { tracksSetting } from '../_shared/track-settings.ts'

export default avTool({
  section: 'video',
  id: 'mute-video',
  summary: 'Drop the audio tracks of a video without re-encoding',
  suffix: 'muted',
  heavy: false,
  settings: { tracks: tracksSetting('audio tracks to drop') },
  examples: [
    { title: 'without audio' },
    { title: 'without the first track', inputs: ['film.mkv'], settings: { tracks: '1' } },
  ],
  plan(source, { tracks }) {
    const dropped = chooseTracks(source, 'audio', tracks)
    const kept = audioStreams(source.info).filter(({ index }) => dropped && !dropped.includes(index))
    return kept.length === 0 ? { audio: 'drop' } : { tracks: { audio: kept.map(({ index }) => index) } }
  },
})
