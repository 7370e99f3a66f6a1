import { srtOf, vttOf } from '../../../src/media/av/subtitles/cues.ts'
import { speechCues } from '../../../src/media/av/subtitles/speech-cues.ts'
import { SPEECH_LANGUAGES, TIME_LIMIT_S, transcribe } from '../../../src/models/speech/transcribe.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { choice } from '../../../src/tool/settings.ts'

export default avTool({
  section: 'video',
  id: 'auto-subtitles',
  summary: "Create a subtitle file from a video's speech",
  suffix: '',
  bundles: ['transcription'],
  settings: {
    language: choice(SPEECH_LANGUAGES, 'spoken language; auto detects it from the first half minute', {
      default: 'auto',
    }),
    format: choice(['srt', 'vtt'], 'output format; WebVTT is for web pages', { short: 'F', default: 'srt' }),
  },
  output: { kind: 'file+report', type: { setting: 'format' } },
  timeoutS: TIME_LIMIT_S,
  async: true,
  batch: false,
  examples: [
    { title: 'subtitles for burn-subtitles or embed-subtitles', inputs: ['clip.mp4'] },
    {
      title: 'for a web page, from French speech',
      inputs: ['clip.mp4'],
      settings: { language: 'fr', format: 'vtt' },
    },
  ],
  async produce([source], { language, format }, context) {
    const { segments, ...facts } = await transcribe(source, language, context)
    const cues = speechCues(segments)
    return {
      files: [{ type: format, data: format === 'srt' ? srtOf(cues) : vttOf(cues) }],
      report: { segments: cues.length, ...facts },
    }
  },
})
